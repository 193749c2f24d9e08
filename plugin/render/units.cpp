#include <array>
#include <charconv>
#include <opscope/units.hpp>

namespace opscope {

namespace {

constexpr std::string_view unknown_text = "unknown";

// `3.14` and the index of the unit it is in.
struct scaled_text {
  std::string number;
  std::size_t unit;
};

scaled_text scaled(std::uint64_t count, double base, std::size_t units) {
  auto value = static_cast<double>(count);
  std::size_t unit = 0;
  // 0.005 below the next unit it would print as 1024.00 of this one.
  while (value >= (unit == 0 ? base : base - 0.005) && unit + 1 < units) {
    value /= base;
    ++unit;
  }
  return {unit == 0 ? std::to_string(count) : fixed_point(value, 2), unit};
}

// The bytes of a C1 control, a line separator or a control of the reading order at the start of
// `s`; 0 where there is none. (U+0080 to 9F, 061C, 200E, 200F, 2028 to 202E, 2066 to 2069, FEFF.)
std::size_t hidden_bytes(std::string_view s) {
  const auto is = [&](std::string_view lead, unsigned char first, unsigned char last) {
    if (!s.starts_with(lead) || s.size() == lead.size()) return false;
    const auto end = static_cast<unsigned char>(s[lead.size()]);
    return first <= end && end <= last;
  };
  if (is("\xC2", 0x80, 0x9F) || is("\xD8", 0x9C, 0x9C)) return 2;
  const bool is_hidden = is("\xE2\x80", 0x8E, 0x8F) || is("\xE2\x80", 0xA8, 0xAE) ||
                         is("\xE2\x81", 0xA6, 0xA9) || is("\xEF\xBB", 0xBF, 0xBF);
  return is_hidden ? 3 : 0;
}

}  // namespace

std::string fixed_point(double value, int decimals) {
  std::array<char, 400> text;  // the largest double has 309 digits before the point
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::fixed, decimals);
  return {text.data(), end.ptr};
}

std::string binary_bytes(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 7> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  scaled_text s = scaled(bytes, 1024.0, units.size());
  return s.number.append(1, ' ').append(units[s.unit]);
}

std::string decimal_count(std::uint64_t count, std::string_view unit) {
  constexpr std::array<std::string_view, 7> units{"", "K", "M", "G", "T", "P", "E"};
  scaled_text s = scaled(count, 1000.0, units.size());
  if (s.unit != 0 || !unit.empty()) s.number += ' ';
  return s.number.append(units[s.unit]).append(unit);
}

std::string binary_bytes(const figure& bytes) {
  return bytes ? binary_bytes(*bytes) : std::string{unknown_text} + " bytes";
}

std::string decimal_count(const figure& count, std::string_view unit) {
  if (count) return decimal_count(*count, unit);
  std::string text{unknown_text};
  return unit.empty() ? text : text.append(1, ' ').append(unit);
}

std::string shown_name(std::string_view name, std::size_t max_bytes) {
  const bool is_cut = name.size() > max_bytes;
  if (is_cut) {
    std::size_t end = max_bytes;
    while (end != 0 && (static_cast<unsigned char>(name[end]) & 0xC0u) == 0x80u) --end;
    name = name.substr(0, end);
  }
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  std::size_t hidden_left = 0;  // bytes of a code point that is shown byte by byte
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const auto byte = static_cast<unsigned char>(c);
    if (hidden_left == 0) hidden_left = hidden_bytes(name.substr(i));
    if (c == '\n') {
      text += "\\n";
    } else if (c == '\t') {
      text += "\\t";
    } else if (c == '\\') {
      text += "\\\\";
    } else if (byte < 0x20 || byte == 0x7F || hidden_left != 0) {
      text.append("\\x").append(1, digits[byte >> 4]).append(1, digits[byte & 0xF]);
    } else {
      text += c;
    }
    if (hidden_left != 0) --hidden_left;
  }
  if (is_cut) text += "...";
  return text;
}

}  // namespace opscope
