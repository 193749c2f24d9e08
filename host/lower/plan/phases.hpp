// Where in a run of the module each node belongs.
#pragma once

#include <vector>

#include "host/graph/graph.hpp"
#include "host/graph/plan.hpp"

namespace rlx {

// By node id.
std::vector<phase> find_phases(const graph& g);

}  // namespace rlx
