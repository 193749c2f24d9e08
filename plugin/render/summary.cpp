#include <opscope/report.hpp>
#include <opscope/units.hpp>

namespace opscope {

namespace {

std::string intensity_text(const totals& t) {
  if (!t.bytes || !t.flops) return "unknown FLOP/B";
  return fixed_point(t.intensity, 2) + " FLOP/B";
}

void append_count(std::string& line, std::uint64_t nodes, std::string_view what) {
  if (nodes == 0) return;
  line += "; " + std::to_string(nodes) + (nodes == 1 ? " node " : " nodes ");
  line += what;
}

}  // namespace

std::string roofline_line(const graph_cost& cost, double ridge_flops_per_byte) {
  const roofline split = cost.roofline_split(ridge_flops_per_byte);
  std::string line = "ridge " + fixed_point(ridge_flops_per_byte, 2) + " FLOP/B: ";
  line += binary_bytes(split.memory_bound) + " memory-bound, ";
  return line + binary_bytes(split.compute_bound) + " compute-bound";
}

std::string summary_line(const summary_subject& subject, const graph_cost& cost,
                         std::optional<double> ridge_flops_per_byte) {
  const totals& t = cost.totals();
  std::string line = subject.graph.empty() ? "(unnamed graph)" : shown_name(subject.graph);
  line += " [" + shown_name(subject.target) + "]: ";
  line += std::to_string(t.nodes) + (t.nodes == 1 ? " node, " : " nodes, ");
  line += binary_bytes(t.bytes);
  line.append(" as ").append(rule_version).append(" counts");
  if (t.bytes && t.bytes_weights && *t.bytes != 0) {
    const double share =
        100.0 * static_cast<double>(*t.bytes_weights) / static_cast<double>(*t.bytes);
    line += " (" + fixed_point(share, 1) + "% weights)";
  }
  line += ", " + decimal_count(t.flops, "FLOP") + ", " + intensity_text(t);
  append_count(line, t.dynamic_nodes, "with a dynamic size, counted as 0");
  append_count(line, t.overflow_nodes, "beyond 64 bits");
  append_count(line, t.unknown_nodes, "with a dtype of unknown width");
  if (ridge_flops_per_byte) line += "; " + roofline_line(cost, *ridge_flops_per_byte);
  return line;
}

}  // namespace opscope
