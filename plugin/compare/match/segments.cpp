#include "plugin/compare/match/segments.hpp"

#include <algorithm>

namespace opscope::matching {

namespace {

// The a of as many pairs as ascend on both sides, from the last to the first: the longest ascending
// subsequence of their b.
std::vector<std::uint32_t> longest_chain(const pairing& pairs) {
  std::vector<std::uint32_t> tails;    // the last b of the best chain of each length
  std::vector<std::uint32_t> tail_of;  // and its a
  std::vector<std::uint32_t> before(pairs.a().size(), none);
  for (std::uint32_t a = 0; a < pairs.a().size(); ++a) {
    const std::uint32_t b = pairs.b_of(a);
    if (b == none) continue;
    const bool is_longest = tails.empty() || b > tails.back();
    const auto at = is_longest ? tails.end() : std::lower_bound(tails.begin(), tails.end(), b);
    const auto length = static_cast<std::size_t>(at - tails.begin());
    if (length != 0) before[a] = tail_of[length - 1];
    if (is_longest) {
      tails.push_back(b);
      tail_of.push_back(a);
    } else {
      tails[length] = b;
      tail_of[length] = a;
    }
  }
  std::vector<std::uint32_t> chain;
  chain.reserve(tails.size());
  for (std::uint32_t a = tail_of.empty() ? none : tail_of.back(); a != none; a = before[a]) {
    chain.push_back(a);
  }
  return chain;
}

std::vector<std::uint32_t> numbered(const std::vector<bool>& is_anchor) {
  std::vector<std::uint32_t> segment_of(is_anchor.size());
  std::uint32_t segment = 1;
  for (std::size_t id = 0; id < is_anchor.size(); ++id) {
    segment += is_anchor[id] ? 1 : 0;
    segment_of[id] = segment;
  }
  return segment_of;
}

}  // namespace

segments cut_into_segments(const pairing& pairs) {
  std::vector<bool> is_anchor_a(pairs.a().size());
  std::vector<bool> is_anchor_b(pairs.b().size());
  for (const std::uint32_t a : longest_chain(pairs)) {
    is_anchor_a[a] = true;
    is_anchor_b[pairs.b_of(a)] = true;
  }
  return {numbered(is_anchor_a), numbered(is_anchor_b)};
}

}  // namespace opscope::matching
