// Shapes that own their dims, and the rule of broadcasting.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "host/graph/graph.hpp"

namespace rlx {

struct owned_shape {
  std::vector<std::uint64_t> dims;
  std::uint64_t dynamic_dims = 0;
  std::uint32_t dtype = 0;

  owned_shape() = default;
  explicit owned_shape(const shape_view& s)
      : dims(s.dims.begin(), s.dims.end()), dynamic_dims{s.dynamic_dims}, dtype{s.dtype} {}
  // All dims static.
  owned_shape(std::vector<std::uint64_t> static_dims, std::uint32_t element_dtype)
      : dims{std::move(static_dims)}, dtype{element_dtype} {}
  shape_view view() const { return {dims, dynamic_dims, dtype}; }
  bool is_dynamic(std::size_t dim) const { return (dynamic_dims >> dim & 1) != 0; }
};

inline bool is_dynamic(const shape_view& s, std::size_t dim) {
  return (s.dynamic_dims >> dim & 1) != 0;
}
// Equal sizes or equal symbols, dtype ignored.
bool same_dims(const shape_view& a, const shape_view& b);

// Right-aligned, missing dims 1. A static 1 gives way to the other; of any other pair with a
// dynamic dim the left one stands. dtype of a. Nothing where two static dims disagree.
std::optional<owned_shape> broadcast(const shape_view& a, const shape_view& b);

}  // namespace rlx
