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
  if (!i.is_bounded()) return decimal_count(i.lo(), unit) + "~?";
  return decimal_count(i.lo()) + "~" + decimal_count(*i.hi(), unit);
}

// Of two decimals, `2.03` or `1.07~1.79`; `-` where an end has no bound or nothing to divide by.
inline std::string ratio_text(const interval& part, const interval& whole) {
  if (!part.is_bounded() || !whole.is_bounded() || whole.lo() == 0) return "-";
  const auto divide = [](std::uint64_t a, std::uint64_t b) {
    return fixed_point(static_cast<double>(a) / static_cast<double>(b), 2);
  };
  const std::string lo = divide(part.lo(), *whole.hi());
  const std::string hi = divide(*part.hi(), whole.lo());
  return lo == hi ? lo : lo + "~" + hi;
}

}  // namespace opscope
