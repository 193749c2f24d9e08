// `opscope show` as text, JSON and CSV.
#include "plugin/render/show.hpp"

#include <algorithm>
#include <opscope/units.hpp>
#include <span>

#include "plugin/ledger/need_members.hpp"
#include "plugin/render/need_text.hpp"
#include "plugin/render/record_json.hpp"
#include "plugin/render/table.hpp"

namespace opscope {

namespace {

constexpr std::size_t longest_name = 72;

std::string shown_bytes(const figure& f) { return f ? binary_bytes(*f) : "unknown"; }
std::string shown_count(const figure& f) { return decimal_count(f); }

std::string share(const figure& part, const figure& whole) {
  if (!part || !whole || *whole == 0) return "-";
  return fixed_point(100.0 * static_cast<double>(*part) / static_cast<double>(*whole), 1) + " %";
}

std::string intensity(const figure& flops, const figure& bytes) {
  if (!flops || !bytes || *bytes == 0) return "-";
  return fixed_point(static_cast<double>(*flops) / static_cast<double>(*bytes), 2);
}

std::string stage_text(const ledger_record& r) {
  return r.pass ? "after pass " + shown_name(*r.pass) : shown_name(r.stage);
}

std::string plural(std::uint64_t n, const char* one, const char* many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

void append_options(std::string& to, const char* what, const text_pairs& all) {
  if (all.empty()) return;
  to.append(what);
  bool is_first = true;
  for (const auto& [name, value] : all) {
    to.append(is_first ? " " : ", ").append(shown_name(name)).append("=").append(shown_name(value));
    is_first = false;
  }
  to += '\n';
}

std::string head_text(const ledger_record& r, const emphasis_function& strong) {
  std::string text = strong(shown_name(r.graph)) + " for " + shown_name(r.target) + ", " +
                     stage_text(r) + ", by " + shown_name(r.compiler_name) + " " +
                     shown_name(r.compiler_version) + ", pipeline " + shown_name(r.pipeline) + "\n";
  text += "  recorded " + shown_name(r.time) + ", seq " + std::to_string(r.sequence) + ", in " +
          shown_name(r.file, 300) + ":" + std::to_string(r.line) + "\n";
  if (r.source || r.lowered) {
    text += "  source " + shown_name(r.source.value_or("unknown")) + ", lowered " +
            shown_name(r.lowered.value_or("unknown")) + "\n";
  }
  append_options(text, "  options", r.options);
  append_options(text, "  tags", r.tags);
  return text;
}

std::string totals_text(const ledger_record& r) {
  const opscope::totals& t = r.totals;
  std::string text = need_headline(r);
  text += (r.need ? "as " + shown_name(r.rule) + " counts" : plural(t.nodes, "node", "nodes")) +
          ": " + shown_bytes(t.bytes) + " (" + shown_bytes(t.bytes_read) + " read, " +
          shown_bytes(t.bytes_written) + " written; " + shown_bytes(t.bytes_weights) +
          " of weights, " + share(t.bytes_weights, t.bytes) + "), " +
          decimal_count(t.flops, "FLOP") + ", " + intensity(t.flops, t.bytes) + " FLOP/B\n";
  if (r.memory.arena_bytes) {
    text += "buffer plan: arena " + shown_bytes(r.memory.arena_bytes) + ", " +
            shown_bytes(r.memory.unshared_bytes) + " without reuse, at least " +
            shown_bytes(r.memory.peak_live_bytes) + " alive at once, " +
            plural(r.memory.views, "view", "views") + "\n";
  }
  if (t.dynamic_nodes != 0) {
    text += plural(t.dynamic_nodes, "node has", "nodes have") +
            " a size that the rule counts as 0, for a dynamic dim" +
            (r.bound.empty() ? "; --bind gives the needs sizes" : "") + "\n";
  }
  for (const auto& [symbol, size] : r.bound.all()) {
    text += "  costed with ?" + std::to_string(symbol) + " = " + std::to_string(size) + "\n";
  }
  if (t.overflow_nodes != 0) {
    text += plural(t.overflow_nodes, "node has", "nodes have") + " a figure beyond 64 bits\n";
  }
  return text;
}

struct shown_rows {
  std::vector<group_row> rows;
  std::size_t shown = 0;
};

shown_rows chosen_rows(const ledger_record& r, const show_wish& wish) {
  shown_rows s{group_rows(r, wish), 0};
  s.shown = wish.top == 0 ? s.rows.size() : std::min(wish.top, s.rows.size());
  return s;
}

group_row sum(std::span<const group_row> rows, std::string name) {
  group_row total{std::move(name), "", std::nullopt, 0, 0, 0, 0, std::nullopt, {}};
  for (const group_row& row : rows) {
    total.invariant += row.invariant;
    if (row.need) {
      if (!total.need) total.need.emplace();
      total.need->read += row.need->read;
      total.need->written += row.need->written;
      total.need->weights += row.need->weights;
      total.need->work += row.need->work;
    }
    total.count += row.count;
    total.bytes = checked_add(total.bytes, row.bytes);
    total.bytes_weights = checked_add(total.bytes_weights, row.bytes_weights);
    total.flops = checked_add(total.flops, row.flops);
  }
  return total;
}

std::string need_share(const interval& part, const interval& whole) {
  return whole.lo() == 0 || !whole.is_bounded() ? "-" : share(part.lo(), whole.lo());
}

std::vector<std::string> cells(const group_row& row, const show_wish& wish,
                               const ledger_record& r) {
  std::vector<std::string> all{shown_name(row.name, longest_name)};
  if (wish.by == grouping::node) {
    all.push_back(shown_name(row.kind, 32));
    all.push_back(row.id ? std::to_string(*row.id) : "");
  } else {
    all.push_back(std::to_string(row.count));
  }
  if (r.need) {
    const node_need need = row.need.value_or(node_need{});
    all.push_back(row.need ? interval_bytes(need.bytes()) : "-");
    all.push_back(row.need ? need_share(need.bytes(), r.need->totals.bytes()) : "-");
    all.push_back(row.need ? interval_bytes(need.weights) : "-");
    all.push_back(row.need ? interval_count(need.work, "FLOP") : "-");
    all.push_back(shown_bytes(row.bytes));
    all.push_back(row.bytes && row.need ? ratio_text(interval{*row.bytes}, need.bytes()) : "-");
    return all;
  }
  all.push_back(shown_bytes(row.bytes));
  all.push_back(share(row.bytes, r.totals.bytes));
  if (wish.by != grouping::kind) all.push_back(shown_bytes(row.bytes_weights));
  all.push_back(shown_count(row.flops));
  all.push_back(intensity(row.flops, row.bytes));
  return all;
}

std::vector<column> columns(const show_wish& wish, bool has_need) {
  std::vector<column> all{{wish.by == grouping::kind ? "kind" : "label", align::left}};
  if (wish.by == grouping::node) {
    all.push_back({"kind", align::left});
    all.push_back({"id"});
  } else {
    all.push_back({"nodes"});
  }
  if (has_need) {
    for (const char* heading : {"needs", "share", "weights", "work", "rule", "ratio"}) {
      all.push_back({heading});
    }
    return all;
  }
  all.push_back({"bytes"});
  all.push_back({"share"});
  if (wish.by != grouping::kind) all.push_back({"weights"});
  all.push_back({"FLOPs"});
  all.push_back({"FLOP/B"});
  return all;
}

void write_row(json_writer& out, const group_row& row, const ledger_record& r,
               const show_wish& wish) {
  out.verbatim(wish.by == grouping::kind ? "{\"kind\":" : "{\"label\":");
  out.text(row.name);
  if (wish.by == grouping::node) {
    out.raw(",\"kind\":");
    out.text(row.kind);
    out.raw(",\"id\":");
    out.number(std::uint64_t{*row.id});
  } else {
    out.raw(",\"count\":");
    out.number(row.count);
  }
  out.raw(",\"bytes\":");
  out.count(row.bytes);
  if (wish.by != grouping::kind) {
    out.raw(",\"bytes_weights\":");
    out.count(row.bytes_weights);
  }
  out.raw(",\"flops\":");
  out.count(row.flops);
  if (row.need) {
    out.raw(",\"need\":");
    write_node_need(out, *row.need, wish.by == grouping::node);
    if (wish.by == grouping::label) {
      out.raw(",\"invariant\":");
      write_interval(out, row.invariant);
    }
  }
  if (wish.by == grouping::node) {
    if (const auto e = r.nodes->expressions(*row.id)) {
      out.raw(",\"expr\":");
      write_expressions(out, *e);
    }
  }
  out.raw('}');
}

constexpr std::string_view need_csv_heading =
    "need_read_lo,need_read_hi,need_written_lo,need_written_hi,need_weights_lo,need_weights_hi,"
    "need_work_lo,need_work_hi,need_contraction_lo,need_contraction_hi,need_int_ops_lo,"
    "need_int_ops_hi,invariant";

// An end without bound, and all of a need that was not recorded, is an empty field. The last field
// is whether a node is invariant; of a label the bytes that such nodes need at least.
std::string need_csv(const group_row& row, const show_wish& wish) {
  std::string text;
  const auto add = [&](const std::string& field) { text.append(",").append(field); };
  const node_need n = row.need.value_or(node_need{});
  for (const interval& i : {n.read, n.written, n.weights, n.work, n.contraction, n.int_ops}) {
    add(row.need ? std::to_string(i.lo()) : "");
    add(row.need && i.hi() ? std::to_string(*i.hi()) : "");
  }
  if (!row.need || wish.by == grouping::kind) {
    add("");
  } else if (wish.by == grouping::node) {
    add(n.is_invariant ? "true" : "false");
  } else {
    add(std::to_string(row.invariant.lo()));
  }
  return text;
}

std::string counted(const figure& f) { return f ? std::to_string(*f) : std::string{}; }

}  // namespace

std::string show_text(const ledger_record& r, const show_wish& wish,
                      const emphasis_function& strong) {
  std::string text = head_text(r, strong) + totals_text(r);
  if (wish.ridge) {
    const ridge_split split = split_at_ridge(*r.nodes, *wish.ridge);
    text += "at " + fixed_point(*wish.ridge, 2) + " FLOP/B: " + shown_bytes(split.memory_bound) +
            " in memory-bound nodes, " + shown_bytes(split.compute_bound) +
            " in compute-bound ones\n";
  }
  const shown_rows s = chosen_rows(r, wish);
  text_table table{columns(wish, r.need.has_value())};
  const std::span<const group_row> all{s.rows};
  for (const group_row& row : all.first(s.shown)) table.add(cells(row, wish, r));
  if (const auto others = all.subspan(s.shown); !others.empty()) {
    table.add(cells(sum(others, "[" + plural(others.size(), "other", "others") + "]"), wish, r));
  }
  table.add(cells(sum(all, "TOTAL"), wish, r));
  std::string heading = table.heading();
  heading.pop_back();
  text.append("\n").append(strong(heading)).append("\n").append(table.take_rows());
  if (r.need) {
    return text + need_remarks(r, all) +
           "needs: what each node by itself must move, lo~hi; rule: bytes as " +
           shown_name(r.rule) + " counts; ratio: rule over needs\n";
  }
  return text + "bytes and FLOPs as " + shown_name(r.rule) +
         " counts: each node by itself, every operand and the result once\n";
}

void show_json(json_writer& out, const ledger_record& r, const show_wish& wish) {
  out.raw('{');
  write_record_head(out, r);
  if (wish.ridge) {
    const ridge_split split = split_at_ridge(*r.nodes, *wish.ridge);
    out.raw(",\"roofline\":{\"ridge\":");
    out.real(*wish.ridge);
    out.raw(",\"memory_bound_bytes\":");
    out.count(split.memory_bound);
    out.raw(",\"compute_bound_bytes\":");
    out.count(split.compute_bound);
    out.raw('}');
  }
  if (!r.bound.empty()) {
    out.raw(",\"bound\":{");
    bool is_first = true;
    for (const auto& [symbol, size] : r.bound.all()) {
      if (!is_first) out.raw(',');
      is_first = false;
      out.text("?" + std::to_string(symbol));
      out.raw(':');
      out.number(size);
    }
    out.raw('}');
  }
  constexpr std::string_view names[] = {"kind", "label", "node"};
  out.raw(",\"by\":");
  out.text(names[static_cast<std::size_t>(wish.by)]);
  const shown_rows s = chosen_rows(r, wish);
  out.raw(",\"rows\":[");
  for (std::size_t i = 0; i < s.shown; ++i) {
    if (i != 0) out.raw(',');
    write_row(out, s.rows[i], r, wish);
  }
  out.raw("],\"rows_left_out\":");
  out.number(s.rows.size() - s.shown);
  out.raw("}\n");
}

std::string show_csv_heading(const show_wish& wish) {
  std::string heading{"graph,target,stage,pass,seq,"};
  switch (wish.by) {
    case grouping::kind:
      heading += "kind,count,bytes,flops,";
      break;
    case grouping::label:
      heading += "label,count,bytes,bytes_weights,flops,";
      break;
    case grouping::node:
      heading += "label,kind,id,bytes,bytes_weights,flops,";
      break;
  }
  return heading.append(need_csv_heading).append("\n");
}

std::string show_csv(const ledger_record& r, const show_wish& wish) {
  const std::string head = csv_field(r.graph) + "," + csv_field(r.target) + "," +
                           csv_field(r.stage) + "," + csv_field(r.pass.value_or("")) + "," +
                           std::to_string(r.sequence);
  std::string text;
  const shown_rows s = chosen_rows(r, wish);
  for (std::size_t i = 0; i < s.shown; ++i) {
    const group_row& row = s.rows[i];
    text.append(head).append(",").append(csv_field(row.name)).append(",");
    if (wish.by == grouping::node) {
      text.append(csv_field(row.kind)).append(",").append(std::to_string(*row.id));
    } else {
      text.append(std::to_string(row.count));
    }
    text.append(",").append(counted(row.bytes));
    if (wish.by != grouping::kind) text.append(",").append(counted(row.bytes_weights));
    text.append(",").append(counted(row.flops));
    text.append(need_csv(row, wish)).append("\n");
  }
  return text;
}

}  // namespace opscope
