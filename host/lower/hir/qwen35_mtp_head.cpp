// The multi-token-prediction head of Qwen 3.5: embeds the next ids beside the hidden state, one
// gated attention and one SwiGLU layer, then the logits of the last token.
#include <array>
#include <initializer_list>

#include "host/error.hpp"
#include "host/lower/hir/block.hpp"

namespace rlx {

namespace {

// Sizes as the original computes them: from the fields and the hidden state's shape.
class sizes {
 public:
  explicit sizes(const block& b)
      : heads{b.fields.u64("num_heads")},
        kv_heads{b.fields.u64("num_kv_heads")},
        head_dim{b.fields.u64("head_dim")},
        n_rot{b.fields.u64("n_rot")},
        width{b.fields.u64("n_embd")} {
    const shape hidden = b.shape_of(b.in[0]);
    if (hidden.rank() < 2 || hidden[0].dynamic) {
      throw error{"the hidden state of shape " + dims_text(hidden.view()) +
                  " needs a static batch and a sequence dim"};
    }
    batch = hidden[0].value;
    sequence = hidden[1];
  }

  std::uint64_t heads;
  std::uint64_t kv_heads;
  std::uint64_t head_dim;
  std::uint64_t n_rot;
  std::uint64_t width;
  std::uint64_t batch = 0;
  dim sequence{0};

  // Entries of a new_shape: -1 where the sequence is dynamic.
  std::int64_t sequence_entry() const { return sequence.dynamic ? -1 : entry({sequence.value}); }
  std::int64_t rows_entry() const {
    return sequence.dynamic ? -1 : entry({batch, std::max<std::uint64_t>(sequence.value, 1)});
  }
  // The product; it has to fit an entry of a new_shape.
  static std::int64_t entry(std::initializer_list<std::uint64_t> factors) {
    std::int64_t product = 1;
    for (const std::uint64_t factor : factors) {
      if (__builtin_mul_overflow(product, factor, &product)) {
        throw error{"a size made of the head counts and widths passes 2^63"};
      }
    }
    return product;
  }
};

}  // namespace

node_id lower_qwen35_mtp_head(const block& b) {
  b.require_inputs(29);
  const sizes n{b};
  const float eps = b.fields.f32("eps");
  emitter& emit = b.emit;
  const auto& in = b.in;
  const auto cos = in[2];
  const auto sin = in[3];

  const auto norm = [&](node_id x, std::size_t gamma) {
    return emit.rms_norm(x, in[gamma], in[gamma + 1], eps);
  };
  const auto reshape = [&](node_id x, std::initializer_list<std::int64_t> entries) {
    return emit.reshape(x, {entries.begin(), entries.size()});
  };
  const std::int64_t batch = sizes::entry({n.batch});
  const std::int64_t sequence = n.sequence_entry();
  const std::int64_t rows = n.rows_entry();
  const std::int64_t width = sizes::entry({n.width});
  const std::int64_t heads = sizes::entry({n.heads});
  const std::int64_t kv_heads = sizes::entry({n.kv_heads});
  const std::int64_t head_dim = sizes::entry({n.head_dim});
  const std::int64_t q_width = sizes::entry({n.heads, n.head_dim});
  const std::int64_t kv_width = sizes::entry({n.kv_heads, n.head_dim});
  const auto as_rows = [&](node_id x) { return reshape(x, {rows, width}); };
  const auto as_sequence = [&](node_id x, std::int64_t last) {
    return reshape(x, {batch, sequence, last});
  };

  // Hidden state and embedding of the next ids, joined and projected back to the width.
  const node_id hidden = norm(in[0], 6);
  const node_id embedded = norm(emit.gather(in[5], in[1], 0), 8);
  const node_id joined = emit.concat(std::array{embedded, hidden}, 2);
  const node_id joined_rows = reshape(joined, {rows, sizes::entry({2, n.width})});
  const node_id current = as_sequence(emit.matmul(joined_rows, in[10]), width);

  // Attention; the query projection holds query and output gate side by side in each head.
  const node_id attention_in = as_rows(norm(current, 11));
  const node_id query_gate = emit.matmul(attention_in, in[13]);
  const node_id per_head =
      reshape(query_gate, {batch, sequence, heads, sizes::entry({2, n.head_dim})});
  const node_id query_part = emit.narrow(per_head, 3, 0, n.head_dim);
  const node_id gate_part = emit.narrow(per_head, 3, n.head_dim, n.head_dim);
  const node_id query_flat = as_sequence(query_part, q_width);
  const node_id gate = as_sequence(gate_part, q_width);
  const node_id key_rows = emit.matmul(attention_in, in[14]);
  const node_id value_rows = emit.matmul(attention_in, in[15]);
  const node_id key_flat = as_sequence(key_rows, kv_width);
  const node_id value = as_sequence(value_rows, kv_width);
  const node_id query_heads = reshape(query_flat, {batch, sequence, heads, head_dim});
  const node_id query = as_sequence(norm(query_heads, 16), q_width);
  const node_id key_heads = reshape(key_flat, {batch, sequence, kv_heads, head_dim});
  const node_id key = as_sequence(norm(key_heads, 18), kv_width);
  const node_id query_turned = emit.rope(query, cos, sin, n.head_dim, n.n_rot);
  const node_id key_turned = emit.rope(key, cos, sin, n.head_dim, n.n_rot);
  const node_id keys = emit.repeat_heads(key_turned, n.heads, n.kv_heads, n.head_dim);
  const node_id values = emit.repeat_heads(value, n.heads, n.kv_heads, n.head_dim);
  const node_id opened = emit.activation(R"("Sigmoid")", gate);
  // Whatever its operands are, the original declares F32, and symbol 1 for a dynamic sequence.
  shape attention_shape{RLX_DTYPE_F32};
  attention_shape.push_back({n.batch});
  attention_shape.push_back(n.sequence.dynamic ? dim{1, true} : n.sequence);
  attention_shape.push_back({static_cast<std::uint64_t>(q_width)});
  const node_id attention = emit.attention(std::array{query_turned, keys, values}, n.heads,
                                           n.head_dim, R"("Causal")", attention_shape);
  const node_id let_through = emit.binary_mul(attention, opened);
  const node_id attention_rows = reshape(let_through, {rows, q_width});
  const node_id attention_out = as_sequence(emit.matmul(attention_rows, in[20]), width);
  const node_id residual = emit.binary_add(current, attention_out);

  // SwiGLU.
  const node_id ffn_in = as_rows(norm(residual, 21));
  const node_id ffn_gate = emit.matmul(ffn_in, in[23]);
  const node_id ffn_up = emit.matmul(ffn_in, in[24]);
  const node_id gated = emit.binary_mul(emit.activation(R"("Silu")", ffn_gate), ffn_up);
  const node_id ffn_out = as_sequence(emit.matmul(gated, in[25]), width);
  const node_id final_state = emit.binary_add(residual, ffn_out);

  // The last token's logits.
  const node_id last_index = reshape(in[4], {batch, 1});
  const node_id last = emit.gather(final_state, last_index, 1);
  return emit.matmul(norm(last, 26), in[28]);
}

}  // namespace rlx
