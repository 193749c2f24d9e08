#include "plugin/compare/comparison.hpp"

#include <algorithm>

namespace opscope {

namespace {

// Growth first, shrinkage last.
bool grew_more(const change& a, const change& b) {
  if (a.loses() != b.loses()) return a.loses();
  const auto rank = [](const change& c) {
    if (!c.has_size() || c.size() == 0) return 1;
    return c.is_growth() ? 0 : 2;
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  if (rank(a) == 1) return false;
  return rank(a) == 0 ? a.size() > b.size() : a.size() < b.size();
}

}  // namespace

bool graph_comparison::is_equal() const {
  if (diff && !diff->is_equal()) return false;
  for (metric_index m = 0; m < metrics().size(); ++m) {
    const change c = of(m);
    const bool is_on_both = !c.before.is_missing() && !c.after.is_missing();
    // Without nodes nothing says that what is unknown on both sides is the same.
    if (is_on_both && (c.is_any() || (!diff && c.is_open()))) return false;
  }
  return true;
}

std::optional<std::string> find_contradiction(const ledger_record& r, const tally& nodes) {
  const auto said = [](const measure& m) {
    if (m.is_unknown()) return std::string{"unknown"};
    return (m.is_floor() ? "at least " : "") + std::to_string(m.value());
  };
  for (const metric_index m : node_metrics()) {
    const measure total = metrics()[m].of_record(r);
    const measure sum = nodes.of(m).sum();
    if (total.is_missing() || total == sum) continue;
    return r.file + ":" + std::to_string(r.line) + ": the record contradicts itself: its " +
           std::string{metrics()[m].name} + " is " + said(total) + ", and " +
           (sum.is_missing() ? "not all of its nodes have that figure"
                             : "its nodes add up to " + said(sum)) +
           "; it was edited or damaged, compile again";
  }
  return std::nullopt;
}

std::optional<std::string> find_contradiction(const ledger_record& r) {
  if (!r.nodes) return std::nullopt;
  const graph_side side{*r.nodes};
  tally nodes;
  for (std::uint32_t id = 0; id < side.size(); ++id) nodes.add_node(side, id);
  return find_contradiction(r, nodes);
}

void sort_graphs(std::vector<graph_comparison>& graphs, metric_index by) {
  const metric_index rule = *find_metric("rule.bytes");
  std::stable_sort(graphs.begin(), graphs.end(),
                   [&](const graph_comparison& x, const graph_comparison& y) {
                     if (grew_more(x.of(by), y.of(by))) return true;
                     if (grew_more(y.of(by), x.of(by))) return false;
                     return grew_more(x.of(rule), y.of(rule));
                   });
}

}  // namespace opscope
