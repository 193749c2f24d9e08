// The full report: one table of what is needed beside what the rule counts, the graph's own input
// and output above it, coverage and invariant work below.
#include <algorithm>
#include <map>
#include <opscope/report.hpp>
#include <unordered_map>
#include <vector>

#include "plugin/ledger/label.hpp"
#include "plugin/render/need_text.hpp"
#include "plugin/render/table.hpp"

namespace opscope {

namespace {

struct row {
  std::string_view kind;
  std::uint64_t nodes = 0;
  node_need need;
  figure rule = 0;
};

std::vector<row> rows_by_kind(const graph_cost& cost, const graph_need& need) {
  std::unordered_map<std::string_view, figure> rule;
  for (const kind_cost& k : cost.by_kind()) rule.emplace(k.kind, k.bytes);
  std::vector<row> rows;
  for (const kind_need& k : need.by_kind()) {
    const auto at = rule.find(k.kind);
    const figure bytes = at == rule.end() ? figure{} : at->second;
    const bool moves_nothing = k.need.bytes().is_zero() && bytes && *bytes == 0;
    if (!moves_nothing || !k.need.work.is_zero()) rows.push_back({k.kind, k.count, k.need, bytes});
  }
  return rows;
}

std::vector<std::string> cells(const row& r, std::string_view name) {
  return {std::string{name},
          std::to_string(r.nodes),
          interval_bytes(r.need.bytes()),
          interval_count(r.need.work, "FLOP"),
          binary_bytes(r.rule),
          r.rule ? ratio_text(interval{*r.rule}, r.need.bytes()) : "-"};
}

// The invariant nodes that move most, by label.
std::string invariant_lines(const rlx::graph_view& graph, const graph_need& need,
                            std::size_t most) {
  const interval sum = need.totals().invariant;
  if (sum.is_zero()) return "";
  struct mover {
    std::uint32_t id;
    interval bytes;
  };
  std::vector<mover> movers;
  std::uint32_t id = 0;
  for (const node_need n : need.nodes()) {
    if (n.is_invariant && !n.is_leaf && !n.bytes().is_zero()) movers.push_back({id, n.bytes()});
    ++id;
  }
  std::stable_sort(movers.begin(), movers.end(),
                   [](const mover& a, const mover& b) { return a.bytes.lo() > b.bytes.lo(); });
  std::string text = "invariant: " + interval_bytes(sum) + " in " + std::to_string(movers.size()) +
                     (movers.size() == 1 ? " node" : " nodes") +
                     ", computed from weights alone: could be done once\n";
  const label_table labels{graph};
  for (std::size_t i = 0; i < movers.size() && i < most; ++i) {
    text += "  " + interval_bytes(movers[i].bytes) + "  " +
            shown_name(labels[movers[i].id].text()) + "\n";
  }
  if (movers.size() > most) text += "  and " + std::to_string(movers.size() - most) + " more\n";
  return text;
}

std::string unknown_lines(const rlx::graph_view& graph, const graph_need& need, std::size_t most) {
  std::string text;
  std::size_t shown = 0;
  for (const unknown_need& u : need.unknown()) {
    if (shown++ == most) break;
    text += "  node " + std::to_string(u.id) + " " +
            shown_name(rlx::text(graph.info(u.id).kind_text)) + ": " + u.reason + "\n";
  }
  if (need.unknown().size() > most) {
    text += "  and " + std::to_string(need.unknown().size() - most) + " more\n";
  }
  return text;
}

}  // namespace

std::string need_report(const summary_subject& subject, const rlx::graph_view& graph,
                        const graph_cost& cost, const graph_need& need, std::size_t top) {
  const need_totals& t = need.totals();
  std::string text = (subject.graph.empty() ? "(unnamed graph)" : shown_name(subject.graph)) +
                     " [" + shown_name(subject.target) + "]: nodes need " +
                     interval_bytes(t.bytes()) + ", the graph's inputs, weights and outputs are " +
                     interval_bytes(t.graph_io);
  const std::string times = ratio_text(t.bytes(), t.graph_io);
  if (times != "-") text += ": " + times + " times";
  text += "\n";

  text_table table{{{"kind", align::left}, {"nodes"}, {"needs"}, {"work"}, {"rule"}, {"ratio"}}};
  const std::vector<row> rows = rows_by_kind(cost, need);
  row others;
  std::size_t other_kinds = 0;
  row sum;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (row* into : {&sum, i < top ? nullptr : &others}) {
      if (into == nullptr) continue;
      into->nodes += rows[i].nodes;
      into->need.read += rows[i].need.bytes();
      into->need.work += rows[i].need.work;
      into->rule = checked_add(into->rule, rows[i].rule);
    }
    if (i < top) {
      table.add(cells(rows[i], shown_name(rows[i].kind)));
    } else {
      ++other_kinds;
    }
  }
  if (other_kinds != 0) table.add(cells(others, "[" + std::to_string(other_kinds) + " others]"));
  table.add(cells(sum, "total"));
  const std::string body = table.take_rows();
  text += table.heading() + body;

  text += coverage_text(t.coverage) + "\n" + unknown_lines(graph, need, top);
  text += invariant_lines(graph, need, std::min<std::size_t>(top, 5));
  text += "needs: what each node by itself must move, lo~hi; rule: bytes as ";
  text.append(rule_version).append(" counts; ratio: rule over needs");
  return text;
}

}  // namespace opscope
