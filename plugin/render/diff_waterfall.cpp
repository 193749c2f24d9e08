#include "plugin/render/diff_waterfall.hpp"

#include <algorithm>
#include <array>
#include <opscope/units.hpp>

#include "plugin/render/diff_words.hpp"
#include "plugin/render/table.hpp"

namespace opscope {

namespace {

__extension__ using i128 = __int128;

// What a step added; nothing where an end is unknown. A step that a side has not added nothing.
using signed_figure = std::optional<i128>;

signed_figure added(const figure& before, const figure& after) {
  if (!before || !after) return std::nullopt;
  return i128{*after} - i128{*before};
}
signed_figure difference(const signed_figure& base, const signed_figure& next) {
  if (!base || !next) return std::nullopt;
  return *next - *base;
}

std::string decimal(i128 v) {
  if (v < 0) return "-" + decimal(-v);
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(v % 10)));
    v /= 10;
  } while (v != 0);
  return digits;
}
std::string with_sign(const signed_figure& f) {
  if (!f) return "unknown";
  if (*f == 0) return "";
  return (*f > 0 ? "+" : "") + decimal(*f);
}
std::string plain(const signed_figure& f) { return f ? decimal(*f) : "unknown"; }

enum column_of_step : std::size_t { needs, bytes, flops, nodes, step_columns };
constexpr std::array<std::string_view, step_columns> keys{"need.bytes.lo", "rule.bytes",
                                                          "rule.flops", "nodes"};

struct ends {
  figure before;
  figure after;
};
ends of(const waterfall_row& r, std::size_t column) {
  switch (column) {
    case needs:
      return {r.needs_before, r.needs_after};
    case bytes:
      return {r.bytes_before, r.bytes_after};
    case flops:
      return {r.flops_before, r.flops_after};
    default:
      return {r.nodes_before, r.nodes_after};
  }
}
signed_figure added(const std::optional<waterfall_row>& r, std::size_t column) {
  if (!r) return i128{0};
  const ends e = of(*r, column);
  return added(e.before, e.after);
}

// What a compile began and ended with.
waterfall_row whole(const compile_steps& steps) {
  const ledger_record& a = *steps.front();
  const ledger_record& b = *steps.back();
  const auto need = [](const ledger_record& r) {
    return r.need ? figure{r.need->totals.bytes().lo()} : figure{};
  };
  return {"",
          a.totals.nodes,
          b.totals.nodes,
          a.totals.bytes,
          b.totals.bytes,
          a.totals.flops,
          b.totals.flops,
          need(a),
          need(b)};
}

std::string name_of(const step_pair& s) { return s.base ? s.base->step : s.next->step; }

// Rows of cells: step, then base, new and difference of needs, then of bytes, then nodes.
template <class Add>
void add_rows(const waterfall_pair& w, const Add& add) {
  const waterfall_row base = whole(w.base);
  const waterfall_row next = whole(w.next);
  const auto value = [](const figure& f) { return f ? signed_figure{i128{*f}} : std::nullopt; };
  const auto cells = [&](std::string name, const auto& of_base, const auto& of_new,
                         const auto& text) {
    std::vector<std::string> all{std::move(name)};
    for (const std::size_t c : {std::size_t{needs}, std::size_t{bytes}, std::size_t{nodes}}) {
      all.push_back(text(of_base(c)));
      all.push_back(text(of_new(c)));
      if (c != nodes) all.push_back(with_sign(difference(of_base(c), of_new(c))));
    }
    return all;
  };
  add(cells(
      w.base.front()->stage, [&](std::size_t c) { return value(of(base, c).before); },
      [&](std::size_t c) { return value(of(next, c).before); }, plain));
  for (const step_pair& s : pair_steps(w)) {
    std::string name = shown_name(name_of(s), 48);
    if (!s.base) name += " (new)";
    if (!s.next) name += " (gone)";
    add(cells(
        name, [&](std::size_t c) { return added(s.base, c); },
        [&](std::size_t c) { return added(s.next, c); }, with_sign));
  }
  add(cells(
      w.base.back()->stage, [&](std::size_t c) { return value(of(base, c).after); },
      [&](std::size_t c) { return value(of(next, c).after); }, plain));
}

std::string title(const waterfall_pair& w) {
  const ledger_record& a = *w.base.front();
  const ledger_record& b = *w.next.front();
  const std::string before = compiler_text(a);
  const std::string after = compiler_text(b);
  return shown_name(b.graph) + " for " + shown_name(b.target, 16) + ", pass by pass: " + before +
         (before == after ? " on both sides" : ", then " + after);
}

constexpr std::string_view headings[] = {"step",       "base needs", "new needs",
                                         "difference", "base bytes", "new bytes",
                                         "difference", "base nodes", "new nodes"};

bool changes_nothing(const waterfall_row& r) {
  for (std::size_t c = 0; c < step_columns; ++c) {
    const ends e = of(r, c);
    if (e.before != e.after) return false;
  }
  return true;
}

}  // namespace

std::vector<step_pair> pair_steps(const waterfall_pair& w) {
  std::vector<waterfall_row> base = waterfall_rows(w.base);
  std::vector<waterfall_row> next = waterfall_rows(w.next);
  std::erase_if(base, changes_nothing);
  std::erase_if(next, changes_nothing);
  std::vector<step_pair> pairs;
  std::size_t j = 0;
  for (waterfall_row& row : base) {
    const auto at = std::find_if(next.begin() + static_cast<std::ptrdiff_t>(j), next.end(),
                                 [&](const waterfall_row& r) { return r.step == row.step; });
    if (at == next.end()) {
      pairs.push_back({std::move(row), std::nullopt});
      continue;
    }
    const auto found = static_cast<std::size_t>(at - next.begin());
    for (; j < found; ++j) pairs.push_back({std::nullopt, std::move(next[j])});
    pairs.push_back({std::move(row), std::move(next[j++])});
  }
  for (; j < next.size(); ++j) pairs.push_back({std::nullopt, std::move(next[j])});
  return pairs;
}

std::string waterfall_diff_text(const waterfall_pair& w, const emphasis_function& strong) {
  std::vector<column> columns;
  for (const std::string_view h : headings) columns.push_back({h});
  columns.front().side = align::left;
  text_table table{std::move(columns)};
  add_rows(w, [&](std::vector<std::string> cells) { table.add(std::move(cells)); });
  std::string text = strong(title(w)) + "\n";
  std::string lines = table.heading();
  lines += table.take_rows();
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    const std::size_t last = lines.find_last_not_of(' ', end - 1);
    text.append(lines, 0, last + 1).append("\n");
    lines.erase(0, end + 1);
  }
  return text +
         "first the graph that entered, then what each step added, then the result; bytes as " +
         shown_name(w.next.front()->rule, 64) + " counts\n";
}

std::string waterfall_diff_markdown(const waterfall_pair& w) {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string s{"|"};
    for (const std::string& c : cells) {
      s.append(" ").append(markdown_text(c));
      s += " |";
    }
    return s + "\n";
  };
  std::string text = "**" + markdown_text(title(w)) + "**\n\n";
  text += line({std::begin(headings), std::end(headings)}) + "|---|";
  for (std::size_t i = 1; i < std::size(headings); ++i) text += "---:|";
  text += "\n";
  add_rows(w, [&](const std::vector<std::string>& cells) { text += line(cells); });
  return text;
}

void waterfall_diff_json(json_writer& out, const waterfall_pair& w) {
  out.raw("{\"schema\":\"opscope-diff-passes/1\",\"graph\":");
  out.text(w.next.front()->graph);
  out.raw(",\"target\":");
  out.text(w.next.front()->target);
  out.raw(",\"steps\":[");
  const auto side = [&](const std::optional<waterfall_row>& r) {
    if (!r) return out.null();
    out.raw('{');
    for (std::size_t c = 0; c < step_columns; ++c) {
      if (c != 0) out.raw(',');
      const ends e = of(*r, c);
      out.text(keys[c]);
      out.raw(":[");
      out.count(e.before);
      out.raw(',');
      out.count(e.after);
      out.raw(']');
    }
    out.raw('}');
  };
  bool is_first = true;
  for (const step_pair& s : pair_steps(w)) {
    if (!is_first) out.raw(',');
    is_first = false;
    out.raw("{\"step\":");
    out.text(name_of(s));
    out.raw(",\"base\":");
    side(s.base);
    out.raw(",\"new\":");
    side(s.next);
    out.raw('}');
  }
  out.raw("],\"total\":{\"base\":");
  side(whole(w.base));
  out.raw(",\"new\":");
  side(whole(w.next));
  out.raw("}}\n");
}

std::string waterfall_diff_csv_heading() {
  std::string text{"graph,target,step"};
  for (const std::string_view key : keys) {
    for (const char* side : {"base", "new"}) {
      text.append(",").append(side).append(" ").append(key).append(" before");
      text.append(",").append(side).append(" ").append(key).append(" after");
    }
  }
  return text + "\n";
}

std::string waterfall_diff_csv(const waterfall_pair& w) {
  std::string text;
  for (const step_pair& s : pair_steps(w)) {
    text += csv_field(w.next.front()->graph) + "," + csv_field(w.next.front()->target) + "," +
            csv_field(name_of(s));
    for (std::size_t c = 0; c < step_columns; ++c) {
      for (const std::optional<waterfall_row>* r : {&s.base, &s.next}) {
        const ends e = *r ? of(**r, c) : ends{};
        for (const figure& f : {e.before, e.after}) {
          text += "," + (!*r ? "" : f ? std::to_string(*f) : std::string{"unknown"});
        }
      }
    }
    text += "\n";
  }
  return text;
}

}  // namespace opscope
