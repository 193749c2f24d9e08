// Evaluates one graph: the figures of each node in order, and what the node that holds the graph
// must know of it. N is interval or symbolic, as in site.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <rlx/view.hpp>
#include <span>
#include <string_view>
#include <vector>

#include <opscope/need.hpp>

#include "plugin/cost/need/details.hpp"
#include "plugin/cost/need/site.hpp"
#include "plugin/cost/need/table.hpp"

namespace opscope::need {

template <class N>
struct node_figures {
  N read;
  N written;
  N weights;
  N work;
  N contraction;
  N int_ops;

  static node_figures of(const exact_need& x) {
    return {N{x.read}, N{x.written}, N{x.weights}, N{x.work}, N{x.contraction}, N{x.int_ops}};
  }
};

enum class outcome : std::uint8_t {
  nothing,
  exact,    // told as exact_need
  known,    // told as node_figures, as far as intervals say
  unknown,  // told as node_figures, none of which is known
};

// A part of an operand that a node needs, where that is not all of it.
template <class N>
struct partial_read {
  std::uint32_t node;
  std::uint32_t operand;  // position
  N bytes;
};

// What a node moves that is neither an operand nor its output.
template <class N>
struct beside {
  std::uint32_t node;
  N read;     // leaves of graphs nested in it
  N written;  // operands that it overwrites
};

enum node_flag : std::uint8_t {
  invariant_flag = 1,
  weight_flag = 2,
  view_flag = 4,
  leaf_flag = 8,
};

// Storage of an evaluation, kept from graph to graph.
template <class N>
struct evaluation_storage {
  kept_sizes sizes;
  std::vector<std::uint8_t> flags;  // by node
  std::vector<partial_read<N>> partial;
  std::vector<beside<N>> apart;
  std::vector<const need::details*> slicers;  // of each node that slices, in order
  details_cache details;
};

inline shapes<interval> make_shapes(const rlx::graph_view& g, const bindings& b, known_sizes known,
                                    evaluation_storage<interval>& s) {
  return {g, b, known, s.sizes};
}
inline shapes<symbolic> make_shapes(const rlx::graph_view& g, const bindings& b, known_sizes,
                                    evaluation_storage<symbolic>&) {
  return {g, b};
}

// The need of a graph nested `depth` deep in others.
template <class N>
body_need<N> evaluate_body(const rlx_graph_view& graph, const bindings& bound, unsigned depth);

template <class N>
class evaluator {
 public:
  // All must outlive it.
  evaluator(const rlx::graph_view& g, const bindings& bound, evaluation_storage<N>& storage,
            unsigned depth, known_sizes known = {})
      : graph_{g},
        bindings_{bound},
        storage_{storage},
        shapes_{make_shapes(g, bound, known, storage)},
        site_{shapes_, storage.details},
        depth_{depth} {
    storage.flags.assign(g.size(), 0);
    storage.partial.clear();
    storage.apart.clear();
    storage.slicers.clear();
    storage.details.restart(g);
  }

  const rlx::graph_view& graph() const { return graph_; }
  const shapes<N>& sizes() const { return shapes_; }
  std::uint8_t flags(std::uint32_t id) const { return storage_.flags[id]; }
  std::span<const partial_read<N>> partial() const { return storage_.partial; }
  std::span<const beside<N>> apart() const { return storage_.apart; }
  bool is_repeatable() const { return is_repeatable_; }
  N bytes(std::uint32_t id) const { return shapes_.bytes(id); }

  // The next node in order. `nothing` where it needs nothing (a leaf, a view); else one of the two
  // is filled.
  outcome evaluate(std::uint32_t id, exact_need& x, node_figures<N>& f);
  // Where `slices` nodes cut, in order, so that the walk back need not read their cold records.
  std::span<const details* const> slicers() const { return storage_.slicers; }
  // Why the node just evaluated is unknown. The text is constant.
  const char* reason() const { return site_.reason(); }

 private:
  struct operand_range {
    std::uint32_t root;
    std::uint32_t position;
  };

  bool holds_graphs(const rlx_node& n) const {
    return (n.kind >= RLX_KIND_If && n.kind <= RLX_KIND_CustomFn) || !rlx::is_listed_kind(n.kind);
  }
  void evaluate_bodies(std::uint32_t id);
  outcome apply_formula(std::uint32_t id, const entry& e, std::uint8_t common, node_figures<N>& f);
  N needed(unsigned i) { return site_.is_tracked(i) ? site_.tracked(i) : site_.bytes(i); }
  void sum_reads(const rlx_node& n, node_figures<N>& f);
  // The usual node: a closed form, over operands and an output of regular sizes. False where it is
  // not.
  bool apply_closed(const rlx_node& n, const closed_form& form, tensor_word own,
                    std::uint8_t& common, exact_need& x);
  struct whole_reads {
    std::uint64_t bytes = 0;
    std::uint64_t weights = 0;
    std::uint8_t common = 0;  // flags that all operands have
  };
  // The usual case of sum_reads: operands that are read whole, of regular sizes, each in storage of
  // its own or named again in a row. False where it is not.
  bool sum_whole_reads(const rlx_node& n, whole_reads& sum) const;
  void add_read(N bytes, std::uint32_t operand, node_figures<N>& f) {
    f.read += bytes;
    if ((storage_.flags[operand] & weight_flag) != 0) f.weights += bytes;
  }
  N read_of_one_root(std::span<const operand_range> group);
  std::optional<interval> union_of(std::span<const operand_range> group, bool whole_only);

  const rlx::graph_view& graph_;
  const bindings& bindings_;
  evaluation_storage<N>& storage_;
  shapes<N> shapes_;
  site<N> site_;
  unsigned depth_;
  bool is_repeatable_ = true;
  std::vector<std::optional<body_need<N>>> bodies_;
  std::vector<operand_range> ranges_;
};

template <class N>
void evaluator<N>::evaluate_bodies(std::uint32_t id) {
  bodies_.clear();
  for (const rlx_nested_graph& nested : graph_.nested(id)) {
    const std::string_view role = rlx::text(nested.role);
    // Gradient rules of a function that runs forward are not run.
    if (depth_ >= RLX_MAX_GRAPH_DEPTH || role == "vjp_body" || role == "jvp_body") {
      bodies_.emplace_back();
    } else {
      bodies_.push_back(evaluate_body<N>(*nested.graph, bindings_, depth_ + 1));
    }
  }
}

template <class N>
__attribute__((always_inline)) inline outcome evaluator<N>::evaluate(std::uint32_t id,
                                                                     exact_need& x,
                                                                     node_figures<N>& f) {
  const rlx_node& n = graph_.node(id);
  const tensor_word own = shapes_.enter(id, n);
  const entry& e = entry_of(n.kind);
  std::uint8_t* const flags = storage_.flags.data();
  if ((e.traits & leaf) != 0) {
    flags[id] = n.kind == RLX_KIND_Input ? leaf_flag : leaf_flag | invariant_flag | weight_flag;
    return outcome::nothing;
  }
  const std::uint32_t* const inputs = graph_.inputs().data() + n.inputs_begin;
  if ((e.traits & slices) != 0) storage_.slicers.push_back(&storage_.details.of(id));
  if (n.view_root == id && own.bytes() != 0) {  // regular, not empty
    if ((e.traits & slices) != 0 && n.input_count == 1) {
      // A run of its operand is read and written. They are many after lowering.
      const std::uint8_t common = flags[inputs[0]] & (invariant_flag | weight_flag);
      flags[id] = common;
      x = {own.bytes(), own.bytes(), (common & weight_flag) != 0 ? own.bytes() : 0, 0, 0, 0};
      return outcome::exact;
    }
    std::uint8_t common = 0;
    if (apply_closed(n, e.apply->form, own, common, x)) {
      flags[id] = (e.traits & carries_weights) != 0 ? common : common & invariant_flag;
      return outcome::exact;
    }
  }
  std::uint8_t common = n.input_count != 0 ? invariant_flag | weight_flag : 0;
  for (std::uint32_t i = 0; i < n.input_count; ++i) common &= flags[inputs[i]];
  if ((e.traits & carries_weights) == 0) common &= static_cast<std::uint8_t>(~weight_flag);
  if (n.view_root != id && (e.traits & moves_in_view) == 0) {
    flags[id] = common | view_flag;
    return outcome::nothing;
  }
  return apply_formula(id, e, common, f);
}

template <class N>
__attribute__((always_inline)) inline bool evaluator<N>::apply_closed(const rlx_node& n,
                                                                      const closed_form& form,
                                                                      tensor_word own,
                                                                      std::uint8_t& common,
                                                                      exact_need& x) {
  if (!form.is_set || n.input_count < form.least_operands) return false;
  whole_reads reads;
  if (!sum_whole_reads(n, reads)) return false;
  std::uint64_t work = 0;
  std::uint64_t contraction = 0;
  std::uint64_t int_ops = 0;
  if (form.per != closed_form::elements::none) {
    // A form of elements has an operand 0, of regular size as all are.
    const std::uint32_t first = graph_.inputs()[n.inputs_begin];
    const rlx_node& operand = graph_.node(first);
    std::uint64_t count = own.elements();
    const bool is_contraction = form.per == closed_form::elements::contraction;
    if (is_contraction) {
      if (operand.rank == 0) return false;
      const std::uint64_t k = graph_.dims()[operand.dims_begin + operand.rank - 1];
      constexpr std::uint64_t most = std::uint64_t{1} << 62;
      if (__builtin_mul_overflow(count, k, &count) || count >= most) return false;
      count *= 2;
    } else {
      if (form.per == closed_form::elements::of_operand) count = shapes_.kept(first).elements();
      count *= form.price;  // below 2^56
    }
    switch (class_of(operand.dtype)) {
      case number_class::floating:
        work = count;
        contraction = is_contraction ? count : 0;
        break;
      case number_class::integer:
        int_ops = count;
        break;
      default:
        return false;
    }
  }
  common = reads.common;
  x = {reads.bytes, own.bytes(), reads.weights, work, contraction, int_ops};
  return true;
}

template <class N>
__attribute__((noinline)) outcome evaluator<N>::apply_formula(std::uint32_t id, const entry& e,
                                                              std::uint8_t common,
                                                              node_figures<N>& f) {
  const rlx_node& n = graph_.node(id);
  const bool is_view = n.view_root != id;
  site_.restart(id);
  if (holds_graphs(n)) {
    evaluate_bodies(id);
    site_.attach(bodies_.data(), bodies_.size());
    for (const auto& b : bodies_) {
      if (b && !b->is_repeatable) site_.breaks_invariance();
    }
  }
  if constexpr (std::is_same_v<N, interval>) {
    e.apply->figures(site_);
  } else {
    e.apply->expressions(site_);
  }
  if (site_.is_invariance_broken()) {
    is_repeatable_ = false;
    common = 0;
  }
  storage_.flags[id] = static_cast<std::uint8_t>(common | (is_view ? view_flag : 0));
  if (site_.reason() == nullptr) {
    const bool is_plain = !site_.tracks_any() && !site_.has_extra_reads();
    whole_reads reads;
    if (is_plain && sum_whole_reads(n, reads)) {
      f.read = N{reads.bytes};
      f.weights = N{reads.weights};
    } else {
      f.read = N{};
      f.weights = N{};
      sum_reads(n, f);
    }
    f.written = site_.written();
    f.work = site_.booked_work();
    f.contraction = site_.booked_contraction();
    f.int_ops = site_.booked_int_ops();
  }
  // Summing up may find an operand missing.
  if (site_.reason() != nullptr) {
    f.read = f.written = f.weights = f.work = f.contraction = f.int_ops = N::unknown();
    return outcome::unknown;
  }

  // Nothing needs to happen for an empty result.
  const bool may_be_empty = shapes_.may_be_empty(id);
  if (may_be_empty && shapes_.elements(id).is_zero()) {
    f.read = f.written = f.weights = f.work = f.contraction = f.int_ops = N{};
  } else if (may_be_empty) {
    for (N* v : {&f.read, &f.written, &f.weights, &f.work, &f.contraction, &f.int_ops}) {
      *v = from_to(N{}, *v);
    }
  }
  const bool is_in_place = is_view && !f.written.is_zero();
  if (is_in_place || !site_.extra_read().is_zero() || !site_.side_written().is_zero()) {
    const N written = is_in_place ? f.written : site_.side_written();
    const bool is_sure = !may_be_empty;
    storage_.apart.push_back({id, is_sure ? site_.extra_read() : from_to(N{}, site_.extra_read()),
                              is_sure ? written : from_to(N{}, written)});
  }
  // Of runs the flow knows more: where they lie.
  if (site_.tracks_any() && (e.traits & slices) == 0) {
    for (unsigned i = 0; i < std::min(n.input_count, site<N>::max_tracked); ++i) {
      if (site_.is_tracked(i)) storage_.partial.push_back({id, i, site_.tracked(i)});
    }
  }
  return outcome::known;
}

template <class N>
inline bool evaluator<N>::sum_whole_reads(const rlx_node& n, whole_reads& sum) const {
  constexpr std::uint32_t few = 4;
  const std::uint32_t* const inputs = graph_.inputs().data() + n.inputs_begin;
  const std::uint8_t* const flags = storage_.flags.data();
  std::uint32_t roots[few];
  std::uint32_t last_id = UINT32_MAX;
  std::uint32_t last_root = 0;
  std::uint8_t common = n.input_count != 0 ? invariant_flag | weight_flag : 0;
  for (std::uint32_t i = 0; i < n.input_count; ++i) {
    const std::uint32_t id = inputs[i];
    if (id == last_id) {
      if (i < few) roots[i] = last_root;
      continue;
    }
    const std::uint8_t its = flags[id];
    common &= its;
    const std::uint32_t root = (its & view_flag) != 0 ? graph_.node(id).view_root : id;
    if (n.input_count <= few) {
      for (std::uint32_t j = 0; j < i; ++j) {
        if (roots[j] == root) return false;
      }
      roots[i] = root;
    } else if (i != 0 && root <= last_root) {
      return false;
    }
    last_id = id;
    last_root = root;
    const tensor_word size = shapes_.kept(id);
    if (!size.is_regular() || __builtin_add_overflow(sum.bytes, size.bytes(), &sum.bytes)) {
      return false;
    }
    if ((its & weight_flag) != 0) sum.weights += size.bytes();
  }
  sum.common = common;
  // 2^64-1 stands for more.
  return sum.bytes != UINT64_MAX;
}

template <class N>
void evaluator<N>::sum_reads(const rlx_node& n, node_figures<N>& f) {
  const std::uint32_t* inputs = graph_.inputs().data() + n.inputs_begin;
  const auto root = [&](std::uint32_t i) { return graph_.node(inputs[i]).view_root; };
  bool are_apart = true;
  if (n.input_count <= 4) {
    for (std::uint32_t i = 1; i < n.input_count; ++i) {
      for (std::uint32_t j = 0; j < i; ++j) are_apart = are_apart && root(i) != root(j);
    }
  } else {
    ranges_.clear();
    for (std::uint32_t i = 0; i < n.input_count; ++i) ranges_.push_back({root(i), i});
    std::sort(ranges_.begin(), ranges_.end(), [](const operand_range& a, const operand_range& b) {
      return a.root != b.root ? a.root < b.root : a.position < b.position;
    });
    are_apart = std::adjacent_find(ranges_.begin(), ranges_.end(),
                                   [](const operand_range& a, const operand_range& b) {
                                     return a.root == b.root;
                                   }) == ranges_.end();
  }
  if (are_apart) {
    for (std::uint32_t i = 0; i < n.input_count; ++i) add_read(needed(i), inputs[i], f);
  } else {
    if (n.input_count <= 4) {
      ranges_.clear();
      for (std::uint32_t i = 0; i < n.input_count; ++i) ranges_.push_back({root(i), i});
      std::sort(ranges_.begin(), ranges_.end(), [](const operand_range& a, const operand_range& b) {
        return a.root != b.root ? a.root < b.root : a.position < b.position;
      });
    }
    for (std::size_t at = 0; at < ranges_.size();) {
      std::size_t end = at + 1;
      while (end < ranges_.size() && ranges_[end].root == ranges_[at].root) ++end;
      const std::span<const operand_range> group{ranges_.data() + at, end - at};
      add_read(group.size() == 1 ? needed(group[0].position) : read_of_one_root(group),
               inputs[group[0].position], f);
      at = end;
    }
  }
  if (site_.is_tail_uncertain()) f.read = from_to(N{}, f.read);
  f.read += site_.extra_read();
  f.weights += site_.extra_read();
  if (site_.has_read_limit()) {
    const N least = maximum(f.read, site_.read_limit());
    const N most = minimum(f.read, site_.read_limit());
    f.read = from_to(least, most.is_bounded() ? most : f.read);
    const N limited = minimum(f.weights, f.read);
    if (limited.is_bounded()) f.weights = limited;
  }
}

// The bytes that the group's ranges cover together, where all offsets and sizes are known.
template <class N>
std::optional<interval> evaluator<N>::union_of(std::span<const operand_range> group,
                                               bool whole_only) {
  const std::uint32_t node = site_.id();
  const auto inputs = graph_.inputs(graph_.node(node));
  std::vector<std::pair<std::uint64_t, std::uint64_t>> covered;
  for (const operand_range& r : group) {
    if (site_.is_tracked(r.position) && (whole_only || site_.tracked(r.position).is_zero())) {
      continue;
    }
    const std::uint32_t operand = inputs[r.position];
    const auto size = bytes(operand).exact();
    const bool is_root = operand == r.root;
    const std::uint64_t begin = is_root ? 0 : graph_.info(operand).view_byte_offset;
    std::uint64_t end = 0;
    if (!size || begin == RLX_UNKNOWN || __builtin_add_overflow(begin, *size, &end)) {
      return std::nullopt;
    }
    covered.emplace_back(begin, end);
  }
  std::sort(covered.begin(), covered.end());
  std::uint64_t sum = 0;
  std::uint64_t reached = 0;
  for (const auto& [begin, end] : covered) {
    const std::uint64_t from = std::max(begin, reached);
    if (end > from) {
      sum += end - from;
      reached = end;
    }
  }
  return interval{sum};
}

template <class N>
N evaluator<N>::read_of_one_root(std::span<const operand_range> group) {
  const auto inputs = graph_.inputs(graph_.node(site_.id()));
  const std::uint32_t first = inputs[group[0].position];
  bool is_one_node = true;
  bool is_some_whole = false;
  N most;
  N least;
  for (const operand_range& r : group) {
    is_one_node = is_one_node && inputs[r.position] == first;
    is_some_whole = is_some_whole || !site_.is_tracked(r.position);
    const N v = needed(r.position);
    most += v;
    least = r.position == group[0].position ? v : maximum(least, v);
  }
  if (is_one_node) {
    const N whole = bytes(first);
    if (is_some_whole) return whole;
    const N capped = minimum(most, whole);
    return from_to(least, capped.is_bounded() ? capped : whole);
  }
  const auto all = union_of(group, false);
  const auto surely = union_of(group, true);
  if (all && surely && all->exact() && surely->exact()) {
    const N cover{*all->exact()};
    return from_to(maximum(least, N{*surely->exact()}), minimum(most, cover));
  }
  return from_to(least, most);
}

}  // namespace opscope::need
