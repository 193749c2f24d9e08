#include "plugin/ledger/recost.hpp"

#include <unordered_map>

#include "plugin/ledger/need_members.hpp"

namespace opscope {

void recost(ledger_record& r, const bindings& bound) {
  const rlx::graph_view graph = r.nodes->view();
  const graph_cost cost = analyze(graph);
  const graph_need need = analyze_need(graph, {bound, &cost});
  r.rule = rule_version;
  r.bound = bound;
  r.totals = cost.totals();
  const need_coverage& c = need.totals().coverage;
  r.need = recorded_need{need_version, need.totals(), covered_share(c.nodes, c.counted_nodes),
                         covered_share(c.rule_bytes, c.counted_rule_bytes)};
  std::unordered_map<std::string_view, node_need> of_kind;
  for (const kind_need& k : need.by_kind()) of_kind.emplace(k.kind, k.need);
  r.by_kind.clear();
  for (const kind_cost& k : cost.by_kind()) {
    recorded_kind& kind =
        r.by_kind.emplace_back(recorded_kind{std::string{k.kind}, k.count, k.bytes, k.flops, {}});
    if (const auto at = of_kind.find(k.kind); at != of_kind.end()) kind.need = at->second;
  }
  r.nodes->set_figures(cost.nodes(), need.nodes());
}

}  // namespace opscope
