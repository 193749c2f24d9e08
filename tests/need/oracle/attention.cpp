// Attention pair by pair, and rotary embeddings position by position.
#include <string>

#include "tests/need/oracle/index.hpp"

namespace opscope::test {

namespace {

enum class masking { none, causal, window, custom, bias };

struct setting {
  std::uint64_t batch, heads, queries, keys, d;
  unsigned layout;  // 0 [B,H,S,D], 1 [B,S,H,D], 2 [B,S,H*D], 3 [S,H*D]
  masking mask;
  std::uint64_t window;
};

sizes layout_shape(const setting& s, std::uint64_t length, std::uint64_t width) {
  switch (s.layout) {
    case 0:
      return {s.batch, s.heads, length, width};
    case 1:
      return {s.batch, length, s.heads, width};
    case 2:
      return {s.batch, length, s.heads * width};
    default:
      return {length, s.heads * width};
  }
}

std::uint64_t place(const setting& s, std::uint64_t length, std::uint64_t width, std::uint64_t b,
                    std::uint64_t h, std::uint64_t row, std::uint64_t i) {
  if (s.layout == 0) return ((b * s.heads + h) * length + row) * width + i;
  return ((b * length + row) * s.heads + h) * width + i;
}

setting choose(trial& t, bool equal_lengths) {
  setting s{};
  s.layout = static_cast<unsigned>(t.between(0, 3));
  s.batch = s.layout == 3 ? 1 : t.size(2);
  s.heads = t.size(3);
  s.d = t.size(3);
  s.queries = t.size(6);
  s.keys = equal_lengths ? s.queries : t.size(6);
  // [B,S,H,D] with S = H reads as [B,H,S,D].
  while (s.layout == 1 && s.queries == s.heads) {
    s.queries = t.size(6);
    if (equal_lengths) s.keys = s.queries;
  }
  s.mask = static_cast<masking>(t.between(0, 4));
  s.window = t.between(0, 4);
  t.attribute("num_heads", s.heads);
  t.attribute("head_dim", s.d);
  switch (s.mask) {
    case masking::none:
      t.attribute("mask_kind", "None");
      break;
    case masking::causal:
      t.attribute("mask_kind", "Causal");
      break;
    case masking::window:
      t.attribute("mask_kind", json(R"({"SlidingWindow":)" + std::to_string(s.window) + "}"));
      break;
    case masking::custom:
      t.attribute("mask_kind", "Custom");
      break;
    case masking::bias:
      t.attribute("mask_kind", "Bias");
      break;
  }
  return s;
}

tensor_trace* mask_operand(trial& t, const setting& s) {
  if (s.mask == masking::custom) {
    tensor_trace& m = t.own_operand({s.batch, s.keys}, RLX_DTYPE_F32);
    const std::uint64_t how = t.between(0, 2);  // nothing, everything, some
    for (std::uint64_t i = 0; i < m.size(); ++i) {
      m.set(i, how == 0 ? 0 : how == 1 ? 1 : static_cast<double>(t.between(0, 1)));
    }
    m.read_all();
    return &m;
  }
  if (s.mask == masking::bias) {
    return &t.own_operand({s.batch, s.heads, s.queries, s.keys}, RLX_DTYPE_F32);
  }
  return nullptr;
}

// f(b, h, q, k) for every visible pair; the query's position is where it stands at the keys' end.
template <class F>
void visible_pairs(const setting& s, const tensor_trace* mask, F f) {
  const std::uint64_t offset = s.keys > s.queries ? s.keys - s.queries : 0;
  for (std::uint64_t b = 0; b < s.batch; ++b) {
    for (std::uint64_t h = 0; h < s.heads; ++h) {
      for (std::uint64_t q = 0; q < s.queries; ++q) {
        for (std::uint64_t k = 0; k < s.keys; ++k) {
          const std::uint64_t position = offset + q;
          const bool is_past = k <= position;
          const bool is_near = k + s.window >= position;
          const bool is_visible = s.mask == masking::causal   ? is_past
                                  : s.mask == masking::window ? is_past && is_near
                                  : s.mask == masking::custom ? mask->peek(b * s.keys + k) >= 0.5
                                                              : true;
          if (is_visible) f(b, h, q, k);
        }
      }
    }
  }
}

void attention(trial& t) {
  setting s = choose(t, false);
  const std::uint64_t dv = t.coin(0.3) ? t.size(3) : s.d;
  if (dv != s.d) t.attribute("v_head_dim", dv);
  const bool has_softcap = t.coin(0.3);
  if (has_softcap) t.attribute("attn_logit_softcap", 30.0);
  tensor_trace& q = t.operand(layout_shape(s, s.queries, s.d));
  tensor_trace& k = t.operand(layout_shape(s, s.keys, s.d));
  tensor_trace& v = t.operand(layout_shape(s, s.keys, dv));
  tensor_trace* mask = mask_operand(t, s);
  tensor_trace& o = t.output(layout_shape(s, s.queries, dv));
  visible_pairs(s, mask, [&](auto b, auto h, auto i, auto j) {
    for (std::uint64_t x = 0; x < s.d; ++x) {
      q.read(place(s, s.queries, s.d, b, h, i, x));
      k.read(place(s, s.keys, s.d, b, h, j, x));
      t.multiply_add(RLX_DTYPE_F32);
    }
    if (s.mask == masking::bias) {
      mask->read(((b * s.heads + h) * s.queries + i) * s.keys + j);
      t.work(1);
    }
    if (has_softcap) t.work(2);
    t.work(3);
    for (std::uint64_t x = 0; x < dv; ++x) {
      v.read(place(s, s.keys, dv, b, h, j, x));
      t.multiply_add(RLX_DTYPE_F32);
    }
  });
  o.write_all();
}

// Keys and values of fewer heads than queries, [B,H,S,D].
void grouped_attention(trial& t) {
  const std::uint64_t kv_heads = t.size(2), group = t.between(2, 3), d = t.size(3);
  const std::uint64_t heads = kv_heads * group, queries = t.size(3), keys = t.between(3, 6);
  t.attribute("num_heads", heads);
  t.attribute("head_dim", d);
  t.attribute("mask_kind", "Causal");
  tensor_trace& q = t.operand({1, heads, queries, d});
  tensor_trace& k = t.operand({1, kv_heads, keys, d});
  tensor_trace& v = t.operand({1, kv_heads, keys, d});
  tensor_trace& o = t.output(q.shape);
  for (std::uint64_t h = 0; h < heads; ++h) {
    for (std::uint64_t i = 0; i < queries; ++i) {
      for (std::uint64_t j = 0; j <= keys - queries + i; ++j) {
        for (std::uint64_t x = 0; x < d; ++x) {
          q.read((h * queries + i) * d + x);
          k.read((h / group * keys + j) * d + x);
          v.read((h / group * keys + j) * d + x);
          t.multiply_add(RLX_DTYPE_F32, 2);
        }
        t.work(3);
      }
    }
  }
  o.write_all();
}

void any_attention(trial& t) { t.coin(0.2) ? grouped_attention(t) : attention(t); }

enum class gradient { value, query, key, all };

void attention_gradient(trial& t, gradient g) {
  setting s = choose(t, true);
  if (g == gradient::value) t.attribute("wrt", "Value");
  if (g == gradient::query) t.attribute("wrt", "Query");
  if (g == gradient::key) t.attribute("wrt", "Key");
  const sizes shape = layout_shape(s, s.queries, s.d);
  tensor_trace& q = t.operand(shape);
  tensor_trace& k = t.operand(shape);
  tensor_trace& v = t.operand(shape);
  tensor_trace& dy = t.operand(shape);
  tensor_trace* mask = mask_operand(t, s);
  sizes out = shape;
  if (g == gradient::all) out[0] *= 3;
  tensor_trace& o = t.output(out);
  visible_pairs(s, mask, [&](auto b, auto h, auto i, auto j) {
    const auto q_at = [&](std::uint64_t x) { return place(s, s.queries, s.d, b, h, i, x); };
    const auto k_at = [&](std::uint64_t x) { return place(s, s.keys, s.d, b, h, j, x); };
    if (mask != nullptr && s.mask == masking::bias) {
      mask->read(((b * s.heads + h) * s.queries + i) * s.keys + j);
    }
    for (std::uint64_t x = 0; x < s.d; ++x) {  // the score again
      q.read(q_at(x));
      k.read(k_at(x));
      t.multiply_add(RLX_DTYPE_F32);
    }
    t.work(3);
    for (std::uint64_t x = 0; x < s.d; ++x) {
      dy.read(q_at(x));
      if (g == gradient::value || g == gradient::all) t.multiply_add(RLX_DTYPE_F32);  // into dv
    }
    if (g == gradient::value) return;
    for (std::uint64_t x = 0; x < s.d; ++x) {
      v.read(k_at(x));
      t.multiply_add(RLX_DTYPE_F32);  // the probability's gradient
      t.multiply_add(RLX_DTYPE_F32);  // into dq or dk
      if (g == gradient::all) t.multiply_add(RLX_DTYPE_F32);
    }
    t.work(4);  // through the softmax
  });
  o.write_all();
}

void attention_backward(trial& t) {
  attention_gradient(t, t.pick({gradient::value, gradient::query, gradient::key}));
}
void attention_backward_all(trial& t) { attention_gradient(t, gradient::all); }

void rope(trial& t) {
  const std::uint64_t half = t.size(3), d = 2 * half + (t.coin(0.3) ? 2 : 0), rotated = 2 * half;
  const std::uint64_t heads = t.size(3), length = t.size(), batch = t.size(2);
  const bool has_batch = t.coin();
  t.attribute("head_dim", d);
  t.attribute("n_rot", rotated);
  const sizes shape = has_batch ? sizes{batch, length, heads * d} : sizes{length, heads * d};
  tensor_trace& x = t.operand(shape);
  tensor_trace& cos = t.operand({length + t.between(0, 2), d / 2});
  tensor_trace& sin = t.operand({cos.shape[0], d / 2});
  tensor_trace& o = t.output(shape);
  for (std::uint64_t b = 0; b < (has_batch ? batch : 1); ++b) {
    for (std::uint64_t p = 0; p < length; ++p) {
      for (std::uint64_t h = 0; h < heads; ++h) {
        for (std::uint64_t i = 0; i < d; ++i) {
          const std::uint64_t at = ((b * length + p) * heads + h) * d + i;
          x.read(at);
          o.write(at);
          if (i < rotated) {
            cos.read(p * (d / 2) + i % half);
            sin.read(p * (d / 2) + i % half);
            t.work(3);  // two products and a sum
          }
        }
      }
    }
  }
}

void axial_rope(trial& t) {
  tensor_trace& x = t.operand({t.size(), t.size(), 4 * t.size(2)});
  tensor_trace& o = t.output(x.shape);
  pass_over(t, x, 3);
  o.write_all();
}

// qkv projection, attention under a mask over keys, output projection.
void attention_block(trial& t) {
  const std::uint64_t batch = t.size(2), length = t.size(3), hidden = t.size(3);
  const std::uint64_t heads = t.size(2), d = 2 * t.size(2), inner = heads * d;
  const bool has_bias = t.coin(), has_rope = t.coin();
  t.attribute("num_heads", heads);
  t.attribute("head_dim", d);
  t.attribute("has_bias", has_bias);
  t.attribute("has_rope", has_rope);
  constexpr auto f32 = RLX_DTYPE_F32;
  tensor_trace& x = t.own_operand({batch, length, hidden}, f32);
  tensor_trace& qkv = t.own_operand({hidden, 3 * inner}, f32);
  tensor_trace& out_w = t.own_operand({inner, hidden}, f32);
  setting s{batch, heads, length, length, d, 2, masking::custom, 0};
  tensor_trace* mask = mask_operand(t, s);
  tensor_trace* bias[2] = {};
  if (has_bias) {
    bias[0] = &t.own_operand({3 * inner}, f32);
    bias[1] = &t.own_operand({hidden}, f32);
  }
  tensor_trace* tables[2] = {};
  if (has_rope) {
    for (auto& table : tables) table = &t.own_operand({length, d / 2}, f32);
  }
  tensor_trace& o = t.output(x.shape);
  for (auto* w : {&x, &qkv, &out_w}) w->read_all();
  t.multiply_add(f32, batch * length * hidden * 3 * inner);
  if (has_bias) {
    bias[0]->read_all();
    bias[1]->read_all();
    t.work(batch * length * (3 * inner + hidden));
  }
  if (has_rope) {
    tables[0]->read_all();
    tables[1]->read_all();
    t.work(2 * 3 * batch * length * inner);
  }
  visible_pairs(s, mask, [&](auto, auto, auto, auto) {
    t.multiply_add(f32, 2 * d);
    t.work(3);
  });
  t.multiply_add(f32, batch * length * inner * hidden);
  o.write_all();
}

void transformer_layer(trial& t) {
  const std::uint64_t batch = t.size(2), length = t.size(3), heads = t.size(2), d = t.size(3);
  const std::uint64_t hidden = t.size(3), inner = heads * d, wide = t.size(4);
  const bool has_bias = t.coin();
  t.attribute("num_heads", heads);
  t.attribute("head_dim", d);
  t.attribute("intermediate_size", wide);
  t.attribute("activation", "Gelu");
  t.attribute("has_bias", has_bias);
  constexpr auto f32 = RLX_DTYPE_F32;
  const auto weight = [&](const sizes& shape) { t.own_operand(shape, f32).read_all(); };
  weight({batch, length, hidden});
  weight({hidden, 3 * inner});
  if (has_bias) weight({3 * inner});
  weight({inner, hidden});
  if (has_bias) weight({hidden});
  weight({hidden});  // ln1
  if (has_bias) weight({hidden});
  weight({hidden, wide});
  if (has_bias) weight({wide});
  weight({wide, hidden});
  if (has_bias) weight({hidden});
  weight({hidden});  // ln2
  if (has_bias) weight({hidden});
  setting s{batch, heads, length, length, d, 2, masking::custom, 0};
  tensor_trace* mask = mask_operand(t, s);
  tensor_trace& o = t.output({batch, length, hidden});
  const std::uint64_t rows = batch * length;
  t.multiply_add(f32, rows * hidden * 3 * inner + rows * inner * hidden);
  visible_pairs(s, mask, [&](auto, auto, auto, auto) {
    t.multiply_add(f32, 2 * d);
    t.work(3);
  });
  t.work(rows * hidden * (1 + 3));  // sum, norm
  t.multiply_add(f32, 2 * rows * hidden * wide);
  t.work(rows * wide);              // activation
  t.work(rows * hidden * (1 + 3));  // sum, norm
  if (has_bias) t.work(rows * (3 * inner + hidden + wide + hidden));
  o.write_all();
}

constexpr oracle table[] = {
    {RLX_KIND_Attention, any_attention},
    {RLX_KIND_AttentionBackward, attention_backward},
    {RLX_KIND_AttentionBackwardAll, attention_backward_all},
    {RLX_KIND_Rope, rope},
    {RLX_KIND_RopeBackward, rope},
    {RLX_KIND_AxialRope2d, axial_rope},
    {RLX_KIND_FusedAttentionBlock, attention_block},
    {RLX_KIND_FusedTransformerLayer, transformer_layer},
};

}  // namespace

std::span<const oracle> attention_oracles() { return table; }

}  // namespace opscope::test
