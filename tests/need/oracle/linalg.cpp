// Dense linear algebra by the textbook, counting each operation; matrix manifolds where bounded.
#include "tests/need/oracle/index.hpp"

namespace opscope::test {

namespace {

constexpr std::uint32_t f32 = RLX_DTYPE_F32;

void eliminate(trial& t, std::uint64_t n) {
  for (std::uint64_t k = 0; k < n; ++k) {
    for (std::uint64_t i = k + 1; i < n; ++i) {
      t.work(1);  // the factor
      for (std::uint64_t j = k + 1; j < n; ++j) t.work(2);
    }
  }
}

void substitute(trial& t, std::uint64_t n, bool divides) {
  for (std::uint64_t i = 0; i < n; ++i) {
    for (std::uint64_t j = 0; j < i; ++j) t.work(2);
    if (divides) t.work(1);
  }
}

void solve(trial& t) {
  const std::uint64_t n = t.size(6), r = t.size(3);
  const bool is_vector = t.coin();
  t.operand({n, n}).read_all();
  tensor_trace& b = t.operand(is_vector ? sizes{n} : sizes{n, r});
  b.read_all();
  eliminate(t, n);
  for (std::uint64_t c = 0; c < (is_vector ? 1 : r); ++c) {
    substitute(t, n, false);
    substitute(t, n, true);
  }
  t.output(b.shape).write_all();
}

void batched_solve(trial& t) {
  const std::uint64_t batch = t.size(3), n = t.size(5), r = t.size(3);
  const bool is_vector = t.coin();
  t.operand({batch, n, n}).read_all();
  tensor_trace& b = t.operand(is_vector ? sizes{batch, n} : sizes{batch, n, r});
  b.read_all();
  for (std::uint64_t s = 0; s < batch; ++s) {
    eliminate(t, n);
    for (std::uint64_t c = 0; c < (is_vector ? 1 : r); ++c) {
      substitute(t, n, false);
      substitute(t, n, true);
    }
  }
  t.output(b.shape).write_all();
}

void cholesky(trial& t) {
  const std::uint64_t n = t.size(6);
  tensor_trace& a = t.operand({n, n});
  for (std::uint64_t j = 0; j < n; ++j) {
    for (std::uint64_t i = j; i < n; ++i) {
      a.read(i * n + j);
      for (std::uint64_t k = 0; k < j; ++k) t.work(2);
      t.work(1);  // square root or division
    }
  }
  t.output({n, n}).write_all();
}

void triangular(trial& t) {
  const std::uint64_t n = t.size(6), r = t.size(3);
  const bool lower = t.coin();
  t.attribute("lower", lower);
  t.attribute("transpose", t.coin());
  tensor_trace& a = t.own_operand({n, n}, f32);
  tensor_trace& b = t.own_operand({n, r}, f32);
  for (std::uint64_t i = 0; i < n; ++i) {
    for (std::uint64_t j = 0; j < n; ++j) {
      if (lower ? j <= i : j >= i) a.read(i * n + j);
    }
  }
  b.read_all();
  for (std::uint64_t c = 0; c < r; ++c) substitute(t, n, true);
  t.output({n, r}).write_all();
}

void det(trial& t) {
  const std::uint64_t n = t.size(6);
  t.operand({n, n}).read_all();
  eliminate(t, n);
  t.work(n);
  t.output({}).write_all();
}
void log_det(trial& t) {
  const std::uint64_t n = t.size(6);
  t.operand({n, n}).read_all();
  eliminate(t, n);
  for (std::uint64_t i = 0; i < n; ++i) t.work(2);  // logarithm, sum
  t.output({}).write_all();
}

void qr(trial& t) {
  const std::uint64_t m = t.size(6), n = t.size(6), p = std::min(m, n);
  const bool is_q = t.coin();
  t.attribute("part", is_q ? "Q" : "R");
  t.operand({m, n}).read_all();
  for (std::uint64_t k = 0; k < p; ++k) {
    for (std::uint64_t i = k; i < m; ++i) t.work(2);  // norm
    for (std::uint64_t j = k + 1; j < n; ++j) {
      for (std::uint64_t i = k; i < m; ++i) t.work(4);  // product with the vector, update
    }
  }
  for (std::uint64_t k = p; is_q && k-- > 0;) {
    for (std::uint64_t j = k; j < p; ++j) {
      for (std::uint64_t i = k; i < m; ++i) t.work(4);
    }
  }
  t.output(is_q ? sizes{m, p} : sizes{p, n}).write_all();
}

// Products of three and four matrices, with passes for the divided differences.
void eigh_gradient(trial& t, std::uint64_t batch, bool is_batched) {
  const std::uint64_t n = t.size(5);
  const sizes packed = is_batched ? sizes{batch, n * n + n} : sizes{n * n + n};
  t.operand(packed).read_all();
  t.operand(packed).read_all();
  for (std::uint64_t b = 0; b < batch; ++b) {
    for (int p = 0; p < 3; ++p) t.work(2 * n * n * n);
    for (std::uint64_t i = 0; i < n * n; ++i) t.work(4);  // difference, inverse, product, sum
  }
  t.output(is_batched ? sizes{batch, n, n} : sizes{n, n}).write_all();
}
void eigh_backward(trial& t) { eigh_gradient(t, 1, false); }
void eigh_batch_backward(trial& t) { eigh_gradient(t, t.size(3), true); }

void spectral_backward(trial& t) {
  const std::uint64_t n = t.size(5);
  t.operand({n}).read_all();
  t.operand({n, n}).read_all();
  t.operand({n, n}).read_all();
  for (int p = 0; p < 4; ++p) t.work(2 * n * n * n);
  for (std::uint64_t i = 0; i < n * n; ++i) t.work(6);
  t.output({n, n}).write_all();
}

void bi_map(trial& t) {
  const std::uint64_t m = t.size(), n = t.size();
  tensor_trace& w = t.operand({m, n}, RLX_DTYPE_F64);
  tensor_trace& x = t.operand({n, n}, RLX_DTYPE_F64);
  for (std::uint64_t i = 0; i < m; ++i) {
    for (std::uint64_t j = 0; j < n; ++j) {
      for (std::uint64_t k = 0; k < n; ++k) {
        w.read(i * n + k);
        x.read(k * n + j);
        t.multiply_add(f32);
      }
    }
    for (std::uint64_t j = 0; j < m; ++j) t.multiply_add(f32, n);
  }
  t.output({m, m}, RLX_DTYPE_F64).write_all();
}

void delta_net_backward(trial& t) {
  const std::uint64_t b = t.size(2), s = t.size(3), h = t.size(2), n = t.size(3);
  t.attribute("state_size", n);
  t.attribute("carry_state", false);
  const sizes shape = {b, s, h, n};
  for (int i = 0; i < 3; ++i) t.operand(shape).read_all();
  t.operand({b, s, h}).read_all();
  t.operand({b, s, h}).read_all();
  t.operand(shape).read_all();
  for (std::uint64_t step = 0; step < b * s * h; ++step) {
    t.work(5 * n * n);   // the state again: decay, product, update
    t.work(15 * n * n);  // the reverse sweep
    t.work(6 * n + 2);
  }
  t.output({3 * product(shape) + 2 * b * s * h}).write_all();
}

constexpr oracle table[] = {
    {RLX_KIND_DenseSolve, solve},
    {RLX_KIND_BatchedDenseSolve, batched_solve},
    {RLX_KIND_Cholesky, cholesky},
    {RLX_KIND_TriangularSolve, triangular},
    {RLX_KIND_Det, det},
    {RLX_KIND_LogDet, log_det},
    {RLX_KIND_Qr, qr},
    {RLX_KIND_EighBackward, eigh_backward},
    {RLX_KIND_EighBatchBackward, eigh_batch_backward},
    {RLX_KIND_ReEigBackward, spectral_backward},
    {RLX_KIND_LogEigBackward, spectral_backward},
    {RLX_KIND_BiMap, bi_map},
    {RLX_KIND_GatedDeltaNetBackward, delta_net_backward},
};

}  // namespace

std::span<const oracle> linalg_oracles() { return table; }

}  // namespace opscope::test
