// A count that may be unknown. Unknown is a state of its own: it is never 0, and a sum with an
// unknown addend, or one that leaves 64 bits, is unknown.
#pragma once

#include <cstdint>
#include <optional>

namespace opscope {

using figure = std::optional<std::uint64_t>;

constexpr figure checked_add(figure a, figure b) {
  std::uint64_t sum = 0;
  if (!a || !b || __builtin_add_overflow(*a, *b, &sum)) return std::nullopt;
  return sum;
}

constexpr figure checked_multiply(figure a, figure b) {
  std::uint64_t product = 0;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &product)) return std::nullopt;
  return product;
}

}  // namespace opscope
