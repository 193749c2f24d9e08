// Which node of one graph is which node of the other, when ids, names and kinds may have changed.
//
// Anchors first: equal computations from the leaves and equal computations to the outputs, and
// leaves of one name. From them along operands and users. What is left, by surroundings and label
// between the anchors, at last by place in the graph alone. Where nothing says that two nodes are
// the same, they are not. n log n in nodes and operands.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "plugin/compare/context.hpp"

namespace opscope {

struct node_matching {
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> new_of;   // a base node each
  std::vector<std::uint32_t> base_of;  // a new node each
};

// Matched nodes are of one kind. Matching the other way round gives the same pairs.
node_matching match_nodes(const node_context& base, const node_context& next);

}  // namespace opscope
