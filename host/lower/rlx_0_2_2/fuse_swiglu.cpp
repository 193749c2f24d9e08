// silu(gate) * up, where gate and up are the two halves of one value and nobody else reads them,
// becomes FusedSwiGLU of that value. The size of the value is not looked at.
#include <vector>

#include "host/lower/ops.hpp"
#include "host/lower/patterns.hpp"
#include "host/lower/rewrite.hpp"
#include "host/lower/rlx_0_2_2/passes.hpp"
#include "host/lower/users.hpp"

namespace rlx::rlx_0_2_2 {

namespace {

struct match {
  silu_product product;
  node_id source;  // what both halves are cut from
  bool gate_first;
};

std::optional<match> find_match(const rewrite& walk, const users& readers, node_id id) {
  const graph& g = walk.from();
  const auto found = find_silu_product(g, id);
  if (!found || g.kind(found->up) != RLX_KIND_Narrow || g.kind(found->gate) != RLX_KIND_Narrow) {
    return std::nullopt;
  }
  const auto [silu, gate, up] = *found;
  const auto len = u64_attribute(g, up, "len");
  const auto up_start = u64_attribute(g, up, "start");
  const auto gate_start = u64_attribute(g, gate, "start");
  const auto axis = u64_attribute(g, up, "axis");
  if (!len || !up_start || !gate_start || !axis || u64_attribute(g, gate, "axis") != axis ||
      u64_attribute(g, gate, "len") != len || walk.operand(up, 0) != walk.operand(gate, 0)) {
    return std::nullopt;
  }
  const bool gate_first = *up_start == *len && *gate_start == 0;
  const bool up_first = *up_start == 0 && *gate_start == *len;
  if ((!gate_first && !up_first) || readers.count(up) != 1 || readers.count(gate) != 1 ||
      readers.count(silu) != 1) {
    return std::nullopt;
  }
  return match{*found, walk.operand(up, 0), gate_first};
}

}  // namespace

pass_result fuse_swiglu(const graph& g, const pass_context& context) {
  const users readers{g};
  rewrite walk{g, context.name, keeping::names_and_origins};
  std::vector<bool> consumed(g.size(), false);
  std::vector<bool> matched(g.size(), false);
  bool changed = false;
  for (node_id id = 0; id < g.size(); ++id) {
    const auto found = find_match(walk, readers, id);
    if (!found) continue;
    matched[id] = true;
    consumed[found->product.up] = consumed[found->product.gate] = true;
    consumed[found->product.silu] = true;
    changed = true;
  }
  if (!changed) return std::nullopt;

  for (node_id id = 0; id < g.size(); ++id) {
    if (consumed[id]) continue;
    if (!matched[id]) {
      walk.copy(id);
      continue;
    }
    const match found = *find_match(walk, readers, id);
    walk.set_image(id, walk.emit(fused_swiglu_op(g.storage(), found.gate_first),
                                 {walk.image(found.source)}, g.shape(id)));
  }
  return walk.finish();
}

}  // namespace rlx::rlx_0_2_2
