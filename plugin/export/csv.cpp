#include "plugin/export/csv.hpp"

#include <rlx/view.hpp>

#include "plugin/compare/metrics.hpp"
#include "plugin/render/table.hpp"

namespace opscope {

namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 16;

std::string shape_text(const rlx::graph_view& g, const rlx_node& n) {
  std::string text;
  std::uint32_t d = 0;
  for (const std::uint64_t size : g.dims(n)) {
    if (d != 0) text += 'x';
    if (((n.dynamic_dims >> d++) & 1) != 0) text += '?';
    text += std::to_string(size);
  }
  return text;
}

}  // namespace

std::string nodes_csv_heading() {
  std::string heading{"graph,target,stage,pass,seq,id,kind,label,dtype,shape,invariant"};
  for (const metric_index m : node_metrics()) {
    if (metrics()[m].unit != metric_unit::count) heading.append(",").append(metrics()[m].name);
  }
  return heading + "\n";
}

void write_nodes_csv(const ledger_record& r, const std::function<void(std::string_view)>& print) {
  const std::string head = csv_field(r.graph) + "," + csv_field(r.target) + "," +
                           csv_field(r.stage) + "," + csv_field(r.pass.value_or("")) + "," +
                           std::to_string(r.sequence) + ",";
  const recorded_graph& g = *r.nodes;
  const rlx::graph_view view = g.view();
  std::string lines;
  for (std::uint32_t id = 0; id < g.size(); ++id) {
    const rlx_node& n = view.node(id);
    const std::optional<node_need> need = g.need(id);
    lines.append(head).append(std::to_string(id));
    lines.append(",").append(csv_field(rlx::text(view.info(id).kind_text)));
    lines.append(",").append(csv_field(g.label(id)));
    lines.append(",").append(csv_field(rlx::text(view.info(id).dtype_text)));
    lines.append(",").append(shape_text(view, n));
    lines.append(!need ? "," : need->is_invariant ? ",true" : ",false");
    const node_figures figures{&g.cost(id), need ? &*need : nullptr, rlx::is_leaf_kind(n.kind)};
    for (const metric_index m : node_metrics()) {
      if (metrics()[m].unit == metric_unit::count) continue;
      lines += ',';
      const measure value = metrics()[m].of_node(figures);
      if (value.is_known()) lines += std::to_string(value.value());
    }
    lines += '\n';
    if (lines.size() >= piece_bytes) {
      print(lines);
      lines.clear();
    }
  }
  print(lines);
}

}  // namespace opscope
