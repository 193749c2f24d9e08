// A comparison for a terminal of 100 columns.
#include <algorithm>
#include <opscope/units.hpp>

#include "plugin/render/diff.hpp"
#include "plugin/render/diff_words.hpp"
#include "plugin/render/need_text.hpp"
#include "plugin/render/table.hpp"

namespace opscope {

namespace {

constexpr std::string_view line_metrics[] = {
    "need.bytes.lo", "need.weights.lo", "need.invariant", "need.work.lo",
    "rule.bytes",    "rule.weights",    "rule.flops",     "memory.arena_bytes",
    "graph_io",      "nodes",           "unknown_nodes"};

struct io_ratio {
  std::string before;
  std::string after;
};
io_ratio ratios_of(const record_pair& p) {
  const auto ratio = [](const ledger_record& r) {
    return r.need ? ratio_text(r.need->totals.bytes(), r.need->totals.graph_io) : std::string{"-"};
  };
  return {ratio(*p.base), ratio(*p.next)};
}

class text_writer {
 public:
  text_writer(const comparison& c, const diff_wish& wish, const diff_colours& colours)
      : c_{c}, wish_{wish}, colours_{colours} {}

  std::string write() {
    write_head();
    if (c_.graphs.size() > 1) write_graphs();
    std::size_t shown = 0;
    for (const graph_comparison& g : c_.graphs) {
      if (g.is_equal() && c_.graphs.size() > 1) continue;
      if (wish_.top != 0 && shown == wish_.top) {
        text_ += "\nmore graphs changed; --top 0 shows all of them\n";
        break;
      }
      ++shown;
      write_graph(g);
    }
    return std::move(text_);
  }

 private:
  void strong_line(const std::string& line) { text_ += colours_.strong(line) + "\n"; }

  void write_head() {
    const side_words base = words_of_side(c_, true);
    const side_words next = words_of_side(c_, false);
    const auto side = [&](std::string_view what, const side_words& w, std::string_view place) {
      text_.append(colours_.strong(what))
          .append(" ")
          .append(w.compiler)
          .append("; ")
          .append(w.stage)
          .append(", from ")
          .append(shown_name(place, 60))
          .append("\n");
    };
    side("base:", base, wish_.base_place);
    side("new: ", next, wish_.new_place);
    if (base.stage != next.stage) {
      text_ += "stages differ: " + base.stage + " is compared with " + next.stage + "\n";
    }
    if (base.opscope != next.opscope) {
      text_ += "written by opscope " + base.opscope + ", then by " + next.opscope + "\n";
    }
    for (const std::string& note : c_.notes) text_ += shown_name(note, 400) + "\n";
    const auto list = [&](std::string_view what, const std::vector<const ledger_record*>& all) {
      if (all.empty()) return;
      text_.append(what);
      std::size_t n = 0;
      const std::vector<std::string> graphs = graphs_text(all);
      for (const std::string& graph : graphs) {
        if (n++ == 5) {
          text_ += ", and " + std::to_string(graphs.size() - 5) + " more";
          break;
        }
        text_.append(n == 1 ? " " : ", ").append(graph);
      }
      text_ += '\n';
    };
    list("only in base:", c_.only_base);
    list("only in new: ", c_.only_new);
  }

  // One line a graph; columns in which none of them says anything are left out.
  void write_graphs() {
    constexpr std::string_view figures[] = {"need.bytes.lo",  "need.weights.lo",
                                            "need.invariant", "need.work.lo",
                                            "rule.bytes",     "memory.arena_bytes"};
    std::vector<std::vector<std::string>> lines;
    std::size_t equal = 0;
    for (const graph_comparison& g : c_.graphs) {
      if (g.is_equal()) {
        ++equal;
        continue;
      }
      const metric_index needs = *find_metric("need.bytes.lo");
      std::vector<std::string>& cells = lines.emplace_back();
      cells.push_back(pair_title(g.records));
      cells.push_back(measure_text(g.of(needs).after, metric_unit::bytes));
      for (const std::string_view name : figures) {
        const change c = g.of(*find_metric(name));
        const std::string percent = percent_text(c);
        const bool has_percent = !percent.empty() && name != "need.invariant";
        cells.push_back(has_percent ? percent
                                    : change_text(c, metrics()[*find_metric(name)].unit, false));
      }
      cells.push_back(least_ratios(g.records));
      cells.push_back(change_text(g.of(*find_metric("nodes")), metric_unit::count, false));
    }
    constexpr std::string_view headings[] = {"graph", "needs", "change", "weights",  "invariant",
                                             "work",  "rule",  "arena",  "needs/io", "nodes"};
    std::vector<bool> is_said(std::size(headings));
    for (const auto& cells : lines) {
      for (std::size_t i = 0; i < cells.size(); ++i) {
        if (!cells[i].empty() && cells[i] != "=") is_said[i] = true;
      }
    }
    std::vector<column> columns;
    for (std::size_t i = 0; i < std::size(headings); ++i) {
      if (is_said[i]) columns.push_back({headings[i], i == 0 ? align::left : align::right});
    }
    text_ += '\n';
    if (!lines.empty()) {
      text_table table{std::move(columns)};
      for (auto& cells : lines) {
        std::vector<std::string> said;
        for (std::size_t i = 0; i < cells.size(); ++i) {
          if (is_said[i]) said.push_back(std::move(cells[i]));
        }
        table.add(std::move(said));
      }
      std::string heading = table.heading();
      heading.pop_back();
      strong_line(heading);
      add_lines(table.take_rows());
    }
    if (equal != 0) {
      text_ += std::to_string(equal) + (equal == 1 ? " graph is" : " graphs are") + " equal\n";
    }
  }
  // `1.28>2.26`: what the nodes need at least, over what the graph's ends are at least.
  static std::string least_ratios(const record_pair& p) {
    const auto ratio = [](const ledger_record& r) {
      if (!r.need) return std::string{"-"};
      return ratio_text(r.need->totals.bytes().lo(), r.need->totals.graph_io.lo());
    };
    const std::string before = ratio(*p.base);
    const std::string after = ratio(*p.next);
    return before == after ? after : before + ">" + after;
  }

  void write_graph(const graph_comparison& g) {
    text_ += '\n';
    write_figures(g);
    for (const found_obstacle& o : g.allowed) {
      text_ += "compared although " + shown_name(o.text, 400) + "\n";
    }
    if (!g.diff) {
      text_ += shown_name(g.no_diff, 400) + "\n";
      return;
    }
    write_invariant("new invariant work, which could be done once:", g.diff->new_invariant);
    write_invariant("invariant work that is gone:", g.diff->gone_invariant);
    write_rows(*g.diff);
  }

  void write_figures(const graph_comparison& g) {
    text_table table{{{"", align::left}, {"base"}, {"new"}, {"change"}, {"%"}}};
    const std::string title = pair_title(g.records);
    for (const std::string_view name : line_metrics) {
      const metric_index m = *find_metric(name);
      const change c = g.of(m);
      const bool is_silent = (c.before.is_missing() && c.after.is_missing()) ||
                             (name == "unknown_nodes" && !c.is_any() && c.after.value() == 0) ||
                             (c_.graphs.size() > 1 && !c.is_any() && !c.is_open());
      if (is_silent) continue;
      const metric_unit unit = metrics()[m].unit;
      table.add({"  " + std::string{metrics()[m].heading}, measure_text(c.before, unit),
                 measure_text(c.after, unit), change_text(c, unit, has_same_nodes(g)),
                 percent_text(c)});
    }
    if (g.records.base->need || g.records.next->need) {
      const io_ratio ratio = ratios_of(g.records);
      table.add({"  needs / graph in and out", ratio.before, ratio.after,
                 ratio.before == ratio.after ? "=" : "", ""});
    }
    // The title takes the place of the first heading.
    std::string heading = table.heading();
    const std::string rows = table.take_rows();
    heading.pop_back();
    const std::size_t width = shown_width(title);
    const std::size_t blank = heading.find_first_not_of(' ');
    if (blank != std::string::npos && blank > width + 1) {
      heading.replace(0, width, title);
    } else {
      strong_line(title);
    }
    strong_line(heading);
    add_lines(rows);
  }

  static bool has_same_nodes(const graph_comparison& g) { return g.diff && g.diff->is_equal(); }

  // Without the blanks that fill the last column.
  void add_lines(std::string_view lines) {
    while (!lines.empty()) {
      const std::size_t end = lines.find('\n');
      std::string_view line = lines.substr(0, end);
      while (line.ends_with(' ')) line.remove_suffix(1);
      text_.append(line).append("\n");
      lines.remove_prefix(end + 1);
    }
  }

  void write_invariant(std::string_view title, const std::vector<invariant_work>& work) {
    if (work.empty()) return;
    text_.append(title).append("\n");
    const std::vector<invariant_line> lines = invariant_lines(work);
    const std::size_t most = wish_.top == 0 ? lines.size() : std::min<std::size_t>(3, wish_.top);
    for (std::size_t i = 0; i < std::min(most, lines.size()); ++i) {
      text_ += "  " + lines[i].work + "\n";
      if (!lines[i].passes.empty()) text_ += colours_.faint("    by " + lines[i].passes) + "\n";
    }
    if (lines.size() > most) {
      text_ += "  and " + std::to_string(lines.size() - most) + " more kinds\n";
    }
  }

  // ---- What happened

  void write_rows(const graph_diff& d) {
    if (d.is_equal()) {
      text_ += "no node changed: each has a counterpart with the same operation and figures" +
               renamed(d) + "\n";
      return;
    }
    std::vector<diff_row> rows = d.rows;
    sort_rows(rows, wish_.by);
    const cut_rows c = cut(rows, wish_.top);
    const std::vector<metric_index> columns = row_columns(rows);
    std::vector<column> headings{{"what happened", align::left}, {"times"}};
    for (const metric_index m : columns) headings.push_back({metrics()[m].heading});
    headings.push_back({"where", align::left});
    text_table table{std::move(headings)};
    for (const diff_row& r : c.shown) {
      table.add(cells(
          edit_mark(r), r.times, false, columns, [&](metric_index m) { return r.of(m); },
          shown_name(r.label, 48)));
    }
    if (c.others != 0) {
      table.add(cells(
          "[" + std::to_string(c.others) + (c.others == 1 ? " other]" : " others]"), c.times, false,
          columns,
          [&](metric_index m) {
            return change{c.base.of(m).sum(), c.next.of(m).sum()};
          },
          ""));
    }
    if (c.equal != nullptr) {
      const diff_row& equal = *c.equal;
      table.add(cells(
          "[ = ]", 0, true, columns, [&](metric_index m) { return equal.of(m); },
          counted(equal.base_nodes(), "node") + " and " + counted(equal.base_leaves, "leaf") +
              " are the same" + renamed(d)));
    }
    table.add(cells(
        "TOTAL", 0, false, columns,
        [&](metric_index m) {
          return change{d.base.of(m).sum(), d.next.of(m).sum()};
        },
        ""));
    text_ += '\n';
    std::string heading = table.heading();
    heading.pop_back();
    strong_line(heading);
    interleave(table.take_rows(), rows, c.shown.size());
  }

  static std::string counted(std::uint64_t n, std::string_view what) {
    if (n == 1) return "1 " + std::string{what};
    return std::to_string(n) + (what == "leaf" ? " leaves" : " nodes");
  }
  static std::string renamed(const graph_diff& d) {
    return d.renamed_leaves == 0 ? "" : ", " + std::to_string(d.renamed_leaves) + " renamed";
  }

  // The metric that the rows are in the order of, then what differs at all.
  std::vector<metric_index> row_columns(const std::vector<diff_row>& rows) const {
    std::vector<metric_index> columns{wish_.by};
    for (const std::string_view name :
         {"need.bytes.lo", "need.invariant", "need.work.lo", "rule.bytes"}) {
      const metric_index m = *find_metric(name);
      const bool is_there = std::ranges::find(columns, m) != columns.end();
      const bool changes =
          std::ranges::any_of(rows, [&](const diff_row& r) { return r.of(m).is_any(); });
      if (!is_there && changes && columns.size() < 4) columns.push_back(m);
    }
    return columns;
  }

  template <class Of>
  std::vector<std::string> cells(std::string what, std::uint64_t times, bool is_same,
                                 const std::vector<metric_index>& columns, const Of& of,
                                 std::string where) const {
    std::vector<std::string> all{std::move(what), times == 0 ? "" : "x" + std::to_string(times)};
    for (const metric_index m : columns) {
      all.push_back(change_text(of(m), metrics()[m].unit, is_same));
    }
    all.push_back(std::move(where));
    return all;
  }

  // Under each of the first rows: of what it is made and by whom.
  void interleave(const std::string& lines, const std::vector<diff_row>& rows, std::size_t shown) {
    std::size_t begin = 0;
    for (std::size_t i = 0; begin < lines.size(); ++i) {
      const std::size_t end = lines.find('\n', begin);
      add_lines(std::string_view{lines}.substr(begin, end + 1 - begin));
      begin = end + 1;
      if (i >= shown) continue;
      std::string more = "    " + kinds_text(rows[i]);
      std::vector<std::string> passes;
      for (const std::string& pass : rows[i].passes) passes.push_back(shown_name(pass, 60));
      if (!passes.empty()) more += "; by " + joined(passes, ", ");
      text_ += colours_.faint(more) + "\n";
    }
  }

  const comparison& c_;
  const diff_wish& wish_;
  const diff_colours& colours_;
  std::string text_;
};

}  // namespace

std::string diff_text(const comparison& c, const diff_wish& wish, const diff_colours& colours) {
  return text_writer{c, wish, colours}.write();
}

}  // namespace opscope
