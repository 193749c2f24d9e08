// What a graph needs of its inputs and weights, and what of it reaches an output: a walk from the
// outputs back. A node that is needed only in part needs its operands in part, as far as is known.
#pragma once

#include <algorithm>
#include <cstdint>
#include <rlx/view.hpp>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "plugin/cost/need/evaluator.hpp"

namespace opscope::need {

template <class N>
class flow {
 public:
  // Keeps its storage; call after every node of `e` has been evaluated. `look` is called with each
  // node's id, from the last to the first, when all that is asked below is known of it.
  template <class Look>
  void walk(evaluator<N>& e, Look look);

  bool is_live(std::uint32_t id) const { return (states_[id] & live) != 0; }
  bool is_whole(std::uint32_t id) const { return (states_[id] & whole) != 0; }
  // Bytes of `id`'s result that are needed; meaningful for leaves and views.
  N needed(const evaluator<N>& e, std::uint32_t id);
  // `amount` where the node is sure to be needed whole, up to it where not.
  N as_needed(std::uint32_t id, N amount) const {
    return !is_live(id) ? N{} : is_whole(id) ? amount : from_to(N{}, amount);
  }

 private:
  enum state : std::uint8_t { live = 1, whole = 2 };
  static constexpr std::uint32_t none = UINT32_MAX;

  // Parts of a node that readers need: runs along an axis, or amounts.
  struct part {
    std::uint32_t next;
    std::uint32_t axis;   // none: amounts
    std::uint64_t begin;  // what the runs cover together
    std::uint64_t end;
    N largest;  // of them, in bytes
    N sum;
  };

  void add(std::uint32_t id, std::uint32_t axis, std::uint64_t begin, std::uint64_t end, N bytes) {
    if constexpr (std::is_same_v<N, interval>) {
      // Neighbours come one after another, so that most end up as one part. Not of symbolic
      // numbers, the text of which depends on the order of sums.
      if (heads_[id] != none) {
        part& last = parts_[heads_[id]];
        if (last.axis == axis && begin <= last.end && last.begin <= end) {
          last.begin = std::min(last.begin, begin);
          last.end = std::max(last.end, end);
          last.largest = maximum(last.largest, bytes);
          last.sum += bytes;
          return;
        }
      }
    }
    parts_.push_back({heads_[id], axis, begin, end, bytes, bytes});
    heads_[id] = static_cast<std::uint32_t>(parts_.size() - 1);
  }
  void add_amount(std::uint32_t id, N bytes) { add(id, none, 0, 0, std::move(bytes)); }
  // The part of `id` that runs along one axis cover, whether that is all of it, in bytes.
  N runs(const evaluator<N>& e, std::uint32_t id, bool& is_all);
  void read_whole(std::uint32_t id) { states_[id] |= live | whole; }
  // These tell the operands of a node that some output depends on what of them it needs.
  // `r` is null where not all of the run may be needed.
  void pass_run(const evaluator<N>& e, std::uint32_t id, const std::optional<run>* r);
  void pass_on(evaluator<N>& e, std::uint32_t id, bool is_whole_now,
               std::span<const partial_read<N>> tracked);
  void pass_through(evaluator<N>& e, std::uint32_t id, bool is_whole_now);

  std::vector<std::uint8_t> states_;
  detail::array<std::uint32_t> heads_;
  std::vector<part> parts_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> covered_;  // scratch of runs()
};

template <class N>
N flow<N>::runs(const evaluator<N>& e, std::uint32_t id, bool& is_all) {
  is_all = false;
  covered_.clear();
  std::uint32_t axis = none;
  bool is_one_axis = true;
  N sum;
  N largest;
  for (std::uint32_t p = heads_[id]; p != none; p = parts_[p].next) {
    const part& run = parts_[p];
    if (run.axis == none) continue;
    is_one_axis = is_one_axis && (axis == none || axis == run.axis);
    axis = run.axis;
    covered_.emplace_back(run.begin, run.end);
    sum += run.sum;
    largest = maximum(largest, run.largest);
  }
  if (axis == none) return N{};
  if (!is_one_axis) return from_to(largest, sum);
  if (covered_.size() > 1) std::sort(covered_.begin(), covered_.end());
  std::uint64_t length = 0;
  std::uint64_t reached = 0;
  for (const auto& [begin, end] : covered_) {
    const std::uint64_t from = std::max(begin, reached);
    if (end > from) {
      length += end - from;
      reached = end;
    }
  }
  const rlx_node& n = e.graph().node(id);
  N row{1};
  for (unsigned a = 0; a < n.rank; ++a) {
    if (a != axis) row *= e.sizes().dim(n, a);
  }
  const auto width = rlx::dtype_bytes(n.dtype);
  is_all = equal(e.sizes().dim(n, axis), N{length}) == truth::yes;
  return width ? row * N{length} * N{*width} : from_to(largest, N::unknown());
}

template <class N>
N flow<N>::needed(const evaluator<N>& e, std::uint32_t id) {
  if (is_whole(id)) return e.bytes(id);
  bool is_all = false;
  const N run = runs(e, id, is_all);
  N least = run;
  N most = run;
  for (std::uint32_t p = heads_[id]; p != none; p = parts_[p].next) {
    if (parts_[p].axis != none) continue;
    least = maximum(least, parts_[p].largest);
    most += parts_[p].sum;
  }
  const N capped = minimum(most, e.bytes(id));
  return from_to(least, capped.is_bounded() ? capped : most);
}

template <class N>
template <class Look>
void flow<N>::walk(evaluator<N>& e, Look look) {
  const rlx::graph_view& g = e.graph();
  states_.assign(g.size(), 0);
  heads_.assign(g.size(), none);
  parts_.clear();
  for (const std::uint32_t output : g.outputs()) read_whole(output);
  const std::span<const partial_read<N>> partial = e.partial();
  std::size_t partial_end = partial.size();
  auto slicer = e.slicers().end();
  std::uint8_t* const states = states_.data();
  for (std::uint32_t id = g.size(); id-- > 0;) {
    std::size_t partial_begin = partial_end;
    while (partial_begin != 0 && partial[partial_begin - 1].node == id) --partial_begin;
    const rlx_node& n = g.node(id);
    const bool is_slicer = (entry_of(n.kind).traits & slices) != 0;
    if (is_slicer) --slicer;
    if ((states[id] & live) != 0) {
      if ((states[id] & whole) == 0 && heads_[id] != none) {
        bool is_all = false;
        runs(e, id, is_all);
        if (is_all) states[id] |= whole;
      }
      const std::uint8_t flags = e.flags(id);
      if ((flags & leaf_flag) == 0) {
        // An empty result depends on nothing.
        const bool is_whole_now = (states[id] & whole) != 0 && !e.sizes().may_be_empty(id);
        const std::uint32_t* const inputs = g.inputs().data() + n.inputs_begin;
        if (is_slicer && n.input_count == 1 && n.rank != 0) {
          pass_run(e, id, is_whole_now ? &(*slicer)->run : nullptr);
        } else if ((flags & view_flag) != 0) {
          pass_through(e, id, is_whole_now);
        } else if (is_whole_now && partial_begin == partial_end) {
          for (std::uint32_t i = 0; i < n.input_count; ++i) states[inputs[i]] |= live | whole;
        } else {
          pass_on(e, id, is_whole_now, partial.subspan(partial_begin, partial_end - partial_begin));
        }
      }
    }
    partial_end = partial_begin;
    look(id);
  }
}

template <class N>
inline void flow<N>::pass_run(const evaluator<N>& e, std::uint32_t id,
                              const std::optional<run>* r) {
  const rlx::graph_view& g = e.graph();
  const std::uint32_t x = g.inputs()[g.node(id).inputs_begin];
  states_[x] |= live;
  if (r != nullptr && *r && (*r)->axis < g.node(x).rank) {
    add(x, static_cast<std::uint32_t>((*r)->axis), (*r)->begin, (*r)->end, e.bytes(id));
  } else {
    add_amount(x, r != nullptr ? e.bytes(id) : from_to(N{}, e.bytes(id)));
  }
}

template <class N>
void flow<N>::pass_on(evaluator<N>& e, std::uint32_t id, bool is_whole_now,
                      std::span<const partial_read<N>> tracked) {
  const rlx::graph_view& g = e.graph();
  const rlx_node& n = g.node(id);
  const std::uint32_t* const inputs = g.inputs().data() + n.inputs_begin;
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < n.input_count; ++i) {
    const std::uint32_t x = inputs[i];
    const bool is_tracked = next < tracked.size() && tracked[next].operand == i;
    const N amount = is_tracked ? tracked[next].bytes : N{};
    if (is_tracked) ++next;
    if (is_tracked && amount.is_zero()) continue;  // not needed at all
    states_[x] |= live;
    if (is_tracked) {
      if (is_whole_now && equal(amount, e.bytes(x)) == truth::yes) {
        states_[x] |= whole;
      } else {
        add_amount(x, is_whole_now ? amount : from_to(N{}, amount));
      }
    } else if (is_whole_now) {
      states_[x] |= whole;
    } else {
      add_amount(x, from_to(N{}, e.bytes(x)));
    }
  }
}

// A view: its bytes are its operand's, except what it writes itself.
template <class N>
void flow<N>::pass_through(evaluator<N>& e, std::uint32_t id, bool is_whole_now) {
  const rlx::graph_view& g = e.graph();
  const rlx_node& n = g.node(id);
  if (n.input_count == 0) return;
  const std::uint32_t* const inputs = g.inputs().data() + n.inputs_begin;
  const std::uint32_t x = inputs[0];
  states_[x] |= live;
  const bool appends = (entry_of(n.kind).traits & moves_in_view) != 0;
  if (is_whole_now && !appends && equal(e.bytes(id), e.bytes(x)) == truth::yes) {
    states_[x] |= whole;
  } else {
    N from_operand = needed(e, id);
    if (appends && n.input_count >= 2) {
      const N own = e.bytes(inputs[1]);
      from_operand = is_whole_now ? minus(from_operand, own) : from_to(N{}, from_operand);
    }
    add_amount(x, from_operand);
  }
  for (std::uint32_t i = 1; i < n.input_count; ++i) {
    states_[inputs[i]] |= live;
    if (is_whole_now) {
      states_[inputs[i]] |= whole;
    } else {
      add_amount(inputs[i], from_to(N{}, e.bytes(inputs[i])));
    }
  }
}

}  // namespace opscope::need
