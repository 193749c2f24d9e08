// Intervals as people read them: one value, or `lo~hi`, `lo~?` where hi is unbounded.
#pragma once

#include <string>

#include <opscope/interval.hpp>
#include <opscope/units.hpp>

namespace opscope {

inline std::string interval_bytes(const interval& i) {
  if (i.is_exact()) return binary_bytes(i.lo());
  if (i == interval::unknown()) return "unknown";
  const std::string hi = i.is_bounded() ? binary_bytes(*i.hi()) : "?";
  return binary_bytes(i.lo()) + "~" + hi;
}

inline std::string interval_count(const interval& i, std::string_view unit = "") {
  if (i.is_exact()) return decimal_count(i.lo(), unit);
  if (i == interval::unknown()) return "unknown";
  const std::string hi = i.is_bounded() ? decimal_count(*i.hi(), unit) : "?";
  return decimal_count(i.lo()) + "~" + hi;
}

// part over whole, `2.03`, by their low ends; `-` where there is no whole.
inline std::string ratio_text(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  return fixed_point(static_cast<double>(part) / static_cast<double>(whole), 2);
}

}  // namespace opscope
