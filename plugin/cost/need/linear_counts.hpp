// Operation counts of textbook algorithms on n x n and m x n matrices, as closed forms.
#pragma once

#include <cstdint>

namespace opscope::need {

// 1 + 2 + .. + n
template <class N>
N triangle_count(N n) {
  return divide_exactly(n * (n + N{1}), 2);
}

// 0 + 1 + .. + (n-1)
template <class N>
N sum_below(N n) {
  return divide_exactly(n * minus(n, N{1}), 2);
}

// 0 + 1 + 4 + .. + (n-1)^2
template <class N>
N squares_below(N n) {
  return divide_exactly(n * minus(n, N{1}) * minus(N{2} * n, N{1}), 6);
}

// LU: at step k a division for each row below and a multiply-add for each entry right of it.
template <class N>
N elimination(N n) {
  return sum_below(n) + N{2} * squares_below(n);
}

// One right-hand side through both triangles: multiply-adds, and a division a row of the upper.
template <class N>
N substitution_pair(N n) {
  return N{4} * sum_below(n) + n;
}

// Column j: a square root or a division a row from j down, and j multiply-adds each.
template <class N>
N cholesky_count(N n) {
  return divide_exactly(n * (n + N{1}) * (N{2} * n + N{1}), 6);
}

// Householder: at step k of p = min(m, n), a vector of m-k: its norm (2 an entry), then 4 an entry
// for each column right of it.
template <class N>
N reflections(N m, N n) {
  const N p = minimum(m, n);
  // Sum over k < p of (m-k) * (2 + 4*(n-k-1)), with (m-k)(n-k) expanded.
  const N products = minus(p * m * n + squares_below(p), (m + n) * sum_below(p));
  const N lengths = minus(p * m, sum_below(p));
  return minus(N{4} * products, N{2} * lengths);
}

// Applying them in reverse to the first p columns of the identity: 4 an entry for columns k .. p-1.
template <class N>
N reflections_backwards(N m, N n) {
  const N p = minimum(m, n);
  const N products = minus(p * m * p + squares_below(p), (m + p) * sum_below(p));
  return N{4} * products;
}

}  // namespace opscope::need
