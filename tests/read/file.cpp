// Where a module's bytes may come from: regular files and standard input, nothing that could hang.
#define BOOST_TEST_MODULE file
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "host/error.hpp"
#include "host/read/read.hpp"

namespace fs = std::filesystem;

namespace {

struct folder {
  fs::path path;
  folder() {
    std::string name = (fs::temp_directory_path() / "opscope-read-XXXXXX").string();
    BOOST_REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~folder() { fs::remove_all(path); }
};

std::string refusal(const std::string& path) {
  try {
    rlx::read_file(path);
  } catch (const rlx::error& e) {
    return e.what();
  }
  return "accepted";
}

const std::string good = R"({"name":"g","nodes":[],"outputs":[]})";

// read_file("-") with descriptor `fd` as standard input.
std::string refusal_of_stdin(int fd) {
  const int saved = ::dup(STDIN_FILENO);
  BOOST_REQUIRE(::dup2(fd, STDIN_FILENO) == STDIN_FILENO);
  const std::string sentence = refusal("-");
  if (saved >= 0) {
    ::dup2(saved, STDIN_FILENO);
    ::close(saved);
  }
  return sentence;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(file, folder)

BOOST_AUTO_TEST_CASE(reads_a_regular_file) {
  std::ofstream{path / "m.json"} << good;
  BOOST_TEST(refusal(path / "m.json") == "accepted");
}

BOOST_AUTO_TEST_CASE(refuses_an_empty_file) {
  std::ofstream{path / "empty"};
  BOOST_TEST(refusal(path / "empty") ==
             "module: the text is empty, give a module as RLX writes it (HIR, MIR or LIR JSON)");
}

BOOST_AUTO_TEST_CASE(refuses_a_missing_file) {
  BOOST_TEST(refusal(path / "none") ==
             "file: cannot be opened (No such file or directory), check the path and its "
             "permissions");
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_regular_file) {
  const std::string advice = ", give a regular file, or - for standard input";
  BOOST_TEST(refusal(path) == "file: a folder" + advice);
  BOOST_REQUIRE(::mkfifo((path / "fifo").c_str(), 0600) == 0);
  BOOST_TEST(refusal(path / "fifo") == "file: a FIFO" + advice);
  BOOST_TEST(refusal("/dev/zero") == "file: a device" + advice);
  BOOST_TEST(refusal("/dev/null") == "file: a device" + advice);
}

BOOST_AUTO_TEST_CASE(refuses_a_file_beyond_4_gib_without_reading_it) {
  { std::ofstream{path / "huge"} << '{'; }
  std::error_code unsupported;
  fs::resize_file(path / "huge", 5ull << 30, unsupported);  // sparse
  BOOST_REQUIRE(!unsupported);
  BOOST_TEST(refusal(path / "huge") ==
             "module: " + std::to_string(5ull << 30) +
                 " bytes are more than the 4 GiB that one JSON module may have, split the module");
}

BOOST_AUTO_TEST_CASE(reads_standard_input_from_a_pipe) {
  // More than the reader's first buffer and than the pipe holds.
  const std::string text =
      R"({"name":")" + std::string(1'000'000, 'n') + R"(","nodes":[],"outputs":[]})";
  int ends[2];
  BOOST_REQUIRE(::pipe(ends) == 0);
  std::thread writer{[&] {
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t n = ::write(ends[1], text.data() + done, text.size() - done);
      if (n <= 0) break;
      done += static_cast<std::size_t>(n);
    }
    ::close(ends[1]);
  }};
  const std::string sentence = refusal_of_stdin(ends[0]);
  writer.join();
  ::close(ends[0]);
  BOOST_TEST(sentence == "accepted");
}

BOOST_AUTO_TEST_CASE(refuses_a_folder_as_standard_input) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY);
  BOOST_REQUIRE(fd >= 0);
  BOOST_TEST(refusal_of_stdin(fd) ==
             "file: a folder, give a regular file, or - for standard input");
  ::close(fd);
}

BOOST_AUTO_TEST_SUITE_END()
