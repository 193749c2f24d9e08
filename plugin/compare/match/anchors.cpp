#include "plugin/compare/match/anchors.hpp"

#include <string_view>

#include "plugin/compare/match/evidence.hpp"
#include "plugin/compare/operation.hpp"

namespace opscope::matching {

namespace {

// A leaf by its name, whatever its shape.
std::uint64_t name_key(const node_context& c, std::uint32_t id) {
  const std::string_view name = c.side().leaf_name(id);
  return name.empty() ? 0 : mixed(c.kind(id), text_hash(name));
}
// A leaf by its type, its shape and what it is used for.
std::uint64_t use_key(const node_context& c, std::uint32_t id) {
  return c.side().is_leaf(id) ? mixed(c.operation(id), c.below(id)) : 0;
}

// Of one type and shape first. Another shape is a change of the leaf only where no other leaf is
// used as it was: names that a compiler counts up move from leaf to leaf.
void pair_leaves_by_name(pairing& pairs) {
  pairs.pair(
      [](const node_context& c, std::uint32_t id) {
        const std::uint64_t name = name_key(c, id);
        return name == 0 ? 0 : mixed(name, c.operation(id));
      },
      policy::unique);
  if (pairs.is_done()) return;
  std::vector<keyed_node> uses_in_a;
  std::vector<keyed_node> uses_in_b;
  pairs.collect_a(use_key, uses_in_a);
  pairs.collect_b(use_key, uses_in_b);
  pairs.pair(name_key, policy::unique, [&](std::uint32_t a, std::uint32_t b) {
    return !has_key(uses_in_b, use_key(pairs.a(), a)) && !has_key(uses_in_a, use_key(pairs.b(), b));
  });
}

}  // namespace

void match_anchors(pairing& pairs, spreader& s) {
  pairs.pair(
      [](const node_context& c, std::uint32_t id) { return mixed(c.above(id), c.below(id)); },
      policy::in_order);
  pairs.pair([](const node_context& c, std::uint32_t id) { return c.above(id); }, policy::unique);
  pair_leaves_by_name(pairs);
  // Names first: a model with a layer less looks the same from its outputs upward, a layer off.
  s.spread();
  const auto is_possible = unless_contradicted(pairs);
  pairs.pair([](const node_context& c,
                std::uint32_t id) { return mixed(c.above_unnamed(id), c.below(id)); },
             policy::in_order, is_possible);
  pairs.pair([](const node_context& c, std::uint32_t id) { return c.below(id); }, policy::unique,
             is_possible);
  pairs.pair([](const node_context& c,
                std::uint32_t id) { return mixed(c.frame_above(id), c.frame_below(id)); },
             policy::in_order, is_possible);
  s.spread();
}

}  // namespace opscope::matching
