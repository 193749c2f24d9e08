#include "host/lower/hir/op_json.hpp"

#include <charconv>
#include <cmath>

namespace rlx {

void append_f32_json(std::string& out, float value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  char buffer[64];
  const float magnitude = std::fabs(value);
  // The original's writer turns to an exponent below 1e-5 and from 1e16 on; between, to_chars'
  // fixed form of an f32 below 2^24 has the shortest digits, above it the exact integer.
  const bool positional = magnitude == 0 || (magnitude >= 1e-5F && magnitude < 16777216.0F);
  const auto [end, status] =
      std::to_chars(buffer, buffer + sizeof buffer, value,
                    positional ? std::chars_format::fixed : std::chars_format::scientific);
  static_cast<void>(status);  // 64 bytes hold either form
  std::string_view text{buffer, static_cast<std::size_t>(end - buffer)};
  if (positional) {
    out += text;
    if (text.find('.') == std::string_view::npos) out += ".0";
    return;
  }
  // Digits and exponent apart: `1e-06` is spelled `1e-6`, `1e+20` is `1e20`.
  const std::size_t e = text.find('e');
  out += text.substr(0, e);
  out += 'e';
  text.remove_prefix(e + 1);
  if (text.front() == '-') out += '-';
  text.remove_prefix(1);
  while (text.size() > 1 && text.front() == '0') text.remove_prefix(1);
  out += text;
}

}  // namespace rlx
