// Walking over row-major tensors.
#pragma once

#include <algorithm>

#include "tests/need/oracle/trial.hpp"

namespace opscope::test {

inline std::uint64_t flat(const sizes& shape, const sizes& at) {
  std::uint64_t i = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) i = i * shape[d] + at[d];
  return i;
}

// f(index) for every index of the shape, in order.
template <class F>
void each(const sizes& shape, F f) {
  if (product(shape) == 0) return;
  sizes at(shape.size(), 0);
  while (true) {
    f(at);
    std::size_t d = shape.size();
    while (d > 0 && ++at[d - 1] == shape[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}

// The element of a tensor of `shape` that stands for index `at` of the shape it is broadcast to.
inline std::uint64_t broadcast_at(const sizes& shape, const sizes& at) {
  std::uint64_t i = 0;
  const std::size_t skipped = at.size() - shape.size();
  for (std::size_t d = 0; d < shape.size(); ++d) {
    i = i * shape[d] + (shape[d] == 1 ? 0 : at[d + skipped]);
  }
  return i;
}

// A shape that broadcasts to `to`.
inline sizes broadcastable(trial& t, const sizes& to) {
  sizes s(to.begin() + static_cast<std::ptrdiff_t>(t.coin(0.3) ? t.between(0, to.size()) : 0),
          to.end());
  for (std::uint64_t& d : s) {
    if (d != 0 && t.coin(0.3)) d = 1;
  }
  return s;
}

// Reads all of operand i with `price` operations an element.
inline void pass_over(trial& t, tensor_trace& x, std::uint64_t price) {
  for (std::uint64_t i = 0; i < x.size(); ++i) {
    x.read(i);
    t.operations(price, x.dtype);
  }
}

}  // namespace opscope::test
