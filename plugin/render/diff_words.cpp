#include "plugin/render/diff_words.hpp"

#include <algorithm>
#include <map>
#include <opscope/units.hpp>
#include <set>

namespace opscope {

namespace {

std::string count_text(std::uint64_t value, metric_unit unit) {
  switch (unit) {
    case metric_unit::bytes:
      return binary_bytes(value);
    case metric_unit::operations:
      return decimal_count(value);
    case metric_unit::count:
      break;
  }
  return std::to_string(value);
}

std::string upper(std::string_view s) {
  std::string text{s};
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

std::string pairs_text(std::string_view what, const text_pairs& pairs) {
  std::string text;
  for (const auto& [name, value] : pairs) {
    text.append(text.empty() ? std::string{what} + " " : ", ")
        .append(shown_name(name, 40))
        .append("=")
        .append(shown_name(value, 40));
  }
  return text;
}

std::string only_or_number(const std::set<std::string>& texts, std::string_view what) {
  if (texts.size() == 1) return *texts.begin();
  return std::to_string(texts.size()) + " " + std::string{what};
}

}  // namespace

std::string measure_text(const measure& m, metric_unit unit) {
  if (m.is_missing()) return "-";
  if (m.is_unknown()) return "unknown";
  return count_text(m.value(), unit) + (m.is_floor() ? "~?" : "");
}

std::string change_text(const change& c, metric_unit unit, bool is_same) {
  if (!c.is_any() && c.before.is_missing()) return "";
  if (!c.is_any()) return c.is_open() && !is_same ? "unknown" : "=";
  if (c.loses()) return "now unknown";
  if (c.before.is_missing() || c.after.is_missing()) return "";
  if (!c.has_size()) return "was unknown";
  return (c.is_growth() ? "+" : "-") + count_text(c.size(), unit) + (c.is_open() ? "~?" : "");
}

std::string percent_text(const change& c) {
  if (!c.has_size() || c.size() == 0 || c.is_open()) return "";
  if (c.before.value() == 0) return "new";
  const double percent =
      static_cast<double>(c.size()) / static_cast<double>(c.before.value()) * 100.0;
  return (c.is_growth() ? "+" : "-") + fixed_point(percent, 1) + " %";
}

std::string edit_mark(const diff_row& row) {
  switch (row.what) {
    case edit::equal:
      return "[ = ]";
    case edit::added:
      return "[NEW]";
    case edit::removed:
      return "[DEL]";
    case edit::changed:
      return "[CHANGED]";
    default:
      break;
  }
  return "[" + upper(text(row.what)) + " " + std::to_string(row.base_nodes()) + "->" +
         std::to_string(row.new_nodes()) + "]";
}

std::string kinds_text(const std::vector<kind_count>& kinds) {
  std::string text;
  for (const kind_count& k : kinds) {
    if (!text.empty()) text += ", ";
    if (k.count != 1) text += std::to_string(k.count) + " ";
    text += shown_name(k.kind, 40);
  }
  return text;
}

std::string kinds_text(const diff_row& row) {
  if (row.base_kinds.empty() && row.new_kinds.empty() && row.what != edit::equal) {
    return "too many to be told apart";
  }
  if (row.what == edit::changed) {
    std::vector<std::string> changes;
    for (const std::string& c : row.changes) changes.push_back(shown_name(c, 80));
    return kinds_text(row.new_kinds) + ": " + joined(changes, ", ");
  }
  const auto with_leaves = [](const std::vector<kind_count>& kinds, std::uint64_t leaves) {
    std::string text = kinds_text(kinds);
    if (leaves == 0) return text;
    return text.append(text.empty() ? "" : ", ")
        .append(std::to_string(leaves))
        .append(leaves == 1 ? " leaf" : " leaves");
  };
  const std::string before = with_leaves(row.base_kinds, row.base_leaves);
  const std::string after = with_leaves(row.new_kinds, row.new_leaves);
  if (row.what == edit::added) return after;
  if (row.what == edit::removed || row.what == edit::equal) return before;
  return before + " -> " + after;
}

std::string joined(const std::vector<std::string>& texts, std::string_view separator) {
  std::string all;
  for (const std::string& t : texts) all.append(all.empty() ? "" : separator).append(t);
  return all;
}

std::vector<invariant_line> invariant_lines(const std::vector<invariant_work>& work) {
  struct kind_sum {
    std::uint64_t nodes = 0;
    amount bytes;
    std::vector<std::string> by_operands;
    std::set<std::string> passes;
  };
  std::map<std::string, kind_sum> kinds;
  for (const invariant_work& w : work) {
    kind_sum& k = kinds[w.kind];
    k.nodes += w.nodes;
    k.bytes.add(w.bytes);
    k.by_operands.push_back(std::to_string(w.nodes) + " of " + std::to_string(w.operands));
    for (const std::string& pass : w.passes) k.passes.insert(shown_name(pass, 60));
  }
  std::vector<std::pair<std::string, kind_sum>> sorted(kinds.begin(), kinds.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& x, const auto& y) {
    return x.second.bytes.known_part() > y.second.bytes.known_part();
  });
  std::vector<invariant_line> lines;
  for (const auto& [kind, k] : sorted) {
    std::string line = std::to_string(k.nodes) + " " + shown_name(kind, 40) + " of weights (" +
                       joined(k.by_operands, ", ") +
                       (k.by_operands.back().ends_with(" of 1") ? " operand): " : " operands): ") +
                       std::to_string(k.bytes.known_part()) + " bytes";
    lines.push_back({std::move(line), joined({k.passes.begin(), k.passes.end()}, ", ")});
  }
  return lines;
}

std::string compiler_text(const ledger_record& r) {
  std::string text = shown_name(r.compiler_name, 32) + " " + shown_name(r.compiler_version, 32) +
                     ", pipeline " + shown_name(r.pipeline, 32);
  for (const std::string& more : {pairs_text("options", r.options), pairs_text("tags", r.tags)}) {
    if (!more.empty()) text += "; " + more;
  }
  return text;
}

std::vector<std::string> graphs_text(const std::vector<const ledger_record*>& records) {
  constexpr std::size_t most_stages = 4;
  std::vector<std::pair<std::string, std::vector<std::string>>> graphs;
  for (const ledger_record* r : records) {
    std::string name = shown_name(r->graph, 60) + " for " + shown_name(r->target, 20);
    auto at = std::ranges::find(
        graphs, name, [](const auto& g) -> auto& { return g.first; });
    if (at == graphs.end())
      at = graphs.emplace(graphs.end(), std::move(name), std::vector<std::string>{});
    const std::string suffix = stage_suffix(r->stage, r->pass);
    at->second.push_back(suffix.empty() ? "lowered" : shown_name(suffix.substr(2), 60));
  }
  std::vector<std::string> texts;
  for (const auto& [name, stages] : graphs) {
    const bool is_lowered = stages.size() == 1 && stages.front() == "lowered";
    texts.push_back(is_lowered ? name
                    : stages.size() <= most_stages
                        ? name + " (" + joined(stages, ", ") + ")"
                        : name + " (" + std::to_string(stages.size()) + " stages)");
  }
  return texts;
}

cut_rows cut(const std::vector<diff_row>& rows, std::size_t top) {
  cut_rows c;
  if (!rows.empty() && rows.back().what == edit::equal) c.equal = &rows.back();
  const std::span changed = std::span{rows}.first(rows.size() - (c.equal != nullptr ? 1 : 0));
  c.shown = changed.first(top == 0 ? changed.size() : std::min(changed.size(), top));
  for (const diff_row& r : changed.subspan(c.shown.size())) {
    ++c.others;
    c.times += r.times;
    c.base.add(r.base);
    c.next.add(r.next);
  }
  return c;
}

side_words words_of_side(const comparison& c, bool is_base) {
  std::set<std::string> compilers;
  std::set<std::string> stages;
  std::set<std::string> versions;
  for (const graph_comparison& g : c.graphs) {
    const ledger_record& r = is_base ? *g.records.base : *g.records.next;
    compilers.insert(compiler_text(r));
    stages.insert(shown_name(stage_text(r), 60));
    versions.insert(shown_name(r.opscope_version, 32));
  }
  return {only_or_number(compilers, "compilers or settings"), only_or_number(stages, "stages"),
          only_or_number(versions, "versions")};
}

std::string pair_title(const record_pair& p) {
  std::string title = shown_name(p.base->graph, 60) + " for " + shown_name(p.base->target, 20) +
                      shown_name(stage_suffix(p.next->stage, p.next->pass), 60);
  if (p.base->graph != p.next->graph) title += ", now " + shown_name(p.next->graph, 60);
  if (p.base->target != p.next->target) title += ", now for " + shown_name(p.next->target, 20);
  return title;
}

}  // namespace opscope
