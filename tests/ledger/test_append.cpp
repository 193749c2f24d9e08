// One file, many writers, and places that refuse: what was there stays, what is written is whole.
#define BOOST_TEST_MODULE append
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <opscope/ledger_reader.hpp>
#include <set>
#include <thread>

#include "plugin/ledger/append.hpp"
#include "tests/ledger/random_graph.hpp"
#include "tests/ledger/support.hpp"

namespace opscope::test {
namespace {

using namespace std::chrono_literals;

// Runs the body in a child; its exit status, or -signal.
int in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    int status = 99;
    try {
      status = body();
    } catch (...) {
    }
    ::_exit(status);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

std::string append_text(const std::string& place, std::string_view record,
                        std::chrono::milliseconds wait = 5s) {
  return append_record(place, "g", record, wait).value_or("");
}

void expect_text(const std::string& text, std::string_view part) {
  BOOST_TEST(text.find(part) != std::string::npos, "\"" << text << "\" lacks \"" << part << "\"");
}

struct counted {
  std::size_t records = 0;
  std::size_t skipped = 0;
  std::set<std::pair<std::string, std::uint64_t>> identities;
};
counted count_records(const std::string& path) {
  counted c;
  ledger_reader reader{path, nullptr};
  while (const auto r = reader.next(true)) {
    ++c.records;
    c.identities.emplace(r->graph, r->sequence);
  }
  c.skipped = reader.skipped_lines();
  return c;
}

BOOST_AUTO_TEST_SUITE(whole_lines)

BOOST_AUTO_TEST_CASE(are_appended_to_what_is_there) {
  const scratch s;
  BOOST_TEST(append_text(s.path("l"), "one") == "");
  BOOST_TEST(append_text(s.path("l"), "two") == "");
  BOOST_TEST(read_text(s.path("l")) == "one\ntwo\n");
}

BOOST_AUTO_TEST_CASE(begin_behind_a_torn_one) {
  const scratch s;
  write_text(s.path("l"), "one\ntor");
  BOOST_TEST(append_text(s.path("l"), "two") == "");
  BOOST_TEST(read_text(s.path("l")) == "one\ntor\ntwo\n");
}

BOOST_AUTO_TEST_CASE(are_written_where_the_file_may_only_be_written) {
  const scratch s;
  const std::string path = s.path("l");
  write_text(path, "one\n");
  ::chmod(path.c_str(), 0222);
  ::chmod(s.folder().c_str(), 0777);
  const int status = in_child([&] {
    if (::geteuid() == 0 && ::setuid(65'534) != 0) return 98;
    return append_text(path, "two").empty() ? 0 : 1;
  });
  BOOST_TEST(status == 0);
  ::chmod(path.c_str(), 0644);
  // Whether the last line was torn cannot be seen then: an empty line is harmless.
  BOOST_TEST(read_text(path) == "one\n\ntwo\n");
}

BOOST_AUTO_TEST_CASE(leave_nothing_behind_that_was_not_committed) {
  const scratch s;
  write_text(s.path("l"), "one\ntor");
  {
    file_appender file{s.path("l"), true, 5s};
    file.take(std::string(100'000, 'x'));
  }
  BOOST_TEST(read_text(s.path("l")) == "one\ntor");
}

BOOST_AUTO_TEST_CASE(folders_are_made_for_them) {
  const scratch s;
  BOOST_TEST(append_text(s.path("a/b/l"), "one") == "");
  BOOST_TEST(read_text(s.path("a/b/l")) == "one\n");
  BOOST_TEST(append_text(s.path("c/d/"), "two") == "");
  BOOST_TEST(read_text(s.path("c/d/g")) == "two\n");
}

BOOST_AUTO_TEST_CASE(go_to_the_file_that_the_path_names_when_the_lock_is_had) {
  const scratch s;
  const std::string path = s.path("l");
  write_text(path, "old\n");
  const int holder = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  BOOST_REQUIRE(::flock(holder, LOCK_EX) == 0);
  std::string problem = "not done";
  std::thread writer{[&] { problem = append_text(path, "new"); }};
  std::this_thread::sleep_for(20ms);  // enough or not, the outcome is the same
  std::filesystem::rename(path, s.path("rotated"));
  ::flock(holder, LOCK_UN);
  ::close(holder);
  writer.join();
  BOOST_TEST(problem == "");
  const bool went_before = read_text(s.path("rotated")) == "old\nnew\n";
  if (!went_before) {
    BOOST_TEST(read_text(s.path("rotated")) == "old\n");
    BOOST_TEST(read_text(path) == "new\n");
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(places_that_refuse)

BOOST_AUTO_TEST_CASE(are_named_with_what_to_do) {
  const scratch s;
  BOOST_REQUIRE(::mkfifo(s.path("fifo").c_str(), 0666) == 0);
  expect_text(append_text(s.path("fifo"), "x"), "/fifo: is a FIFO, and a ledger is appended to");
  expect_text(append_text("/dev/null", "x"), "/dev/null: is a device");
  expect_text(append_text(s.folder().string(), "x"), "end the path with '/'");
  write_text(s.path("file"), "x");
  expect_text(append_text(s.path("file/l"), "x"), "a part of the path is a file");
  expect_text(append_text(s.path(std::string(300, 'n')), "x"), "choose a shorter path");
}

BOOST_AUTO_TEST_CASE(a_folder_that_may_not_be_written_to) {
  const scratch s;
  std::filesystem::create_directory(s.path("d"));
  ::chmod(s.path("d").c_str(), 0555);
  ::chmod(s.folder().c_str(), 0755);
  const int status = in_child([&] {
    if (::geteuid() == 0 && ::setuid(65'534) != 0) return 98;  // root may write anywhere
    const std::string problem = append_text(s.path("d/l"), "x");
    return problem.find("this user may write to") != std::string::npos ? 0 : 1;
  });
  BOOST_TEST(status == 0);
  BOOST_TEST(!std::filesystem::exists(s.path("d/l")));
  ::chmod(s.path("d").c_str(), 0755);
}

BOOST_AUTO_TEST_CASE(a_limit_on_file_sizes_keeps_what_was_there) {
  const scratch s;
  const std::string before(10'000, 'x');
  write_text(s.path("l"), before + "\n");
  const int status = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{20'000, 20'000};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 98;
    const std::string problem = append_text(s.path("l"), std::string(50'000, 'y'));
    if (problem.find("raise the limit on file sizes") == std::string::npos) return 1;
    return append_text(s.path("l"), "small").empty() ? 0 : 2;
  });
  BOOST_TEST(status == 0);
  BOOST_TEST(read_text(s.path("l")) == before + "\nsmall\n");
}

bool can_mount() {
  const scratch s;
  return in_child([&] {
           return ::unshare(CLONE_NEWNS) == 0 &&
                          ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                          ::mount("tmpfs", s.folder().c_str(), "tmpfs", 0, "size=64k") == 0
                      ? 0
                      : 1;
         }) == 0;
}
struct needs_mounts {
  boost::test_tools::assertion_result operator()(boost::unit_test::test_unit_id) const {
    boost::test_tools::assertion_result result{can_mount()};
    result.message() << "mounting a small file system takes root";
    return result;
  }
};

BOOST_AUTO_TEST_CASE(a_full_disk_keeps_what_was_there,
                     *boost::unit_test::precondition(needs_mounts{})) {
  const scratch s;
  const int status = in_child([&] {
    if (::unshare(CLONE_NEWNS) != 0) return 90;
    if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return 91;
    if (::mount("tmpfs", s.folder().c_str(), "tmpfs", 0, "size=64k") != 0) return 92;
    if (!append_text(s.path("l"), "one").empty()) return 1;
    const std::string problem = append_text(s.path("l"), std::string(200'000, 'y'));
    if (problem.find("make room on that disk") == std::string::npos) return 2;
    if (read_text(s.path("l")) != "one\n") return 3;
    return append_text(s.path("l"), "two").empty() && read_text(s.path("l")) == "one\ntwo\n" ? 0
                                                                                             : 4;
  });
  BOOST_TEST(status == 0);
}

BOOST_AUTO_TEST_CASE(a_read_only_file_system, *boost::unit_test::precondition(needs_mounts{})) {
  const scratch s;
  const int status = in_child([&] {
    if (::unshare(CLONE_NEWNS) != 0) return 90;
    if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return 91;
    if (::mount("tmpfs", s.folder().c_str(), "tmpfs", MS_RDONLY, "") != 0) return 92;
    const std::string problem = append_text(s.path("l"), "x");
    return problem.find("Read-only file system") != std::string::npos ? 0 : 1;
  });
  BOOST_TEST(status == 0);
}

BOOST_AUTO_TEST_CASE(a_stopped_process_that_holds_the_lock_is_waited_for_once) {
  const scratch s;
  const std::string path = s.path("l");
  view_builder b{"g"};
  b.input("x", {4});
  BOOST_TEST(append_graph(path, b.get()) == "");
  const pid_t holder = ::fork();
  if (holder == 0) {
    const int file = ::open(path.c_str(), O_RDWR);
    ::flock(file, LOCK_EX);
    ::raise(SIGSTOP);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(holder, &status, WUNTRACED);
  BOOST_REQUIRE(WIFSTOPPED(status));
  ledger_settings settings;
  settings.place = path;
  settings.lock_wait = 50ms;
  ledger log{settings};
  const graph_cost cost = analyze(b.view());
  expect_text(log.append(lowered_record(b.get()), cost).value_or(""),
              "another process has held its lock for 50 ms");
  // The next compile is not held up by as much again.
  expect_text(log.append(lowered_record(b.get()), cost).value_or(""), "held its lock for 0 ms");
  ::kill(holder, SIGKILL);
  ::waitpid(holder, &status, 0);
  BOOST_TEST(log.append(lowered_record(b.get()), cost).value_or("") == "");
  BOOST_TEST(count_records(path).records == 2u);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(many_writers)

bool ends_torn(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  in.seekg(-1, std::ios::end);
  return in && in.get() != '\n';
}

BOOST_AUTO_TEST_CASE(of_one_file_lose_nothing) {
  const scratch s;
  const std::string path = s.path("l");
  constexpr unsigned processes = 32;
  constexpr unsigned appends = 200;
  std::vector<pid_t> children;
  for (unsigned p = 0; p < processes; ++p) {
    const pid_t child = ::fork();
    if (child == 0) {
      view_builder b{"graph " + std::to_string(p)};
      random_source random{p};
      build(b, random_graph(random, {.nodes = 20}), p);
      ledger_settings settings;
      settings.place = path;
      settings.lock_wait = 60s;
      ledger log{settings};
      const graph_cost cost = analyze(b.view());
      int failures = 0;
      for (unsigned i = 0; i < appends; ++i) {
        rlx_compile_record r = lowered_record(b.get());
        r.sequence = i;
        failures += log.append(r, cost).has_value() ? 1 : 0;
      }
      ::_exit(failures == 0 ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    BOOST_TEST(status == 0);
  }
  const counted c = count_records(path);
  BOOST_TEST(c.records == processes * appends);
  BOOST_TEST(c.identities.size() == processes * appends);
  BOOST_TEST(c.skipped == 0u);
  BOOST_TEST(lines_of(path).size() == processes * appends);
}

// A writer killed at a random point of its append loses its own line at most.
BOOST_AUTO_TEST_CASE(that_are_killed_tear_their_own_line_at_most) {
  const scratch s;
  const std::string path = s.path("l");
  view_builder b{"g"};
  random_source random{1};
  build(b, random_graph(random, {.nodes = 60}), 1);
  const scratch aside;
  BOOST_REQUIRE(append_graph(aside.path("l"), b.get()) == "");
  const std::string line = read_text(aside.path("l"));
  std::size_t finished = 0;
  std::size_t killed = 0;
  std::size_t torn = 0;
  std::size_t killed_in_all = 0;
  for (unsigned round = 0; round < 1'000; ++round) {
    int started[2] = {};
    BOOST_REQUIRE(::pipe(started) == 0);
    const pid_t writer = ::fork();
    if (writer == 0) {
      try {
        file_appender file{path, true, 5s};
        const char ready = 1;
        if (::write(started[1], &ready, 1) != 1) ::_exit(97);
        for (std::size_t at = 0; at < line.size(); at += 50) {  // many points to be killed at
          file.take(std::string_view{line}.substr(at, 50));
        }
        file.commit();
      } catch (...) {
        ::_exit(96);
      }
      ::_exit(0);
    }
    char ready = 0;
    BOOST_REQUIRE(::read(started[0], &ready, 1) == 1);
    ::close(started[0]);
    ::close(started[1]);
    for (std::uint32_t spin = random.below(300'000); spin != 0; --spin) {
      std::atomic_signal_fence(std::memory_order_seq_cst);  // keeps the loop
    }
    ::kill(writer, SIGKILL);
    int status = 0;
    ::waitpid(writer, &status, 0);
    BOOST_REQUIRE((WIFSIGNALED(status) || WEXITSTATUS(status) == 0));
    (WIFSIGNALED(status) ? killed : finished) += 1;
    killed_in_all += WIFSIGNALED(status) ? 1 : 0;
    torn += ends_torn(path) ? 1 : 0;
    if (round % 50 != 49) continue;
    // A writer that lives finds the place as it is, and everything whole is still there.
    BOOST_REQUIRE(append_record(path, "g", std::string_view{line}.substr(0, line.size() - 1), 5s)
                      .value_or("") == "");
    ++finished;
    const counted c = count_records(path);
    BOOST_REQUIRE(c.records >= finished);
    BOOST_REQUIRE(c.records <= finished + killed);
    BOOST_REQUIRE(c.records + c.skipped <= finished + killed);
    BOOST_REQUIRE(c.skipped <= killed);
    BOOST_REQUIRE(c.skipped <= torn);
    std::filesystem::remove(path);
    finished = killed = torn = 0;
  }
  BOOST_TEST(killed_in_all > 100u);  // else nothing was tried
}

BOOST_AUTO_TEST_CASE(of_two_versions_share_a_file) {
  const scratch s;
  view_builder b{"g"};
  b.input("x", {4});
  BOOST_TEST(append_graph(s.path("l"), b.get()) == "");
  std::string other = lines_of(s.path("l")).front();
  const std::string version = "\"opscope\":{\"version\":\"";
  other.insert(other.find(version) + version.size(), "9.");
  other.insert(other.size() - 1, ",\"later\":{\"x\":[1]}");
  BOOST_TEST(append_text(s.path("l"), other) == "");
  BOOST_TEST(append_graph(s.path("l"), b.get()) == "");
  ledger_reader reader{s.path("l"), nullptr};
  std::vector<std::string> versions;
  while (const auto r = reader.next(true)) versions.push_back(r->opscope_version);
  BOOST_REQUIRE(versions.size() == 3u);
  BOOST_TEST(versions[1] == "9." + versions[0]);
  BOOST_TEST(reader.skipped_lines() == 0u);
}

BOOST_AUTO_TEST_CASE(a_fork_between_hooks_is_harmless) {
  const scratch s;
  view_builder b{"g"};
  b.input("x", {4});
  ledger_settings settings;
  settings.place = s.path("l");
  ledger log{settings};
  const graph_cost cost = analyze(b.view());
  BOOST_TEST(log.append(lowered_record(b.get()), cost).value_or("") == "");
  BOOST_TEST(
      in_child([&] { return log.append(lowered_record(b.get()), cost).has_value() ? 1 : 0; }) == 0);
  BOOST_TEST(log.append(lowered_record(b.get()), cost).value_or("") == "");
  BOOST_TEST(count_records(s.path("l")).records == 3u);
}

BOOST_AUTO_TEST_CASE(a_child_forked_during_an_append_does_not_keep_the_lock) {
  const scratch s;
  pid_t child = 0;
  {
    file_appender file{s.path("l"), true, 5s};
    file.take("half ");
    child = ::fork();
    if (child == 0) {
      ::pause();
      ::_exit(0);
    }
    file.take("line\n");
    file.commit();
  }
  BOOST_TEST(append_text(s.path("l"), "next", 0ms) == "");
  BOOST_TEST(read_text(s.path("l")) == "half line\nnext\n");
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(folder_form)

std::string name_of(std::string_view graph) {
  const std::string path = ledger_path("d/", graph);
  BOOST_REQUIRE(path.starts_with("d/"));
  return path.substr(2);
}

BOOST_AUTO_TEST_CASE(file_names_stay_in_the_folder) {
  BOOST_TEST(name_of("llama.3-1B_x") == "llama.3-1B_x");
  BOOST_TEST(name_of("../../x") == "..%2F..%2Fx");
  BOOST_TEST(name_of("a b%") == "a%20b%25");
  BOOST_TEST(name_of("ä") == "%C3%A4");
  BOOST_TEST(name_of(std::string_view{"\0", 1}) == "%00");
  BOOST_TEST(name_of(".") == "%2E");
  BOOST_TEST(name_of("..") == "%2E%2E");
  BOOST_TEST(name_of("...") == "...");
  BOOST_TEST(name_of("") == "%");
  BOOST_TEST(ledger_path("file", "../x") == "file");
}

BOOST_AUTO_TEST_CASE(long_names_are_cut_and_ended_with_their_hash) {
  BOOST_TEST(name_of(std::string(255, 'a')) == std::string(255, 'a'));
  const std::string cut = name_of(std::string(256, 'a'));
  BOOST_TEST(cut.size() == 255u);
  BOOST_TEST(cut.substr(0, 221) == std::string(221, 'a'));
  BOOST_TEST(cut.substr(221, 2) == "%-");
  BOOST_TEST(name_of(std::string(300, 'a')) != name_of(std::string(301, 'a')));
  // An escape is never cut in two.
  const std::string spaces = name_of(std::string(300, ' '));
  BOOST_TEST(spaces.size() == 219u + 2 + 32);
  BOOST_TEST(spaces.substr(216, 5) == "%20%-");
}

BOOST_AUTO_TEST_CASE(no_two_names_share_a_file) {
  std::set<std::string> names;
  std::set<std::string> graphs;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    random_source random{seed};
    std::string graph;
    constexpr std::string_view alphabet = "%-.2EeF/a\0";
    for (std::uint32_t n = random.below(seed % 100 == 0 ? 400 : 8); n != 0; --n) {
      graph += alphabet[random.below(alphabet.size())];
    }
    const std::string name = name_of(graph);
    BOOST_REQUIRE(!name.empty());
    BOOST_REQUIRE(name.size() <= 255u);
    BOOST_REQUIRE(name != ".");
    BOOST_REQUIRE(name != "..");
    BOOST_REQUIRE(name.find('/') == std::string::npos);
    names.insert(name);
    graphs.insert(graph);
  }
  BOOST_TEST(names.size() == graphs.size());
}

BOOST_AUTO_TEST_CASE(every_graph_has_a_file_of_its_own) {
  const scratch s;
  for (const char* name : {"../../x", "", ".", "a/b", "plain"}) {
    view_builder b{name};
    b.input("x", {4});
    BOOST_TEST(append_graph(s.path("d/"), b.get()) == "");
  }
  view_builder b{std::string(300, 'n')};
  BOOST_TEST(append_graph(s.path("d/"), b.get()) == "");
  BOOST_TEST(ledger_files(s.path("d")).size() == 6u);
  BOOST_TEST(std::distance(std::filesystem::directory_iterator{s.folder()}, {}) == 1);
}

BOOST_AUTO_TEST_CASE(a_planted_link_is_not_followed) {
  const scratch s;
  std::filesystem::create_directory(s.path("d"));
  std::filesystem::create_symlink(s.path("victim"), s.path("d/g"));
  expect_text(append_text(s.path("d/"), "x"), "links are not followed inside a ledger folder");
  BOOST_TEST(!std::filesystem::exists(s.path("victim")));
  // The user's own path may be one.
  std::filesystem::create_symlink(s.path("target"), s.path("link"));
  BOOST_TEST(append_text(s.path("link"), "x") == "");
  BOOST_TEST(read_text(s.path("target")) == "x\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace opscope::test
