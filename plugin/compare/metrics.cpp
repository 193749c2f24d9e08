#include "plugin/compare/metrics.hpp"

#include <algorithm>
#include <vector>

namespace opscope {

namespace {

using record = const ledger_record&;
using node = const node_figures&;

measure of_totals(record r, interval need_totals::*column, measure (*end)(const interval&)) {
  return r.need ? end(r.need->totals.*column) : measure::missing();
}
measure of_need(node n, interval node_need::*column, measure (*end)(const interval&)) {
  return n.need != nullptr ? end(n.need->*column) : measure::missing();
}
constexpr auto lo = &measure::low_end;
constexpr auto hi = &measure::high_end;

// The needs of a record that was written with them.
measure with_need(record r, measure (*f)(const recorded_need&)) {
  return r.need ? f(*r.need) : measure::missing();
}
measure with_need(node n, measure (*f)(const node_need&)) {
  return n.need != nullptr ? f(*n.need) : measure::missing();
}

// A figure that only a buffer plan gives: without one there is none, which is not unknown.
measure planned(const figure& f) { return f ? measure::known(*f) : measure::missing(); }

constexpr auto bytes = metric_unit::bytes;
constexpr auto operations = metric_unit::operations;
constexpr auto count = metric_unit::count;

constexpr metric table[] = {
    {"need.bytes.lo", "needs", bytes, "bytes that the nodes, each by itself, must move at least",
     [](record r) {
       return with_need(r,
                        [](const recorded_need& n) { return measure::low_end(n.totals.bytes()); });
     },
     [](node n) {
       return with_need(n, [](const node_need& x) { return measure::low_end(x.bytes()); });
     }},
    {"need.bytes.hi", "needs at most", bytes, "bytes that they move at most",
     [](record r) {
       return with_need(r,
                        [](const recorded_need& n) { return measure::high_end(n.totals.bytes()); });
     },
     [](node n) {
       return with_need(n, [](const node_need& x) { return measure::high_end(x.bytes()); });
     }},
    {"need.read.lo", "needs read", bytes, "of need.bytes.lo, bytes of operands",
     [](record r) { return of_totals(r, &need_totals::read, lo); },
     [](node n) { return of_need(n, &node_need::read, lo); }},
    {"need.written.lo", "needs written", bytes, "of need.bytes.lo, bytes of results",
     [](record r) { return of_totals(r, &need_totals::written, lo); },
     [](node n) { return of_need(n, &node_need::written, lo); }},
    {"need.weights.lo", "needs of weights", bytes, "of need.read.lo, bytes of weights",
     [](record r) { return of_totals(r, &need_totals::weights, lo); },
     [](node n) { return of_need(n, &node_need::weights, lo); }},
    {"need.invariant", "invariant", bytes,
     "of need.bytes.lo, bytes moved for results that weights alone decide: could be done once",
     [](record r) { return of_totals(r, &need_totals::invariant, lo); },
     [](node n) {
       return with_need(n, [](const node_need& x) {
         return x.is_invariant && !x.is_leaf ? measure::low_end(x.bytes()) : measure::known(0);
       });
     }},
    {"need.work.lo", "work", operations, "floating-point operations of the canonical algorithms",
     [](record r) { return of_totals(r, &need_totals::work, lo); },
     [](node n) { return of_need(n, &node_need::work, lo); }},
    {"need.work.hi", "work at most", operations, "the same, at most",
     [](record r) { return of_totals(r, &need_totals::work, hi); },
     [](node n) { return of_need(n, &node_need::work, hi); }},
    {"need.contraction.lo", "contraction", operations,
     "of need.work.lo, operations in sums of products (matmul, attention, convolution)",
     [](record r) { return of_totals(r, &need_totals::contraction, lo); },
     [](node n) { return of_need(n, &node_need::contraction, lo); }},
    {"need.int_ops.lo", "integer work", operations, "integer and boolean operations",
     [](record r) { return of_totals(r, &need_totals::int_ops, lo); },
     [](node n) { return of_need(n, &node_need::int_ops, lo); }},
    {"rule.bytes", "rule bytes", bytes, "bytes as the published rule counts them",
     [](record r) { return measure::of(r.totals.bytes); },
     [](node n) { return measure::of(n.rule->bytes()); }},
    {"rule.weights", "rule weights", bytes, "of rule.bytes, bytes of Params and Constants",
     [](record r) { return measure::of(r.totals.bytes_weights); },
     [](node n) { return measure::of(n.rule->bytes_weights()); }},
    {"rule.flops", "rule FLOPs", operations, "FLOPs as the published rule counts them",
     [](record r) { return measure::of(r.totals.flops); },
     [](node n) { return measure::of(n.rule->flops()); }},
    {"graph_io", "graph in and out", bytes,
     "inputs and weights once, as far as needed, and outputs once: moved even if all else stayed "
     "on chip",
     [](record r) { return of_totals(r, &need_totals::graph_io, lo); }, nullptr},
    {"memory.arena_bytes", "arena", bytes, "size of the buffer plan's arena",
     [](record r) { return planned(r.memory.arena_bytes); }, nullptr},
    {"memory.peak_live_bytes", "peak alive", bytes, "most bytes alive at once under the plan",
     [](record r) { return planned(r.memory.peak_live_bytes); }, nullptr},
    {"nodes", "nodes", count, "nodes, leaves too",
     [](record r) { return measure::known(r.totals.nodes); },
     [](node) { return measure::known(1); }},
    {"unknown_nodes", "unknown nodes", count, "nodes of which some need has no upper bound",
     [](record r) {
       return with_need(
           r, [](const recorded_need& n) { return measure::known(n.totals.unknown_nodes); });
     },
     [](node n) {
       if (n.need == nullptr) return measure::missing();
       return measure::known(!n.is_leaf && !n.need->is_bounded() ? 1 : 0);
     }},
    {"dynamic_nodes", "dynamic nodes", count, "nodes of which the rule takes a dynamic size as 0",
     [](record r) { return measure::known(r.totals.dynamic_nodes); }, nullptr},
    {"overflow_nodes", "overflowing nodes", count, "nodes with a figure of the rule beyond 64 bits",
     [](record r) { return measure::known(r.totals.overflow_nodes); }, nullptr},
};

struct node_places {
  std::vector<metric_index> all;
  node_places() {
    for (metric_index m = 0; m < std::size(table); ++m) {
      if (table[m].of_node != nullptr) all.push_back(m);
    }
  }
};
const std::vector<metric_index>& places() {
  static const node_places kept;
  return kept.all;
}

}  // namespace

std::string_view text(metric_unit u) {
  switch (u) {
    case metric_unit::bytes:
      return "bytes";
    case metric_unit::operations:
      return "operations";
    case metric_unit::count:
      return "count";
  }
  return "";
}

std::span<const metric> metrics() { return table; }

std::optional<metric_index> find_metric(std::string_view name) {
  const auto at = std::ranges::find(table, name, &metric::name);
  if (at == std::end(table)) return std::nullopt;
  return static_cast<metric_index>(at - std::begin(table));
}

std::span<const metric_index> node_metrics() { return places(); }

std::optional<std::uint32_t> node_metric_place(metric_index m) {
  const auto at = std::ranges::find(places(), m);
  if (at == places().end()) return std::nullopt;
  return static_cast<std::uint32_t>(at - places().begin());
}

}  // namespace opscope
