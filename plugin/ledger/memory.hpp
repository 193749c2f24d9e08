// What a buffer plan makes of a graph's results, read off the slots in its view.
#pragma once

#include <rlx/view.hpp>

#include <opscope/ledger.hpp>

namespace opscope {

// Unknown where there is no plan; views are counted all the same. Leaves live from start to end,
// outputs to the end, everything else until its last reader, through views, has run.
memory_figures measure_memory(const rlx::graph_view& graph);

}  // namespace opscope
