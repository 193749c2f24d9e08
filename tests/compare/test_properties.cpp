// Random models with random edits: what the comparison says happened is what happened.
#define BOOST_TEST_MODULE compare_properties
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <map>

#include "plugin/compare/diff.hpp"
#include "tests/compare/edited_model.hpp"

namespace opscope::test {
namespace {

std::string figures_text(const graph_side& side, std::uint32_t id) {
  tally t;
  t.add_node(side, id);
  std::string text;
  for (const metric_index m : node_metrics()) {
    text += std::to_string(t.of(m).sum().value()) + ",";
  }
  return text;
}

using edits = std::map<std::string, int>;

// Every node's fate, by the test's own reading of a matching: `changed MatMul 1,2,.. -> 3,4,..`.
edits fates(const graph_side& a, const graph_side& b, const node_matching& m) {
  edits all;
  for (std::uint32_t x = 0; x < a.size(); ++x) {
    const std::uint32_t y = m.new_of[x];
    const std::string kind{a.kind(x)};
    if (y == node_matching::none) {
      ++all["removed " + kind + " " + figures_text(a, x)];
      continue;
    }
    const std::string before = figures_text(a, x);
    const std::string after = figures_text(b, y);
    const auto dims_a = a.graph().dims(a.node(x));
    const auto dims_b = b.graph().dims(b.node(y));
    const bool is_same = before == after && a.node(x).dtype == b.node(y).dtype &&
                         std::ranges::equal(dims_a, dims_b) &&
                         a.operands(x).size() == b.operands(y).size();
    ++all[(is_same ? "equal " : "changed ") + kind + " " + before + " -> " + after];
  }
  for (std::uint32_t y = 0; y < b.size(); ++y) {
    if (m.base_of[y] == node_matching::none) {
      ++all["added " + std::string{b.kind(y)} + " " + figures_text(b, y)];
    }
  }
  return all;
}

std::string row_text(const diff_row& row) {
  const auto kinds = [](std::vector<kind_count> all) {
    std::ranges::sort(all, {}, &kind_count::kind);
    std::string text;
    for (const kind_count& k : all) text += std::to_string(k.count) + " " + k.kind + " ";
    return text;
  };
  std::string text{opscope::text(row.what)};
  text += " " + kinds(row.base_kinds) + "-> " + kinds(row.new_kinds);
  for (const std::string& c : row.changes) text += "; " + c;
  for (const metric_index m : node_metrics()) {
    text += "," + std::to_string(row.base.of(m).sum().value()) + ">" +
            std::to_string(row.next.of(m).sum().value());
  }
  return text;
}
edits row_texts(const graph_diff& d) {
  edits all;
  for (const diff_row& row : d.rows) ++all[row_text(row)];
  return all;
}

std::string difference(const edits& expected, const edits& found) {
  std::string text;
  for (const auto& [e, n] : expected) {
    const auto at = found.find(e);
    if (at == found.end() || at->second != n) text += "\n  really " + std::to_string(n) + ": " + e;
  }
  for (const auto& [e, n] : found) {
    const auto at = expected.find(e);
    if (at == expected.end() || at->second != n)
      text += "\n  found " + std::to_string(n) + ": " + e;
  }
  return text;
}

void expect_sums(const graph_diff& d, const graph_side& a, const graph_side& b) {
  tally base;
  tally next;
  for (std::uint32_t id = 0; id < a.size(); ++id) base.add_node(a, id);
  for (std::uint32_t id = 0; id < b.size(); ++id) next.add_node(b, id);
  tally rows_base;
  tally rows_next;
  for (const diff_row& row : d.rows) {
    rows_base.add(row.base);
    rows_next.add(row.next);
  }
  BOOST_TEST((rows_base == base));
  BOOST_TEST((rows_next == next));
  BOOST_TEST((d.base == base));
  BOOST_TEST((d.next == next));
}

edit mirrored(edit e) {
  switch (e) {
    case edit::added:
      return edit::removed;
    case edit::removed:
      return edit::added;
    case edit::fused:
      return edit::split;
    case edit::split:
      return edit::fused;
    default:
      return e;
  }
}
graph_diff mirrored(graph_diff d) {
  for (diff_row& row : d.rows) {
    row.what = mirrored(row.what);
    std::swap(row.base_kinds, row.new_kinds);
    std::swap(row.base_leaves, row.new_leaves);
    std::swap(row.base, row.next);
    for (std::string& c : row.changes) {
      const std::size_t arrow = c.find(" -> ");
      if (arrow == std::string::npos) continue;
      const std::size_t word = c.find(' ') + 1;
      c = c.substr(0, word) + c.substr(arrow + 4) + " -> " + c.substr(word, arrow - word);
    }
  }
  return d;
}

struct edited {
  model before;
  model after;
  std::map<model_edit, int> made;
};

edited random_edits(std::uint64_t seed) {
  random_source random{seed};
  edited e;
  e.before = random_model(random, 2 + random.below(7));
  e.after = e.before;
  std::map<std::uint64_t, bool> touched;
  const std::uint32_t count = 1 + random.below(5);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto kind = static_cast<model_edit>(random.below(model_edit_count));
    if (make_edit(e.after, kind, random, touched)) ++e.made[kind];
  }
  return e;
}

// OPSCOPE_TEST_SEEDS=FROM,TO tries others.
std::pair<std::uint64_t, std::uint64_t> seeds() {
  std::pair<std::uint64_t, std::uint64_t> range{0, 400};
  if (const char* text = std::getenv("OPSCOPE_TEST_SEEDS")) {
    char* end = nullptr;
    range.first = std::strtoull(text, &end, 10);
    range.second = std::strtoull(end + 1, nullptr, 10);
  }
  return range;
}

BOOST_AUTO_TEST_SUITE(compare_properties)

BOOST_AUTO_TEST_CASE(reported_edits_are_the_real_ones) {
  std::map<model_edit, int> made;
  for (auto [seed, last] = seeds(); seed < last; ++seed) {
    const edited e = random_edits(seed);
    for (const auto& [kind, n] : e.made) made[kind] += n;
    const built_model a{e.before};
    const built_model b{e.after};
    const node_matching truth = true_matching(a, b);
    const node_matching found = match_nodes(node_context{a.side()}, node_context{b.side()});
    const std::string nodes =
        difference(fates(a.side(), b.side(), truth), fates(a.side(), b.side(), found));
    BOOST_TEST(nodes == "", "seed " << seed << ":" << nodes);
    const graph_diff d = compare_graphs(a.side(), b.side());
    const std::string rows =
        difference(row_texts(compare_graphs(a.side(), b.side(), truth)), row_texts(d));
    BOOST_TEST(rows == "", "seed " << seed << ":" << rows);
    expect_sums(d, a.side(), b.side());
  }
  for (int kind = 0; kind < model_edit_count; ++kind) {
    BOOST_TEST(made[static_cast<model_edit>(kind)] > 20, "edit " << kind << " was hardly made");
  }
}

BOOST_AUTO_TEST_CASE(edits_apart_are_one_row_each) {
  for (auto [seed, last] = seeds(); seed < last; ++seed) {
    const edited e = random_edits(seed);
    const built_model a{e.before};
    const built_model b{e.after};
    std::map<edit, std::uint64_t> groups;
    for (const diff_row& row : compare_graphs(a.side(), b.side()).rows)
      groups[row.what] += row.times;
    const auto count = [&](model_edit kind) {
      const auto at = e.made.find(kind);
      return at == e.made.end() ? 0u : static_cast<std::uint64_t>(at->second);
    };
    BOOST_TEST(groups[edit::added] == count(model_edit::insert), "seed " << seed);
    BOOST_TEST(groups[edit::removed] == count(model_edit::remove), "seed " << seed);
    BOOST_TEST(groups[edit::fused] == count(model_edit::fuse), "seed " << seed);
    BOOST_TEST(groups[edit::split] == 0u, "seed " << seed);
    BOOST_TEST(groups[edit::replaced] == 0u, "seed " << seed);
  }
}

BOOST_AUTO_TEST_CASE(a_graph_and_itself_have_no_difference) {
  for (auto [seed, last] = seeds(); seed < last; ++seed) {
    random_source random{seed};
    model m = random_model(random, 1 + random.below(8));
    const built_model a{m};
    BOOST_TEST(compare_graphs(a.side(), a.side()).is_equal(), "seed " << seed);
    std::map<std::uint64_t, bool> touched;
    make_edit(m, model_edit::renumber, random, touched);
    const built_model b{m};
    const graph_diff d = compare_graphs(a.side(), b.side());
    BOOST_TEST(d.is_equal(), "seed " << seed);
    BOOST_TEST(d.renamed_leaves == 0u, "seed " << seed);
  }
}

BOOST_AUTO_TEST_CASE(either_order_gives_the_mirror_image) {
  for (auto [seed, last] = seeds(); seed < last; ++seed) {
    const edited e = random_edits(seed);
    const built_model a{e.before};
    const built_model b{e.after};
    const node_matching there = match_nodes(node_context{a.side()}, node_context{b.side()});
    const node_matching back = match_nodes(node_context{b.side()}, node_context{a.side()});
    BOOST_TEST((there.new_of == back.base_of), "seed " << seed);
    BOOST_TEST((there.base_of == back.new_of), "seed " << seed);
    const std::string rows = difference(row_texts(compare_graphs(a.side(), b.side())),
                                        row_texts(mirrored(compare_graphs(b.side(), a.side()))));
    BOOST_TEST(rows == "", "seed " << seed << ":" << rows);
  }
}

// A random graph of any shape, with nested graphs and dynamic dims, costed.
class random_side {
 public:
  random_side(const plain_graph& g, std::uint64_t names) {
    build(builder_, g, names);
    const rlx::graph_view view = builder_.view();
    rule_ = analyze(view);
    need_ = analyze_need(view);
    const label_table table{view};
    for (std::uint32_t id = 0; id < view.size(); ++id) labels_.push_back(table[id].text());
    side_ =
        std::make_unique<graph_side>(view, rule_.nodes(), need_.nodes(),
                                     std::vector<std::string_view>(labels_.begin(), labels_.end()));
  }
  const graph_side& side() const { return *side_; }

 private:
  view_builder builder_{"random"};
  graph_cost rule_;
  graph_need need_;
  std::vector<std::string> labels_;
  std::unique_ptr<graph_side> side_;
};

BOOST_AUTO_TEST_CASE(any_two_graphs_are_accounted_for_to_the_last_node) {
  for (auto [seed, last] = seeds(); seed < last; ++seed) {
    random_source random{seed};
    graph_shape shape;
    shape.nodes = 1 + random.below(40);
    const plain_graph one = random_graph(random, shape);
    shape.nodes = 1 + random.below(40);
    const plain_graph other = random_graph(random, shape);
    const random_side a{one, seed};
    const random_side b{other, seed};
    const graph_diff d = compare_graphs(a.side(), b.side());
    expect_sums(d, a.side(), b.side());
    const std::string rows =
        difference(row_texts(d), row_texts(mirrored(compare_graphs(b.side(), a.side()))));
    BOOST_TEST(rows == "", "seed " << seed << ":" << rows);
    BOOST_TEST(compare_graphs(a.side(), a.side()).is_equal(), "seed " << seed);
    // Under other names, and under other numbers of the symbols.
    const random_side renamed{with_other_symbols(one), seed + 1};
    BOOST_TEST(compare_graphs(a.side(), renamed.side()).is_equal(), "seed " << seed);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace opscope::test
