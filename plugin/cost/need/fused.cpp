// Fused kinds that are more than one product or norm: the sum of their parts.
#include "plugin/cost/need/formulas.hpp"
#include "plugin/cost/need/site.hpp"

namespace opscope::need {

// x [.., 2N]: silu, product, and a conversion where the dtype changes.
constexpr formula fused_swiglu = make_formula([]<class N>(site<N>& n) {
  const N e = n.elements(out);
  n.reads(0, N{2} * e * n.width(0));
  n.operations(N{2} * e, n.dtype(0));
  const std::string_view to = n.attributes().text(attr::cast_to);
  if (!to.empty() && dtype_of(to) != n.dtype(0)) n.work(e);
});

// hidden [B,S,Hd], qkv_w [Hd,3I], out_w [I,Hd], mask [B,S], [qkv_b, out_b], [cos, sin]. The mask
// is data and may hide every key, whose projections then nobody needs.
constexpr formula fused_attention_block = make_formula([]<class N>(site<N>& n) {
  const bool has_bias = n.flag(attr::has_bias);
  const bool has_rope = n.flag(attr::has_rope);
  const N heads = n.number(attr::num_heads);
  const N d = n.number(attr::head_dim);
  const N inner = heads * d;
  const N rows = n.extent(0, 0, 2);
  const N s = n.dim(0, 1);
  const N hidden = n.dim(0, 2);
  n.dtype(3 + (has_bias ? 2 : 0) + (has_rope ? 2 : 0));
  for (const unsigned i : {0u, 1u, 2u}) n.reads_up_to_all(i);
  if (has_bias) n.reads_up_to_all(4);
  if (has_rope) {
    const N table = s * divide_exactly(d, 2);
    for (unsigned i = 0; i < 2; ++i) {
      const unsigned at = 4 + (has_bias ? 2 : 0) + i;
      n.reads(at, from_to(N{}, minimum(table * n.width(at), n.bytes(at))));
    }
    n.work(N{6} * rows * inner);
  }
  const N pairs = from_to(N{}, rows * s * heads);
  n.contraction(N{8} * rows * hidden * inner + pairs * N{4} * d);
  n.work(N{3} * pairs);
  if (has_bias) n.work(rows * (N{3} * inner + hidden));
});

// Attention block, sum, LayerNorm, two products with an activation between, sum, LayerNorm.
// With bias 14 operands, the mask last; without 8 (10 are declared by some releases).
constexpr formula fused_transformer_layer = make_formula([]<class N>(site<N>& n) {
  const bool has_bias = n.flag(attr::has_bias);
  n.dtype(has_bias ? 13 : 7);
  const N heads = n.number(attr::num_heads);
  const N d = n.number(attr::head_dim);
  const N inner = heads * d;
  const N wide = n.number(attr::intermediate_size);
  const N rows = n.extent(0, 0, 2);
  const N s = n.dim(0, 1);
  const N hidden = n.dim(0, 2);
  // hidden, qkv_w, qkv_b, out_w, .. or hidden, qkv_w, out_w, ..
  for (const unsigned i : {1u, 2u}) n.reads_up_to_all(i);
  if (has_bias) n.reads_up_to_all(3);
  const N pairs = from_to(N{}, rows * s * heads);
  n.contraction(N{8} * rows * hidden * inner + pairs * N{4} * d + N{4} * rows * hidden * wide);
  n.work(N{3} * pairs + rows * wide + N{8} * rows * hidden);
  if (has_bias) n.work(rows * (N{3} * inner + hidden + wide + hidden));
});

}  // namespace opscope::need
