// MatMul, Add of a bias of rank 0 or 1, and a Gelu or Silu that may follow, become
// FusedMatMulBiasAct at the MatMul's place. Graph outputs among the three are not looked at.
#include <vector>

#include "host/emit/json.hpp"
#include "host/lower/ops.hpp"
#include "host/lower/patterns.hpp"
#include "host/lower/rewrite.hpp"
#include "host/lower/rlx_0_2_2/passes.hpp"
#include "host/lower/users.hpp"
#include "host/read/op.hpp"

namespace rlx::rlx_0_2_2 {

namespace {

struct match {
  node_id add;
  node_id bias;
  std::optional<node_id> activation;
};

std::optional<match> find_match(const rewrite& walk, const users& readers, node_id m) {
  const graph& g = walk.from();
  if (g.kind(m) != RLX_KIND_MatMul || readers.count(m) != 1) return std::nullopt;
  match found{readers.of(m)[0], 0, std::nullopt};
  if (!is_op(g, found.add, RLX_KIND_Binary, "Add")) return std::nullopt;
  const bool matmul_is_left = walk.operand(found.add, 0) == m;
  found.bias = walk.operand(found.add, matmul_is_left ? 1 : 0);
  if (g.node(found.bias).rank > 1) return std::nullopt;
  if (readers.count(found.add) == 1) {
    const node_id next = readers.of(found.add)[0];
    if (is_op(g, next, RLX_KIND_Activation, "Gelu") ||
        is_op(g, next, RLX_KIND_Activation, "Silu")) {
      found.activation = next;
    }
  }
  return found;
}

}  // namespace

pass_result fuse_matmul_bias_act(const graph& g, const pass_context& context) {
  const users readers{g};
  std::vector<bool> consumed(g.size(), false);
  rewrite walk{g, context.name, keeping::names_and_origins};
  node_id first = 0;
  while (first < g.size() && !find_match(walk, readers, first)) ++first;
  if (first == g.size()) return std::nullopt;
  for (node_id id = 0; id < g.size(); ++id) {
    if (consumed[id]) continue;
    const auto found = id < first ? std::nullopt : find_match(walk, readers, id);
    if (!found) {
      walk.copy(id);
      continue;
    }
    const node_id lhs = walk.operand(id, 0);
    const node_id rhs = walk.operand(id, 1);
    walk.early_copy({lhs, rhs, found->bias});
    std::string json{"{\"FusedMatMulBiasAct\":{\"activation\":"};
    if (found->activation) {
      append_json_string(json, *text_attribute(g, *found->activation, "value"));
    } else {
      json += "null";
    }
    json += "}}";
    const node_id last = found->activation.value_or(found->add);
    const node_id fused =
        walk.emit(read_op(g.storage(), json),
                  {walk.image(lhs), walk.image(rhs), walk.image(found->bias)}, g.shape(last));
    walk.set_image(id, fused);
    walk.set_image(found->add, fused);
    consumed[found->add] = true;
    if (found->activation) {
      walk.set_image(*found->activation, fused);
      consumed[*found->activation] = true;
    }
  }
  return walk.finish();
}

}  // namespace rlx::rlx_0_2_2
