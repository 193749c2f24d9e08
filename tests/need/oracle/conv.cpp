// Convolutions and pooling over two or three axes, tap by tap; padding is skipped.
#include <optional>

#include "tests/need/oracle/index.hpp"

namespace opscope::test {

namespace {

constexpr std::uint32_t f32 = RLX_DTYPE_F32;

struct geometry {
  unsigned axes;
  std::uint64_t batch, groups, in_per_group, out_per_group;
  sizes size, kernel, stride, padding, dilation, places;  // by axis
  std::uint64_t in() const { return groups * in_per_group; }
  std::uint64_t out() const { return groups * out_per_group; }
};

sizes join(std::initializer_list<std::uint64_t> front, const sizes& back) {
  sizes s = front;
  s.insert(s.end(), back.begin(), back.end());
  return s;
}

geometry choose(trial& t, unsigned axes, bool has_dilation = true) {
  geometry g{};
  g.axes = axes;
  g.batch = t.size(2);
  g.groups = t.coin(0.3) ? 2 : 1;
  g.in_per_group = t.size(2);
  g.out_per_group = t.size(2);
  for (unsigned a = 0; a < axes; ++a) {
    g.kernel.push_back(t.size(3));
    g.stride.push_back(t.size(3));
    g.padding.push_back(t.between(0, 3));
    g.dilation.push_back(has_dilation ? t.size(2) : 1);
    const std::uint64_t span = g.dilation[a] * (g.kernel[a] - 1) + 1;
    const std::uint64_t least = span > 2 * g.padding[a] ? span - 2 * g.padding[a] : 1;
    g.size.push_back(least + t.between(0, axes == 3 ? 2 : 4));
    g.places.push_back((g.size[a] + 2 * g.padding[a] - span) / g.stride[a] + 1);
  }
  return g;
}

void say(trial& t, const geometry& g, bool says_kernel = true) {
  if (says_kernel) t.attribute("kernel_size", u64s(g.kernel));
  t.attribute("stride", u64s(g.stride));
  t.attribute("padding", u64s(g.padding));
  t.attribute("dilation", u64s(g.dilation));
  t.attribute("groups", g.groups);
}

// The place that window place `o` and tap `j` fall on, where it is real.
std::optional<sizes> land(const geometry& g, const sizes& o, const sizes& j) {
  sizes at(g.axes);
  for (unsigned a = 0; a < g.axes; ++a) {
    const std::uint64_t p = o[a] * g.stride[a] + j[a] * g.dilation[a];
    if (p < g.padding[a] || p - g.padding[a] >= g.size[a]) return std::nullopt;
    at[a] = p - g.padding[a];
  }
  return at;
}

// f(n, group, in channel, out channel, image place, tap, window place) for all that meet.
template <class F>
void meetings(const geometry& g, F f) {
  each(join({g.batch, g.groups, g.in_per_group, g.out_per_group}, {}), [&](const sizes& c) {
    each(g.places, [&](const sizes& o) {
      each(g.kernel, [&](const sizes& j) {
        if (const auto at = land(g, o, j)) {
          f(c[0], c[1], c[1] * g.in_per_group + c[2], c[1] * g.out_per_group + c[3], c[2], c[3],
            *at, j, o);
        }
      });
    });
  });
}

std::uint64_t at4(const tensor_trace& t, std::uint64_t a, std::uint64_t b, const sizes& rest) {
  return flat(t.shape, join({a, b}, rest));
}

void forward(trial& t, unsigned axes, int extras, bool is_integer) {
  const geometry g = choose(t, axes);
  say(t, g, axes == 2 || extras != 0);
  const auto d = is_integer ? static_cast<std::uint32_t>(RLX_DTYPE_I8) : t.floating();
  tensor_trace& x = t.operand(join({g.batch, g.in()}, g.size), d);
  tensor_trace& w = t.operand(join({g.out(), g.in_per_group}, g.kernel), d);
  tensor_trace* bias = nullptr;
  if (is_integer) bias = &t.own_operand({g.out()}, RLX_DTYPE_I32);
  if (extras != 0) bias = &t.own_operand({g.out()}, d);
  tensor_trace* residual = nullptr;
  const sizes out = join({g.batch, g.out()}, g.places);
  if (extras >= 2) residual = &t.own_operand(out, d);
  if (extras != 0) t.attribute("has_residual", extras >= 2);
  const bool has_activation = extras != 0 && t.coin();
  if (has_activation) t.attribute("activation", "Relu");
  tensor_trace& o = t.output(out, d);
  meetings(g, [&](auto n, auto, auto ci, auto co, auto cig, auto, const sizes& at, const sizes& j,
                  const sizes&) {
    x.read(at4(x, n, ci, at));
    w.read(at4(w, co, cig, j));
    t.multiply_add(d);
  });
  for (std::uint64_t i = 0; i < o.size(); ++i) {
    o.write(i);
    if (bias != nullptr) bias->read(i / product(g.places) % g.out());
    if (is_integer) {
      t.integer(2);
      t.work(1);
    }
    if (extras != 0) t.work(1);
    if (residual != nullptr) {
      residual->read(i);
      t.work(1);
    }
    if (has_activation) t.work(1);
  }
}

void conv(trial& t) { forward(t, 2, 0, false); }
void conv3(trial& t) { forward(t, 3, 0, false); }
void q_conv(trial& t) { forward(t, 2, 0, true); }
void fused(trial& t) { forward(t, 2, static_cast<int>(t.between(1, 2)), false); }

// The window slides over the output: what is `size` elsewhere is the output here.
void transposed(trial& t, unsigned axes, bool is_gradient) {
  const geometry g = choose(t, axes);
  say(t, g, axes == 2 || is_gradient);
  // As a gradient: dy has the window's places and `out` channels. Transposed: the same with names
  // exchanged; weight [Ci, Co/g] and [Co, Ci/g] are both [channels of the operand, of the result].
  tensor_trace& x = t.operand(join({g.batch, g.out()}, g.places));
  tensor_trace& w = t.operand(join({g.out(), g.in_per_group}, g.kernel));
  tensor_trace& o = t.output(join({g.batch, g.in()}, g.size));
  meetings(g, [&](auto n, auto, auto, auto co, auto cig, auto, const sizes&, const sizes& j,
                  const sizes& place) {
    x.read(at4(x, n, co, place));
    w.read(at4(w, co, cig, j));
    t.multiply_add(f32);
  });
  o.write_all();
}
void transposed2(trial& t) { transposed(t, 2, false); }
void transposed3(trial& t) { transposed(t, 3, false); }
void backward_input2(trial& t) { transposed(t, 2, true); }
void backward_input3(trial& t) { transposed(t, 3, true); }

void backward_weight(trial& t, unsigned axes) {
  const geometry g = choose(t, axes);
  say(t, g);
  tensor_trace& x = t.operand(join({g.batch, g.in()}, g.size));
  tensor_trace& dy = t.operand(join({g.batch, g.out()}, g.places));
  tensor_trace& o = t.output(join({g.out(), g.in_per_group}, g.kernel));
  meetings(g, [&](auto n, auto, auto ci, auto co, auto, auto, const sizes& at, const sizes&,
                  const sizes& place) {
    x.read(at4(x, n, ci, at));
    dy.read(at4(dy, n, co, place));
    t.multiply_add(f32);
  });
  o.write_all();
}
void backward_weight2(trial& t) { backward_weight(t, 2); }
void backward_weight3(trial& t) { backward_weight(t, 3); }

void pooling(trial& t, unsigned axes, bool is_backward) {
  geometry g = choose(t, axes, false);
  const std::uint64_t channels = t.size(2);
  t.attribute("kernel_size", u64s(g.kernel));
  t.attribute("stride", u64s(g.stride));
  t.attribute("padding", u64s(g.padding));
  if (!is_backward) t.attribute("kind", "Max");
  tensor_trace& x = t.operand(join({g.batch, channels}, g.size));
  tensor_trace* dy = is_backward ? &t.operand(join({g.batch, channels}, g.places)) : nullptr;
  tensor_trace& o = t.output(is_backward ? x.shape : join({g.batch, channels}, g.places));
  for (std::uint64_t n = 0; n < g.batch; ++n) {
    for (std::uint64_t c = 0; c < channels; ++c) {
      each(g.places, [&](const sizes& place) {
        bool is_any = false;
        each(g.kernel, [&](const sizes& j) {
          const auto at = land(g, place, j);
          if (!at) return;
          x.read(at4(x, n, c, *at));
          t.work(1);
          is_any = true;
        });
        if (dy != nullptr && is_any) {
          dy->read(at4(*dy, n, c, place));
          t.work(1);
        }
      });
    }
  }
  o.write_all();
}
void pool(trial& t) { pooling(t, 2, false); }
void max_pool_backward2(trial& t) { pooling(t, 2, true); }
void max_pool_backward3(trial& t) { pooling(t, 3, true); }

void im2col(trial& t) {
  geometry g = choose(t, 2);
  const std::uint64_t channels = t.size(2);
  t.attribute("kernel_size", u64s(g.kernel));
  t.attribute("stride", u64s(g.stride));
  t.attribute("padding", u64s(g.padding));
  t.attribute("dilation", u64s(g.dilation));
  tensor_trace& x = t.operand(join({g.batch, channels}, g.size));
  tensor_trace& o = t.output({g.batch * product(g.places), channels * product(g.kernel)});
  each(join({g.batch, channels}, {}), [&](const sizes& c) {
    each(g.places, [&](const sizes& place) {
      each(g.kernel, [&](const sizes& j) {
        if (const auto at = land(g, place, j)) x.read(at4(x, c[0], c[1], *at));
      });
    });
  });
  o.write_all();
}

void partitioned(trial& t) {
  const std::uint64_t rows = t.size(3), length = t.size(6), m = t.size(4);
  t.attribute("block", 2u);
  tensor_trace& x = t.operand({rows, length});
  tensor_trace& ir = t.operand({m});
  tensor_trace& o = t.output({rows, length + m - 1});
  for (std::uint64_t r = 0; r < rows; ++r) {
    for (std::uint64_t i = 0; i < length; ++i) {
      for (std::uint64_t j = 0; j < m; ++j) {
        x.read(r * length + i);
        ir.read(j);
        t.multiply_add(f32);
      }
    }
  }
  o.write_all();
}

constexpr oracle table[] = {
    {RLX_KIND_Conv, conv},
    {RLX_KIND_Conv3d, conv3},
    {RLX_KIND_QConv2d, q_conv},
    {RLX_KIND_FusedConvBiasAct, fused},
    {RLX_KIND_ConvTranspose2d, transposed2},
    {RLX_KIND_ConvTranspose3d, transposed3},
    {RLX_KIND_Conv2dBackwardInput, backward_input2},
    {RLX_KIND_Conv3dBackwardInput, backward_input3},
    {RLX_KIND_Conv2dBackwardWeight, backward_weight2},
    {RLX_KIND_Conv3dBackwardWeight, backward_weight3},
    {RLX_KIND_Pool, pool},
    {RLX_KIND_MaxPool2dBackward, max_pool_backward2},
    {RLX_KIND_MaxPool3dBackward, max_pool_backward3},
    {RLX_KIND_Im2Col, im2col},
    {RLX_KIND_PartitionedConv, partitioned},
};

}  // namespace

std::span<const oracle> conv_oracles() { return table; }

}  // namespace opscope::test
