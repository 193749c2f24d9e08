// Which files are loaded as plugins and which are refused, with the sentences that say so.
#define BOOST_TEST_MODULE loader
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>

#include "tests/plugins/loading.hpp"
#include "tests/support/process.hpp"

namespace opscope::test {
namespace {

namespace fs = std::filesystem;

void copy(const std::string& from, const std::string& to) {
  fs::copy_file(from, to);
  ::chmod(to.c_str(), 0755);
}

void check_refused(const loaded& s, const std::string& message) {
  BOOST_TEST(s.status != RLX_OK);
  BOOST_TEST((s.session == nullptr));
  BOOST_TEST(s.message == message);
}

// The last folder that is searched.
std::string own_folder() { return OPSCOPE_LIB "/rlx/plugins"; }

BOOST_AUTO_TEST_SUITE(finding)

BOOST_AUTO_TEST_CASE(loads_nothing_where_nothing_is_named) {
  for (const char* none : {"", ":", "::"}) {
    loaded s{none};
    BOOST_TEST(s.status == RLX_OK);
    BOOST_TEST(rlx_session_plugin_count(s.session) == 0u);
    BOOST_TEST(rlx_session_stages(s.session) == 0u);
    BOOST_TEST(s.compile("g") == RLX_OK);
    BOOST_TEST(s.take_log().empty());
  }
}

BOOST_AUTO_TEST_CASE(loads_an_absolute_path_and_calls_the_hook) {
  loaded s{fixture("print_names")};
  BOOST_TEST(s.status == RLX_OK, s.message);
  BOOST_TEST(rlx_session_plugin_count(s.session) == 1u);
  const rlx_plugin_info info = s.plugin(0);
  BOOST_TEST(rlx::text(info.name) == "print_names");
  BOOST_TEST(rlx::text(info.version) == "1.0");
  BOOST_TEST(rlx::text(info.path) == fixture("print_names"));
  BOOST_TEST(info.abi == RLX_PLUGIN_ABI);
  BOOST_TEST(info.stages == RLX_STAGE_LOWERED);
  BOOST_TEST(s.compile("first") == RLX_OK);
  BOOST_TEST(
      s.take_log() == (std::vector<heard>{{RLX_INFO, "print_names", "first: 1 nodes for cpu"}}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(skips_empty_entries) {
  loaded s{":" + fixture("print_names") + "::"};
  BOOST_TEST(s.status == RLX_OK, s.message);
  BOOST_TEST(rlx_session_plugin_count(s.session) == 1u);
}

BOOST_AUTO_TEST_CASE(loads_in_the_order_named) {
  loaded s{fixture("print_names") + ":" + fixture("counting") + ":" + fixture("mute")};
  BOOST_TEST(s.status == RLX_OK, s.message);
  BOOST_REQUIRE(rlx_session_plugin_count(s.session) == 3u);
  BOOST_TEST(rlx::text(s.plugin(0).name) == "print_names");
  BOOST_TEST(rlx::text(s.plugin(1).name) == "counting");
  BOOST_TEST(rlx::text(s.plugin(2).name) == "mute");
  BOOST_TEST(s.plugin(2).stages == 0u);
}

BOOST_AUTO_TEST_CASE(looks_a_bare_name_up_folder_by_folder) {
  const temporary_folder first;
  const temporary_folder second;
  copy(fixture("print_names"), second / "libp.so");
  {
    loaded s{"libp.so", first.path() + ":" + second.path()};
    BOOST_TEST(s.status == RLX_OK, s.message);
    BOOST_TEST(rlx::text(s.plugin(0).path) == second / "libp.so");
  }
  copy(fixture("counting"), first / "libp.so");
  loaded s{"libp.so", first.path() + ":" + second.path()};
  BOOST_TEST(s.status == RLX_OK, s.message);
  BOOST_TEST(rlx::text(s.plugin(0).name) == "counting");
}

BOOST_AUTO_TEST_CASE(lists_every_place_that_was_tried) {
  const temporary_folder folder;
  check_refused(loaded{"libabsent.so", folder.path() + ":/nonexistent"},
                "plugin \"libabsent.so\" of RLX_PLUGINS was not found; tried " +
                    (folder / "libabsent.so") + ", /nonexistent/libabsent.so, " + own_folder() +
                    "/libabsent.so; put it there, name its folder in RLX_PLUGIN_PATH, or give its "
                    "absolute path");
}

BOOST_AUTO_TEST_CASE(never_searches_the_working_directory) {
  const temporary_folder folder;
  copy(fixture("print_names"), folder / "libplanted.so");
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  loaded bare{"libplanted.so"};
  loaded path{"libplanted.so", ".:"};
  fs::current_path(before);
  BOOST_TEST(bare.status != RLX_OK);
  BOOST_TEST(path.status != RLX_OK);
  BOOST_TEST(path.message.find("tried " + own_folder() + "/libplanted.so;") != std::string::npos,
             path.message);
  BOOST_TEST(path.take_log() ==
                 (std::vector<heard>{{RLX_WARNING, "",
                                      "RLX_PLUGIN_PATH: \".\" is not an absolute folder and is not "
                                      "searched; write the whole path"}}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(rejects_relative_path) {
  for (const std::string entry : {"./libp.so", "sub/libp.so", "../libp.so"}) {
    check_refused(loaded{entry},
                  "plugin \"" + entry +
                      "\" of RLX_PLUGINS refused: it is a relative path; write the absolute path, "
                      "or the file name alone to have it looked up in the plugin folders");
  }
}

BOOST_AUTO_TEST_CASE(rejects_absolute_path_that_is_not_there) {
  check_refused(loaded{"/nonexistent/libp.so"},
                "plugin /nonexistent/libp.so cannot be found: No such file or directory; correct "
                "the path in RLX_PLUGINS");
  const temporary_folder folder;
  fs::create_symlink("nowhere", folder / "dangling.so");
  check_refused(loaded{folder / "dangling.so"},
                "plugin " + (folder / "dangling.so") +
                    " cannot be found: No such file or directory; correct the path in RLX_PLUGINS");
  fs::create_symlink("loop.so", folder / "loop.so");
  check_refused(loaded{folder / "loop.so"},
                "plugin " + (folder / "loop.so") +
                    " cannot be found: Too many levels of symbolic links; correct the path in "
                    "RLX_PLUGINS");
}

BOOST_AUTO_TEST_CASE(escapes_control_characters_in_its_messages) {
  check_refused(loaded{"/nonexistent/\x1b[2J\n.so"},
                "plugin /nonexistent/\\x1b[2J\\x0a.so cannot be found: No such file or directory; "
                "correct the path in RLX_PLUGINS");
}

BOOST_AUTO_TEST_CASE(loads_the_same_file_once) {
  const temporary_folder folder;
  fs::create_symlink(fixture("print_names"), folder / "link.so");
  copy(fixture("counting"), folder / "counting.so");
  fs::create_hard_link(folder / "counting.so", folder / "hard.so");
  loaded s{fixture("print_names") + ":" + (folder / "link.so") + ":" + fixture("print_names") +
           ":" + (folder / "counting.so") + ":" + (folder / "hard.so")};
  BOOST_TEST(s.status == RLX_OK, s.message);
  BOOST_TEST(rlx_session_plugin_count(s.session) == 2u);
  s.compile("g");
  BOOST_TEST(s.take_log().size() == 1u);
}

BOOST_AUTO_TEST_CASE(rejects_two_files_with_one_plugin_name) {
  const temporary_folder folder;
  copy(fixture("print_names"), folder / "other.so");
  check_refused(loaded{fixture("print_names") + ":" + (folder / "other.so")},
                "two plugins are named print_names: " + fixture("print_names") + " and " +
                    (folder / "other.so") + "; take one of them out of RLX_PLUGINS");
}

BOOST_AUTO_TEST_CASE(rejects_the_running_program_and_the_host_library) {
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  check_refused(loaded{self}, "plugin " + self +
                                  " refused: it is the running program itself; name the plugin's "
                                  "shared object in RLX_PLUGINS");
  const std::string host = OPSCOPE_LIB "/librlx_host.so";
  check_refused(loaded{host}, "plugin " + host +
                                  " refused: it is the library that loads plugins; name the "
                                  "plugin's shared object in RLX_PLUGINS");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(permissions)

BOOST_AUTO_TEST_CASE(rejects_file_that_any_user_may_write) {
  const temporary_folder folder;
  const std::string path = folder / "p.so";
  copy(fixture("print_names"), path);
  ::chmod(path.c_str(), 0757);
  check_refused(loaded{path}, "plugin " + path +
                                  " refused: any user may write it; a plugin is code inside the "
                                  "compiler, so take that permission away (chmod o-w " +
                                  path + ")");
  ::chmod(path.c_str(), 0775);
  BOOST_TEST(loaded{path}.status == RLX_OK);
}

std::string open_folder_message(const std::string& plugin, const std::string& folder) {
  return "plugin " + plugin + " refused: any user may write its folder " + folder +
         "; a plugin is code inside the compiler, so take that permission away (chmod o-w " +
         folder + ") or move the plugin";
}

BOOST_AUTO_TEST_CASE(rejects_folder_that_any_user_may_write) {
  const temporary_folder folder;
  fs::create_directories(folder / "open/inner");
  copy(fixture("print_names"), folder / "open/p.so");
  copy(fixture("print_names"), folder / "open/inner/p.so");
  ::chmod((folder / "open").c_str(), 0777);
  check_refused(loaded{folder / "open/p.so"},
                open_folder_message(folder / "open/p.so", folder / "open"));
  // Whoever may write a folder on the way may put another `inner` there.
  check_refused(loaded{folder / "open/inner/p.so"},
                open_folder_message(folder / "open/inner/p.so", folder / "open"));
  check_refused(loaded{"p.so", folder / "open"},
                open_folder_message(folder / "open/p.so", folder / "open"));
}

BOOST_AUTO_TEST_CASE(accepts_sticky_folder_on_the_way_but_not_as_its_own) {
  const temporary_folder folder;
  fs::create_directories(folder / "sticky/inner");
  copy(fixture("print_names"), folder / "sticky/p.so");
  copy(fixture("print_names"), folder / "sticky/inner/p.so");
  ::chmod((folder / "sticky").c_str(), 01777);
  BOOST_TEST(loaded{folder / "sticky/inner/p.so"}.status == RLX_OK);
  check_refused(loaded{folder / "sticky/p.so"},
                "plugin " + (folder / "sticky/p.so") + " refused: any user may write its folder " +
                    (folder / "sticky") +
                    "; a plugin is code inside the compiler, so move it into a folder of its own");
}

BOOST_AUTO_TEST_CASE(rejects_link_in_a_folder_that_any_user_may_write) {
  const temporary_folder folder;
  fs::create_directories(folder / "open");
  fs::create_directories(folder / "closed");
  copy(fixture("print_names"), folder / "closed/real.so");
  fs::create_symlink("../closed/real.so", folder / "open/link.so");
  fs::create_symlink("../open/link.so", folder / "closed/outer.so");
  ::chmod((folder / "open").c_str(), 0777);
  check_refused(loaded{folder / "open/link.so"},
                open_folder_message(folder / "open/link.so", folder / "open"));
  check_refused(loaded{folder / "closed/outer.so"},
                open_folder_message(folder / "closed/outer.so", folder / "open"));
  BOOST_TEST(loaded{folder / "closed/real.so"}.status == RLX_OK);
}

// The same program in a run with the privileges of another group than its caller's.
BOOST_AUTO_TEST_CASE(ignores_the_environment_in_a_privileged_run) {
  const program ordinary{{PRIVILEGED_PROBE},
                         {{"RLX_PLUGINS", fixture("print_names")}, {"RLX_PLUGIN_PATH", "/x"}}};
  const ended plain = run(ordinary);
  BOOST_TEST(plain.status == 0);
  BOOST_TEST(plain.out == "secure 0 plugins 1\n");

  gid_t other = 65534;
  if (::geteuid() != 0) {
    gid_t groups[64];
    const int count = ::getgroups(64, groups);
    const gid_t* const found =
        std::find_if(groups, groups + std::max(count, 0), [](gid_t g) { return g != ::getegid(); });
    if (found == groups + std::max(count, 0)) {
      BOOST_TEST_MESSAGE("not tried: this user has one group only");
      return;
    }
    other = *found;
  }
  const temporary_folder folder;
  const std::string probe = folder / "probe";
  copy(PRIVILEGED_PROBE, probe);
  BOOST_REQUIRE(::chown(probe.c_str(), static_cast<uid_t>(-1), other) == 0);
  BOOST_REQUIRE(::chmod(probe.c_str(), 02755) == 0);
  program privileged = ordinary;
  privileged.arguments[0] = probe;
  const ended e = run(privileged);
  BOOST_TEST(e.status == 0, e.err);
  if (e.out == "secure 0 plugins 1\n") {
    BOOST_TEST_MESSAGE("not tried: the file system ignores set-group-id (nosuid)");
    return;
  }
  BOOST_TEST(e.out == "secure 1 plugins 0\n");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(files)

void check_not_regular(const std::string& path, const std::string& what) {
  check_refused(loaded{path}, "plugin " + path + " refused: it is " + what +
                                  "; name the plugin's shared object in RLX_PLUGINS");
}

BOOST_AUTO_TEST_CASE(rejects_what_is_no_regular_file) {
  const temporary_folder folder;
  fs::create_directory(folder / "folder.so");
  check_not_regular(folder / "folder.so", "a folder");
  const std::string fifo = folder / "fifo.so";
  BOOST_REQUIRE(::mkfifo(fifo.c_str(), 0700) == 0);
  check_not_regular(fifo, "no regular file");
  check_not_regular("/dev/full", "no regular file");
}

void check_not_loadable(const std::string& path, const std::string& reason) {
  check_refused(loaded{path}, "plugin " + path + " cannot be loaded: " + reason +
                                  "; it must be a shared object for this machine, and the "
                                  "libraries it needs must be installed");
}

BOOST_AUTO_TEST_CASE(rejects_what_is_not_elf) {
  const temporary_folder folder;
  write_file(folder / "text.so", std::string(4096, 'x'));
  check_not_loadable(folder / "text.so", "invalid ELF header");
  write_file(folder / "empty.so", "");
  check_not_loadable(folder / "empty.so", "file too short");
}

BOOST_AUTO_TEST_CASE(rejects_truncated_elf) {
  const temporary_folder folder;
  const std::string whole = read_file(fixture("print_names"));
  write_file(folder / "header.so", whole.substr(0, 64));
  const loaded header{folder / "header.so"};
  BOOST_TEST(header.status != RLX_OK);
  BOOST_TEST(header.message.find("plugin " + (folder / "header.so") + " cannot be loaded: ") == 0u,
             header.message);
  BOOST_TEST(header.message.find("Bad file descriptor") == std::string::npos, header.message);
  // Beyond the tables the loader reads: it would map the file and die of touching it.
  for (const std::size_t size : {std::size_t{4096}, whole.size() / 2}) {
    write_file(folder / "half.so", whole.substr(0, size));
    check_refused(loaded{folder / "half.so"}, "plugin " + (folder / "half.so") +
                                                  " refused: the file is cut short; copy it again");
  }
}

BOOST_AUTO_TEST_CASE(rejects_object_with_an_undefined_function) {
  check_not_loadable(fixture("needs_missing"), "undefined symbol: function_that_nobody_defines");
}

BOOST_AUTO_TEST_CASE(rejects_object_without_the_query_function) {
  check_refused(loaded{fixture("no_entry")},
                "plugin " + fixture("no_entry") +
                    " refused: it does not export rlx_plugin_query, so it is no rlx plugin");
}

BOOST_AUTO_TEST_CASE(rejects_query_symbol_that_is_data) {
  check_refused(loaded{fixture("data_entry")},
                "plugin " + fixture("data_entry") +
                    " refused: its symbol rlx_plugin_query is data, not a function; it is no rlx "
                    "plugin");
}

BOOST_AUTO_TEST_CASE(rejects_query_function_of_a_linked_library) {
  check_refused(loaded{fixture("linked_entry")},
                "plugin " + fixture("linked_entry") +
                    " refused: its function rlx_plugin_query comes from " + fixture("mute") +
                    ", which it links; name that file instead");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace opscope::test
