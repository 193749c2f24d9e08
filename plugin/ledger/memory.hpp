// What a buffer plan makes of a graph's results, read off the slots in its view.
#pragma once

#include <rlx/view.hpp>

#include <opscope/figure.hpp>

namespace opscope {

struct memory_figures {
  figure arena_bytes;       // end of the highest slot
  figure unshared_bytes;    // the arena without reuse: the sum of all owning slots
  figure peak_live_bytes;   // most bytes alive at one step: no placement needs less
  std::uint64_t views = 0;  // nodes that lie in another node's storage
};

// Unknown where there is no plan; views are counted all the same. Leaves live from start to end,
// outputs to the end, everything else until its last reader, through views, has run.
memory_figures measure_memory(const rlx::graph_view& graph);

}  // namespace opscope
