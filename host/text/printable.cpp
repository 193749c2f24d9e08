#include "host/text/printable.hpp"

#include <cstdint>

namespace rlx {

namespace {

struct code_point {
  std::uint32_t value;
  std::size_t size;  // bytes; 0 where they are no UTF-8
};

// The first code point of a text that is not empty. Refuses overlong forms, surrogates and values
// above U+10FFFF (Unicode 15, table 3-7).
code_point first_code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  std::size_t size = 0;
  std::uint32_t value = 0;
  std::uint32_t least = 0;
  if ((lead & 0xe0) == 0xc0) {
    size = 2, value = lead & 0x1fu, least = 0x80;
  } else if ((lead & 0xf0) == 0xe0) {
    size = 3, value = lead & 0x0fu, least = 0x800;
  } else if ((lead & 0xf8) == 0xf0) {
    size = 4, value = lead & 0x07u, least = 0x10000;
  }
  if (size == 0 || size > text.size()) return {lead, 0};
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {lead, 0};
    value = value << 6 | (byte(i) & 0x3fu);
  }
  const bool is_surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < least || value > 0x10ffff || is_surrogate) return {lead, 0};
  return {value, size};
}

bool is_hidden(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x061c || c == 0x200e || c == 0x200f ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

void append_hex(std::string& out, std::uint32_t value, int digits) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
    out += "0123456789abcdef"[value >> shift & 0xf];
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const code_point c = first_code_point(text);
    if (c.size == 0 || (c.size == 1 && is_hidden(c.value))) {
      out += "\\x";
      append_hex(out, c.value, 2);
      text.remove_prefix(1);
      continue;
    }
    if (is_hidden(c.value)) {
      out += "\\u{";
      append_hex(out, c.value, 4);
      out += '}';
    } else {
      out += text.substr(0, c.size);
    }
    text.remove_prefix(c.size);
  }
  return out;
}

}  // namespace rlx
