// Who reads a node, for all nodes of a graph at once.
#pragma once

#include <span>
#include <vector>

#include "host/graph/graph.hpp"

namespace rlx {

// users(n): the nodes that have n at least once among their operands, ascending, each once. Graph
// outputs do not count. Built in linear time; says nothing about a graph changed since.
class users {
 public:
  explicit users(const graph& g);
  std::span<const node_id> of(node_id n) const {
    return {list_.data() + begin_[n], begin_[n + 1] - begin_[n]};
  }
  std::size_t count(node_id n) const { return begin_[n + 1] - begin_[n]; }

 private:
  std::vector<std::uint32_t> begin_;
  std::vector<node_id> list_;
};

// True for nodes that the graph hands out.
std::vector<bool> output_mask(const graph& g);

}  // namespace rlx
