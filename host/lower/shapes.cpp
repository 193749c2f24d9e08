#include "host/lower/shapes.hpp"

#include <algorithm>

namespace rlx {

bool same_dims(const shape_view& a, const shape_view& b) {
  return a.dynamic_dims == b.dynamic_dims && std::ranges::equal(a.dims, b.dims);
}

std::optional<owned_shape> broadcast(const shape_view& a, const shape_view& b) {
  struct dim {
    std::uint64_t value;
    bool dynamic;
  };
  const std::size_t rank = std::max(a.dims.size(), b.dims.size());
  const auto dim_of = [rank](const shape_view& s, std::size_t i) {
    const std::size_t missing = rank - s.dims.size();
    if (i < missing) return dim{1, false};
    return dim{s.dims[i - missing], is_dynamic(s, i - missing)};
  };
  owned_shape result;
  result.dtype = a.dtype;
  for (std::size_t i = 0; i < rank; ++i) {
    const dim left = dim_of(a, i);
    const dim right = dim_of(b, i);
    dim chosen = left;
    if (!left.dynamic && left.value == 1) {
      chosen = right;
    } else if (!left.dynamic && !right.dynamic && right.value != 1 && left.value != right.value) {
      return std::nullopt;
    }
    result.dims.push_back(chosen.value);
    if (chosen.dynamic) result.dynamic_dims |= std::uint64_t{1} << i;
  }
  return result;
}

}  // namespace rlx
