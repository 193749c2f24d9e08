// A norm of a sum that nobody else reads takes the two addends itself. One rule for LayerNorm and
// RmsNorm. The norm's axis is neither looked at nor kept.
#include <algorithm>
#include <vector>

#include "host/lower/ops.hpp"
#include "host/lower/rewrite.hpp"
#include "host/lower/rlx_0_2_2/passes.hpp"
#include "host/lower/users.hpp"
#include "host/read/op.hpp"

namespace rlx::rlx_0_2_2 {

namespace {

pass_result fuse_residual(const graph& g, const pass_context& context, std::uint32_t norm_kind,
                          std::string_view fused_kind) {
  if (std::ranges::find(g.nodes(), norm_kind, &rlx_node::kind) == g.nodes().end()) {
    return std::nullopt;
  }
  const users readers{g};
  const std::vector<bool> is_output = output_mask(g);
  // The Add that a norm takes over, by the norm's id.
  std::vector<std::optional<node_id>> taken(g.size());
  std::vector<bool> consumed(g.size(), false);
  bool changed = false;
  for (node_id id = 0; id < g.size(); ++id) {
    if (g.kind(id) != norm_kind || g.inputs(id).empty()) continue;
    const node_id add = g.inputs(id)[0];
    if (!is_op(g, add, RLX_KIND_Binary, "Add") || readers.count(add) != 1 || is_output[add]) {
      continue;
    }
    taken[id] = add;
    consumed[add] = true;
    changed = true;
  }
  if (!changed) return std::nullopt;

  rewrite walk{g, context.name, keeping::names_and_origins};
  for (node_id id = 0; id < g.size(); ++id) {
    if (consumed[id]) continue;
    if (!taken[id]) {
      walk.copy(id);
      continue;
    }
    const node_id add = *taken[id];
    const node_id operands[] = {walk.image(walk.operand(add, 0)), walk.image(walk.operand(add, 1)),
                                walk.image(walk.operand(id, 1)), walk.image(walk.operand(id, 2))};
    std::string json{"{\""};
    json += fused_kind;
    json += "\":{\"has_bias\":false,\"eps\":" + f32_text(g, id, "eps") + "}}";
    const node_id fused = walk.emit(read_op(g.storage(), json), operands, g.shape(id));
    walk.set_image(id, fused);
    walk.set_image(add, fused);
  }
  return walk.finish();
}

}  // namespace

pass_result fuse_residual_ln(const graph& g, const pass_context& context) {
  return fuse_residual(g, context, RLX_KIND_LayerNorm, "FusedResidualLN");
}

pass_result fuse_residual_rms_norm(const graph& g, const pass_context& context) {
  return fuse_residual(g, context, RLX_KIND_RmsNorm, "FusedResidualRmsNorm");
}

}  // namespace rlx::rlx_0_2_2
