// Appends the MIR nodes that block operations are made of, with the shapes RLX infers for them.
// Knows nothing of HIR; throws rlx::error where a shape cannot be or the graph grows out of hand.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "host/graph/graph.hpp"
#include "host/lower/hir/shape.hpp"

namespace rlx {

class emitter {
 public:
  explicit emitter(graph& out) : out_{out} {}

  const graph& result() const { return out_; }
  shape_view shape_of(node_id id) const { return out_.shape(id); }

  node_id add(op_id op, std::span<const node_id> inputs, const shape& s);
  // op is the serde form.
  node_id add(std::string_view op, std::span<const node_id> inputs, const shape& s);
  node_id add(std::string_view op, std::initializer_list<node_id> inputs, const shape& s) {
    return add(op, std::span{inputs.begin(), inputs.size()}, s);
  }

  node_id matmul(node_id a, node_id b);
  // function_json is the quoted name.
  node_id activation(std::string_view function_json, node_id x);
  node_id binary_add(node_id a, node_id b);
  node_id binary_mul(node_id a, node_id b);
  node_id rms_norm(node_id x, node_id gamma, node_id beta, float eps);
  // Refuses an n_rot that is odd or above head_dim.
  node_id rope(node_id x, node_id cos, node_id sin, std::uint64_t head_dim, std::uint64_t n_rot);
  node_id reshape(node_id x, std::span<const std::int64_t> new_shape);
  node_id narrow(node_id x, std::size_t axis, std::uint64_t start, std::uint64_t len);
  node_id concat(std::span<const node_id> operands, std::size_t axis);
  node_id concat(std::span<const node_id> operands, std::size_t axis, const shape& s);
  node_id gather(node_id table, node_id indices, std::size_t axis);
  node_id attention(std::span<const node_id> inputs, std::uint64_t num_heads,
                    std::uint64_t head_dim, std::string_view mask_json, const shape& s);
  // activation_json is null or a quoted name.
  node_id fused_matmul_bias_act(std::span<const node_id> inputs, std::string_view activation_json,
                                const shape& s);

  // Grouped heads: the kv heads along x's last axis, each num_heads / num_kv_heads times in a row.
  // x itself where that quotient is 1.
  node_id repeat_heads(node_id x, std::uint64_t num_heads, std::uint64_t num_kv_heads,
                       std::uint64_t head_dim);

 private:
  graph& out_;
  std::uint64_t repeated_ = 0;  // nodes and operands that repeating heads has made, at most
};

}  // namespace rlx
