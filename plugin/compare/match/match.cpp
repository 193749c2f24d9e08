// The order of the stages.
#include "plugin/compare/match/match.hpp"

#include "plugin/compare/match/anchors.hpp"
#include "plugin/compare/match/islands.hpp"
#include "plugin/compare/match/leftovers.hpp"
#include "plugin/compare/match/pairing.hpp"
#include "plugin/compare/match/place.hpp"
#include "plugin/compare/match/spreader.hpp"
#include "plugin/compare/match/surroundings.hpp"

namespace opscope {

namespace matching {
namespace {

void run_stages(pairing& pairs) {
  spreader s{pairs};
  match_anchors(pairs, s);
  match_by_surroundings(pairs, s);
  match_by_place(pairs, s, {.any_character = false, .any_twin = false});
  match_islands(pairs, s);
  match_by_place(pairs, s, {.any_character = false, .any_twin = true});
  match_by_place(pairs, s, {.any_character = true, .any_twin = false});
  match_by_place(pairs, s, {.any_character = true, .any_twin = true});
  s.take_twins();
  s.spread_again();
  match_equal_computations(pairs);
  drop_contradicted(pairs);
  match_leaves_of_groups(pairs);
}

}  // namespace
}  // namespace matching

node_matching match_nodes(const node_context& base, const node_context& next) {
  // Always from the same side, so that either direction gives the same pairs.
  const bool is_turned = next.whole() < base.whole();
  matching::pairing pairs{is_turned ? next : base, is_turned ? base : next};
  matching::run_stages(pairs);
  node_matching result = pairs.take_matching();
  if (is_turned) result.new_of.swap(result.base_of);
  return result;
}

}  // namespace opscope
