#include "host/lower/hir/shape.hpp"

#include <optional>

#include "host/error.hpp"

namespace rlx {

namespace {

std::string dim_text(dim d) { return (d.dynamic ? "?" : "") + std::to_string(d.value); }

// The one symbol among x's dynamic dims, else the symbol for rows.
std::uint64_t leftover_symbol(const shape_view& x) {
  std::optional<std::uint64_t> only;
  for (std::size_t i = 0; i < x.dims.size(); ++i) {
    const dim d = dim_of(x, i);
    if (!d.dynamic) continue;
    if (only && *only != d.value) return rows_symbol;
    only = d.value;
  }
  return only.value_or(rows_symbol);
}

void require_axis(const char* what, const shape_view& x, std::size_t axis) {
  if (axis >= x.dims.size()) {
    throw error{std::string{what} + " along axis " + std::to_string(axis) + " of the shape " +
                dims_text(x) + ", which has rank " + std::to_string(x.dims.size())};
  }
}

dim broadcast_dim(dim a, dim b, const shape_view& whole_a, const shape_view& whole_b) {
  constexpr dim one{1, false};
  if (a == one) return b;
  if (b == one || a == b) return a;
  if (!a.dynamic && !b.dynamic) {
    throw error{"the shapes " + dims_text(whole_a) + " and " + dims_text(whole_b) +
                " do not broadcast: " + dim_text(a) + " meets " + dim_text(b)};
  }
  return a;
}

// Appends the broadcast of the first `ranks` dims of each side.
void append_broadcast(shape& out, const shape_view& a, std::size_t a_rank, const shape_view& b,
                      std::size_t b_rank) {
  const std::size_t rank = std::max(a_rank, b_rank);
  for (std::size_t i = 0; i < rank; ++i) {
    const auto aligned = [&](const shape_view& s, std::size_t s_rank) {
      return i + s_rank < rank ? dim{1, false} : dim_of(s, i + s_rank - rank);
    };
    out.push_back(broadcast_dim(aligned(a, a_rank), aligned(b, b_rank), a, b));
  }
}

}  // namespace

shape::shape(std::initializer_list<std::uint64_t> dims, std::uint32_t dtype) : dtype_{dtype} {
  for (const std::uint64_t d : dims) push_back({d, false});
}

shape::shape(const shape_view& v) : dtype_{v.dtype} {
  for (std::size_t i = 0; i < v.dims.size(); ++i) push_back(dim_of(v, i));
}

void shape::set(std::size_t i, dim d) {
  values_[i] = d.value;
  const std::uint64_t bit = std::uint64_t{1} << i;
  dynamic_dims_ = d.dynamic ? dynamic_dims_ | bit : dynamic_dims_ & ~bit;
}

void shape::push_back(dim d) {
  if (values_.size() == RLX_MAX_RANK) {
    throw error{"a shape would have more than " + std::to_string(RLX_MAX_RANK) + " dims"};
  }
  values_.push_back(0);
  set(values_.size() - 1, d);
}

std::string dims_text(const shape_view& s) {
  std::string text = "[";
  for (std::size_t i = 0; i < s.dims.size(); ++i) {
    if (i != 0) text += ", ";
    text += dim_text(dim_of(s, i));
  }
  return text + "]";
}

shape broadcast_shape(const shape_view& a, const shape_view& b) {
  shape out{a.dtype};
  append_broadcast(out, a, a.dims.size(), b, b.dims.size());
  return out;
}

shape matmul_shape(const shape_view& a, const shape_view& b) {
  const std::size_t a_rank = a.dims.size();
  const std::size_t b_rank = b.dims.size();
  const auto pair = [&] { return dims_text(a) + " and " + dims_text(b); };
  if (a_rank < 2 || b_rank < 2) {
    throw error{"a matmul of the shapes " + pair() + ": both need rank 2 or more"};
  }
  const dim inner_a = dim_of(a, a_rank - 1);
  const dim inner_b = dim_of(b, b_rank - 2);
  if (inner_a.dynamic == inner_b.dynamic && inner_a.value != inner_b.value) {
    throw error{"a matmul of the shapes " + pair() + ": the inner dims " + dim_text(inner_a) +
                " and " + dim_text(inner_b) + " differ"};
  }
  shape out{a.dtype};
  // Where one side has no batch dims this is the other side's: missing dims count as 1.
  append_broadcast(out, a, a_rank - 2, b, b_rank - 2);
  out.push_back(dim_of(a, a_rank - 2));
  out.push_back(dim_of(b, b_rank - 1));
  return out;
}

shape reshape_shape(const shape_view& x, std::span<const std::int64_t> new_shape) {
  shape out{x.dtype};
  std::optional<std::size_t> open;
  std::uint64_t others = 1;
  bool fits = true;
  for (std::size_t i = 0; i < new_shape.size(); ++i) {
    const std::int64_t entry = new_shape[i];
    if (entry < -1 || (entry == -1 && open)) {
      throw error{"a reshape of " + dims_text(x) + " asks for " +
                  (entry == -1 ? "more than one -1" : "the dim " + std::to_string(entry))};
    }
    if (entry == -1) {
      open = i;
      out.push_back({0, false});
      continue;
    }
    const auto size = static_cast<std::uint64_t>(entry);
    fits = fits && !__builtin_mul_overflow(others, size, &others);
    out.push_back({size, false});
  }
  if (!open) return out;
  if (x.dynamic_dims != 0) {
    out.set(*open, {leftover_symbol(x), true});
    return out;
  }
  const auto elements = element_count(x);
  if (!elements || !fits || others == 0) {
    throw error{"a reshape of " + dims_text(x) + " to " + dims_text(out.view()) +
                " (0 stands for -1) " +
                (others == 0 && fits ? "divides by zero" : "passes 2^64 elements")};
  }
  out.set(*open, {*elements / others, false});
  return out;
}

shape narrow_shape(const shape_view& x, std::size_t axis, std::uint64_t len) {
  require_axis("a narrow", x, axis);
  shape out{x};
  out.set(axis, {len, false});
  return out;
}

shape concat_shape(std::span<const shape_view> operands, std::size_t axis) {
  if (operands.empty()) throw error{"a concat of no operands"};
  const shape_view& first = operands.front();
  require_axis("a concat", first, axis);
  std::uint64_t sum = 0;
  std::optional<std::uint64_t> symbol;
  for (const shape_view& operand : operands) {
    if (operand.dims.size() != first.dims.size()) {
      throw error{"a concat of the shapes " + dims_text(first) + " and " + dims_text(operand) +
                  ", whose ranks differ"};
    }
    const dim d = dim_of(operand, axis);
    if (!d.dynamic) {
      if (__builtin_add_overflow(sum, d.value, &sum)) {
        throw error{"a concat along axis " + std::to_string(axis) + " that passes 2^64"};
      }
    } else if (symbol && *symbol != d.value) {
      throw error{"a concat along axis " + std::to_string(axis) + " of the dynamic dims ?" +
                  std::to_string(*symbol) + " and ?" + std::to_string(d.value)};
    } else {
      symbol = d.value;
    }
  }
  shape out{first};
  out.set(axis, symbol ? dim{*symbol, true} : dim{sum, false});
  return out;
}

shape gather_shape(const shape_view& table, const shape_view& indices, std::size_t axis) {
  require_axis("a gather", table, axis);
  shape out{indices};
  out.set_dtype(table.dtype);
  for (std::size_t i = axis + 1; i < table.dims.size(); ++i) out.push_back(dim_of(table, i));
  return out;
}

shape transpose_shape(const shape_view& x, std::span<const std::uint64_t> perm) {
  shape out{x.dtype};
  for (const std::uint64_t p : perm) {
    require_axis("a transpose", x, p);
    out.push_back(dim_of(x, p));
  }
  return out;
}

}  // namespace rlx
