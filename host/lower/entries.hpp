// The measure of a graph's growth.
#pragma once

#include <cstdint>

#include "host/graph/graph.hpp"

namespace rlx {

// Nodes, operands and dims together: what appending the graph once adds to another's arrays.
inline std::uint64_t entries(const graph& g) {
  if (g.size() == 0) return 0;
  const rlx_node& last = g.node(g.size() - 1);
  return std::uint64_t{g.size()} + last.inputs_begin + last.input_count + last.dims_begin +
         last.rank;
}

}  // namespace rlx
