#include "plugin/compare/match/segments.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

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

}  // namespace

segments cut_into_segments(const pairing& pairs) {
  segments cut{std::vector<std::uint32_t>(pairs.a().size()),
               std::vector<std::uint32_t>(pairs.b().size())};
  for (const std::uint32_t a : longest_chain(pairs)) {
    cut.of_a[a] = 1;
    cut.of_b[pairs.b_of(a)] = 1;
  }
  // A segment begins at each of the chain; segment 1 is before all of them.
  const auto number = [](std::vector<std::uint32_t>& of) {
    std::inclusive_scan(of.begin(), of.end(), of.begin(), std::plus<>{}, 1u);
  };
  number(cut.of_a);
  number(cut.of_b);
  return cut;
}

}  // namespace opscope::matching
