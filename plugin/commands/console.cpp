#include "plugin/commands/console.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <opscope/ledger_reader.hpp>

namespace opscope {

void console::fail(int error) {
  if (error == EPIPE) throw broken_pipe{};
  throw ledger_error{std::string{"standard output cannot be written: "} + std::strerror(error)};
}

void console::print(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail(errno);
}

void console::flush() {
  errno = 0;
  if (std::fflush(stdout) != 0) fail(errno);
}

void console::note(std::string_view text) const {
  std::fprintf(stderr, "%s: %.*s\n", program_.c_str(), static_cast<int>(text.size()), text.data());
}

void console::set_color(std::string_view mode) {
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  const bool is_unwanted = (no_color != nullptr && *no_color != '\0') ||
                           (terminal != nullptr && std::string_view{terminal} == "dumb");
  has_color_ = mode == "always" || (mode == "auto" && !is_unwanted && ::isatty(STDOUT_FILENO) == 1);
}

std::string console::strong(std::string_view text) const {
  return has_color_ ? "\x1b[1m" + std::string{text} + "\x1b[0m" : std::string{text};
}
std::string console::faint(std::string_view text) const {
  return has_color_ ? "\x1b[2m" + std::string{text} + "\x1b[0m" : std::string{text};
}

}  // namespace opscope
