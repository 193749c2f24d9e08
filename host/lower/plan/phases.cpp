#include "host/lower/plan/phases.hpp"

#include <optional>

#include "host/lower/ops.hpp"

namespace rlx {

namespace {

// The kinds after the last of which a run is winding down. Conv, QMatMul and FusedSwiGLU are not
// among them.
bool is_compute(std::uint32_t kind) {
  switch (kind) {
    case RLX_KIND_MatMul:
    case RLX_KIND_FusedMatMulBiasAct:
    case RLX_KIND_Attention:
    case RLX_KIND_FusedAttentionBlock:
    case RLX_KIND_FusedTransformerLayer:
    case RLX_KIND_DotGeneral:
    case RLX_KIND_GroupedMatMul:
    case RLX_KIND_DequantGroupedMatMul:
    case RLX_KIND_DequantMoEWeights:
    case RLX_KIND_LoraMatMul:
    case RLX_KIND_DequantMatMul:
    case RLX_KIND_GatedDeltaNet:
      return true;
    default:
      return false;
  }
}

bool is_tail(std::uint32_t kind) { return kind == RLX_KIND_Sample || kind == RLX_KIND_TopK; }

}  // namespace

std::vector<phase> find_phases(const graph& g) {
  std::optional<node_id> last_compute;
  std::optional<node_id> last_tail;
  for (node_id id = 0; id < g.size(); ++id) {
    if (is_compute(g.kind(id))) last_compute = id;
    if (is_tail(g.kind(id))) last_tail = id;
  }
  std::vector<phase> phases(g.size(), phase::steady_state);
  for (node_id id = 0; id < g.size(); ++id) {
    if (is_leaf(g.kind(id))) {
      phases[id] = phase::prologue;
    } else if (is_tail(g.kind(id)) || (last_tail && id > *last_tail) ||
               (last_compute && id > *last_compute)) {
      phases[id] = phase::epilogue;
    }
  }
  return phases;
}

}  // namespace rlx
