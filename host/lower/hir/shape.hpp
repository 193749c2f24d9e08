// Shape inference of RLX 0.2.2, as far as lowering needs it: what broadcast, matmul, reshape and
// the like make of their operands' declared shapes. Pure; a shape that cannot be is an rlx::error
// that names the operation and the shapes.
#pragma once

#include <boost/container/static_vector.hpp>

#include <cstdint>
#include <span>
#include <string>

#include "host/graph/graph.hpp"

namespace rlx {

// The symbol that stands for a product of dims that has no symbol of its own.
inline constexpr std::uint64_t rows_symbol = 2;

struct dim {
  std::uint64_t value;  // the size, or the symbol where dynamic
  bool dynamic = false;
  friend bool operator==(const dim&, const dim&) = default;
};

// A shape that owns its dims; never allocates.
class shape {
 public:
  explicit shape(std::uint32_t dtype) : dtype_{dtype} {}
  shape(std::initializer_list<std::uint64_t> dims, std::uint32_t dtype);
  shape(const shape_view& v);  // NOLINT(google-explicit-constructor): every view is a shape

  std::uint32_t dtype() const { return dtype_; }
  void set_dtype(std::uint32_t dtype) { dtype_ = dtype; }
  std::size_t rank() const { return values_.size(); }
  dim operator[](std::size_t i) const { return {values_[i], (dynamic_dims_ >> i & 1) != 0}; }
  void set(std::size_t i, dim d);
  // Throws rlx::error beyond RLX_MAX_RANK.
  void push_back(dim d);
  bool is_static() const { return dynamic_dims_ == 0; }
  // Valid while the shape lives and is not changed.
  shape_view view() const { return {{values_.data(), values_.size()}, dynamic_dims_, dtype_}; }

 private:
  boost::container::static_vector<std::uint64_t, RLX_MAX_RANK> values_;
  std::uint64_t dynamic_dims_ = 0;
  std::uint32_t dtype_;
};

inline dim dim_of(const shape_view& s, std::size_t i) {
  return {s.dims[i], (s.dynamic_dims >> i & 1) != 0};
}

// `[4, ?0, 8]`, a dynamic dim as `?symbol`.
std::string dims_text(const shape_view& s);

// Right-aligned, missing dims 1; dtype of a.
shape broadcast_shape(const shape_view& a, const shape_view& b);
// Batch dims broadcast, then [a's second last, b's last]; dtype of a. Ranks are at least 2.
shape matmul_shape(const shape_view& a, const shape_view& b);
// At most one -1, which takes what is left of x's elements. Nothing checks that the counts agree.
shape reshape_shape(const shape_view& x, std::span<const std::int64_t> new_shape);
// No bounds check on the length, as in the original.
shape narrow_shape(const shape_view& x, std::size_t axis, std::uint64_t len);
// At least one operand; dims other than the axis and the dtype come from the first.
shape concat_shape(std::span<const shape_view> operands, std::size_t axis);
// The indices' dims, then the table's dims after the axis; the table's dtype.
shape gather_shape(const shape_view& table, const shape_view& indices, std::size_t axis);
// perm is a permutation of x's dims.
shape transpose_shape(const shape_view& x, std::span<const std::uint64_t> perm);

}  // namespace rlx
