// Patterns that more than one pass and the fusion report look for.
#pragma once

#include <optional>

#include "host/lower/ops.hpp"
#include "host/lower/rewrite.hpp"
#include "host/lower/users.hpp"

namespace rlx {

// The operand of an Add that is not the matmul m: operand 1 where operand 0 is m, else operand 0.
// Nothing where that operand is missing.
inline std::optional<node_id> bias_of(const graph& g, node_id add, node_id m) {
  const auto inputs = g.inputs(add);
  if (inputs.empty()) return std::nullopt;
  if (inputs[0] != m) return inputs[0];
  return inputs.size() > 1 ? std::optional{inputs[1]} : std::nullopt;
}

// The two sides of a Binary Mul one of which is an Activation Silu; the right one is preferred.
struct silu_product {
  node_id silu;
  node_id gate;  // operand 0 of silu
  node_id up;
};
inline std::optional<silu_product> find_silu_product(const graph& g, node_id id) {
  if (!is_op(g, id, RLX_KIND_Binary, "Mul")) return std::nullopt;
  const auto inputs = g.inputs(id);
  if (inputs.size() < 2) return std::nullopt;
  for (const std::size_t side : {std::size_t{1}, std::size_t{0}}) {
    const node_id silu = inputs[side];
    if (!is_op(g, silu, RLX_KIND_Activation, "Silu")) continue;
    if (g.inputs(silu).empty()) return std::nullopt;
    return silu_product{silu, g.inputs(silu)[0], inputs[1 - side]};
  }
  return std::nullopt;
}

}  // namespace rlx
