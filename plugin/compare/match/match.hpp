// Which node of one graph is which node of the other, when ids, names and kinds may have changed.
//
// Anchors first: equal computations from the leaves and equal computations to the outputs, and
// leaves of one name. From them along operands and users. What is left, by surroundings and label
// between the anchors, at last by place in the graph alone. Where nothing says that two nodes are
// the same, they are not. n log n in nodes and operands.
#pragma once

#include "plugin/compare/context.hpp"
#include "plugin/compare/match/matching.hpp"

namespace opscope {

// Matched nodes are of one kind. Matching the other way round gives the same pairs.
node_matching match_nodes(const node_context& base, const node_context& next);

}  // namespace opscope
