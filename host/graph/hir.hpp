// An HIR module: the block operations a model was built of, before lowering. Held in the host's
// graph type, so that its JSON, names and outputs need no code of their own.
#pragma once

#include <cstdint>
#include <vector>

#include "host/graph/graph.hpp"

namespace rlx {

enum class fusion_policy : std::uint8_t { fusable, direct };

struct hir_module {
  // A node whose wraps_mir is false has an HIR operation: its kind text is the HIR name and its
  // kind number says nothing (HIR's Attention is not MIR's). Where wraps_mir is true it was
  // written `{"Mir":<op>}` and has the MIR operation inside. No node has an origin.
  rlx::graph blocks;
  std::vector<bool> wraps_mir;  // by node id; as long as blocks has nodes
  fusion_policy policy;
};

}  // namespace rlx
