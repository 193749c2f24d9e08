// Matrices on the manifold of symmetric positive definite ones. An eigen-decomposition is
// iterative: its operations have no high end.
#include "plugin/cost/need/formulas.hpp"
#include "plugin/cost/need/site.hpp"

namespace opscope::need {

namespace {

template <class N>
N cube(N n) {
  return n * n * n;
}

// At least that much, besides decompositions.
template <class N>
void at_least(site<N>& n, N count) {
  n.operations(from_to(count, N::unknown()), n.dtype(0));
}

}  // namespace

// W [m,n], X [n,n]: W*X, then with the transpose of W.
constexpr formula bi_map = make_formula([]<class N>(site<N>& n) {
  const N m = n.dim(0, -2);
  const N k = n.dim(0, -1);
  n.dtype(1);
  n.multiply_adds(m * k * k + m * m * k, n.dtype(0));
});

// X -> packed Y, eigenvalues, vectors: two products put Y together.
constexpr formula spectral_map = make_formula([]<class N>(site<N>& n) {
  const N size = n.dim(0, -1);
  at_least(n, N{2} * cube(size));
});

// Values, vectors, dY: four products, and passes for the divided differences.
constexpr formula spectral_map_backward = make_formula([]<class N>(site<N>& n) {
  const N size = n.dim(out, -1);
  n.dtype(n.operand_count() >= 3 ? 2 : 1);
  const N least = N{8} * cube(size);
  if (n.operand_count() >= 3) {
    n.operations(from_to(least, least + N{8} * size * size), n.dtype(0));
  } else {
    at_least(n, least);  // from X: decomposed again
  }
});

// X [B,n,n], M, G or M, G, dY: whiten and colour each slice.
constexpr formula spd_batch_norm = make_formula([]<class N>(site<N>& n) {
  n.dtype(2);
  const N size = n.dim(out, -1);
  at_least(n, N{4} * n.extent(out, 0, -2) * cube(size));
});
constexpr formula spd_batch_norm_backward_g = make_formula([]<class N>(site<N>& n) {
  n.dtype(3);
  const N size = n.dim(0, -1);
  at_least(n, N{4} * n.extent(0, 0, -2) * cube(size));
});

constexpr formula spd_mean = make_formula([]<class N>(site<N>& n) {
  if (n.kind() == RLX_KIND_SpdKarcherMeanWeighted) n.dtype(1);
  at_least(n, N{});
});

// Two or more matrices in, some products of them: how many is not settled.
constexpr formula spd_binary = make_formula([]<class N>(site<N>& n) {
  n.dtype(1);
  at_least(n, N{});
});

// Function of each slice: two products beside the decomposition.
constexpr formula spd_function = make_formula(
    []<class N>(site<N>& n) { at_least(n, n.extent(0, 0, -2) * N{2} * cube(n.dim(0, -1))); });
constexpr formula spd_function_backward = make_formula([]<class N>(site<N>& n) {
  n.dtype(1);
  at_least(n, n.extent(0, 0, -2) * N{8} * cube(n.dim(0, -1)));
});

}  // namespace opscope::need
