// Sizes of tensors as numbers to compute with. A dynamic dim is its binding where it has one, else
// unknown (interval) or its symbol (symbolic).
#pragma once

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

// Keeps each node's element count, since most are asked for once a reader.
template <>
class shapes<interval> {
 public:
  // Both must outlive it. `elements` is storage that may be used again.
  shapes(const rlx::graph_view& g, const bindings& b, std::vector<std::uint64_t>& elements)
      : graph_{g}, bindings_{b}, elements_{elements} {
    elements_.resize(g.size());
  }
  const rlx::graph_view& graph() const { return graph_; }

  interval dim(const rlx_node& n, unsigned axis) const {
    const std::uint64_t v = graph_.dims()[n.dims_begin + axis];
    if ((n.dynamic_dims >> axis & 1) == 0) return interval{v};
    const auto bound = bindings_.find(v);
    return bound ? interval{*bound} : interval::unknown();
  }
  // Counts the elements of `id`; called once for every node, in order, before they are asked for.
  void enter(std::uint32_t id) {
    const rlx_node& n = graph_.node(id);
    std::uint64_t product = 1;
    if (n.dynamic_dims == 0) {
      const std::uint64_t* dims = graph_.dims().data() + n.dims_begin;
      for (unsigned a = 0; a < n.rank; ++a) {
        if (__builtin_mul_overflow(product, dims[a], &product)) {
          elements_[id] = not_kept;
          return;
        }
      }
      elements_[id] = product;
    } else {
      elements_[id] = not_kept;
    }
  }
  interval elements(std::uint32_t id) const {
    const std::uint64_t e = elements_[id];
    if (e != not_kept) return interval{e};
    const rlx_node& n = graph_.node(id);
    interval product{1};
    for (unsigned a = 0; a < n.rank; ++a) product *= dim(n, a);
    return product;
  }

 private:
  static constexpr std::uint64_t not_kept = std::numeric_limits<std::uint64_t>::max();
  const rlx::graph_view& graph_;
  const bindings& bindings_;
  std::vector<std::uint64_t>& elements_;
};

template <>
class shapes<symbolic> {
 public:
  shapes(const rlx::graph_view& g, const bindings& b) : graph_{g}, bindings_{b} {}
  const rlx::graph_view& graph() const { return graph_; }
  void enter(std::uint32_t) {}

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
