// Dense linear algebra: exact counts of the textbook algorithms (elimination, Cholesky,
// substitution, Householder reflections). Iterative decompositions have no high end.
#include "plugin/cost/need/formulas.hpp"
#include "plugin/cost/need/linear_counts.hpp"
#include "plugin/cost/need/site.hpp"

namespace opscope::need {

// A [n,n], b [n] or [n,r]
constexpr formula dense_solve = make_formula([]<class N>(site<N>& n) {
  const N size = n.dim(0, -1);
  const N columns = n.rank(1) >= 2 ? n.dim(1, -1) : N{1};
  n.operations(elimination(size) + columns * substitution_pair(size), n.dtype(0));
});

// A [B,n,n], b [B,n] or [B,n,r]
constexpr formula batched_dense_solve = make_formula([]<class N>(site<N>& n) {
  const N size = n.dim(0, -1);
  const N batch = n.extent(0, 0, -2);
  const N columns = n.rank(1) >= n.rank(0) ? n.dim(1, -1) : N{1};
  n.operations(batch * (elimination(size) + columns * substitution_pair(size)), n.dtype(0));
});

constexpr formula cholesky = make_formula([]<class N>(site<N>& n) {
  const N size = n.dim(0, -1);
  n.reads(0, n.extent(0, 0, -2) * triangle_count(size) * n.width(0));
  n.operations(n.extent(0, 0, -2) * cholesky_count(size), n.dtype(0));
});

constexpr formula triangular_solve = make_formula([]<class N>(site<N>& n) {
  const N size = n.dim(0, -1);
  const N columns = n.rank(1) >= 2 ? n.dim(1, -1) : N{1};
  n.reads(0, n.extent(0, 0, -2) * triangle_count(size) * n.width(0));
  n.operations(n.extent(0, 0, -2) * size * size * columns, n.dtype(0));
});

// Elimination, then the product of the diagonal.
constexpr formula determinant = make_formula([]<class N>(site<N>& n) {
  const N size = n.dim(0, -1);
  n.operations(n.extent(0, 0, -2) * (elimination(size) + size), n.dtype(0));
});

// Elimination, then the logarithm of each pivot and their sum.
constexpr formula log_determinant = make_formula([]<class N>(site<N>& n) {
  const N size = n.dim(0, -1);
  n.operations(n.extent(0, 0, -2) * (elimination(size) + N{2} * size), n.dtype(0));
});

constexpr formula qr = make_formula([]<class N>(site<N>& n) {
  const N rows = n.dim(0, -2);
  const N columns = n.dim(0, -1);
  const std::string_view part = n.attributes().text(attr::part);
  if (part != "Q" && part != "R") return n.give_up("an unknown part of the decomposition");
  N count = reflections(rows, columns);
  if (part == "Q") count += reflections_backwards(rows, columns);
  n.operations(n.extent(0, 0, -2) * count, n.dtype(0));
});

// At least the entries are looked at.
constexpr formula svd = make_formula(
    []<class N>(site<N>& n) { n.operations(from_to(n.elements(0), N::unknown()), n.dtype(0)); });
constexpr formula eigh = make_formula(
    []<class N>(site<N>& n) { n.operations(from_to(n.elements(0), N::unknown()), n.dtype(0)); });

// packed [n*n + n], cotangent -> [n,n]: three products and some passes over the matrix.
constexpr formula eigh_backward = make_formula([]<class N>(site<N>& n) {
  n.dtype(1);
  const N size = n.dim(out, -1);
  const N least = N{6} * size * size * size;
  n.operations(n.extent(out, 0, -2) * from_to(least, least + N{8} * size * size), n.dtype(0));
});

}  // namespace opscope::need
