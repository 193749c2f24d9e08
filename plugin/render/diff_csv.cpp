// A comparison as CSV: a line of totals a graph, then its rows. Exact integers; `unknown` where a
// figure is, empty where there is none.
#include <algorithm>

#include "plugin/render/diff.hpp"
#include "plugin/render/diff_words.hpp"
#include "plugin/render/table.hpp"

namespace opscope {

namespace {

std::string cell(const measure& m) {
  if (m.is_missing()) return "";
  return m.is_known() ? std::to_string(m.value()) : "unknown";
}

template <class Of>
std::string figures(const Of& of) {
  std::string text;
  for (metric_index m = 0; m < metrics().size(); ++m) {
    const change c = of(m);
    text.append(",").append(cell(c.before)).append(",").append(cell(c.after));
  }
  return text + "\n";
}

std::string heading() {
  std::string text{
      "graph,target,base_stage,new_stage,edit,times,label,base_kinds,new_kinds,changes,passes"};
  for (const metric& m : metrics()) {
    text.append(",base ").append(m.name).append(",new ").append(m.name);
  }
  return text + "\n";
}

}  // namespace

std::string diff_csv(const comparison& c, const diff_wish& wish) {
  std::string text = heading();
  for (const graph_comparison& g : c.graphs) {
    const std::string head =
        csv_field(g.records.next->graph) + "," + csv_field(g.records.next->target) + "," +
        csv_field(stage_text(*g.records.base)) + "," + csv_field(stage_text(*g.records.next));
    text += head + ",total,1,,,,," + figures([&](metric_index m) { return g.of(m); });
    if (!g.diff) continue;
    const std::vector<diff_row>& rows = g.diff->rows;
    const std::size_t shown = wish.top == 0 ? rows.size() : std::min(rows.size(), wish.top);
    for (std::size_t i = 0; i < shown; ++i) {
      const diff_row& r = rows[i];
      text += head + "," + std::string{opscope::text(r.what)} + "," + std::to_string(r.times) +
              "," + csv_field(r.label) + "," + csv_field(kinds_text(r.base_kinds)) + "," +
              csv_field(kinds_text(r.new_kinds)) + "," + csv_field(joined(r.changes, "; ")) + "," +
              csv_field(joined(r.passes, "; ")) +
              figures([&](metric_index m) { return node_metric_place(m) ? r.of(m) : change{}; });
    }
  }
  return text;
}

}  // namespace opscope
