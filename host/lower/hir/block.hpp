// One HIR node while it is lowered, and the functions that lower it, one a block operation.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "host/graph/hir.hpp"
#include "host/graph/op_fields.hpp"
#include "host/lower/hir/emitter.hpp"

namespace rlx {

// The two matmuls of every SharedLinearPair lowered so far, by its three HIR operands.
class linear_pairs {
 public:
  struct pair {
    node_id first;
    node_id second;
  };
  template <class F>
  pair find_or_make(std::span<const node_id> hir_operands, F make) {
    const std::array<node_id, 3> key{hir_operands[0], hir_operands[1], hir_operands[2]};
    if (const auto it = made_.find(key); it != made_.end()) return it->second;
    return made_.emplace(key, make()).first->second;
  }

 private:
  std::map<std::array<node_id, 3>, pair> made_;
};

struct block {
  emitter& emit;
  linear_pairs& pairs;
  op_id op;
  op_fields fields;  // of op
  fusion_policy policy;
  std::span<const node_id> hir_operands;
  std::span<const node_id> in;  // the operands' roots
  shape declared;

  // Throws `OP: expected N inputs, got M`; `expected` spells N where it is no single number.
  void require_inputs(std::size_t count, std::string_view expected = {}) const;
  shape_view shape_of(node_id id) const { return emit.shape_of(id); }
  // The field `activation` in its serde form, nothing where it is null.
  std::optional<std::string> activation() const;
  // The mask in its serde form; requires its operand after the first `count`, where it has one.
  std::string mask(std::string_view field, std::size_t count, std::string_view expected) const;
};

// What an HIR operation is called in names and messages, and what it becomes.
struct block_rule {
  std::string_view kind;  // its serde name
  std::string_view name;
  // Where the label has more than the name; null otherwise.
  std::string (*label)(const op_fields& fields);
  node_id (*lower)(const block& b);
};

// Null for what is no block operation of RLX 0.2.2 (leaves are none either).
const block_rule* find_block_rule(std::string_view kind);

node_id lower_linear(const block& b);
node_id lower_linear_fused(const block& b);
node_id lower_shared_linear_pair(const block& b);
node_id lower_swiglu(const block& b);
node_id lower_residual_rms_norm(const block& b);
node_id lower_attention(const block& b);
node_id lower_depthwise_conv1d_causal(const block& b);
node_id lower_dequant_matmul(const block& b);
node_id lower_gated_delta_net(const block& b);
node_id lower_rope(const block& b);
node_id lower_rms_norm(const block& b);
node_id lower_llama_decoder_block(const block& b);
node_id lower_qwen35_mtp_head(const block& b);

}  // namespace rlx
