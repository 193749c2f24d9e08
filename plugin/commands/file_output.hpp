// Where a subcommand writes a file that its command line names. Standard output is the console's.
#pragma once

#include <string>
#include <string_view>

namespace opscope {

// A regular or new file is written aside and renamed by finish(), so that it is there whole or not
// at all; one that was there keeps its mode and, where permitted, its owner. A link keeps pointing
// where it does. Devices and pipes are written to as they are.
class file_output {
 public:
  // Opens a pipe or device, which may wait for its reader. All throw ledger_error, and broken_pipe
  // where nobody reads.
  explicit file_output(std::string path);
  ~file_output();
  file_output(const file_output&) = delete;
  file_output& operator=(const file_output&) = delete;

  void write(std::string_view text);
  void finish();

 private:
  void write_through(std::string_view text);
  void flush();
  [[noreturn]] void fail(int error) const;

  std::string path_;    // as given, for messages
  std::string target_;  // what is replaced; empty: written to as it is
  std::string aside_;   // empty: there is none, or it has its name
  std::string pending_;
  int file_ = -1;
};

}  // namespace opscope
