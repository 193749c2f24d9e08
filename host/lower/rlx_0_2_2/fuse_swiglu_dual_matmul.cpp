// silu(x*G) * (x*U) becomes one product with [U, G] and a FusedSwiGLU. Other readers of the two
// products, graph outputs and weight ranks are not looked at: where one of them needs a node that
// is gone, the compiler yields no module.
#include <vector>

#include "host/lower/ops.hpp"
#include "host/lower/patterns.hpp"
#include "host/lower/rewrite.hpp"
#include "host/lower/rlx_0_2_2/passes.hpp"
#include "host/lower/rlx_0_2_2/wide_matmul.hpp"
#include "host/lower/users.hpp"

namespace rlx::rlx_0_2_2 {

namespace {

std::optional<silu_product> find_match(const rewrite& walk, const users& readers, node_id id) {
  const graph& g = walk.from();
  const auto found = find_silu_product(g, id);
  if (!found || g.kind(found->up) != RLX_KIND_MatMul || g.kind(found->gate) != RLX_KIND_MatMul ||
      walk.operand(found->up, 0) != walk.operand(found->gate, 0) ||
      readers.count(found->silu) != 1) {
    return std::nullopt;
  }
  return found;
}

}  // namespace

pass_result fuse_swiglu_dual_matmul(const graph& g, const pass_context& context) {
  const users readers{g};
  rewrite walk{g, context.name, keeping::names_and_origins};
  std::vector<bool> consumed(g.size(), false);
  std::vector<bool> matched(g.size(), false);
  bool changed = false;
  for (node_id id = 0; id < g.size(); ++id) {
    const auto found = find_match(walk, readers, id);
    if (!found) continue;
    matched[id] = true;
    consumed[found->up] = consumed[found->gate] = consumed[found->silu] = true;
    changed = true;
  }
  if (!changed) return std::nullopt;

  for (node_id id = 0; id < g.size(); ++id) {
    if (consumed[id]) continue;
    if (!matched[id]) {
      walk.copy(id);
      continue;
    }
    const silu_product found = *find_silu_product(g, id);
    walk.early_copy(
        {walk.operand(found.up, 0), walk.operand(found.gate, 1), walk.operand(found.up, 1)});
    const node_id products[] = {found.up, found.gate};
    const node_id wide = emit_wide_matmul(walk, products).product;
    walk.set_image(id, walk.emit(fused_swiglu_op(g.storage(), false), {wide}, g.shape(id)));
  }
  return walk.finish();
}

}  // namespace rlx::rlx_0_2_2
