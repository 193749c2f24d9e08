#include "plugin/compare/gate_nodes.hpp"

#include <algorithm>

namespace opscope {

namespace {

const graph_diff* diff_of(const offence& o, const comparison& c) {
  for (const graph_comparison& g : c.graphs) {
    const ledger_record& r = *g.records.next;
    if (r.graph == o.graph && r.target == o.target && r.stage == o.stage && r.pass == o.pass &&
        g.diff) {
      return &*g.diff;
    }
  }
  return nullptr;
}

// How much worse a row is; what turned unknown is worse than any growth.
std::uint64_t weight(const measure& base, const measure& next) {
  if (!next.is_known() || (next.is_floor() && !base.is_floor())) {
    return base.is_known() ? UINT64_MAX : 0;
  }
  if (base.is_floor() && !next.is_floor()) return 0;
  return next.value() > base.value() ? next.value() - base.value() : 0;
}

}  // namespace

void name_offending_nodes(gate_result& result, const comparison& c, std::size_t most) {
  for (offence& o : result.offences) {
    const graph_diff* const diff = o.graph.empty() ? nullptr : diff_of(o, c);
    if (diff == nullptr || !o.metric || !node_metric_place(*o.metric)) continue;
    std::vector<std::pair<std::uint64_t, const diff_row*>> rows;
    for (const diff_row& row : diff->rows) {
      const change of = row.of(*o.metric);
      if (const std::uint64_t w = weight(of.before, of.after); w != 0) rows.emplace_back(w, &row);
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (std::size_t i = 0; i < rows.size() && i < most; ++i) {
      const diff_row& row = *rows[i].second;
      const change of = row.of(*o.metric);
      o.nodes.push_back({row.label, std::string{text(row.what)}, row.times, of.before, of.after});
    }
  }
}

}  // namespace opscope
