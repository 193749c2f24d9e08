// Which nodes lie inside another node's storage, and where.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "host/graph/graph.hpp"
#include "host/graph/plan.hpp"

namespace rlx {

// By node id; chains of views resolved to the node that owns the storage. Throws where an offset
// is not known or passes 64 bits.
std::vector<std::optional<view_alias>> find_views(const graph& g, std::string_view step);

}  // namespace rlx
