// A tensor's size in one word, so that a pass measures each tensor once and its readers gather it:
// bytes below 2^48, log2 of the dtype's width, and a mark of the caller's. A tensor without an
// element count, without a width, or larger than that is irregular: to be counted by itself.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <rlx/view.hpp>

namespace opscope {

class tensor_word {
 public:
  static constexpr std::uint64_t mark_bit = std::uint64_t{1} << 62;

  constexpr tensor_word() = default;
  // What was taken from raw().
  explicit constexpr tensor_word(std::uint64_t raw) : raw_{raw} {}

  static constexpr tensor_word irregular() { return tensor_word{irregular_bit}; }
  // `mark` is mark_bit or 0. The node's ranges must lie inside the graph's arrays.
  static tensor_word measure(const rlx_graph_view& graph, const rlx_node& node,
                             std::uint64_t mark = 0) {
    const std::uint64_t* const dims = graph.dims + node.dims_begin;
    std::uint64_t elements = 1;
    std::uint32_t is_irregular = node.dynamic_dims != 0;
    if (node.rank <= 4 && graph.dim_count - node.dims_begin >= 4) [[likely]] {
      // The four dims from there on lie in the array, whosever they are: no loop to predict. Four
      // below 2^16 have a product below 2^64.
      const std::uint64_t a = node.rank > 0 ? dims[0] : 1;
      const std::uint64_t b = node.rank > 1 ? dims[1] : 1;
      const std::uint64_t c = node.rank > 2 ? dims[2] : 1;
      const std::uint64_t d = node.rank > 3 ? dims[3] : 1;
      elements = (a * b) * (c * d);
      if ((a | b | c | d) >= 1u << 16) is_irregular |= multiply(dims, node.rank, elements);
    } else {
      is_irregular |= multiply(dims, node.rank, elements);
    }
    const std::uint64_t width = width_log2[node.dtype < width_log2.size() ? node.dtype : 0];
    is_irregular |= width == no_width;
    is_irregular |= elements > size_mask >> (width & 7);
    if (is_irregular != 0) [[unlikely]]
      return tensor_word{irregular_bit | mark};
    return tensor_word{elements << width | width << width_shift | mark};
  }

  constexpr std::uint64_t raw() const { return raw_; }
  constexpr bool is_regular() const { return (raw_ & irregular_bit) == 0; }
  constexpr bool is_marked() const { return (raw_ & mark_bit) != 0; }
  // 0 where it is irregular.
  constexpr std::uint64_t bytes() const { return raw_ & size_mask; }
  constexpr std::uint64_t elements() const { return bytes() >> ((raw_ >> width_shift) & 7); }

 private:
  static constexpr unsigned width_shift = 48;
  static constexpr std::uint64_t size_mask = (std::uint64_t{1} << width_shift) - 1;
  static constexpr std::uint64_t irregular_bit = std::uint64_t{1} << 63;
  static constexpr std::uint8_t no_width = 0xFF;
  static constexpr auto width_log2 = [] {
    std::array<std::uint8_t, 14> table{};
    table[0] = no_width;
    for (std::uint32_t dtype = 1; dtype < table.size(); ++dtype) {
      table[dtype] = static_cast<std::uint8_t>(std::countr_zero(rlx::dtype_bytes(dtype).value()));
    }
    return table;
  }();
  static_assert(!rlx::dtype_bytes(width_log2.size()), "a dtype was added to the table");
  static_assert(rlx::dtype_bytes(RLX_DTYPE_C128) == 16, "log2 of a width fits three bits");

  // From left to right, as the crate does; whether it left 64 bits on the way.
  static bool multiply(const std::uint64_t* dims, std::uint32_t rank, std::uint64_t& product) {
    bool has_overflowed = false;
    product = 1;
    for (std::uint32_t d = 0; d < rank; ++d) {
      has_overflowed |= __builtin_mul_overflow(product, dims[d], &product);
    }
    return has_overflowed;
  }

  std::uint64_t raw_ = 0;
};

}  // namespace opscope
