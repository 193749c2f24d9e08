// A view shaped like the lowered decode step of a LLaMA, of about as many nodes as asked for: per
// layer its nine parameters, then norms, projections, rotary embedding, cache and attention.
#pragma once

#include "tests/support/view_builder.hpp"

namespace opscope::test {

inline void build_decode(view_builder& b, std::size_t nodes) {
  constexpr std::uint64_t hidden = 2048;
  constexpr std::uint64_t heads = 32;
  constexpr std::uint64_t kv_heads = 8;
  constexpr std::uint64_t head = 64;
  constexpr std::uint64_t kv = kv_heads * head;
  constexpr std::uint64_t inner = 8192;
  constexpr std::uint64_t past = 2048;
  constexpr std::uint32_t f32 = RLX_DTYPE_F32;
  constexpr std::uint32_t f16 = RLX_DTYPE_F16;
  b.reserve(nodes + 64);
  const auto cos = b.input("rope.cos", {1, head / 2});
  const auto sin = b.input("rope.sin", {1, head / 2});
  auto x = b.input("hidden", {1, 1, hidden});
  const auto matmul = [&](std::uint32_t a, std::uint32_t w, std::uint64_t out) {
    return b.node(RLX_KIND_MatMul, {a, w}, {1, 1, out}, f32);
  };
  while (b.size() < nodes) {
    const auto norm1 = b.param("input_layernorm.weight", {hidden});
    const auto wq = b.param("self_attn.q_proj.weight", {hidden, hidden}, f16);
    const auto wk = b.param("self_attn.k_proj.weight", {hidden, kv}, f16);
    const auto wv = b.param("self_attn.v_proj.weight", {hidden, kv}, f16);
    const auto wo = b.param("self_attn.o_proj.weight", {hidden, hidden}, f16);
    const auto norm2 = b.param("post_attention_layernorm.weight", {hidden});
    const auto gate = b.param("mlp.gate_proj.weight", {hidden, inner}, f16);
    const auto up = b.param("mlp.up_proj.weight", {hidden, inner}, f16);
    const auto down = b.param("mlp.down_proj.weight", {inner, hidden}, f16);
    const auto past_k = b.input("past_k", {1, past, kv});
    const auto past_v = b.input("past_v", {1, past, kv});
    const auto h = b.node(RLX_KIND_RmsNorm, {x, norm1}, {1, 1, hidden}, f32, {{"eps", 1e-5f}});
    const auto q = b.node(RLX_KIND_Rope, {matmul(h, wq, hidden), cos, sin}, {1, 1, hidden});
    const auto k = b.node(RLX_KIND_Rope, {matmul(h, wk, kv), cos, sin}, {1, 1, kv});
    const auto v = matmul(h, wv, kv);
    const auto all_k = b.node(RLX_KIND_Concat, {past_k, k}, {1, past + 1, kv});
    const auto all_v = b.node(RLX_KIND_Concat, {past_v, v}, {1, past + 1, kv});
    const auto wide_k = b.node(RLX_KIND_Expand, {all_k}, {1, past + 1, heads * head});
    const auto wide_v = b.node(RLX_KIND_Expand, {all_v}, {1, past + 1, heads * head});
    const auto a = b.node(RLX_KIND_Attention, {q, wide_k, wide_v}, {1, 1, hidden});
    const auto o = matmul(a, wo, hidden);
    const auto y = b.node(RLX_KIND_Binary, {x, o}, {1, 1, hidden});
    const auto h2 = b.node(RLX_KIND_RmsNorm, {y, norm2}, {1, 1, hidden});
    const auto g = b.node(RLX_KIND_Activation, {matmul(h2, gate, inner)}, {1, 1, inner});
    const auto gu = b.node(RLX_KIND_Binary, {g, matmul(h2, up, inner)}, {1, 1, inner});
    x = b.node(RLX_KIND_Binary, {y, matmul(gu, down, hidden)}, {1, 1, hidden});
  }
  b.outputs({x});
}

}  // namespace opscope::test
