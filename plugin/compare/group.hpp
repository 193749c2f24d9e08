// What became of the nodes that have no counterpart: they form groups by who reads whom, and across
// the two graphs by the nodes around them.
#pragma once

#include <cstdint>
#include <vector>

#include "plugin/compare/context.hpp"
#include "plugin/compare/match/matching.hpp"

namespace opscope {

struct node_group {
  std::vector<std::uint32_t> base;  // ids, ascending
  std::vector<std::uint32_t> next;
};

// Every node without a counterpart is in exactly one group. In the order of their first nodes, base
// nodes before new ones.
std::vector<node_group> group_unmatched(const node_context& base, const node_context& next,
                                        const node_matching& matching);

}  // namespace opscope
