// The rows of `opscope show`.
#include <algorithm>
#include <unordered_map>

#include "plugin/render/show.hpp"

namespace opscope {

namespace {

void add_need(group_row& row, const node_need& n) {
  if (!row.need) row.need.emplace();
  row.need->read += n.read;
  row.need->written += n.written;
  row.need->weights += n.weights;
  row.need->work += n.work;
  row.need->contraction += n.contraction;
  row.need->int_ops += n.int_ops;
  row.need->is_invariant = n.is_invariant;
  if (n.is_invariant && !n.is_leaf) row.invariant += n.bytes();
}

void add_node(group_row& row, const recorded_graph& g, std::uint32_t id) {
  const node_cost& cost = g.cost(id);
  if (const auto need = g.need(id)) add_need(row, *need);
  ++row.count;
  row.bytes = checked_add(row.bytes, cost.bytes());
  row.bytes_weights = checked_add(row.bytes_weights, cost.bytes_weights());
  row.flops = checked_add(row.flops, cost.flops());
}

std::vector<group_row> rows_by_kind(const ledger_record& r) {
  std::vector<group_row> rows;
  for (const recorded_kind& k : r.by_kind) {
    rows.push_back({k.kind, "", std::nullopt, k.count, k.bytes, std::nullopt, k.flops, k.need, {}});
  }
  return rows;
}

std::vector<group_row> rows_by_label(const recorded_graph& g, bool fold_layers) {
  std::vector<group_row> rows;
  std::unordered_map<std::string, std::size_t> places;
  const rlx::graph_view view = g.view();
  for (std::uint32_t id = 0; id < g.size(); ++id) {
    if (rlx::is_leaf_kind(view.node(id).kind)) continue;
    std::string name = fold_layers ? folded_label(g.label(id)) : std::string{g.label(id)};
    const auto [at, is_new] = places.try_emplace(name, rows.size());
    if (is_new) rows.push_back({std::move(name), "", std::nullopt, 0, 0, 0, 0, std::nullopt, {}});
    add_node(rows[at->second], g, id);
  }
  return rows;
}

std::vector<group_row> rows_by_node(const recorded_graph& g) {
  std::vector<group_row> rows;
  const rlx::graph_view view = g.view();
  for (std::uint32_t id = 0; id < g.size(); ++id) {
    if (rlx::is_leaf_kind(view.node(id).kind)) continue;
    rows.push_back({std::string{g.label(id)},
                    std::string{rlx::text(view.info(id).kind_text)},
                    id,
                    0,
                    0,
                    0,
                    0,
                    std::nullopt,
                    {}});
    add_node(rows.back(), g, id);
  }
  return rows;
}

}  // namespace

std::vector<group_row> group_rows(const ledger_record& r, const show_wish& wish) {
  std::vector<group_row> rows = wish.by == grouping::kind ? rows_by_kind(r)
                                : wish.by == grouping::label
                                    ? rows_by_label(*r.nodes, wish.fold_layers)
                                    : rows_by_node(*r.nodes);
  std::stable_sort(rows.begin(), rows.end(), [](const group_row& a, const group_row& b) {
    if (a.need && b.need) {
      const interval x = a.need->bytes();
      const interval y = b.need->bytes();
      if (x.lo() != y.lo()) return x.lo() > y.lo();
      return x.hi().value_or(UINT64_MAX) > y.hi().value_or(UINT64_MAX);
    }
    if (a.need.has_value() != b.need.has_value()) return a.need.has_value();
    if (!a.bytes || !b.bytes) return !a.bytes && b.bytes.has_value();
    return *a.bytes > *b.bytes;
  });
  return rows;
}

ridge_split split_at_ridge(const recorded_graph& g, double ridge_flops_per_byte) {
  ridge_split split;
  for (std::uint32_t id = 0; id < g.size(); ++id) {
    const node_cost& cost = g.cost(id);
    const figure bytes = cost.bytes();
    if (bytes == figure{0}) continue;
    if (!bytes || !cost.flops()) {  // nobody can say on which side it lies
      split.memory_bound = split.compute_bound = std::nullopt;
      return split;
    }
    const bool is_compute_bound =
        static_cast<double>(*cost.flops()) / static_cast<double>(*bytes) >= ridge_flops_per_byte;
    figure& side = is_compute_bound ? split.compute_bound : split.memory_bound;
    side = checked_add(side, bytes);
  }
  return split;
}

}  // namespace opscope
