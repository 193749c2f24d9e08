// One decoder layer of the LLaMA family, always in primitives whatever the fusion policy.
#include <vector>

#include "host/lower/hir/block.hpp"

namespace rlx {

node_id lower_llama_decoder_block(const block& b) {
  const std::string mask = b.mask("mask", 14, {});
  const std::uint64_t num_heads = b.fields.u64("num_heads");
  const std::uint64_t num_kv_heads = b.fields.u64("num_kv_heads");
  const std::uint64_t head_dim = b.fields.u64("head_dim");
  const float eps = b.fields.f32("eps");
  emitter& emit = b.emit;
  const auto& in = b.in;
  const node_id x = in[0];
  const node_id cos = in[12];
  const node_id sin = in[13];

  const node_id normed = emit.rms_norm(x, in[1], in[2], eps);
  const node_id q = emit.matmul(normed, in[3]);
  const node_id k = emit.matmul(normed, in[4]);
  const node_id v = emit.matmul(normed, in[5]);
  const node_id q_turned = emit.rope(q, cos, sin, head_dim, head_dim);
  const node_id k_turned = emit.rope(k, cos, sin, head_dim, head_dim);
  const node_id keys = emit.repeat_heads(k_turned, num_heads, num_kv_heads, head_dim);
  const node_id values = emit.repeat_heads(v, num_heads, num_kv_heads, head_dim);
  std::vector<node_id> attended{q_turned, keys, values};
  if (in.size() > 14) attended.push_back(in[14]);
  const node_id attention =
      emit.attention(attended, num_heads, head_dim, mask, shape{emit.shape_of(q_turned)});
  const node_id residual = emit.binary_add(x, emit.matmul(attention, in[6]));

  const node_id ffn_in = emit.rms_norm(residual, in[7], in[8], eps);
  const node_id gate = emit.matmul(ffn_in, in[9]);
  const node_id up = emit.matmul(ffn_in, in[10]);
  const node_id gated = emit.binary_mul(emit.activation(R"("Silu")", gate), up);
  return emit.binary_add(residual, emit.matmul(gated, in[11]));
}

}  // namespace rlx
