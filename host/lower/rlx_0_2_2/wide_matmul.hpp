// One product with the weights of several products of one operand, side by side.
#pragma once

#include <span>
#include <vector>

#include "host/lower/rewrite.hpp"

namespace rlx::rlx_0_2_2 {

struct wide_matmul {
  node_id product;                    // in the new graph
  std::vector<std::uint64_t> widths;  // dim 1 of each weight, in order
};

// Emits Concat on axis 1 of the weights of `products` (old MatMul nodes sharing operand 0, all of
// whose operands have an image) and one MatMul. Shapes: the Concat [k, sum of widths] from the
// first two dims of the weights, dtype of the first weight; the product the first one's dims with
// the last replaced, its dtype. Throws where one of the dims used is dynamic or missing.
wide_matmul emit_wide_matmul(rewrite& walk, std::span<const node_id> products);

}  // namespace rlx::rlx_0_2_2
