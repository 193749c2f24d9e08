// Sizes of tensors as numbers to compute with. A dynamic dim is its binding where it has one, else
// unknown (interval) or its symbol (symbolic).
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <rlx/view.hpp>
#include <span>
#include <vector>

#include <opscope/interval.hpp>
#include <opscope/need.hpp>

#include "plugin/cost/need/symbolic.hpp"

namespace opscope::need {

template <class N>
class shapes;

// The sizes of each node's result, kept since most are asked for once a reader.
struct kept_sizes {
  detail::array<std::uint64_t> elements;
  detail::array<std::uint64_t> bytes;
};

template <>
class shapes<interval> {
 public:
  // All must outlive it. `kept` is storage that may be used again.
  shapes(const rlx::graph_view& g, const bindings& b, kept_sizes& kept)
      : graph_{g}, bindings_{b}, kept_{kept} {
    kept_.elements.resize(g.size());
    kept_.bytes.resize(g.size());
  }
  const rlx::graph_view& graph() const { return graph_; }

  interval dim(const rlx_node& n, unsigned axis) const {
    const std::uint64_t v = graph_.dims()[n.dims_begin + axis];
    if ((n.dynamic_dims >> axis & 1) == 0) return interval{v};
    const auto bound = bindings_.find(v);
    return bound ? interval{*bound} : interval::unknown();
  }
  // Measures `id`; called once for every node, in order, before its sizes are asked for.
  void enter(std::uint32_t id, const rlx_node& n) {
    std::uint64_t product = 1;
    bool is_kept = n.dynamic_dims == 0;
    const std::uint64_t* const dims = graph_.dims().data() + n.dims_begin;
    for (unsigned a = 0; a < n.rank; ++a) {
      is_kept = !__builtin_mul_overflow(product, dims[a], &product) && is_kept;
    }
    std::uint64_t size = 0;
    const std::uint64_t width = n.dtype < widths.size() ? widths[n.dtype] : 0;
    const bool has_size = is_kept && width != 0 && !__builtin_mul_overflow(product, width, &size);
    kept_.elements[id] = is_kept ? product : not_kept;
    kept_.bytes[id] = has_size ? size : not_kept;
  }
  // The bytes of `id`, or not_kept where they are not known or beyond 64 bits.
  static constexpr std::uint64_t not_kept = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t kept_bytes(std::uint32_t id) const { return kept_.bytes[id]; }
  interval bytes(std::uint32_t id) const {
    const std::uint64_t b = kept_.bytes[id];
    if (b != not_kept) return interval{b};
    const auto w = rlx::dtype_bytes(graph_.node(id).dtype);
    return elements(id) * (w ? interval{*w} : interval::unknown());
  }
  // The result of `id` may have no element.
  bool may_be_empty(std::uint32_t id) const { return elements(id).lo() == 0; }
  interval elements(std::uint32_t id) const {
    const std::uint64_t e = kept_.elements[id];
    if (e != not_kept) return interval{e};
    const rlx_node& n = graph_.node(id);
    interval product{1};
    for (unsigned a = 0; a < n.rank; ++a) product *= dim(n, a);
    return product;
  }

 private:
  // Bytes of an element, by dtype; 0 where it is not listed.
  static constexpr auto widths = [] {
    std::array<std::uint64_t, 32> table{};
    for (std::uint32_t d = 0; d < table.size(); ++d) table[d] = rlx::dtype_bytes(d).value_or(0);
    return table;
  }();
  const rlx::graph_view& graph_;
  const bindings& bindings_;
  kept_sizes& kept_;
};

template <>
class shapes<symbolic> {
 public:
  shapes(const rlx::graph_view& g, const bindings& b) : graph_{g}, bindings_{b} {}
  const rlx::graph_view& graph() const { return graph_; }
  void enter(std::uint32_t, const rlx_node&) {}
  static constexpr std::uint64_t not_kept = std::numeric_limits<std::uint64_t>::max();
  static std::uint64_t kept_bytes(std::uint32_t) { return not_kept; }
  symbolic bytes(std::uint32_t id) const {
    const auto w = rlx::dtype_bytes(graph_.node(id).dtype);
    return elements(id) * (w ? symbolic{*w} : symbolic::unknown());
  }
  // Never, as symbols are at least 1, but for a static 0.
  bool may_be_empty(std::uint32_t id) const { return elements(id).lo().is_zero(); }

  symbolic dim(const rlx_node& n, unsigned axis) const {
    const std::uint64_t v = graph_.dims()[n.dims_begin + axis];
    if ((n.dynamic_dims >> axis & 1) == 0) return symbolic{v};
    const auto bound = bindings_.find(v);
    return bound ? symbolic{*bound} : symbolic::symbol(v);
  }
  symbolic elements(std::uint32_t id) const {
    const rlx_node& n = graph_.node(id);
    symbolic product{1};
    for (unsigned a = 0; a < n.rank; ++a) product *= dim(n, a);
    return product;
  }

 private:
  const rlx::graph_view& graph_;
  const bindings& bindings_;
};

}  // namespace opscope::need
