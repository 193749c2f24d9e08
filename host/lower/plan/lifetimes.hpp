// From which step to which each node's storage is in use.
#pragma once

#include <optional>
#include <vector>

#include "host/graph/graph.hpp"
#include "host/graph/plan.hpp"

namespace rlx {

// Closed: a node's storage overlaps in time with everything the node reads. Steps are node ids;
// the graph's node count is the step after the last, to which outputs and leaves live.
struct lifetime {
  std::uint32_t birth;
  std::uint32_t death;
  bool overlaps(const lifetime& other) const {
    return birth <= other.death && death >= other.birth;
  }
};

// By node id; meaningful for nodes that own storage.
std::vector<lifetime> find_lifetimes(const graph& g,
                                     const std::vector<std::optional<view_alias>>& views);

}  // namespace rlx
