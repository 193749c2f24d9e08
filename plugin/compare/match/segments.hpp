// Stretches of both graphs between pairs that are in the same order on both sides: a node of one
// has its counterpart most likely in the same stretch of the other.
#pragma once

#include <cstdint>
#include <vector>

#include "plugin/compare/match/pairing.hpp"
#include "plugin/compare/match/spreader.hpp"
#include "plugin/compare/operation.hpp"

namespace opscope::matching {

// The number of each node's segment, equal on both sides.
struct segments {
  std::vector<std::uint32_t> of_a;
  std::vector<std::uint32_t> of_b;
};
segments cut_into_segments(const pairing& pairs);

// pairing::pair inside each segment as the pairs are by now, then on to their neighbours.
template <class Key, class Accept>
bool pair_in_segments(pairing& pairs, spreader& s, const Key& key, policy p, const Accept& accept) {
  if (pairs.is_done()) return false;
  const segments cut = cut_into_segments(pairs);
  const bool found = pairs.pair(
      [&](const node_context& c, std::uint32_t id) {
        const std::uint64_t k = key(c, id);
        if (k == 0) return k;
        return mixed(k, (&c == &pairs.a() ? cut.of_a : cut.of_b)[id]);
      },
      p, accept);
  if (found) s.spread();
  return found;
}

}  // namespace opscope::matching
