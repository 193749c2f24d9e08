// The buffer plan of RLX 0.2.2: schedule, views, slots, phases, manifest.
#pragma once

#include "host/graph/graph.hpp"
#include "host/graph/plan.hpp"

namespace rlx {

// Throws rlx::error, naming module and node, where an offset is not known (a Narrow on axis 0
// across dynamic dims) or sizes leave 64 bits.
buffer_plan plan_buffers(const graph& g);

}  // namespace rlx
