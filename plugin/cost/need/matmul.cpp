// Matrix products, dense and quantised. M rows, K contracted, N columns.
#include "plugin/cost/need/formulas.hpp"
#include "plugin/cost/need/site.hpp"

namespace opscope::need {

namespace {

template <class N>
N exactly_packed(const quant_scheme& s, N k, N n) {
  return ceil_divide(k * n, N{s.block_elements}) * N{s.block_bytes};
}

// Bytes of n codes of so many bits.
template <class N>
N code_bytes(std::uint64_t bits, N n) {
  return bits == 8 ? n : ceil_divide(n * N{bits}, N{8});
}

// Experts that M rows can hit: one to all.
template <class N>
N experts_hit(N rows, N experts) {
  return from_to(minimum(minimum(rows, experts), N{1}), minimum(rows, experts));
}

// Operations to turn codes into weights; 1 to 2 each where the layout does not say.
template <class N>
N dequantise(const quant_scheme& s, N codes) {
  return s.operations == 0 ? from_to(codes, N{2} * codes) : N{s.operations} * codes;
}

// A weight declared as a flat byte buffer is stored as it is declared; one declared by its logical
// shape takes what the scheme says.
template <class N>
N stored(site<N>& n, unsigned i, N by_scheme) {
  return n.rank(i) <= 1 ? n.bytes(i) : by_scheme;
}

template <class N>
void dequant_operands(site<N>& n, const quant_scheme& s, N k, N columns) {
  switch (s.layout) {
    case quant_layout::packed:
      n.reads(1, stored(n, 1, exactly_packed(s, k, columns)));
      break;
    case quant_layout::int8_blocks:
      n.dtype(2);
      n.ignores(3);
      break;
    case quant_layout::int8_blocks_zp:
      n.dtype(3);
      break;
    case quant_layout::int4_blocks:
      n.reads(1, code_bytes(4, k * columns));
      n.dtype(2);
      n.ignores(3);
      break;
    case quant_layout::fp8_columns:
      n.dtype(2);
      n.ignores(3);
      break;
    case quant_layout::nvfp4_blocks:
      n.reads(1, code_bytes(4, k * columns));
      n.dtype(3);
      break;
    case quant_layout::mlx_affine:
      n.reads(1, code_bytes(s.code_bits, k * columns));
      n.dtype(3);
      break;
    case quant_layout::mlx_scaled:
      n.reads(1, code_bytes(s.code_bits, k * columns));
      n.dtype(2);
      n.ignores(3);
      break;
    case quant_layout::mxfp4_planes:
      n.dtype(2);
      break;
  }
}

const char* const unknown_scheme = "the quantisation scheme is not one this version knows";
const char* const unknown_format = "the scaled format or layout is not one this version knows";

// Products of blocks with the scales of both operands.
template <class N>
N scale_products(std::uint64_t block, N m, N columns, N k) {
  return block == 0 ? m * columns : N{2} * m * columns * ceil_divide(k, N{block});
}

}  // namespace

constexpr formula matmul = make_closed<closed_form::contraction(2)>();

constexpr formula dot_general = make_formula([]<class N>(site<N>& n) {
  n.dtype(1);
  N k{1};
  const attribute_reader a = n.attributes();
  for (std::size_t i = 0; i < a.array_size(attr::lhs_contracting); ++i) {
    const auto axis = a.element(attr::lhs_contracting, i);
    k *= axis && *axis < n.rank(0) ? n.dim(0, static_cast<std::int64_t>(*axis)) : n.missing();
  }
  n.multiply_adds(n.elements(out) * k, n.dtype(0));
});

constexpr formula lora_matmul = make_formula([]<class N>(site<N>& n) {
  n.dtype(3);
  const N m = n.extent(0, 0, -1);
  const N k = n.dim(0, -1);
  const N columns = n.dim(1, -1);
  const N r = n.dim(2, -1);
  n.multiply_adds(m * k * columns + m * k * r + m * r * columns, n.dtype(0));
  n.operations(m * r + m * columns, n.dtype(0));  // scale, sum
});

constexpr formula grouped_matmul = make_formula([]<class N>(site<N>& n) {
  n.dtype(2);
  const N m = n.extent(0, 0, -1);
  const N experts = n.dim(1, 0);
  const N slab = n.extent(1, 1) * n.width(1);
  n.reads(1, experts_hit(m, experts) * slab);
  n.multiply_adds(m * n.dim(0, -1) * n.dim(out, -1), n.dtype(0));
});

constexpr formula dequant_matmul = make_formula([]<class N>(site<N>& n) {
  if (!n.said().scheme) return n.give_up(unknown_scheme);
  const quant_scheme& s = *n.said().scheme;
  const N m = n.extent(out, 0, -1);
  const N columns = n.dim(out, -1);
  const N k = n.dim(0, -1);
  dequant_operands(n, s, k, columns);
  n.multiply_adds(m * k * columns, n.dtype(0));
  // A scale a column is applied to the products.
  n.work(dequantise(s, s.layout == quant_layout::fp8_columns ? m * columns : k * columns));
});

constexpr formula dequant_grouped_matmul = make_formula([]<class N>(site<N>& n) {
  if (!n.said().scheme || n.said().scheme->layout != quant_layout::packed) {
    return n.give_up(unknown_scheme);
  }
  n.dtype(2);
  const quant_scheme& s = *n.said().scheme;
  const N m = n.extent(0, 0, -1);
  const N k = n.dim(0, -1);
  const N columns = n.dim(out, -1);
  const N slab = exactly_packed(s, k, columns);
  const N experts = n.rank(1) >= 3 ? n.dim(1, 0) : floor_divide(n.bytes(1), slab);
  const N hit = experts_hit(m, experts);
  n.reads(1, hit * slab);
  n.multiply_adds(m * k * columns, n.dtype(0));
  n.work(dequantise(s, hit * k * columns));
});

constexpr formula dequant_grouped_matmul_mlx = make_formula([]<class N>(site<N>& n) {
  if (!n.said().scheme || n.said().scheme->code_bits == 0) return n.give_up(unknown_scheme);
  const quant_scheme& s = *n.said().scheme;
  const N m = n.extent(0, 0, -1);
  const N k = n.dim(0, -1);
  const N columns = n.dim(out, -1);
  const N hit = experts_hit(m, n.dim(2, 0));
  n.dtype(4);
  n.reads(1, hit * code_bytes(s.code_bits, k * columns));
  n.reads(2, hit * n.extent(2, 1) * n.width(2));
  if (s.layout == quant_layout::mlx_affine) {
    n.reads(3, hit * n.extent(3, 1) * n.width(3));
  } else {
    n.ignores(3);
  }
  n.multiply_adds(m * k * columns, n.dtype(0));
  n.work(dequantise(s, hit * k * columns));
});

constexpr formula dequant_moe_weights = make_formula([]<class N>(site<N>& n) {
  if (!n.said().scheme || n.said().scheme->layout != quant_layout::packed) {
    return n.give_up(unknown_scheme);
  }
  const quant_scheme& s = *n.said().scheme;
  n.reads(0, stored(n, 0, ceil_divide(n.elements(out), N{s.block_elements}) * N{s.block_bytes}));
  n.work(dequantise(s, n.elements(out)));
});

constexpr formula q_matmul = make_formula([]<class N>(site<N>& n) {
  n.dtype(2);
  const N mn = n.elements(out);
  n.work(mn);  // rescale
  n.integer(N{2} * mn * n.dim(0, -1) + N{2} * mn);
});

constexpr formula fused_matmul_bias_act = make_formula([]<class N>(site<N>& n) {
  n.dtype(2);
  const N mn = n.elements(out);
  n.multiply_adds(mn * n.dim(0, -1), n.dtype(0));
  n.operations(mn, n.dtype(0), 2);
  if (!n.attributes().text(attr::activation).empty()) n.operations(mn, n.dtype(0));
});

constexpr formula fused_matmul_residual = make_formula([]<class N>(site<N>& n) {
  n.dtype(2);
  n.multiply_adds(n.elements(out) * n.dim(0, -1), n.dtype(0));
  n.operations(n.elements(out), n.dtype(0), 2);
});

// Codes may lie one a byte, as declared, or packed.
constexpr formula scaled_matmul = make_formula([]<class N>(site<N>& n) {
  const details& d = n.said();
  if (!d.lhs_bits || !d.rhs_bits || !d.scale_block) return n.give_up(unknown_format);
  n.dtype(n.flag(attr::has_bias) ? 4 : 3);
  n.reads(0, from_to(code_bytes(*d.lhs_bits, n.elements(0)), n.bytes(0)));
  n.reads(1, from_to(code_bytes(*d.rhs_bits, n.elements(1)), n.bytes(1)));
  const N m = n.extent(0, 0, -1);
  const N k = n.dim(0, -1);
  const N columns = n.dim(out, -1);
  n.contraction(N{2} * m * columns * k);
  n.work(scale_products(*d.scale_block, m, columns, k));
  if (n.flag(attr::has_bias)) n.work(m * columns);
});

constexpr formula scaled_grouped_matmul = make_formula([]<class N>(site<N>& n) {
  const details& d = n.said();
  if (!d.lhs_bits || !d.rhs_bits || !d.scale_block) return n.give_up(unknown_format);
  n.dtype(4);
  const N m = n.extent(0, 0, -1);
  const N k = n.dim(0, -1);
  const N columns = n.dim(out, -1);
  const N hit = experts_hit(m, n.dim(1, 0));
  const N slab = n.extent(1, 1);
  n.reads(0, from_to(code_bytes(*d.lhs_bits, n.elements(0)), n.bytes(0)));
  n.reads(1, hit * from_to(code_bytes(*d.rhs_bits, slab), slab * n.width(1)));
  // One scale for all experts, or a slab each.
  if (*d.scale_block != 0) n.reads(3, hit * n.extent(3, 1) * n.width(3));
  if (n.flag(attr::has_bias)) n.reads(5, hit * n.extent(5, 1) * n.width(5));
  n.contraction(N{2} * m * columns * k);
  n.work(scale_products(*d.scale_block, m, columns, k));
  if (n.flag(attr::has_bias)) n.work(m * columns);
});

constexpr formula scaled_quant_scale =
    make_formula([]<class N>(site<N>& n) { n.work(n.elements(0) + n.elements(out)); });

constexpr formula scaled_quantize = make_formula([]<class N>(site<N>& n) {
  if (!n.said().lhs_bits) return n.give_up(unknown_format);
  n.dtype(1);
  n.writes(from_to(code_bytes(*n.said().lhs_bits, n.elements(out)), n.bytes(out)));
  n.work(N{2} * n.elements(0));
});

constexpr formula scaled_dequantize = make_formula([]<class N>(site<N>& n) {
  if (!n.said().lhs_bits) return n.give_up(unknown_format);
  n.dtype(1);
  n.reads(0, from_to(code_bytes(*n.said().lhs_bits, n.elements(0)), n.bytes(0)));
  n.work(n.elements(out));
});

// Entries that no index names are not needed. Either multiply by the assembled rows, or multiply
// every entry once and add.
constexpr formula synth_matmul = make_formula([]<class N>(site<N>& n) {
  if (!n.said().book) return n.give_up("the synthesis is not one this version knows");
  const codebook& b = *n.said().book;
  const N m = n.extent(0, 0, -1);
  const N k = n.dim(0, -1);
  const N columns = n.dim(out, -1);
  const N entry = n.dim(2, -1) * n.width(2);
  const N used = minimum(n.elements(1), n.dim(2, 0));
  n.reads(2, from_to(minimum(used, N{1}), used) * entry);
  const N dense = N{2} * m * columns * k;
  const N shared = N{2} * m * k * N{b.entries} + m * columns * floor_divide(k, N{b.entry_dim});
  n.contraction(from_to(minimum(dense, shared), dense));
});

constexpr formula synth_matmul_backward = make_formula([]<class N>(site<N>& n) {
  const std::string_view wrt = n.attributes().text(attr::wrt);
  n.dtype(3);
  const N m = n.extent(3, 0, -1);
  const N columns = n.dim(3, -1);
  const N k = n.dim(0, -1);
  n.contraction(N{2} * m * columns * k);
  if (wrt == "Dx") {
    n.ignores(0);
    const N used = minimum(n.elements(1), n.dim(2, 0));
    n.reads(2, from_to(minimum(used, N{1}), used) * n.dim(2, -1) * n.width(2));
  } else if (wrt == "Codebook") {
    n.ignores(2);
    n.work(columns * k);
  } else {
    n.give_up("the gradient is not one this version knows");
  }
});

constexpr formula synth_reconstruct = make_formula([]<class N>(site<N>& n) {
  const N used = minimum(n.elements(0), n.dim(1, 0));
  n.reads(1, from_to(minimum(used, N{1}), used) * n.dim(1, -1) * n.width(1));
});

}  // namespace opscope::need
