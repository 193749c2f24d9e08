// What a graph needs of its inputs and weights, and what of it reaches an output: a walk from the
// outputs back. A node that is needed only in part needs its operands in part, as far as is known.
#pragma once

#include <algorithm>
#include <cstdint>
#include <rlx/view.hpp>
#include <vector>

#include "plugin/cost/need/evaluator.hpp"

namespace opscope::need {

template <class N>
class flow {
 public:
  // Keeps its storage; call after every node of `e` has been evaluated.
  void walk(evaluator<N>& e);

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

  // A part of a node that a reader needs: a run along an axis, or an amount.
  struct part {
    std::uint32_t next;
    std::uint32_t axis;  // none: an amount
    std::uint64_t begin;
    std::uint64_t end;
    N bytes;
  };

  void add(std::uint32_t id, part p) {
    p.next = heads_[id];
    heads_[id] = static_cast<std::uint32_t>(parts_.size());
    parts_.push_back(std::move(p));
  }
  void add_amount(std::uint32_t id, N bytes) { add(id, {none, none, 0, 0, std::move(bytes)}); }
  // The part of `id` that runs along one axis cover, whether that is all of it, in bytes.
  N runs(const evaluator<N>& e, std::uint32_t id, bool& is_all);
  void read_whole(std::uint32_t id) { states_[id] |= live | whole; }

  std::vector<std::uint8_t> states_;
  std::vector<std::uint32_t> heads_;
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
    sum += run.bytes;
    largest = maximum(largest, run.bytes);
  }
  if (axis == none) return N{};
  if (!is_one_axis) return from_to(largest, sum);
  std::sort(covered_.begin(), covered_.end());
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
    least = maximum(least, parts_[p].bytes);
    most += parts_[p].bytes;
  }
  const N capped = minimum(most, e.bytes(id));
  return from_to(least, capped.is_bounded() ? capped : most);
}

template <class N>
void flow<N>::walk(evaluator<N>& e) {
  const rlx::graph_view& g = e.graph();
  states_.assign(g.size(), 0);
  heads_.assign(g.size(), none);
  parts_.clear();
  for (const std::uint32_t output : g.outputs()) read_whole(output);
  auto partial = e.partial();
  for (std::uint32_t id = g.size(); id-- > 0;) {
    const std::size_t partial_end = partial.size();
    while (!partial.empty() && partial.back().node == id)
      partial = partial.first(partial.size() - 1);
    const std::size_t partial_begin = partial.size();
    if ((states_[id] & live) == 0) continue;
    bool is_whole_now = (states_[id] & whole) != 0;
    if (!is_whole_now && heads_[id] != none) {
      bool is_all = false;
      runs(e, id, is_all);
      if (is_all) {
        is_whole_now = true;
        states_[id] |= whole;
      }
    }
    const std::uint8_t flags = e.flags(id);
    if ((flags & leaf_flag) != 0) continue;
    // An empty result depends on nothing.
    if (e.sizes().may_be_empty(id)) is_whole_now = false;
    const rlx_node& n = g.node(id);
    const std::uint32_t* inputs = g.inputs().data() + n.inputs_begin;
    const entry& kind = entry_of(n.kind);

    if ((kind.traits & slices) != 0 && n.input_count == 1 && n.rank != 0) {
      const std::uint32_t x = inputs[0];
      states_[x] |= live;
      if (!is_whole_now) {
        add_amount(x, from_to(N{}, e.bytes(id)));
        continue;
      }
      const attribute_reader a = e.attributes(id);
      const auto axis = a.u64(attr::axis);
      const auto start = a.u64(attr::start);
      const auto length = a.u64(attr::len);
      std::uint64_t end = 0;
      const bool is_run = a.i64(attr::step).value_or(1) == 1;
      if (is_run && axis && start && length && *axis < g.node(x).rank &&
          !__builtin_add_overflow(*start, *length, &end)) {
        add(x, {none, static_cast<std::uint32_t>(*axis), *start, end, e.bytes(id)});
      } else {
        add_amount(x, e.bytes(id));
      }
      continue;
    }
    if ((flags & view_flag) != 0) {
      // Its bytes are its operand's, except what it writes itself.
      if (n.input_count == 0) continue;
      const std::uint32_t x = inputs[0];
      states_[x] |= live;
      const bool appends = (kind.traits & moves_in_view) != 0;
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
      continue;
    }
    const std::span<const partial_read<N>> tracked{e.partial().data() + partial_begin,
                                                   partial_end - partial_begin};
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
}

}  // namespace opscope::need
