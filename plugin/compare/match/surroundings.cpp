#include "plugin/compare/match/surroundings.hpp"

#include "plugin/compare/match/evidence.hpp"
#include "plugin/compare/match/limits.hpp"
#include "plugin/compare/match/segments.hpp"
#include "plugin/compare/operation.hpp"

namespace opscope::matching {

void match_by_surroundings(pairing& pairs, spreader& s) {
  s.spread_again();
  if (pairs.is_done()) return;
  const node_context& a = pairs.a();
  const node_context& b = pairs.b();
  const std::vector<std::uint64_t> near_a = a.widened(a.operations());
  const std::vector<std::uint64_t> near_b = b.widened(b.operations());
  const std::vector<std::uint64_t> far_a = a.widened(near_a);
  const std::vector<std::uint64_t> far_b = b.widened(near_b);
  const auto far = [&](const node_context& c, std::uint32_t id) {
    return (&c == &a ? far_a : far_b)[id];
  };
  const auto near = [&](const node_context& c, std::uint32_t id) {
    return (&c == &a ? near_a : near_b)[id];
  };
  const auto far_but_of_leaves = [&](const node_context& c, std::uint32_t id) {
    return c.side().is_leaf(id) ? 0 : far(c, id);
  };
  const auto operation = [](const node_context& c, std::uint32_t id) { return c.operation(id); };
  const auto labelled = [](const auto& colour) {
    return [&colour](const node_context& c, std::uint32_t id) {
      return mixed(colour(c, id), c.label(id));
    };
  };
  bool goes_on = true;
  for (int round = 0; goes_on && round < most_rounds && !pairs.is_done(); ++round) {
    goes_on = pair_in_segments(pairs, s, labelled(far), policy::in_order, any_pair);
    goes_on |= pair_in_segments(pairs, s, labelled(near), policy::in_order, any_pair);
    goes_on |= pair_in_segments(pairs, s, far_but_of_leaves, policy::in_order, any_pair);
    goes_on |= pair_in_segments(pairs, s, labelled(operation), policy::in_order,
                                with_common_neighbour(pairs));
    goes_on |= s.spread_again();
  }
}

}  // namespace opscope::matching
