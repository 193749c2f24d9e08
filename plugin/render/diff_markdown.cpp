// A comparison for a pull request: a table of graphs, then what happened in each that changed,
// folded away behind its first line.
#include <algorithm>
#include <opscope/units.hpp>
#include <span>

#include "plugin/render/diff.hpp"
#include "plugin/render/diff_words.hpp"
#include "plugin/render/table.hpp"

namespace opscope {

namespace {

constexpr std::string_view graph_metrics[] = {"need.bytes.lo",  "need.weights.lo",
                                              "need.invariant", "need.work.lo",
                                              "rule.bytes",     "memory.arena_bytes"};
constexpr std::string_view row_metrics[] = {"need.bytes.lo", "need.invariant", "need.work.lo",
                                            "rule.bytes"};

// Text inside a cell: nothing in it is markup.
std::string cell(std::string_view text) { return markdown_text(text); }

std::string row(const std::vector<std::string>& cells) {
  std::string line{"|"};
  for (const std::string& c : cells) line.append(" ").append(c).append(" |");
  return line + "\n";
}
// The first column to the left, numbers to the right.
std::string heading(const std::vector<std::string>& cells, std::size_t left) {
  std::string line = row(cells) + "|";
  for (std::size_t i = 0; i < cells.size(); ++i) line += i < left ? "---|" : "---:|";
  return line + "\n";
}

std::string change_cell(const change& c, metric_unit unit) {
  if (!c.is_any()) return change_text(c, unit, false);
  const std::string percent = percent_text(c);
  return cell(measure_text(c.before, unit) + " → " + measure_text(c.after, unit)) +
         (percent.empty() ? "" : " (" + percent + ")");
}

class markdown_writer {
 public:
  markdown_writer(const comparison& c, const diff_wish& wish) : c_{c}, wish_{wish} {}

  std::string write() {
    const side_words base = words_of_side(c_, true);
    const side_words next = words_of_side(c_, false);
    const auto side = [&](std::string_view what, const side_words& w) {
      text_.append("**").append(what).append("** ").append(cell(w.compiler + "; " + w.stage));
      text_.append("  \n");
    };
    side("base", base);
    side("new", next);
    for (const std::string& note : c_.notes) text_ += cell(shown_name(note, 400)) + "  \n";
    only("only in base:", c_.only_base);
    only("only in new:", c_.only_new);
    write_graphs();
    std::size_t shown = 0;
    for (const graph_comparison& g : c_.graphs) {
      if (g.is_equal()) continue;
      if (wish_.top != 0 && shown++ == wish_.top) {
        text_ += "\nmore graphs changed\n";
        break;
      }
      write_rows(g);
    }
    return std::move(text_);
  }

 private:
  void only(std::string_view what, const std::vector<const ledger_record*>& all) {
    if (all.empty()) return;
    text_.append(what).append(" ").append(cell(joined(graphs_text(all), ", ")));
    text_ += "  \n";
  }

  void write_graphs() {
    std::vector<std::string> names{"graph"};
    for (const std::string_view name : graph_metrics) {
      names.emplace_back(metrics()[*find_metric(name)].heading);
    }
    std::string rows;
    std::size_t equal = 0;
    for (const graph_comparison& g : c_.graphs) {
      if (g.is_equal()) {
        ++equal;
        continue;
      }
      std::vector<std::string> cells{cell(pair_title(g.records))};
      for (const std::string_view name : graph_metrics) {
        const metric_index m = *find_metric(name);
        cells.push_back(change_cell(g.of(m), metrics()[m].unit));
      }
      rows += row(cells);
    }
    text_ += "\n";
    if (!rows.empty()) text_ += heading(names, 1) + rows + "\n";
    if (equal != 0) {
      text_ += std::to_string(equal) + (equal == 1 ? " graph is equal.\n" : " graphs are equal.\n");
    }
  }

  void write_rows(const graph_comparison& g) {
    text_ += "\n<details><summary>" + html(pair_title(g.records)) + "</summary>\n\n";
    for (const found_obstacle& o : g.allowed)
      text_ += cell("compared although " + shown_name(o.text, 400)) + "  \n";
    if (!g.diff) {
      text_ += cell(shown_name(g.no_diff, 400)) + "\n\n</details>\n";
      return;
    }
    const auto invariant = [&](std::string_view what, const std::vector<invariant_work>& work) {
      for (const invariant_line& line : invariant_lines(work)) {
        text_.append("- ").append(what).append(" ").append(cell(line.work));
        if (!line.passes.empty()) text_.append(", by ").append(cell(line.passes));
        text_ += "\n";
      }
    };
    invariant("new invariant work:", g.diff->new_invariant);
    invariant("invariant work that is gone:", g.diff->gone_invariant);
    std::vector<std::string> names{"what happened", "times", "where", "nodes", "by"};
    for (const std::string_view name : row_metrics) {
      names.emplace_back(metrics()[*find_metric(name)].heading);
    }
    text_ += "\n" + heading(names, 5);
    const cut_rows c = cut(g.diff->rows, wish_.top);
    const auto add_row = [&](const diff_row& r) {
      std::vector<std::string> cells{cell(edit_mark(r)), "×" + std::to_string(r.times),
                                     cell(shown_name(r.label, 120)), cell(kinds_text(r)),
                                     cell(shown_name(joined(r.passes, ", "), 400))};
      add_changes(cells, r.what == edit::equal, [&](metric_index m) { return r.of(m); });
      text_ += row(cells);
    };
    for (const diff_row& r : c.shown) add_row(r);
    if (c.others != 0) {
      std::vector<std::string> cells{
          cell("[" + std::to_string(c.others) + (c.others == 1 ? " other]" : " others]")),
          "×" + std::to_string(c.times), "", "", ""};
      add_changes(cells, false, [&](metric_index m) {
        return change{c.base.of(m).sum(), c.next.of(m).sum()};
      });
      text_ += row(cells);
    }
    if (c.equal != nullptr) add_row(*c.equal);
    std::vector<std::string> total{"**TOTAL**", "", "", "", ""};
    add_changes(total, g.diff->is_equal(), [&](metric_index m) {
      return change{g.diff->base.of(m).sum(), g.diff->next.of(m).sum()};
    });
    text_ += row(total) + "\n</details>\n";
  }
  template <class Of>
  static void add_changes(std::vector<std::string>& cells, bool is_same, const Of& of) {
    for (const std::string_view name : row_metrics) {
      const metric_index m = *find_metric(name);
      cells.push_back(change_text(of(m), metrics()[m].unit, is_same));
    }
  }
  static std::string html(std::string_view text) {
    std::string s;
    for (const char c : text) {
      if (c == '<') {
        s += "&lt;";
      } else if (c == '&') {
        s += "&amp;";
      } else {
        s += c;
      }
    }
    return s;
  }

  const comparison& c_;
  const diff_wish& wish_;
  std::string text_;
};

}  // namespace

std::string diff_markdown(const comparison& c, const diff_wish& wish) {
  return markdown_writer{c, wish}.write();
}

}  // namespace opscope
