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
  const char* reason = nullptr;  // set: nothing is known
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
  details_cache details;
};

inline shapes<interval> make_shapes(const rlx::graph_view& g, const bindings& b,
                                    evaluation_storage<interval>& s) {
  return {g, b, s.sizes};
}
inline shapes<symbolic> make_shapes(const rlx::graph_view& g, const bindings& b,
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
            unsigned depth)
      : graph_{g},
        bindings_{bound},
        storage_{storage},
        shapes_{make_shapes(g, bound, storage)},
        site_{shapes_, storage.details},
        depth_{depth} {
    storage.flags.assign(g.size(), 0);
    storage.partial.clear();
    storage.apart.clear();
    storage.details.restart(g);
  }

  const rlx::graph_view& graph() const { return graph_; }
  const shapes<N>& sizes() const { return shapes_; }
  std::uint8_t flags(std::uint32_t id) const { return storage_.flags[id]; }
  std::span<const partial_read<N>> partial() const { return storage_.partial; }
  std::span<const beside<N>> apart() const { return storage_.apart; }
  bool is_repeatable() const { return is_repeatable_; }
  attribute_reader attributes(std::uint32_t id) {
    return {graph_.node(id).kind, &storage_.details.of(id).attributes};
  }
  N bytes(std::uint32_t id) const { return shapes_.bytes(id); }

  // The next node in order. False where it needs nothing (a leaf, a view): `f` is then untouched.
  bool evaluate(std::uint32_t id, node_figures<N>& f);

 private:
  struct operand_range {
    std::uint32_t root;
    std::uint32_t position;
  };

  bool holds_graphs(const rlx_node& n) const {
    return (n.kind >= RLX_KIND_If && n.kind <= RLX_KIND_CustomFn) || !rlx::is_listed_kind(n.kind);
  }
  void evaluate_bodies(std::uint32_t id);
  N needed(unsigned i) { return site_.is_tracked(i) ? site_.tracked(i) : site_.bytes(i); }
  void sum_reads(const rlx_node& n, node_figures<N>& f);
  // The usual case of sum_reads: operands that are read whole, of known sizes, each in storage of
  // its own or named again in a row. False where it is not.
  bool sum_whole_reads(const rlx_node& n, node_figures<N>& f);
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
bool evaluator<N>::evaluate(std::uint32_t id, node_figures<N>& f) {
  const rlx_node& n = graph_.node(id);
  shapes_.enter(id, n);
  const entry& e = entry_of(n.kind);
  std::uint8_t& flags = storage_.flags[id];
  if ((e.traits & leaf) != 0) {
    flags = n.kind == RLX_KIND_Input ? leaf_flag : leaf_flag | invariant_flag | weight_flag;
    return false;
  }
  const std::uint32_t* inputs = graph_.inputs().data() + n.inputs_begin;
  std::uint8_t common = n.input_count != 0 ? invariant_flag | weight_flag : 0;
  for (std::uint32_t i = 0; i < n.input_count; ++i) common &= storage_.flags[inputs[i]];
  if ((e.traits & carries_weights) == 0) common &= static_cast<std::uint8_t>(~weight_flag);
  const bool is_view = n.view_root != id;
  if (is_view) {
    flags = common | view_flag;
    if ((e.traits & moves_in_view) == 0) return false;
  }

  const std::uint64_t run = shapes_.kept_bytes(id);
  if ((e.traits & slices) != 0 && n.input_count == 1 && run != shapes<N>::not_kept) {
    // A run of its operand, of known size: read and written. They are many after lowering.
    flags = common;
    f.read = f.written = N{run};
    f.weights = (storage_.flags[inputs[0]] & weight_flag) != 0 ? f.read : N{};
    f.work = f.contraction = f.int_ops = N{};
    f.reason = nullptr;
    return true;
  }
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
  f.reason = site_.reason();
  if (f.reason == nullptr) {
    const bool is_plain = !site_.tracks_any() && !site_.has_extra_reads();
    if (!is_plain || !sum_whole_reads(n, f)) {
      f.read = N{};
      f.weights = N{};
      sum_reads(n, f);
    }
    f.written = site_.written();
    f.work = site_.booked_work();
    f.contraction = site_.booked_contraction();
    f.int_ops = site_.booked_int_ops();
  }
  if (site_.is_invariance_broken()) {
    is_repeatable_ = false;
    common = 0;
  }
  flags = static_cast<std::uint8_t>(common | (is_view ? view_flag : 0));
  if (site_.reason() != nullptr) {
    f.read = f.written = f.weights = f.work = f.contraction = f.int_ops = N::unknown();
    f.reason = site_.reason();
    return true;
  }

  // Nothing needs to happen for an empty result.
  const bool may_be_empty = shapes_.may_be_empty(id);
  if (may_be_empty && shapes_.elements(id).is_zero()) {
    f = {};
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
  return true;
}

template <class N>
bool evaluator<N>::sum_whole_reads(const rlx_node& n, node_figures<N>& f) {
  constexpr std::uint32_t few = 4;
  const std::uint32_t* const inputs = graph_.inputs().data() + n.inputs_begin;
  const std::uint8_t* const flags = storage_.flags.data();
  std::uint32_t roots[few];
  std::uint32_t last_id = 0;
  std::uint32_t last_root = 0;
  std::uint64_t sum = 0;
  std::uint64_t weights = 0;
  for (std::uint32_t i = 0; i < n.input_count; ++i) {
    const std::uint32_t id = inputs[i];
    const std::uint32_t root = (flags[id] & view_flag) != 0 ? graph_.node(id).view_root : id;
    if (i != 0 && id == last_id) {
      if (i < few) roots[i] = root;
      continue;
    }
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
    const std::uint64_t size = shapes_.kept_bytes(id);
    if (size == shapes<N>::not_kept || __builtin_add_overflow(sum, size, &sum)) return false;
    if ((flags[id] & weight_flag) != 0) weights += size;
  }
  f.read = N{sum};
  f.weights = N{weights};
  return true;
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
