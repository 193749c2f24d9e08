// Convolutions and pooling over the last two or three axes. Only taps that hit real input count:
// padding is neither read nor multiplied.
#include <array>

#include "plugin/cost/need/formulas.hpp"
#include "plugin/cost/need/geometry.hpp"
#include "plugin/cost/need/site.hpp"

namespace opscope::need {

namespace {

// Products over the spatial axes.
template <class N>
struct taps {
  N pairs{1};      // (output, tap) on real input
  N positions{1};  // distinct input positions
  N kernel{1};     // distinct taps ever used
  N outputs{1};    // outputs that some tap feeds
};

template <class N>
N number(interval v) {
  if (const figure exact = v.exact()) return N{*exact};
  const figure hi = v.hi();
  return from_to(N{v.lo()}, hi ? N{*hi} : N::unknown());
}

// The geometry of one axis: `size` is the axis slid over, `places` the number of window places.
template <class N>
void slide(taps<N>& t, N size, N kernel, std::uint64_t stride, std::uint64_t padding,
           std::uint64_t dilation, N places) {
  const auto s = size.exact();
  const auto k = kernel.exact();
  const auto p = places.exact();
  if (s && k && p) {
    const window_counts c = count({*s, *k, stride, padding, dilation, *p});
    t.pairs *= number<N>(c.pairs);
    t.positions *= number<N>(c.positions);
    t.kernel *= number<N>(c.taps);
    t.outputs *= number<N>(c.outputs);
    return;
  }
  t.pairs *= from_to(N{}, places * kernel);
  t.positions *= from_to(N{}, size);
  t.kernel *= from_to(N{}, kernel);
  t.outputs *= from_to(N{}, places);
}

// `image` and `places` are operand positions (or out) of the tensor slid over and of the tensor
// with one element a window place; both [N,C,spatial..]. kernel(axis) is the kernel's size.
template <class N, class Kernel>
taps<N> slide_all(site<N>& n, unsigned image, unsigned places, const Kernel& kernel) {
  taps<N> t;
  const unsigned rank = n.rank(image);
  if (rank < 3 || n.rank(places) != rank) {
    n.missing();
    return t;
  }
  const attribute_reader a = n.attributes();
  for (unsigned axis = 2; axis < rank; ++axis) {
    const std::size_t i = axis - 2;
    slide(t, n.dim(image, axis), kernel(i), a.element(attr::stride, i).value_or(1),
          a.element(attr::padding, i).value_or(0), a.element(attr::dilation, i).value_or(1),
          n.dim(places, axis));
  }
  return t;
}

template <class N>
auto kernel_of_attribute(site<N>& n) {
  return [&n](std::size_t i) {
    const auto k = n.attributes().element(attr::kernel_size, i);
    return k ? N{*k} : n.missing();
  };
}

template <class N>
auto kernel_of_weight(site<N>& n, unsigned weight) {
  return [&n, weight](std::size_t i) { return n.dim(weight, static_cast<std::int64_t>(i) + 2); };
}

// Elements of channels and batch, of [N,C,..].
template <class N>
N planes(site<N>& n, unsigned i) {
  return n.extent(i, 0, 2);
}

// weight [A,B,kernel..]: the taps that are used, of all channel pairs.
template <class N>
N used_weight(site<N>& n, unsigned weight, const taps<N>& t) {
  return n.extent(weight, 0, 2) * t.kernel * n.width(weight);
}

// x, weight -> out, forwards. Returns the multiply-adds.
template <class N>
N read_forward(site<N>& n) {
  const taps<N> t = slide_all(n, 0, out, kernel_of_weight(n, 1));
  n.reads(0, planes(n, 0) * t.positions * n.width(0));
  n.reads(1, used_weight(n, 1, t));
  return planes(n, out) * n.dim(1, 1) * t.pairs;
}

}  // namespace

constexpr formula conv =
    make_formula([]<class N>(site<N>& n) { n.multiply_adds(read_forward(n), n.dtype(0)); });

constexpr formula q_conv = make_formula([]<class N>(site<N>& n) {
  n.dtype(2);
  const N e = n.elements(out);
  n.integer(N{2} * read_forward(n) + N{2} * e);
  n.work(e);  // rescale
});

constexpr formula fused_conv_bias_act = make_formula([]<class N>(site<N>& n) {
  const bool has_residual = n.flag(attr::has_residual);
  n.dtype(has_residual ? 3 : 2);
  n.multiply_adds(read_forward(n), n.dtype(0));
  n.operations(n.elements(out), n.dtype(0), 2);
  if (has_residual) n.operations(n.elements(out), n.dtype(0), 2);
  if (!n.attributes().text(attr::activation).empty()) n.operations(n.elements(out), n.dtype(0));
});

// x [N,Ci,..], weight [Ci,Co/g,kernel..]: each input place spreads over the output.
constexpr formula conv_transpose = make_formula([]<class N>(site<N>& n) {
  const taps<N> t = slide_all(n, out, 0, kernel_of_weight(n, 1));
  n.reads(0, planes(n, 0) * t.outputs * n.width(0));
  n.reads(1, used_weight(n, 1, t));
  n.multiply_adds(planes(n, 0) * n.dim(1, 1) * t.pairs, n.dtype(0));
});

// dy [N,Co,..], weight [Co,Ci/g,kernel..] -> dx, with the forward geometry.
constexpr formula conv_backward_input = make_formula([]<class N>(site<N>& n) {
  const taps<N> t = slide_all(n, out, 0, kernel_of_weight(n, 1));
  n.reads(0, planes(n, 0) * t.outputs * n.width(0));
  n.reads(1, used_weight(n, 1, t));
  n.multiply_adds(planes(n, 0) * n.dim(1, 1) * t.pairs, n.dtype(0));
});

// x [N,Ci,..], dy [N,Co,..] -> dw [Co,Ci/g,kernel..].
constexpr formula conv_backward_weight = make_formula([]<class N>(site<N>& n) {
  const taps<N> t = slide_all(n, 0, 1, kernel_of_weight(n, out));
  n.reads(0, planes(n, 0) * t.positions * n.width(0));
  n.reads(1, planes(n, 1) * t.outputs * n.width(1));
  n.multiply_adds(planes(n, 1) * n.dim(out, 1) * t.pairs, n.dtype(0));
});

constexpr formula pool = make_formula([]<class N>(site<N>& n) {
  const taps<N> t = slide_all(n, 0, out, kernel_of_attribute(n));
  n.reads(0, planes(n, 0) * t.positions * n.width(0));
  n.operations(planes(n, 0) * t.pairs, n.dtype(0));
});

// x, dy -> dy at the largest element of each window, found again.
constexpr formula max_pool_backward = make_formula([]<class N>(site<N>& n) {
  const taps<N> t = slide_all(n, 0, 1, kernel_of_attribute(n));
  n.reads(0, planes(n, 0) * t.positions * n.width(0));
  n.reads(1, planes(n, 1) * t.outputs * n.width(1));
  n.operations(planes(n, 0) * (t.pairs + t.outputs), n.dtype(0));
});

constexpr formula im2col = make_formula([]<class N>(site<N>& n) {
  // out [N*Ho*Wo, C*kh*kw] does not say Ho and Wo; the usual sizes are taken where they agree.
  taps<N> t;
  const unsigned rank = n.rank(0);
  if (rank != 4 || n.rank(out) != 2) return (void)n.missing();
  const attribute_reader a = n.attributes();
  std::array<std::uint64_t, 2> places{};
  for (unsigned i = 0; i < 2; ++i) {
    const auto size = n.dim(0, i + 2).exact();
    const auto kernel = a.element(attr::kernel_size, i);
    const std::uint64_t stride = a.element(attr::stride, i).value_or(1);
    const std::uint64_t padding = a.element(attr::padding, i).value_or(0);
    const std::uint64_t dilation = a.element(attr::dilation, i).value_or(1);
    constexpr std::uint64_t most = std::uint64_t{1} << 40;
    if (!size || !kernel || *size > most || *kernel > most || padding > most ||
        dilation > (std::uint64_t{1} << 20) || *kernel > (std::uint64_t{1} << 20) || stride == 0 ||
        *kernel == 0) {
      return n.reads_up_to_all(0);
    }
    const std::uint64_t span = dilation * (*kernel - 1) + 1;
    const std::uint64_t padded = *size + 2 * padding;
    places[i] = padded < span ? 0 : (padded - span) / stride + 1;
    slide(t, N{*size}, N{*kernel}, stride, padding, dilation, N{places[i]});
  }
  if (equal(n.dim(0, 0) * N{places[0]} * N{places[1]}, n.dim(out, 0)) != truth::yes) {
    return n.reads_up_to_all(0);
  }
  n.reads(0, planes(n, 0) * t.positions * n.width(0));
});

// A full linear convolution of each row by its transform; the direct form does the most.
constexpr formula partitioned_conv = make_formula([]<class N>(site<N>& n) {
  n.dtype(1);
  const N direct = n.extent(0, 0, -1) * n.dim(0, -1) * n.elements(1);
  n.contraction(from_to(N{}, N{2} * direct));
});

}  // namespace opscope::need
