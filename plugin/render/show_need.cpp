// What `opscope show` says of needs around its rows.
#include <algorithm>

#include "plugin/render/need_text.hpp"
#include "plugin/render/show.hpp"

namespace opscope {

namespace {

constexpr std::size_t invariant_rows = 5;

std::string percent(double share) { return fixed_point(100.0 * share, 1) + " %"; }

std::string intensity(const interval& work, const interval& bytes) {
  if (!work.is_exact() || !bytes.is_exact() || bytes.is_zero()) return "";
  return ", " + fixed_point(static_cast<double>(work.lo()) / static_cast<double>(bytes.lo()), 2) +
         " FLOP/B";
}

}  // namespace

std::string need_headline(const ledger_record& r) {
  if (!r.need) return "";
  const need_totals& t = r.need->totals;
  std::string text =
      std::to_string(r.totals.nodes) + (r.totals.nodes == 1 ? " node needs " : " nodes need ") +
      interval_bytes(t.bytes()) + " (" + interval_bytes(t.read) + " read, " +
      interval_bytes(t.written) + " written; " + interval_bytes(t.weights) + " of weights)";
  const std::string times = ratio_text(t.bytes(), t.graph_io);
  text += times == "-" ? "; " : ", " + times + " times the ";
  text += interval_bytes(t.graph_io) + " of inputs, weights and outputs\n";
  text += "work: " + interval_count(t.work, "FLOP") + ", of it " +
          interval_count(t.contraction, "FLOP") + " in contractions" + intensity(t.work, t.bytes());
  if (!t.int_ops.is_zero()) text += "; " + interval_count(t.int_ops) + " integer operations";
  return text + "\n";
}

std::string need_remarks(const ledger_record& r, std::span<const group_row> rows) {
  const recorded_need& need = *r.need;
  std::string text;
  if (need.totals.unknown_nodes == 0 && need.covered_nodes.value_or(0) == 1) {
    text = "all covered\n";
  } else if (need.covered_nodes) {
    text = "covered: " + percent(*need.covered_nodes) + " of the nodes";
    if (need.covered_bytes) text += ", " + percent(*need.covered_bytes) + " of the rule's bytes";
    text += "; " + std::to_string(need.totals.unknown_nodes) + " without an upper bound\n";
  }
  const interval& invariant = need.totals.invariant;
  if (invariant.is_zero()) return text;
  text += "invariant: " + interval_bytes(invariant) +
          ", computed from weights alone: could be done once\n";
  std::vector<const group_row*> sources;
  for (const group_row& row : rows) {
    if (!row.invariant.is_zero()) sources.push_back(&row);
  }
  std::stable_sort(sources.begin(), sources.end(), [](const group_row* a, const group_row* b) {
    return a->invariant.lo() > b->invariant.lo();
  });
  for (std::size_t i = 0; i < sources.size() && i < invariant_rows; ++i) {
    text +=
        "  " + interval_bytes(sources[i]->invariant) + "  " + shown_name(sources[i]->name) + "\n";
  }
  if (sources.size() > invariant_rows) {
    text += "  and " + std::to_string(sources.size() - invariant_rows) + " more\n";
  }
  return text;
}

}  // namespace opscope
