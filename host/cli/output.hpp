// Where rlxc writes a result: whole or not at all, whatever plugins do to the process meanwhile.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "host/error.hpp"

namespace rlx::cli {

// The reader of standard output, or of the pipe named, went away. Quiet: it had what it wanted.
class broken_pipe : public error {
 public:
  broken_pipe() : error{"the reader is gone"} {}
};

class output {
 public:
  // Made before any plugin is loaded: fixes the working directory and the file mode that `path`
  // is meant under. For "-" it takes standard output away from the rest of the process, whose
  // writes to it go to standard error from then on. Throws rlx::error.
  explicit output(const std::string& path);
  ~output();
  output(const output&) = delete;
  output& operator=(const output&) = delete;

  // A regular or new file is written aside and renamed, so that it is never seen half-written; an
  // existing one keeps its mode and, where permitted, its owner. Devices and pipes are written to
  // as they are. Throws rlx::error, and broken_pipe where nobody reads.
  void write(std::string_view data);

 private:
  void write_aside(const std::string& path, std::string_view data) const;
  std::string path_;      // as given, for messages
  std::string target_;    // absolute
  int stdout_copy_ = -1;  // where path_ is "-"
  mode_t new_file_mode_ = 0;
};

// Writes to standard output. Throws as write does.
void print(std::string_view text);

// `path` against the working directory of now. "-" stays.
std::string absolute_path(const std::string& path);

}  // namespace rlx::cli
