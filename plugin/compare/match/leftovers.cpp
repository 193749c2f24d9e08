#include "plugin/compare/match/leftovers.hpp"

#include <algorithm>

#include "plugin/compare/group.hpp"
#include "plugin/compare/match/evidence.hpp"
#include "plugin/compare/operation.hpp"

namespace opscope::matching {

namespace {

std::vector<keyed_node> leaves_of(const node_context& c, const std::vector<std::uint32_t>& ids) {
  std::vector<keyed_node> leaves;
  for (const std::uint32_t id : ids) {
    if (c.side().is_leaf(id)) leaves.push_back({c.operation(id), id});
  }
  std::sort(leaves.begin(), leaves.end());
  return leaves;
}

}  // namespace

void match_equal_computations(pairing& pairs) {
  pairs.pair([](const node_context& c, std::uint32_t id) { return c.above(id); },
             policy::in_order_as_far_as_they_go);
  pairs.pair([](const node_context& c,
                std::uint32_t id) { return mixed(c.above_unnamed(id), c.below(id)); },
             policy::in_order_as_far_as_they_go, unless_contradicted(pairs));
}

void drop_contradicted(pairing& pairs) {
  for (std::uint32_t a = 0; a < pairs.a().size(); ++a) {
    if (pairs.is_free_a(a) || pairs.a().side().is_leaf(a)) continue;
    const std::uint32_t b = pairs.b_of(a);
    if (!has_common_neighbour(pairs, a, b) && is_contradicted(pairs, a, b)) pairs.unmatch(a);
  }
}

void match_leaves_of_groups(pairing& pairs) {
  if (pairs.is_done()) return;
  for (const node_group& g : group_unmatched(pairs.a(), pairs.b(), pairs.matching())) {
    if (g.base.empty() || g.next.empty()) continue;
    pairs.pair_lists(leaves_of(pairs.a(), g.base), leaves_of(pairs.b(), g.next), policy::in_order,
                     any_pair);
  }
}

}  // namespace opscope::matching
