#include "host/emit/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <vector>

#include "host/emit/op_text.hpp"
#include "host/graph/op_fields.hpp"

namespace rlx {

namespace {

using kind_counts = std::map<std::string_view, std::int64_t>;

kind_counts count_kinds(const graph& g) {
  kind_counts counts;
  for (node_id id = 0; id < g.size(); ++id) ++counts[g.operation_of(id).kind_text];
  return counts;
}

// Nodes as a listing shows them: MIR's `%7` or HIR's `h7`.
struct listing {
  const graph& g;
  const hir_module* hir;  // null for MIR
  std::string_view sigil;
};

void append_shape(std::string& out, const graph& g, node_id id) {
  const shape_view s = g.shape(id);
  out += '[';
  for (std::size_t i = 0; i < s.dims.size(); ++i) {
    if (i != 0) out += ", ";
    if ((s.dynamic_dims >> i & 1) != 0) out += '?';
    out += std::to_string(s.dims[i]);
  }
  out += "] ";
  for (const char c : g.storage().dtype_text(s.dtype)) {
    out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
}

std::string tag_of(const listing& l, node_id id) {
  std::string tag{l.sigil};
  tag += std::to_string(id);
  const op_fields fields{l.g.storage(), l.g.op(id)};
  const bool is_input = fields.kind() == "Input";
  const bool is_leaf = is_input || fields.kind() == "Param";
  const bool wrapped = l.hir != nullptr && l.hir->wraps_mir[id];
  const auto* const leaf_name = is_leaf && !wrapped ? fields.find("name") : nullptr;
  if (leaf_name != nullptr && leaf_name->type == RLX_ATTRIBUTE_TEXT) {
    tag += is_input ? " [input \"" : " [param \"";
    tag += view_of(leaf_name->value.text);
    tag += "\"]";
  } else if (const auto name = l.g.name_of(id)) {
    tag += " [\"";
    tag += *name;
    tag += "\"]";
  }
  return tag;
}

// RLX measures the widest tag in bytes and pads by characters.
std::size_t count_characters(std::string_view s) {
  return static_cast<std::size_t>(std::ranges::count_if(
      s, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

void append_origin(std::string& out, const origin& o) {
  std::string_view separator = "  // ";
  const auto part = [&](std::string_view before, std::string_view text, std::string_view after) {
    (((out += separator) += before) += text) += after;
    separator = ", ";
  };
  if (o.hir) part("hir=h", std::to_string(*o.hir), "");
  if (o.label) part("\"", *o.label, "\"");
  if (o.pass) part("pass=", *o.pass, "");
  if (!o.hir && !o.label && !o.pass) part("", "\u2014", "");
}

void append_ids(std::string& out, std::string_view sigil, std::span<const node_id> ids) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i != 0) out += ", ";
    (out += sigil) += std::to_string(ids[i]);
  }
}

void append_nodes(std::string& out, const listing& l) {
  const graph& g = l.g;
  std::vector<std::string> tags;
  std::size_t width = 0;
  tags.reserve(g.size());
  for (node_id id = 0; id < g.size(); ++id) {
    tags.push_back(tag_of(l, id));
    width = std::max(width, tags.back().size());
  }
  std::vector<bool> is_output(g.size());
  for (const node_id output : g.outputs()) is_output[output] = true;
  for (node_id id = 0; id < g.size(); ++id) {
    (out += "  ") += tags[id];
    out.append(width - count_characters(tags[id]), ' ');
    out += " = ";
    if (l.hir == nullptr) {
      append_op_text(out, g.storage(), g.op(id));
    } else if (l.hir->wraps_mir[id]) {
      append_op_text(out += "mir(", g.storage(), g.op(id));
      out += ')';
    } else {
      append_block_text(out, g.storage(), g.op(id));
    }
    if (!g.inputs(id).empty()) {
      append_ids(out += '(', l.sigil, g.inputs(id));
      out += ')';
    }
    append_shape(out += " : ", g, id);
    if (g.origin_of(id) != no_origin) append_origin(out, g.origin_at(g.origin_of(id)));
    if (is_output[id]) out += "  \u2190 output";
    out += '\n';
  }
  if (!g.outputs().empty()) {
    append_ids(out += "  return ", l.sigil, g.outputs());
    out += '\n';
  }
}

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

// The sum of all node output sizes that are known.
std::string known_bytes_text(const graph& g) {
  std::uint64_t sum = 0;
  for (node_id id = 0; id < g.size(); ++id) {
    sum = saturating_add(sum, byte_size(g.shape(id)).value_or(0));
  }
  if (sum < 1024) return std::to_string(sum) + " B";
  auto scaled = static_cast<double>(sum);
  constexpr std::array units{"KB", "MB", "GB"};
  std::size_t unit = 0;
  for (scaled /= 1024; scaled >= 1024 && unit + 1 < units.size(); scaled /= 1024) ++unit;
  return fmt::format("{:.1f} {}", scaled, units[unit]);
}

void append_header(std::string& out, const graph& g) {
  out += fmt::format("graph @{} ({} nodes, {} outputs, {} arena)\n  op kinds: ", g.name(), g.size(),
                     g.outputs().size(), known_bytes_text(g));
  const kind_counts counts = count_kinds(g);
  std::vector<std::pair<std::string_view, std::int64_t>> kinds{counts.begin(), counts.end()};
  std::ranges::stable_sort(kinds, std::greater{}, [](const auto& k) { return k.second; });
  std::string_view separator;
  for (const auto& [kind, count] : kinds) {
    out += fmt::format("{}{}={}", separator, kind, count);
    separator = ", ";
  }
  out += '\n';
}

std::string_view phase_text(phase p) {
  switch (p) {
    case phase::prologue:
      return "Prologue";
    case phase::steady_state:
      return "SteadyState";
    case phase::epilogue:
      return "Epilogue";
    case phase::absent:
      break;
  }
  return {};
}

void append_rows(std::string& out, const buffer_plan& plan) {
  std::vector<node_id> rows;
  for (node_id id = 0; id < plan.slots.size(); ++id) {
    if (plan.slots[id]) rows.push_back(id);
  }
  std::ranges::stable_sort(rows, {}, [&](node_id id) { return plan.slots[id]->offset; });
  std::vector<std::size_t> position(plan.slots.size(), plan.schedule.size());
  for (std::size_t i = 0; i < plan.schedule.size(); ++i) {
    if (plan.schedule[i] < position.size()) position[plan.schedule[i]] = i;
  }
  for (const node_id id : rows) {
    out += fmt::format("  {}\t{}\t%{}", plan.slots[id]->offset, plan.slots[id]->bytes, id);
    if (position[id] < plan.schedule.size()) out += fmt::format(" sched={}", position[id]);
    if (const auto& view = plan.views[id]) {
      out += fmt::format(" view\u2192%{}+{}", view->root, view->byte_offset);
    }
    const std::string_view p = phase_text(plan.phases[id]);
    if (!p.empty()) (out += ' ') += p;
    out += '\n';
  }
}

template <class Ids>
void append_rust_ids(std::string& out, const Ids& ids) {
  std::string_view separator;
  out += '[';
  for (const node_id id : ids) {
    out += fmt::format("{}NodeId({})", separator, id);
    separator = ", ";
  }
  out += ']';
}

void append_phases(std::string& out, const buffer_plan& plan) {
  bool any = false;
  for (const phase p : {phase::prologue, phase::steady_state, phase::epilogue}) {
    std::vector<node_id> ids;
    for (node_id id = 0; id < plan.phases.size(); ++id) {
      if (plan.phases[id] == p) ids.push_back(id);
    }
    if (ids.empty()) continue;
    if (!any) out += "  phases:\n";
    any = true;
    append_rust_ids(out += fmt::format("    {}: ", phase_text(p)), ids);
    out += '\n';
  }
  if (any) out += '\n';
}

}  // namespace

void append_graph_listing(std::string& out, const graph& g) {
  append_header(out, g);
  out += '\n';
  append_nodes(out, {g, nullptr, "%"});
}

void append_mir_text(std::string& out, const graph& g) {
  out += fmt::format("mir @{} {{\n\n", g.name());
  append_graph_listing(out, g);
  out += "}\n";
}

void append_hir_text(std::string& out, const hir_module& m) {
  const graph& g = m.blocks;
  out += fmt::format("hir @{} ({} nodes, {} outputs, fusion={})\n  block ops: ", g.name(), g.size(),
                     g.outputs().size(), m.policy == fusion_policy::direct ? "Direct" : "Fusable");
  kind_counts counts;
  for (node_id id = 0; id < g.size(); ++id) {
    ++counts[m.wraps_mir[id] ? std::string_view{"Mir"} : g.operation_of(id).kind_text];
  }
  std::string_view separator;
  for (const auto& [kind, count] : counts) {
    out += fmt::format("{}{}={}", separator, kind, count);
    separator = ", ";
  }
  out += "\n\n";
  append_nodes(out, {g, &m, "h"});
}

void append_lir_text(std::string& out, const graph& g, const buffer_plan& plan) {
  std::uint64_t total = 0;
  std::size_t views = 0;
  for (const auto& s : plan.slots) total = saturating_add(total, s ? s->bytes : 0);
  for (const auto& v : plan.views) views += v ? 1 : 0;
  const std::uint64_t saved = total > plan.arena_bytes ? total - plan.arena_bytes : 0;
  out += fmt::format(
      "lir @{} {{\n\n  arena: {} bytes (saved {} vs {} naive, align={})\n"
      "  schedule: {} nodes, {} views\n",
      g.name(), plan.arena_bytes, saved, total, plan.alignment, plan.schedule.size(), views);
  if (!plan.dynamic_symbols.empty()) {
    append_ids(out += "  dynamic: ", "?", plan.dynamic_symbols);
    out += '\n';
  }
  out += "\n  # offset\tsize\tnode\n";
  append_rows(out, plan);
  out += '\n';
  append_phases(out, plan);
  if (!plan.inputs.empty() || !plan.params.empty()) {
    out += "  io:\n";
    for (const auto& [name, id] : plan.inputs) {
      out += fmt::format("    input \"{}\" \u2192 %{}\n", name, id);
    }
    for (const auto& [name, id] : plan.params) {
      out += fmt::format("    param \"{}\" \u2192 %{}\n", name, id);
    }
    append_rust_ids(out += "    outputs: ", plan.outputs);
    out += "\n\n";
  }
  out += "--- mir ---\n";
  append_graph_listing(out, g);
  out += "}\n";
}

void append_diff_text(std::string& out, const graph& before, const graph& after) {
  out += fmt::format("  diff: {} \u2192 {} nodes ({} \u2192 {} outputs)\n", before.size(),
                     after.size(), before.outputs().size(), after.outputs().size());
  kind_counts delta = count_kinds(after);
  for (const auto& [kind, count] : count_kinds(before)) delta[kind] -= count;
  std::string_view separator = "  op delta: ";
  for (const auto& [kind, count] : delta) {
    if (count == 0) continue;
    out += fmt::format("{}{}{:+}", separator, kind, count);
    separator = ", ";
  }
  if (separator == ", ") out += '\n';
}

void append_pipeline_text(std::string& out, const pipeline_stages& stages) {
  const auto title = [&](std::string_view text) {
    std::string bar;
    for (std::size_t i = 0; i < text.size() + 4; ++i) bar += "\u2550";
    out += fmt::format("{0}\n\u2550\u2550 {1} \u2550\u2550\n{0}\n", bar, text);
  };
  if (stages.hir != nullptr) {
    title("HIR");
    append_hir_text(out, *stages.hir);
  }
  title("MIR (lowered)");
  append_mir_text(out, stages.lowered);
  title("MIR (fusion diff)");
  append_diff_text(out, stages.lowered, stages.optimized);
  title("MIR (optimized)");
  append_mir_text(out, stages.optimized);
  title("FUSION");
  out += stages.fusion_report;
  out += fmt::format("\nmir @{} \u2014 ", stages.optimized.name());
  append_header(out, stages.optimized);
  title("LIR");
  append_lir_text(out, stages.optimized, stages.plan);
}

}  // namespace rlx
