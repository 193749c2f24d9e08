#include "host/lower/hir/emitter.hpp"

#include <string>
#include <vector>

#include "host/error.hpp"
#include "host/lower/hir/op_json.hpp"
#include "host/read/op.hpp"

namespace rlx {

namespace {

// Bounds what a few bytes of hostile input (heads by the billion) can make of themselves. Nothing
// but repeated heads makes more than some dozens of nodes out of one. A stack of 1000 layers of 128
// heads needs an eighth of it.
constexpr std::uint64_t max_repeated = std::uint64_t{1} << 22;

}  // namespace

node_id emitter::add(op_id op, std::span<const node_id> inputs, const shape& s) {
  return out_.add(op, inputs, s.view());
}

node_id emitter::add(std::string_view op, std::span<const node_id> inputs, const shape& s) {
  return add(read_op(out_.storage(), op), inputs, s);
}

node_id emitter::matmul(node_id a, node_id b) {
  return add(R"("MatMul")", {a, b}, matmul_shape(shape_of(a), shape_of(b)));
}

node_id emitter::activation(std::string_view function_json, node_id x) {
  return add(R"({"Activation":)" + std::string{function_json} + '}', {x}, shape_of(x));
}

node_id emitter::binary_add(node_id a, node_id b) {
  return add(R"({"Binary":"Add"})", {a, b}, broadcast_shape(shape_of(a), shape_of(b)));
}

node_id emitter::binary_mul(node_id a, node_id b) {
  return add(R"({"Binary":"Mul"})", {a, b}, broadcast_shape(shape_of(a), shape_of(b)));
}

node_id emitter::rms_norm(node_id x, node_id gamma, node_id beta, float eps) {
  return add(op_json{"RmsNorm"}.number("axis", -1).f32("eps", eps).finish(), {x, gamma, beta},
             shape_of(x));
}

node_id emitter::rope(node_id x, node_id cos, node_id sin, std::uint64_t head_dim,
                      std::uint64_t n_rot) {
  if (n_rot > head_dim || n_rot % 2 != 0) {
    throw error{"a rotation of " + std::to_string(n_rot) + " of " + std::to_string(head_dim) +
                " head dims; it must be even and at most the whole head"};
  }
  return add(op_json{"Rope"}.number("head_dim", head_dim).number("n_rot", n_rot).finish(),
             {x, cos, sin}, shape_of(x));
}

node_id emitter::reshape(node_id x, std::span<const std::int64_t> new_shape) {
  return add(op_json{"Reshape"}.numbers("new_shape", new_shape).finish(), {x},
             reshape_shape(shape_of(x), new_shape));
}

node_id emitter::narrow(node_id x, std::size_t axis, std::uint64_t start, std::uint64_t len) {
  return add(
      op_json{"Narrow"}.number("axis", axis).number("start", start).number("len", len).finish(),
      {x}, narrow_shape(shape_of(x), axis, len));
}

node_id emitter::concat(std::span<const node_id> operands, std::size_t axis) {
  std::vector<shape_view> shapes;
  shapes.reserve(operands.size());
  for (const node_id operand : operands) shapes.push_back(shape_of(operand));
  return concat(operands, axis, concat_shape(shapes, axis));
}

node_id emitter::concat(std::span<const node_id> operands, std::size_t axis, const shape& s) {
  return add(op_json{"Concat"}.number("axis", axis).finish(), operands, s);
}

node_id emitter::gather(node_id table, node_id indices, std::size_t axis) {
  return add(op_json{"Gather"}.number("axis", axis).finish(), {table, indices},
             gather_shape(shape_of(table), shape_of(indices), axis));
}

node_id emitter::attention(std::span<const node_id> inputs, std::uint64_t num_heads,
                           std::uint64_t head_dim, std::string_view mask_json, const shape& s) {
  return add(op_json{"Attention"}
                 .number("num_heads", num_heads)
                 .number("head_dim", head_dim)
                 .raw("mask_kind", mask_json)
                 .null("score_scale")
                 .null("attn_logit_softcap")
                 .finish(),
             inputs, s);
}

node_id emitter::fused_matmul_bias_act(std::span<const node_id> inputs,
                                       std::string_view activation_json, const shape& s) {
  return add(op_json{"FusedMatMulBiasAct"}.raw("activation", activation_json).finish(), inputs, s);
}

node_id emitter::repeat_heads(node_id x, std::uint64_t num_heads, std::uint64_t num_kv_heads,
                              std::uint64_t head_dim) {
  if (num_kv_heads == 0) throw error{"num_kv_heads is 0"};
  const std::uint64_t group = num_heads / num_kv_heads;
  if (group == 1) return x;
  if (group == 0) {
    throw error{"num_heads " + std::to_string(num_heads) + " is below num_kv_heads " +
                std::to_string(num_kv_heads)};
  }
  const std::size_t rank = shape_of(x).dims.size();
  if (rank == 0) throw error{"heads are taken from a scalar"};
  // group * num_kv_heads is at most num_heads, num_kv_heads below it.
  if (num_heads > max_repeated || (repeated_ += 2 * num_heads) > max_repeated) {
    throw error{"repeated heads would pass " + std::to_string(max_repeated) +
                " nodes and operands; check num_heads and num_kv_heads, or split the module"};
  }
  std::vector<node_id> heads;
  heads.reserve(group * num_kv_heads);
  for (std::uint64_t head = 0; head < num_kv_heads; ++head) {
    std::uint64_t start = 0;
    if (__builtin_mul_overflow(head, head_dim, &start)) {
      throw error{"head " + std::to_string(head) + " of " + std::to_string(head_dim) +
                  " dims starts beyond 2^64"};
    }
    heads.insert(heads.end(), group, narrow(x, rank - 1, start, head_dim));
  }
  return concat(heads, rank - 1);
}

}  // namespace rlx
