// Products, dense and quantised, multiplied out element by element.
#include <set>
#include <string>

#include "tests/need/oracle/index.hpp"

namespace opscope::test {

namespace {

constexpr std::uint32_t f32 = RLX_DTYPE_F32;
constexpr std::uint32_t u8 = RLX_DTYPE_U8;

// o[m,n] += x[m,k] * w[k,n]; the caller says where w[k,n] lies.
template <class ReadWeight>
void multiply(trial& t, tensor_trace& x, tensor_trace& o, std::uint64_t k, ReadWeight read_weight) {
  const std::uint64_t n = o.shape.back();
  const std::uint64_t m = product(sizes(o.shape.begin(), o.shape.end() - 1));
  for (std::uint64_t i = 0; i < m; ++i) {
    for (std::uint64_t j = 0; j < n; ++j) {
      for (std::uint64_t l = 0; l < k; ++l) {
        x.read(i * k + l);
        read_weight(i, l, j);
        t.multiply_add(x.dtype);
      }
      o.write(i * n + j);
    }
  }
}

void matmul(trial& t) {
  const auto d = t.any_number();
  const std::uint64_t m = t.size_or_none(), k = t.size_or_none(), n = t.size_or_none();
  const sizes batch = t.shape(0, 2, 3);
  sizes left = batch, right = t.coin() ? batch : sizes{}, out = batch;
  left.insert(left.end(), {m, k});
  right.insert(right.end(), {k, n});
  out.insert(out.end(), {m, n});
  tensor_trace& x = t.operand(left, d);
  tensor_trace& w = t.operand(right, d);
  tensor_trace& o = t.output(out, d);
  const bool is_batched = right.size() > 2;
  each(out, [&](const sizes& at) {
    sizes of_x = at, of_w = is_batched ? at : sizes{0, at.back()};
    for (std::uint64_t l = 0; l < k; ++l) {
      of_x.back() = l;
      of_w[of_w.size() - 2] = l;
      x.read(flat(left, of_x));
      w.read(flat(right, of_w));
      t.multiply_add(d);
    }
    o.write(flat(out, at));
  });
}

void dot_general(trial& t) {
  // lhs [b, k1, m, k2], rhs [k2, b, n, k1]
  const std::uint64_t b = t.size(3), k1 = t.size(3), k2 = t.size(3), m = t.size(3), n = t.size(3);
  tensor_trace& x = t.operand({b, k1, m, k2});
  tensor_trace& w = t.operand({k2, b, n, k1});
  tensor_trace& o = t.output({b, m, n});
  t.attribute("lhs_contracting", u64s({1, 3}));
  t.attribute("rhs_contracting", u64s({3, 0}));
  t.attribute("lhs_batch", u64s({0}));
  t.attribute("rhs_batch", u64s({1}));
  each(o.shape, [&](const sizes& at) {
    for (std::uint64_t p = 0; p < k1; ++p) {
      for (std::uint64_t q = 0; q < k2; ++q) {
        x.read(flat(x.shape, {at[0], p, at[1], q}));
        w.read(flat(w.shape, {q, at[0], at[2], p}));
        t.multiply_add(f32);
      }
    }
    o.write(flat(o.shape, at));
  });
}

void lora(trial& t) {
  const std::uint64_t m = t.size(), k = t.size(), n = t.size(), r = t.size(3);
  tensor_trace& x = t.operand({m, k});
  tensor_trace& w = t.operand({k, n});
  tensor_trace& a = t.operand({k, r});
  tensor_trace& b = t.operand({r, n});
  tensor_trace& o = t.output({m, n});
  multiply(t, x, o, k, [&](auto, auto l, auto j) { w.read(l * n + j); });
  for (std::uint64_t i = 0; i < m; ++i) {
    for (std::uint64_t q = 0; q < r; ++q) {
      for (std::uint64_t l = 0; l < k; ++l) {
        x.read(i * k + l);
        a.read(l * r + q);
        t.multiply_add(f32);
      }
      t.work(1);  // scale
    }
    for (std::uint64_t j = 0; j < n; ++j) {
      for (std::uint64_t q = 0; q < r; ++q) {
        b.read(q * n + j);
        t.multiply_add(f32);
      }
      t.work(1);  // sum of both
    }
  }
}

void grouped(trial& t) {
  const std::uint64_t m = t.size_or_none(), k = t.size(), n = t.size(), e = t.size();
  tensor_trace& x = t.operand({m, k});
  tensor_trace& w = t.operand({e, k, n});
  tensor_trace& expert = t.indices({m}, e);
  tensor_trace& o = t.output({m, n});
  multiply(t, x, o, k, [&](auto i, auto l, auto j) {
    w.read((static_cast<std::uint64_t>(expert.read(i)) * k + l) * n + j);
  });
}

struct block_scheme {
  const char* name;
  std::uint64_t elements;
  std::uint64_t bytes;
  std::uint64_t operations;
};
constexpr block_scheme block_schemes[] = {{"GgufQ4_0", 32, 18, 1},
                                          {"GgufQ8_0", 32, 34, 1},
                                          {"GgufQ4_1", 32, 20, 2},
                                          {"GgufNVFP4", 16, 9, 1},
                                          {"GgufQ4K", 256, 144, 2}};

// Reads weight (l, j) of packed rows [N,K] from byte `begin` on.
void read_packed(tensor_trace& w, const block_scheme& s, std::uint64_t begin, std::uint64_t k,
                 std::uint64_t l, std::uint64_t j) {
  w.read_bytes(begin + (j * k + l) / s.elements * s.bytes, s.bytes);
}

void dequant_packed(trial& t) {
  const block_scheme& s = block_schemes[t.between(0, std::size(block_schemes) - 1)];
  const std::uint64_t m = t.size(3), n = t.size(3), k = s.elements * t.size(2);
  t.attribute("scheme", s.name);
  tensor_trace& x = t.operand({m, k});
  tensor_trace& w = t.operand({k * n / s.elements * s.bytes}, u8);
  tensor_trace& o = t.output({m, n});
  multiply(t, x, o, k, [&](auto, auto l, auto j) { read_packed(w, s, 0, k, l, j); });
  t.work(s.operations * k * n);
}

// Codes [K,N] of `bits` with scales a block of rows; what else is there is not read.
void dequant_blocks(trial& t) {
  const int form = static_cast<int>(t.between(0, 5));
  const std::uint64_t block = form == 4 ? 16 : 4;
  const std::uint64_t m = t.size(3), n = t.size(3), k = t.between(1, 20);
  const std::uint64_t groups = (k + block - 1) / block;
  tensor_trace& x = t.own_operand({m, k}, f32);
  switch (form) {
    case 0:
    case 1: {
      t.attribute("scheme", json(form == 0 ? R"({"Int8Block":{"block_size":4}})"
                                           : R"({"Int8BlockAsym":{"block_size":4}})"));
      tensor_trace& w = t.own_operand({k, n}, RLX_DTYPE_I8);
      tensor_trace& scale = t.own_operand({groups, n}, f32);
      tensor_trace& zero = t.own_operand({groups, n}, f32);
      tensor_trace& o = t.output({m, n});
      multiply(t, x, o, k, [&](auto, auto l, auto j) {
        w.read(l * n + j);
        scale.read(l / block * n + j);
        if (form == 1) zero.read(l / block * n + j);
      });
      t.work((form == 0 ? 1 : 2) * k * n);
      break;
    }
    case 2: {
      t.attribute("scheme", json(R"({"Int4Block":{"block_size":4}})"));
      tensor_trace& w = t.own_operand({(k * n + 1) / 2}, u8);
      tensor_trace& scale = t.own_operand({groups, n}, f32);
      t.own_operand({groups, n}, f32);
      tensor_trace& o = t.output({m, n});
      multiply(t, x, o, k, [&](auto, auto l, auto j) {
        w.read((l * n + j) / 2);
        scale.read(l / block * n + j);
      });
      t.work(k * n);
      break;
    }
    case 3: {
      t.attribute("scheme", t.pick({"Fp8E4m3", "Fp8E5m2"}));
      tensor_trace& w = t.own_operand({k, n}, u8);
      tensor_trace& scale = t.own_operand({n}, f32);
      t.own_operand({n}, f32);
      tensor_trace& o = t.output({m, n});
      multiply(t, x, o, k, [&](auto, auto l, auto j) {
        w.read(l * n + j);
        scale.read(j);
      });
      t.work(m * n);
      break;
    }
    case 4: {
      t.attribute("scheme", "Nvfp4Block");
      tensor_trace& w = t.own_operand({(k * n + 1) / 2}, u8);
      tensor_trace& scale = t.own_operand({groups, n}, u8);
      tensor_trace& global = t.own_operand({1}, f32);
      tensor_trace& o = t.output({m, n});
      multiply(t, x, o, k, [&](auto, auto l, auto j) {
        w.read((l * n + j) / 2);
        scale.read(l / block * n + j);
        global.read(0);
      });
      t.work(k * n);
      break;
    }
    default: {
      t.attribute("scheme", json(R"({"MlxAffine":{"bits":4,"group_size":4}})"));
      tensor_trace& w = t.own_operand({(k * n * 4 + 7) / 8}, u8);
      tensor_trace& scale = t.own_operand({n, groups}, f32);
      tensor_trace& bias = t.own_operand({n, groups}, f32);
      tensor_trace& o = t.output({m, n});
      multiply(t, x, o, k, [&](auto, auto l, auto j) {
        w.read((j * k + l) / 2);
        scale.read(j * groups + l / block);
        bias.read(j * groups + l / block);
      });
      t.work(2 * k * n);
    }
  }
}

void dequant(trial& t) { t.coin() ? dequant_packed(t) : dequant_blocks(t); }

void dequant_grouped(trial& t) {
  const block_scheme& s = block_schemes[t.between(0, 3)];
  const std::uint64_t m = t.size(), n = t.size(3), k = s.elements, e = t.size();
  const std::uint64_t slab = k * n / s.elements * s.bytes;
  t.attribute("scheme", s.name);
  tensor_trace& x = t.operand({m, k});
  tensor_trace& w = t.operand({e * slab}, u8);
  tensor_trace& expert = t.indices({m}, e);
  tensor_trace& o = t.output({m, n});
  std::set<double> hit;
  multiply(t, x, o, k, [&](auto i, auto l, auto j) {
    const double of = expert.read(i);
    hit.insert(of);
    read_packed(w, s, static_cast<std::uint64_t>(of) * slab, k, l, j);
  });
  t.work(hit.size() * s.operations * k * n);
}

void dequant_grouped_mlx(trial& t) {
  const std::uint64_t m = t.size(), n = t.size(3), k = 8, e = t.size(), groups = 2;
  const std::uint64_t slab = n * k / 2;
  t.attribute("scheme", json(R"({"MlxAffine":{"bits":4,"group_size":4}})"));
  tensor_trace& x = t.operand({m, k});
  tensor_trace& w = t.operand({e * slab}, u8);
  tensor_trace& scale = t.own_operand({e, n, groups}, f32);
  tensor_trace& bias = t.own_operand({e, n, groups}, f32);
  tensor_trace& expert = t.indices({m}, e);
  tensor_trace& o = t.output({m, n});
  std::set<double> hit;
  multiply(t, x, o, k, [&](auto i, auto l, auto j) {
    const auto of = static_cast<std::uint64_t>(expert.read(i));
    hit.insert(static_cast<double>(of));
    w.read(of * slab + (j * k + l) / 2);
    scale.read((of * n + j) * groups + l / 4);
    bias.read((of * n + j) * groups + l / 4);
  });
  t.work(hit.size() * 2 * k * n);
}

void dequant_moe(trial& t) {
  const block_scheme& s = block_schemes[t.between(0, 3)];
  const std::uint64_t e = t.size(3), k = s.elements, n = t.size(3);
  t.attribute("scheme", s.name);
  tensor_trace& w = t.operand({e * k * n / s.elements * s.bytes}, u8);
  tensor_trace& o = t.output({e, k, n});
  for (std::uint64_t i = 0; i < o.size(); ++i) {
    w.read_bytes(i / s.elements * s.bytes, s.bytes);
    t.work(s.operations);
    o.write(i);
  }
}

void q_matmul(trial& t) {
  const std::uint64_t m = t.size(), k = t.size(), n = t.size();
  tensor_trace& x = t.operand({m, k}, RLX_DTYPE_I8);
  tensor_trace& w = t.operand({k, n}, RLX_DTYPE_I8);
  tensor_trace& bias = t.operand({n}, RLX_DTYPE_I32);
  tensor_trace& o = t.output({m, n}, RLX_DTYPE_I8);
  multiply(t, x, o, k, [&](auto, auto l, auto j) { w.read(l * n + j); });
  for (std::uint64_t i = 0; i < m * n; ++i) {
    bias.read(i % n);
    t.integer(2);  // bias, zero point
    t.work(1);     // rescale
  }
}

void fused_bias_act(trial& t) {
  const std::uint64_t m = t.size_or_none(), k = t.size(), n = t.size();
  const bool has_activation = t.coin();
  if (has_activation) t.attribute("activation", "Gelu");
  tensor_trace& x = t.operand({2, m, k});
  tensor_trace& w = t.operand({k, n});
  tensor_trace& bias = t.operand({n});
  tensor_trace& o = t.output({2, m, n});
  multiply(t, x, o, k, [&](auto, auto l, auto j) { w.read(l * n + j); });
  for (std::uint64_t i = 0; i < o.size(); ++i) {
    bias.read(i % n);
    t.work(has_activation ? 2 : 1);
  }
}

void fused_residual(trial& t) {
  const std::uint64_t m = t.size(), k = t.size_or_none(), n = t.size();
  tensor_trace& x = t.operand({m, k});
  tensor_trace& w = t.operand({k, n});
  tensor_trace& residual = t.operand({m, n});
  tensor_trace& o = t.output({m, n});
  multiply(t, x, o, k, [&](auto, auto l, auto j) { w.read(l * n + j); });
  pass_over(t, residual, 1);
}

struct code_format {
  const char* name;
  std::uint64_t bits;
};
constexpr code_format code_formats[] = {{"F8E4M3", 8}, {"F6E2M3", 6}, {"F4E2M1", 4}};

// Codes lie one a byte or packed, as the trial decides; both must be inside the interval.
void read_code(trial&, tensor_trace& x, const code_format& f, bool is_packed, std::uint64_t i) {
  if (!is_packed) {
    x.read(i);
    return;
  }
  for (std::uint64_t bit = i * f.bits; bit < (i + 1) * f.bits; ++bit) x.read(bit / 8);
}

void scaled(trial& t) {
  const code_format& f = code_formats[t.between(0, 2)];
  const std::uint64_t m = t.size(), n = t.size(), k = t.between(1, 9), block = 4;
  const bool per_tensor = t.coin(), has_bias = t.coin(), is_packed = t.coin();
  const std::uint64_t groups = (k + block - 1) / block;
  t.attribute("lhs_format", f.name);
  t.attribute("rhs_format", f.name);
  t.attribute("scale_layout",
              per_tensor ? attribute_value{"PerTensor"} : json(R"({"BlockMxE8M0":{"block":4}})"));
  t.attribute("has_bias", has_bias);
  tensor_trace& x = t.own_operand({m, k}, u8);
  tensor_trace& w = t.own_operand({n, k}, u8);
  tensor_trace& sx = t.own_operand(per_tensor ? sizes{1} : sizes{m, groups}, per_tensor ? f32 : u8);
  tensor_trace& sw = t.own_operand(per_tensor ? sizes{1} : sizes{n, groups}, per_tensor ? f32 : u8);
  tensor_trace* bias = has_bias ? &t.own_operand({n}, f32) : nullptr;
  tensor_trace& o = t.output({m, n});
  each(o.shape, [&](const sizes& at) {
    for (std::uint64_t l = 0; l < k; ++l) {
      read_code(t, x, f, is_packed, at[0] * k + l);
      read_code(t, w, f, is_packed, at[1] * k + l);
      t.multiply_add(f32);
    }
    if (per_tensor) {
      sx.read(0);
      sw.read(0);
      t.work(1);
    } else {
      for (std::uint64_t g = 0; g < groups; ++g) {
        sx.read(at[0] * groups + g);
        sw.read(at[1] * groups + g);
        t.work(2);
      }
    }
    if (bias != nullptr) {
      bias->read(at[1]);
      t.work(1);
    }
    o.write(flat(o.shape, at));
  });
}

void scaled_grouped(trial& t) {
  const code_format& f = code_formats[t.between(0, 2)];
  const std::uint64_t m = t.size(), n = t.size(), k = 8, block = 4, e = t.size();
  const bool has_bias = t.coin(), is_packed = t.coin();
  const std::uint64_t groups = 2;
  t.attribute("lhs_format", f.name);
  t.attribute("rhs_format", f.name);
  t.attribute("scale_layout", json(R"({"BlockMxE8M0":{"block":4}})"));
  t.attribute("has_bias", has_bias);
  tensor_trace& x = t.own_operand({m, k}, u8);
  tensor_trace& w = t.own_operand({e, n, k}, u8);
  tensor_trace& sx = t.own_operand({m, groups}, u8);
  tensor_trace& sw = t.own_operand({e, n, groups}, u8);
  tensor_trace& expert = t.indices({m}, e);
  tensor_trace* bias = has_bias ? &t.own_operand({e, n}, f32) : nullptr;
  tensor_trace& o = t.output({m, n});
  each(o.shape, [&](const sizes& at) {
    const auto of = static_cast<std::uint64_t>(expert.read(at[0]));
    for (std::uint64_t l = 0; l < k; ++l) {
      read_code(t, x, f, is_packed, at[0] * k + l);
      read_code(t, w, f, is_packed, (of * n + at[1]) * k + l);
      t.multiply_add(f32);
    }
    for (std::uint64_t g = 0; g < k / block; ++g) {
      sx.read(at[0] * groups + g);
      sw.read((of * n + at[1]) * groups + g);
      t.work(2);
    }
    if (bias != nullptr) {
      bias->read(of * n + at[1]);
      t.work(1);
    }
    o.write(flat(o.shape, at));
  });
}

void scaled_quant_scale(trial& t) {
  t.attribute("format", "F8E4M3");
  t.attribute("scale_layout", "PerTensor");
  tensor_trace& x = t.operand(t.shape(1, 3));
  tensor_trace& o = t.output({1});
  pass_over(t, x, 1);
  t.work(1);
  o.write(0);
}

void scaled_quantize(trial& t) {
  const code_format& f = code_formats[t.between(0, 2)];
  t.attribute("format", f.name);
  t.attribute("scale_layout", "PerTensor");
  tensor_trace& x = t.operand(t.shape(1, 3));
  tensor_trace& scale = t.operand({1});
  tensor_trace& o = t.output(x.shape, u8);
  for (std::uint64_t i = 0; i < x.size(); ++i) {
    x.read(i);
    scale.read(0);
    t.work(2);
    o.write(i);
  }
}

void scaled_dequantize(trial& t) {
  const code_format& f = code_formats[t.between(0, 2)];
  const bool is_packed = t.coin();
  t.attribute("format", f.name);
  t.attribute("scale_layout", "PerTensor");
  tensor_trace& x = t.own_operand(t.shape(1, 3), u8);
  tensor_trace& scale = t.own_operand({1}, f32);
  tensor_trace& o = t.output(x.shape);
  for (std::uint64_t i = 0; i < x.size(); ++i) {
    read_code(t, x, f, is_packed, i);
    scale.read(0);
    t.work(1);
    o.write(i);
  }
}

void synth(trial& t) {
  const std::uint64_t m = t.size(), n = t.size(), d = t.size(3), blocks = t.size(3), e = t.size();
  const std::uint64_t k = d * blocks;
  t.attribute("kind", json(R"({"Codebook":{"entry_dim":)" + std::to_string(d) +
                           R"(,"num_entries":)" + std::to_string(e) + "}}"));
  tensor_trace& x = t.operand({m, k});
  tensor_trace& index = t.own_operand({n, blocks}, u8);
  for (std::uint64_t i = 0; i < index.size(); ++i) {
    index.set(i, static_cast<double>(t.between(0, e - 1)));
  }
  tensor_trace& book = t.operand({e, d});
  tensor_trace& o = t.output({m, n});
  multiply(t, x, o, k, [&](auto, auto l, auto j) {
    book.read(static_cast<std::uint64_t>(index.read(j * blocks + l / d)) * d + l % d);
  });
}

void synth_reconstruct(trial& t) {
  const std::uint64_t n = t.size(), d = t.size(3), blocks = t.size(3), e = t.size();
  t.attribute("kind", json(R"({"Codebook":{"entry_dim":)" + std::to_string(d) +
                           R"(,"num_entries":)" + std::to_string(e) + "}}"));
  tensor_trace& index = t.own_operand({n, blocks}, u8);
  for (std::uint64_t i = 0; i < index.size(); ++i) {
    index.set(i, static_cast<double>(t.between(0, e - 1)));
  }
  tensor_trace& book = t.operand({e, d});
  tensor_trace& o = t.output({n, blocks * d});
  for (std::uint64_t i = 0; i < o.size(); ++i) {
    book.read(static_cast<std::uint64_t>(index.read(i / d)) * d + i % d);
    o.write(i);
  }
}

void synth_backward(trial& t) {
  const std::uint64_t m = t.size(), n = t.size(), d = t.size(3), blocks = t.size(3), e = t.size();
  const std::uint64_t k = d * blocks;
  const bool towards_x = t.coin();
  t.attribute("kind", json(R"({"Codebook":{"entry_dim":)" + std::to_string(d) +
                           R"(,"num_entries":)" + std::to_string(e) + "}}"));
  t.attribute("wrt", towards_x ? "Dx" : "Codebook");
  tensor_trace& x = t.own_operand({m, k}, f32);
  tensor_trace& index = t.own_operand({n, blocks}, u8);
  for (std::uint64_t i = 0; i < index.size(); ++i) {
    index.set(i, static_cast<double>(t.between(0, e - 1)));
  }
  tensor_trace& book = t.own_operand({e, d}, f32);
  tensor_trace& up = t.own_operand({m, n}, f32);
  tensor_trace& o = t.output(towards_x ? x.shape : book.shape);
  for (std::uint64_t j = 0; j < n; ++j) {
    for (std::uint64_t l = 0; l < k; ++l) {
      const auto entry = static_cast<std::uint64_t>(index.read(j * blocks + l / d));
      for (std::uint64_t i = 0; i < m; ++i) {
        up.read(i * n + j);
        towards_x ? book.read(entry * d + l % d) : x.read(i * k + l);
        t.multiply_add(f32);
      }
      if (!towards_x) t.work(1);  // into the entry
    }
  }
  o.write_all();
}

constexpr oracle table[] = {
    {RLX_KIND_MatMul, matmul},
    {RLX_KIND_DotGeneral, dot_general},
    {RLX_KIND_LoraMatMul, lora},
    {RLX_KIND_GroupedMatMul, grouped},
    {RLX_KIND_DequantMatMul, dequant},
    {RLX_KIND_DequantGroupedMatMul, dequant_grouped},
    {RLX_KIND_DequantGroupedMatMulMlx, dequant_grouped_mlx},
    {RLX_KIND_DequantMoEWeights, dequant_moe},
    {RLX_KIND_QMatMul, q_matmul},
    {RLX_KIND_FusedMatMulBiasAct, fused_bias_act},
    {RLX_KIND_FusedMatMulResidual, fused_residual},
    {RLX_KIND_ScaledMatMul, scaled},
    {RLX_KIND_ScaledGroupedMatMul, scaled_grouped},
    {RLX_KIND_ScaledQuantScale, scaled_quant_scale},
    {RLX_KIND_ScaledQuantize, scaled_quantize},
    {RLX_KIND_ScaledDequantize, scaled_dequantize},
    {RLX_KIND_SynthMatMul, synth},
    {RLX_KIND_SynthMatMulBackward, synth_backward},
    {RLX_KIND_SynthReconstruct, synth_reconstruct},
};

}  // namespace

std::span<const oracle> matmul_oracles() { return table; }

}  // namespace opscope::test
