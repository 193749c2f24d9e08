// Runs a program with its standard streams caught.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/ledger/support.hpp"

namespace opscope::test {

struct run_result {
  int status = -1;  // -signal where one ended it
  std::string out;
  std::string err;
};

// Without their newlines; what follows the last newline is a line too.
inline std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

// Output goes to files, so that no order of reading can block; `out_path` or an open file sends it
// elsewhere.
inline run_result run_program(const std::vector<std::string>& command,
                              const std::string& input_path = "/dev/null",
                              const std::string& out_path = "", int out_file = -1) {
  const scratch s;
  const std::string out = out_path.empty() ? s.path("out") : out_path;
  const pid_t child = ::fork();
  if (child == 0) {
    const int files[3] = {::open(input_path.c_str(), O_RDONLY),
                          out_file >= 0 ? out_file : ::open(out.c_str(), O_WRONLY | O_CREAT, 0666),
                          ::open(s.path("err").c_str(), O_WRONLY | O_CREAT, 0666)};
    for (int i = 0; i < 3; ++i) {
      if (files[i] < 0 || ::dup2(files[i], i) < 0) ::_exit(120);
    }
    std::vector<char*> arguments;
    for (const std::string& a : command) arguments.push_back(const_cast<char*>(a.c_str()));
    arguments.push_back(nullptr);
    ::execv(arguments[0], arguments.data());
    ::_exit(121);
  }
  run_result result;
  int status = 0;
  ::waitpid(child, &status, 0);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  if (out_path.empty() && out_file < 0) result.out = read_text(out);
  result.err = read_text(s.path("err"));
  return result;
}

inline run_result opscope_command(std::vector<std::string> arguments,
                                  const std::string& input_path = "/dev/null",
                                  const std::string& out_path = "", int out_file = -1) {
  arguments.insert(arguments.begin(), OPSCOPE_BIN "/opscope");
  return run_program(arguments, input_path, out_path, out_file);
}

}  // namespace opscope::test
