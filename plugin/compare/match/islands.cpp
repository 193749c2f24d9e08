#include "plugin/compare/match/islands.hpp"

#include "plugin/compare/match/evidence.hpp"
#include "plugin/compare/match/limits.hpp"
#include "plugin/compare/match/place.hpp"
#include "plugin/compare/match/segments.hpp"
#include "plugin/compare/operation.hpp"

namespace opscope::matching {

void match_islands(pairing& pairs, spreader& s) {
  const auto is_possible = unless_contradicted(pairs);
  const auto operation = [](const node_context& c, std::uint32_t id) {
    return c.side().is_leaf(id) ? 0 : c.operation(id);
  };
  const auto labelled = [](const node_context& c, std::uint32_t id) {
    return c.side().is_leaf(id) ? 0 : mixed(c.operation(id), c.label(id));
  };
  bool goes_on = true;
  for (int round = 0; goes_on && round < most_rounds && !pairs.is_done(); ++round) {
    goes_on = pair_in_segments(pairs, s, labelled, policy::unique, is_possible);
    goes_on |= pair_in_segments(pairs, s, operation, policy::unique, is_possible);
    if (!goes_on) {  // where the order of nodes says nothing
      goes_on = pairs.pair(labelled, policy::unique, is_possible);
      goes_on |= pairs.pair(operation, policy::unique, is_possible);
      s.spread();
    }
    goes_on |= s.spread_again();
    if (goes_on) match_by_place(pairs, s, {.any_character = false, .any_twin = false});
  }
  pairs.pair([](const node_context& c, std::uint32_t id) { return mixed(c.kind(id), c.label(id)); },
             policy::unique, with_common_neighbour(pairs));
  s.spread();
}

}  // namespace opscope::matching
