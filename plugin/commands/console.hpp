// Where a subcommand's words go: data to standard output, all else to standard error; and whether
// colour is wanted.
#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>

namespace opscope {

// Nobody reads standard output any more: end quietly.
class broken_pipe : public std::runtime_error {
 public:
  broken_pipe() : std::runtime_error{"broken pipe"} {}
};

class console {
 public:
  explicit console(std::string program) : program_{std::move(program)} {}

  // Throws broken_pipe, or ledger_error where the output cannot be written (a full disk).
  void print(std::string_view text);
  void flush();
  // One line on standard error, `opscope: note`.
  void note(std::string_view text) const;

  // auto, always, never. Auto: standard output is a terminal, NO_COLOR is not set, TERM not dumb.
  void set_color(std::string_view mode);
  bool has_color() const { return has_color_; }
  // The text in bold where colour is wanted.
  std::string strong(std::string_view text) const;
  std::string faint(std::string_view text) const;

 private:
  [[noreturn]] static void fail(int error);
  std::string program_;
  bool has_color_ = false;
};

}  // namespace opscope
