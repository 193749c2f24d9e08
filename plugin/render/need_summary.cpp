// The summary line with the needs in front.
#include <opscope/report.hpp>

#include "plugin/ledger/need_members.hpp"
#include "plugin/render/need_text.hpp"

namespace opscope {

namespace {

std::string intensity(const need_totals& t) {
  const interval bytes = t.bytes();
  if (!bytes.is_exact() || !t.work.is_exact() || bytes.is_zero()) return "";
  return ", " + fixed_point(static_cast<double>(t.work.lo()) / static_cast<double>(bytes.lo()), 2) +
         " FLOP/B";
}

std::string coverage(const need_coverage& c) {
  if (c.nodes == c.counted_nodes) return "all covered";
  const auto bytes = covered_share(c.rule_bytes, c.counted_rule_bytes);
  std::string text =
      std::to_string(c.nodes) + " of " + std::to_string(c.counted_nodes) + " nodes covered";
  if (bytes) text += ", " + fixed_point(100 * *bytes, 1) + "% of the rule's bytes";
  return text;
}

}  // namespace

std::string coverage_text(const need_coverage& c) { return coverage(c); }

std::string summary_line(const summary_subject& subject, const graph_cost& cost,
                         const graph_need& need, std::optional<double> ridge_flops_per_byte) {
  const need_totals& t = need.totals();
  const totals& rule = cost.totals();
  std::string line = subject.graph.empty() ? "(unnamed graph)" : shown_name(subject.graph);
  line += " [" + shown_name(subject.target) + "]: ";
  line += std::to_string(rule.nodes) + (rule.nodes == 1 ? " node needs " : " nodes need ");
  line += interval_bytes(t.bytes());
  const std::string times = ratio_text(t.bytes(), t.graph_io);
  if (times != "-") line += ", " + times + " times";
  line += (times != "-" ? " the " : "; ") + interval_bytes(t.graph_io) +
          " of inputs, weights and outputs";
  line += "; " + interval_count(t.work, "FLOP") + intensity(t);
  if (!t.int_ops.is_zero()) line += "; " + interval_count(t.int_ops) + " int operations";
  if (t.invariant.lo() != 0) line += "; " + interval_bytes(t.invariant) + " invariant";
  line += "; " + coverage(t.coverage);
  line += "; " + binary_bytes(rule.bytes);
  line.append(" as ").append(rule_version).append(" counts");
  if (rule.overflow_nodes != 0) {
    line += "; " + std::to_string(rule.overflow_nodes) + " beyond 64 bits";
  }
  if (ridge_flops_per_byte) line += "; " + roofline_line(cost, *ridge_flops_per_byte);
  return line;
}

}  // namespace opscope
