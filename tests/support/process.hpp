// Runs a program in a test and tells what it said and how it ended. The environment is made anew:
// only what the caller names, PATH, and the sanitizers' settings reach the program.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opscope::test {

struct program {
  std::vector<std::string> arguments;  // the first is the program's path
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::string folder = {};  // working directory; empty for the test's own
  std::string input = {};   // its standard input
  unsigned seconds = 120;   // killed (signal 14) after that
};

struct ended {
  int status = -1;  // exit status, or 128 + the signal that killed it
  std::string out;
  std::string err;
};

namespace detail {

inline int memory_file(std::string_view content) {
  const int fd = ::memfd_create("test", MFD_CLOEXEC);
  if (fd < 0) throw std::runtime_error{"memfd_create failed"};
  if (::write(fd, content.data(), content.size()) != static_cast<ssize_t>(content.size()) ||
      ::lseek(fd, 0, SEEK_SET) != 0) {
    throw std::runtime_error{"a memory file cannot be written"};
  }
  return fd;
}

inline std::string read_back(int fd) {
  std::string text;
  char buffer[65536];
  ::lseek(fd, 0, SEEK_SET);
  for (ssize_t n = 0; (n = ::read(fd, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(n));
  }
  ::close(fd);
  return text;
}

}  // namespace detail

// Throws where the program cannot be started at all.
inline ended run(const program& p) {
  std::vector<std::string> environment;
  for (const char* name :
       {"PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS"}) {
    if (const char* value = std::getenv(name)) {
      environment.push_back(std::string{name} + '=' + value);
    }
  }
  for (const auto& [name, value] : p.environment) environment.push_back(name + '=' + value);
  std::vector<char*> argv;
  for (const std::string& a : p.arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  std::vector<char*> envp;
  for (const std::string& e : environment) envp.push_back(const_cast<char*>(e.c_str()));
  envp.push_back(nullptr);

  const int in = detail::memory_file(p.input);
  const int out = detail::memory_file("");
  const int err = detail::memory_file("");
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error{"fork failed"};
  if (child == 0) {
    ::dup2(in, STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    if (!p.folder.empty() && ::chdir(p.folder.c_str()) != 0) ::_exit(126);
    ::alarm(p.seconds);
    ::execve(argv[0], argv.data(), envp.data());
    ::_exit(127);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw std::runtime_error{"waitpid failed"};
  }
  ::close(in);
  ended e;
  e.out = detail::read_back(out);
  e.err = detail::read_back(err);
  e.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (e.status == 127 && e.out.empty() && e.err.empty()) {
    throw std::runtime_error{p.arguments[0] + " cannot be started"};
  }
  return e;
}

// A new folder that is gone with its content at the end of the test. Nobody else may write it.
class temporary_folder {
 public:
  temporary_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "opscope-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error{"no temporary folder"};
    path_ = std::filesystem::canonical(name).string();
  }
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const { return path_ + '/' + std::string{name}; }

 private:
  std::string path_;
};

inline void write_file(const std::string& path, std::string_view content) {
  std::ofstream file{path, std::ios::binary};
  file << content;
  if (!file.flush()) throw std::runtime_error{path + " cannot be written"};
}

inline std::string read_file(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file) throw std::runtime_error{path + " cannot be read"};
  return {std::istreambuf_iterator<char>{file}, {}};
}

}  // namespace opscope::test
