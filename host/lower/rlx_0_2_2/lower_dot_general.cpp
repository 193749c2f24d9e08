// Turns a DotGeneral that is a plain matrix product into MatMul. Where the graph has any
// DotGeneral, all names and origins are dropped.
#include <algorithm>

#include "host/lower/ops.hpp"
#include "host/lower/rewrite.hpp"
#include "host/lower/rlx_0_2_2/passes.hpp"
#include "host/read/op.hpp"

namespace rlx::rlx_0_2_2 {

namespace {

bool axes_are(const graph& g, node_id id, std::string_view attribute,
              std::initializer_list<std::uint64_t> wanted) {
  const auto axes = u64s_attribute(g, id, attribute);
  return axes && std::ranges::equal(*axes, wanted);
}

// Ranks are not looked at.
bool is_matmul(const graph& g, node_id id) {
  return axes_are(g, id, "lhs_batch", {}) && axes_are(g, id, "rhs_batch", {}) &&
         axes_are(g, id, "lhs_contracting", {1}) && axes_are(g, id, "rhs_contracting", {0});
}

}  // namespace

pass_result lower_dot_general(const graph& g, const pass_context& context) {
  const bool any = std::ranges::any_of(
      g.nodes(), [](const rlx_node& n) { return n.kind == RLX_KIND_DotGeneral; });
  if (!any) return std::nullopt;
  rewrite walk{g, context.name, keeping::nothing};
  for (node_id id = 0; id < g.size(); ++id) {
    if (g.kind(id) != RLX_KIND_DotGeneral || !is_matmul(g, id)) {
      walk.copy(id);
      continue;
    }
    const node_id lhs = walk.image(walk.operand(id, 0));
    const node_id rhs = walk.image(walk.operand(id, 1));
    walk.set_image(id, walk.emit(read_op(g.storage(), "\"MatMul\""), {lhs, rhs}, g.shape(id)));
  }
  return walk.finish();
}

}  // namespace rlx::rlx_0_2_2
