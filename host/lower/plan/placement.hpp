// First-fit placement of slots in one arena, with the offsets of the RLX 0.2.2 planner but not its
// cubic time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/graph/graph.hpp"
#include "host/lower/plan/lifetimes.hpp"

namespace rlx {

struct placement_request {
  node_id node;
  std::uint64_t bytes;  // above 0
  rlx::lifetime lifetime;
};

struct placement {
  std::vector<std::uint64_t> offsets;  // as the requests
  std::uint64_t arena_bytes = 0;       // end of the highest slot
};

// Largest first, equal sizes by node id: each at the lowest multiple of `alignment` where it meets
// no slot placed before whose lifetime overlaps its own. Requests come by ascending node id, and
// every lifetime starts at its node id or at 0. Throws rlx::error where the arena passes 64 bits;
// `g` only names the culprit.
placement place_slots(const graph& g, std::span<const placement_request> requests,
                      std::uint64_t alignment);

}  // namespace rlx
