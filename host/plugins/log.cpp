#include "host/plugins/log.hpp"

#include <cstdio>
#include <string>

#include "host/text/printable.hpp"

namespace rlx {

void log::plugin(std::string_view name, rlx_severity severity,
                 std::string_view text) const noexcept {
  try {
    for_each_line(text, [&](std::string_view one) {
      line(severity, {name.data(), name.size()}, one);
    });
  } catch (...) {
    // No memory, or a log function that throws.
  }
}

void log::host(rlx_severity severity, std::string_view sentence) const noexcept {
  try {
    line(severity, {nullptr, 0}, sentence);
  } catch (...) {
    // Likewise.
  }
}

void log::line(rlx_severity severity, rlx_string name, std::string_view text) const {
  const std::string shown = printable(text);
  if (write_ != nullptr) {
    write_(context_, severity, name, {shown.data(), shown.size()});
    return;
  }
  // In one piece, so that lines of several threads do not mix.
  std::string whole{name.data == nullptr ? "rlx" : std::string_view{name.data, name.size}};
  whole.append(": ").append(shown).append("\n");
  std::fwrite(whole.data(), 1, whole.size(), stderr);
}

}  // namespace rlx
