// What the neighbours of a node of a and a node of b, and their own neighbours, say for or against
// the two being a pair.
#pragma once

#include <cstdint>

#include "plugin/compare/match/pairing.hpp"

namespace opscope::matching {

// The counterpart of a user of a, one of the first most_uses_searched, reads b in a's place.
bool has_common_user(const pairing& pairs, std::uint32_t a, std::uint32_t b);
// That, or they read a pair in one place, or are the same outputs.
bool has_common_neighbour(const pairing& pairs, std::uint32_t a, std::uint32_t b);
// Each operand and what is in its place are a pair, or both have no counterpart yet.
bool has_fitting_operands(const pairing& pairs, std::uint32_t a, std::uint32_t b);
// An operand, or what a user reads in the node's place, has its counterpart elsewhere.
bool is_contradicted(const pairing& pairs, std::uint32_t a, std::uint32_t b);

// For pairing::pair to accept by.
inline auto with_common_neighbour(const pairing& pairs) {
  return [&pairs](std::uint32_t a, std::uint32_t b) { return has_common_neighbour(pairs, a, b); };
}
inline auto unless_contradicted(const pairing& pairs) {
  return [&pairs](std::uint32_t a, std::uint32_t b) { return !is_contradicted(pairs, a, b); };
}

}  // namespace opscope::matching
