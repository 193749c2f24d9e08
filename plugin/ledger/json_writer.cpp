// Escaping, doubles and the buffer's growth; the short calls are in the header.
#include "plugin/ledger/json_writer.hpp"

#include <algorithm>

namespace opscope {

namespace {

// The length of the longest prefix that goes into a JSON string as it is: printable ASCII without
// quote and backslash.
std::size_t plain_prefix(std::string_view s) {
  constexpr std::uint64_t ones = 0x0101010101010101u;
  constexpr std::uint64_t high = 0x8080808080808080u;
  std::size_t i = 0;
  while (i + 8 <= s.size()) {
    std::uint64_t w = 0;
    std::memcpy(&w, s.data() + i, 8);
    const std::uint64_t quote = w ^ (ones * '"');
    const std::uint64_t backslash = w ^ (ones * '\\');
    // A byte below n has its high bit set after subtracting n; false alarms only end the fast loop.
    const std::uint64_t odd = (w - ones * 0x20) | (quote - ones) | (backslash - ones) | w;
    if ((odd & high) != 0) break;
    // The last bytes are looked at together with some before them.
    const bool ends_within_a_word = i + 8 < s.size() && s.size() < i + 16;
    i = ends_within_a_word ? s.size() - 8 : i + 8;
  }
  for (; i < s.size(); ++i) {
    const auto c = static_cast<unsigned char>(s[i]);
    if (c < 0x20 || c >= 0x80 || c == '"' || c == '\\') break;
  }
  return i;
}

// Bytes of the well-formed UTF-8 sequence at the start of `s`, 0 where there is none. `s` starts
// with a byte of 0x80 or more. (Unicode, table 3-7.)
std::size_t utf8_sequence(std::string_view s) {
  const auto at = [&](std::size_t i) {
    return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u;
  };
  const auto in = [](unsigned c, unsigned lo, unsigned hi) { return c >= lo && c <= hi; };
  const unsigned a = at(0);
  const unsigned b = at(1);
  const auto tail = [&](std::size_t i) { return in(at(i), 0x80, 0xBF); };
  if (in(a, 0xC2, 0xDF)) return tail(1) ? 2 : 0;
  if (in(a, 0xE0, 0xEF)) {
    const bool second = in(b, a == 0xE0 ? 0xA0u : 0x80u, a == 0xED ? 0x9Fu : 0xBFu);
    return second && tail(2) ? 3 : 0;
  }
  if (in(a, 0xF0, 0xF4)) {
    const bool second = in(b, a == 0xF0 ? 0x90u : 0x80u, a == 0xF4 ? 0x8Fu : 0xBFu);
    return second && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

void json_writer::verbatim(std::string_view json) {
  if (json.empty()) return;  // memcpy takes no null
  ensure(json.size());
  std::memcpy(buffer_.get() + size_, json.data(), json.size());
  size_ += json.size();
}

void json_writer::real(double v) {
  if (!std::isfinite(v)) return null();
  ensure(32);
  char* const at = buffer_.get() + size_;
  char* end = std::to_chars(at, at + 30, v).ptr;
  if (std::none_of(at, end, [](char c) { return c == '.' || c == 'e'; })) {
    *end++ = '.';
    *end++ = '0';
  }
  size_ += static_cast<std::size_t>(end - at);
}

void json_writer::escaped(std::string_view s) {
  while (true) {
    const std::size_t plain = plain_prefix(s);
    verbatim(s.substr(0, plain));
    s.remove_prefix(plain);
    if (s.empty()) return;
    const auto c = static_cast<unsigned char>(s.front());
    std::size_t used = 1;
    if (c >= 0x80) {
      used = utf8_sequence(s);
      verbatim(used != 0 ? s.substr(0, used) : std::string_view{"\xEF\xBF\xBD"});
      if (used == 0) used = 1;
    } else if (c == '"') {
      raw("\\\"");
    } else if (c == '\\') {
      raw("\\\\");
    } else if (c == '\n') {
      raw("\\n");
    } else if (c == '\t') {
      raw("\\t");
    } else if (c == '\r') {
      raw("\\r");
    } else {
      constexpr char digits[] = "0123456789abcdef";
      raw("\\u00");
      raw(digits[c >> 4]);
      raw(digits[c & 15]);
    }
    s.remove_prefix(used);
  }
}

void json_writer::make_room(std::size_t n) {
  flush();
  if (capacity_ - size_ >= n) return;
  const std::size_t wanted = std::max(capacity_ * 2, size_ + n);
  std::unique_ptr<char[]> larger{new char[wanted]};
  std::memcpy(larger.get(), buffer_.get(), size_);
  buffer_ = std::move(larger);
  capacity_ = wanted;
}

}  // namespace opscope
