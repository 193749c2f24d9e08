#include "host/lower/rlx_0_2_2/wide_matmul.hpp"

#include "host/lower/ops.hpp"
#include "host/lower/shapes.hpp"
#include "host/read/op.hpp"

namespace rlx::rlx_0_2_2 {

namespace {

std::uint64_t static_dim(const rewrite& walk, node_id weight, std::size_t dim) {
  const shape_view shape = walk.from().shape(weight);
  if (dim >= shape.dims.size()) {
    walk.fail(weight, "a weight of rank " + std::to_string(shape.dims.size()) +
                          " cannot be laid beside another; it needs two dims");
  }
  if (is_dynamic(shape, dim)) {
    walk.fail(weight, "expected static dim, got dynamic symbol " + std::to_string(shape.dims[dim]) +
                          "; bind the symbol before lowering");
  }
  return shape.dims[dim];
}

}  // namespace

wide_matmul emit_wide_matmul(rewrite& walk, std::span<const node_id> products) {
  const graph& g = walk.from();
  const node_id x = walk.operand(products[0], 0);
  std::vector<node_id> weights;
  for (const node_id product : products) weights.push_back(walk.operand(product, 1));

  wide_matmul made;
  const std::uint64_t depth = static_dim(walk, weights[0], 0);
  std::uint64_t width = 0;
  for (const node_id weight : weights) {
    made.widths.push_back(static_dim(walk, weight, 1));
    if (__builtin_add_overflow(width, made.widths.back(), &width)) {
      walk.fail(weight, "the widths of the weights to be laid side by side add up beyond 64 bits");
    }
  }
  std::vector<node_id> operands;
  for (const node_id weight : weights) operands.push_back(walk.image(weight));
  const owned_shape concat_shape{{depth, width}, g.node(weights[0]).dtype};
  const node_id concat = walk.emit(concat_op(g.storage(), 1), operands, concat_shape.view());

  owned_shape shape{g.shape(products[0])};
  if (shape.dims.empty()) {
    walk.fail(products[0], "a product of rank 0 cannot be widened; declare its shape");
  }
  shape.dims.back() = width;
  shape.dynamic_dims &= ~(std::uint64_t{1} << (shape.dims.size() - 1));
  made.product =
      walk.emit(read_op(g.storage(), "\"MatMul\""), {walk.image(x), concat}, shape.view());
  return made;
}

}  // namespace rlx::rlx_0_2_2
