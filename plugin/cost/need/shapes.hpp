// Sizes of tensors as numbers to compute with. A dynamic dim is its binding where it has one, else
// unknown (interval) or its symbol (symbolic).
#pragma once

#include <cstdint>
#include <rlx/view.hpp>
#include <span>

#include <opscope/interval.hpp>
#include <opscope/need.hpp>

#include "plugin/cost/need/symbolic.hpp"
#include "plugin/cost/tensor_word.hpp"

namespace opscope::need {

template <class N>
class shapes;

// The size of each node's result (tensor_word), kept since most are asked for once a reader.
using kept_sizes = detail::array<std::uint64_t>;
// Sizes that were measured before, or nothing. They may be marked.
using known_sizes = std::span<const std::uint64_t>;

template <>
class shapes<interval> {
 public:
  // All must outlive it. `kept` is storage that may be used again, for what is not known.
  shapes(const rlx::graph_view& g, const bindings& b, known_sizes known, kept_sizes& kept)
      : graph_{g}, bindings_{b}, known_{known.data()} {
    if (!known.empty()) return;
    kept.resize(g.size());
    known_ = to_measure_ = kept.data();
  }
  const rlx::graph_view& graph() const { return graph_; }

  interval dim(const rlx_node& n, unsigned axis) const {
    const std::uint64_t v = graph_.dims()[n.dims_begin + axis];
    if ((n.dynamic_dims >> axis & 1) == 0) return interval{v};
    const auto bound = bindings_.find(v);
    return bound ? interval{*bound} : interval::unknown();
  }
  // Measures `id`; called once for every node, in order, before its sizes are asked for.
  tensor_word enter(std::uint32_t id, const rlx_node& n) {
    if (to_measure_ == nullptr) return kept(id);
    const tensor_word w = tensor_word::measure(graph_.raw(), n);
    to_measure_[id] = w.raw();
    return w;
  }
  // The size of `id` where it is a regular one.
  tensor_word kept(std::uint32_t id) const { return tensor_word{known_[id]}; }
  interval bytes(std::uint32_t id) const {
    const tensor_word w = kept(id);
    return w.is_regular() ? interval{w.bytes()} : irregular_bytes(id);
  }
  // The result of `id` may have no element.
  bool may_be_empty(std::uint32_t id) const {
    const tensor_word w = kept(id);
    return w.is_regular() ? w.bytes() == 0 : irregular_elements(id).lo() == 0;
  }
  interval elements(std::uint32_t id) const {
    const tensor_word w = kept(id);
    return w.is_regular() ? interval{w.elements()} : irregular_elements(id);
  }

 private:
  __attribute__((noinline)) interval irregular_bytes(std::uint32_t id) const {
    const auto w = rlx::dtype_bytes(graph_.node(id).dtype);
    return irregular_elements(id) * (w ? interval{*w} : interval::unknown());
  }
  __attribute__((noinline)) interval irregular_elements(std::uint32_t id) const {
    const rlx_node& n = graph_.node(id);
    interval product{1};
    for (unsigned a = 0; a < n.rank; ++a) product *= dim(n, a);
    return product;
  }

  const rlx::graph_view& graph_;
  const bindings& bindings_;
  const std::uint64_t* known_;
  std::uint64_t* to_measure_ = nullptr;  // the same, where they are not known yet
};

template <>
class shapes<symbolic> {
 public:
  shapes(const rlx::graph_view& g, const bindings& b) : graph_{g}, bindings_{b} {}
  const rlx::graph_view& graph() const { return graph_; }
  static tensor_word enter(std::uint32_t, const rlx_node&) { return tensor_word::irregular(); }
  static tensor_word kept(std::uint32_t) { return tensor_word::irregular(); }
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
