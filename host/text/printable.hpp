// Makes text from outside (graph names, plugin reports, paths) fit for a terminal and a log: one
// line, valid UTF-8, nothing that moves the cursor or turns the reading order.
#pragma once

#include <string>
#include <string_view>

namespace rlx {

// `text` with C0 and C1 control characters, DEL, bytes that are no UTF-8, line separators and
// bidirectional controls written as \xNN (a byte) or \u{NNNN}. All else, also the backslash, stays.
std::string printable(std::string_view text);

// Calls `take` with each line of `text`, without its line feed. A line feed at the end opens no
// further line; an empty text has no line.
template <class Take>
void for_each_line(std::string_view text, Take take) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    take(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

}  // namespace rlx
