// A comparison as CSV: a line of totals a graph, then its rows, which add up to it: those that are
// not shown as one. Exact integers; `unknown` where a
// figure is, empty where there is none.
#include <opscope/units.hpp>

#include "plugin/render/diff.hpp"
#include "plugin/render/diff_words.hpp"
#include "plugin/render/table.hpp"

namespace opscope {

namespace {

std::string cell(const measure& m) {
  if (m.is_missing()) return "";
  return m.is_known() ? std::to_string(m.value()) : "unknown";
}

// A name of the ledger: control characters as text shows them.
std::string field(std::string_view name) { return csv_field(shown_name(name, name.size())); }

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
    const std::string head = field(g.records.next->graph) + "," + field(g.records.next->target) +
                             "," + field(stage_text(*g.records.base)) + "," +
                             field(stage_text(*g.records.next));
    text += head + ",total,1,,,,," + figures([&](metric_index m) { return g.of(m); });
    if (!g.diff) continue;
    const auto add_row = [&](const diff_row& r) {
      text += head + "," + std::string{opscope::text(r.what)} + "," + std::to_string(r.times) +
              "," + field(r.label) + "," + csv_field(kinds_text(r.base_kinds)) + "," +
              csv_field(kinds_text(r.new_kinds)) + "," + field(joined(r.changes, "; ")) + "," +
              field(joined(r.passes, "; ")) +
              figures([&](metric_index m) { return node_metric_place(m) ? r.of(m) : change{}; });
    };
    const cut_rows c_rows = cut(g.diff->rows, wish.top);
    for (const diff_row& r : c_rows.shown) add_row(r);
    if (c_rows.others != 0) {
      text +=
          head + ",others," + std::to_string(c_rows.times) + ",,,,," + figures([&](metric_index m) {
            if (!node_metric_place(m)) return change{};
            return change{c_rows.base.of(m).sum(), c_rows.next.of(m).sum()};
          });
    }
    if (c_rows.equal != nullptr) add_row(*c_rows.equal);
  }
  return text;
}

}  // namespace opscope
