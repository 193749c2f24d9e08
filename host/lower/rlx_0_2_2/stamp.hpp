// Origins of the nodes that a pass made.
#pragma once

#include <string_view>

#include "host/graph/graph.hpp"

namespace rlx::rlx_0_2_2 {

// True where a node has no origin, so that stamping would change the graph.
bool needs_stamp(const graph& g);

// Gives each node without origin one, in id order: HIR id and label from its operands, and `pass`.
void stamp_origins(graph& g, std::string_view pass);

}  // namespace rlx::rlx_0_2_2
