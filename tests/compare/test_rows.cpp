// Rows of small graphs, each by hand: what is one group, what it is called, what is accounted for.
#define BOOST_TEST_MODULE compare_rows
#include <boost/test/unit_test.hpp>
#include <memory>

#include "plugin/compare/fold.hpp"
#include "plugin/ledger/label.hpp"
#include "tests/support/view_builder.hpp"

namespace opscope::test {
namespace {

constexpr std::uint32_t f32 = RLX_DTYPE_F32;

// A built graph with its figures.
class costed_side {
 public:
  explicit costed_side(view_builder& b) : rule_{analyze(b.view())}, need_{analyze_need(b.view())} {
    const rlx::graph_view view = b.view();
    const label_table table{view};
    for (std::uint32_t id = 0; id < view.size(); ++id) texts_.push_back(table[id].text());
    side_ =
        std::make_unique<graph_side>(view, rule_.nodes(), need_.nodes(),
                                     std::vector<std::string_view>(texts_.begin(), texts_.end()));
  }
  const graph_side& get() const { return *side_; }

 private:
  graph_cost rule_;
  graph_need need_;
  std::vector<std::string> texts_;
  std::unique_ptr<graph_side> side_;
};

std::string row_text(const diff_row& row) {
  std::string text{opscope::text(row.what)};
  if (row.times != 1) text += " x" + std::to_string(row.times);
  const auto kinds = [](const std::vector<kind_count>& all, std::uint64_t leaves) {
    std::string s;
    for (const kind_count& k : all) s += " " + std::to_string(k.count) + k.kind;
    return leaves == 0 ? s : s + " +" + std::to_string(leaves);
  };
  if (row.what == edit::equal) return text;
  text += kinds(row.base_kinds, row.base_leaves) + " ->" + kinds(row.new_kinds, row.new_leaves);
  for (const std::string& c : row.changes) text += "; " + c;
  return text;
}
std::vector<std::string> rows_of(view_builder& a, view_builder& b) {
  const costed_side base{a};
  const costed_side next{b};
  std::vector<diff_row> rows = compare_graphs(base.get(), next.get()).rows;
  sort_rows(rows, *find_metric("need.bytes.lo"));
  std::vector<std::string> texts;
  for (const diff_row& row : rows) texts.push_back(row_text(row));
  return texts;
}
using texts = std::vector<std::string>;

std::uint32_t unary(view_builder& b, std::uint32_t x, const char* value,
                    const dim_list& shape = {4, 8}) {
  return b.node(RLX_KIND_Activation, {x}, shape, f32, {{"value", value}});
}
std::uint32_t matmul(view_builder& b, std::uint32_t x, std::uint32_t w, std::uint64_t out) {
  return b.node(RLX_KIND_MatMul, {x, w}, {4, out});
}

BOOST_AUTO_TEST_SUITE(compare_rows)

BOOST_AUTO_TEST_CASE(matmuls_of_one_input_become_a_concat_a_matmul_and_narrows) {
  view_builder a;
  view_builder b;
  for (const bool is_new : {false, true}) {
    view_builder& g = is_new ? b : a;
    auto x = g.input("x", {4, 8});
    for (int layer = 0; layer < 3; ++layer) {
      const std::string path = "layers." + std::to_string(layer) + ".";
      const auto q = g.param(path + "q.weight", {8, 8});
      const auto k = g.param(path + "k.weight", {8, 8});
      std::uint32_t left = 0;
      std::uint32_t right = 0;
      if (is_new) {
        const auto both = g.node(RLX_KIND_Concat, {q, k}, {8, 16}, f32, {{"axis", 1u}});
        g.origin(both, std::nullopt, "fuse_shared");
        const auto y = matmul(g, x, both, 16);
        left = g.node(RLX_KIND_Narrow, {y}, {4, 8}, f32, {{"axis", 1u}, {"start", 0u}});
        right = g.node(RLX_KIND_Narrow, {y}, {4, 8}, f32, {{"axis", 1u}, {"start", 8u}});
      } else {
        left = matmul(g, x, q, 8);
        right = matmul(g, x, k, 8);
      }
      x = g.node(RLX_KIND_Binary, {left, right}, {4, 8}, f32, {{"value", "Add"}});
    }
    g.outputs({x});
  }
  BOOST_TEST((rows_of(a, b) == texts{"replaced x3 2MatMul -> 1Concat 1MatMul 2Narrow", "equal"}));
  const costed_side base{a};
  const costed_side next{b};
  const graph_diff d = compare_graphs(base.get(), next.get());
  BOOST_REQUIRE(d.new_invariant.size() == 1u);
  BOOST_TEST(d.new_invariant[0].kind == "Concat");
  BOOST_TEST(d.new_invariant[0].operands == 2u);
  BOOST_TEST(d.new_invariant[0].nodes == 3u);
  BOOST_TEST((d.new_invariant[0].bytes.sum() == measure::known(3 * 2 * (8 * 16 * 4))));
  BOOST_TEST((d.new_invariant[0].passes == std::vector<std::string>{"fuse_shared"}));
  BOOST_TEST(d.gone_invariant.empty());
  BOOST_TEST(d.rows[0].label == "layers.*.{q,k}");
  BOOST_TEST((d.rows[0].passes == std::vector<std::string>{"fuse_shared"}));
}

BOOST_AUTO_TEST_CASE(a_chain_becomes_one_node_and_the_other_way_round) {
  view_builder a;
  view_builder b;
  const auto x = a.input("x", {4, 8});
  const auto y = a.input("y", {4, 8});
  a.outputs(
      {unary(a, a.node(RLX_KIND_Binary, {unary(a, x, "Silu"), y}, {4, 8}, f32, {{"value", "Mul"}}),
             "Exp")});
  const auto u = b.input("x", {4, 8});
  const auto v = b.input("y", {4, 8});
  b.outputs({unary(b, b.node(RLX_KIND_FusedSwiGLU, {u, v}, {4, 8}), "Exp")});
  BOOST_TEST((rows_of(a, b) == texts{"fused 1Activation 1Binary -> 1FusedSwiGLU", "equal"}));
  BOOST_TEST((rows_of(b, a) == texts{"split 1FusedSwiGLU -> 1Activation 1Binary", "equal"}));
}

BOOST_AUTO_TEST_CASE(nodes_on_one_side_are_new_or_gone_and_their_users_equal) {
  view_builder a;
  view_builder b;
  a.outputs({unary(a, unary(a, a.input("x", {4, 8}), "Relu"), "Exp")});
  b.outputs({unary(b, unary(b, unary(b, b.input("x", {4, 8}), "Relu"), "Tanh"), "Exp")});
  BOOST_TEST((rows_of(a, b) == texts{"added -> 1Activation", "equal"}));
  BOOST_TEST((rows_of(b, a) == texts{"removed 1Activation ->", "equal"}));
}

BOOST_AUTO_TEST_CASE(says_what_of_a_node_changed) {
  const auto build = [](view_builder& g, std::uint64_t width, std::uint32_t dtype, float eps,
                        bool is_swapped) {
    const auto x = g.input("x", {4, 8});
    const auto w = g.param("w", {8, width}, dtype);
    const auto n = g.node(RLX_KIND_RmsNorm, {x, g.param("n", {8})}, {4, 8}, f32, {{"eps", eps}});
    const auto y = matmul(g, n, w, width);
    const auto p = unary(g, y, "Relu", {4, width});
    const auto q = unary(g, y, "Exp", {4, width});
    g.outputs({g.node(RLX_KIND_Binary, is_swapped ? id_list{q, p} : id_list{p, q}, {4, width}, f32,
                      {{"value", "Add"}})});
  };
  view_builder a;
  build(a, 16, RLX_DTYPE_F32, 1e-5f, false);
  view_builder wide;
  build(wide, 32, RLX_DTYPE_F32, 1e-5f, false);
  BOOST_TEST(
      (rows_of(a, wide) == texts{"changed x2 1Activation -> 1Activation; shape [4,16] -> [4,32]",
                                 "changed 1MatMul -> 1MatMul; shape [4,16] -> [4,32]",
                                 "changed 1Binary -> 1Binary; shape [4,16] -> [4,32]",
                                 "changed 1Param -> 1Param; shape [8,16] -> [8,32]", "equal"}));
  view_builder half;
  build(half, 16, RLX_DTYPE_F16, 1e-5f, false);
  BOOST_TEST((rows_of(a, half) == texts{"changed 1MatMul -> 1MatMul; size of operands",
                                        "changed 1Param -> 1Param; dtype F32 -> F16", "equal"}));
  view_builder other;
  build(other, 16, RLX_DTYPE_F32, 1e-6f, false);
  BOOST_TEST((rows_of(a, other) == texts{"changed 1RmsNorm -> 1RmsNorm; attribute eps", "equal"}));
  view_builder swapped;
  build(swapped, 16, RLX_DTYPE_F32, 1e-5f, true);
  BOOST_TEST((rows_of(a, swapped) == texts{"changed 1Binary -> 1Binary; other operands", "equal"}));
}

BOOST_AUTO_TEST_CASE(renamed_and_renumbered_leaves_are_equal_and_counted) {
  view_builder a;
  const auto x = a.input("x", {4, 8});
  const auto w = a.param("w", {8, 8});
  a.outputs({matmul(a, x, w, 8)});
  view_builder b;
  const auto v = b.param("weight", {8, 8});
  const auto u = b.input("x", {4, 8});
  b.outputs({matmul(b, u, v, 8)});
  const costed_side base{a};
  const costed_side next{b};
  const graph_diff d = compare_graphs(base.get(), next.get());
  BOOST_TEST(d.is_equal());
  BOOST_TEST(d.renamed_leaves == 1u);
}

BOOST_AUTO_TEST_CASE(leaves_of_which_the_names_moved_are_matched_by_shape_and_use) {
  view_builder a;
  view_builder b;
  for (view_builder* g : {&a, &b}) {
    const bool is_base = g == &a;
    const auto x = g->input("x", {4, 64});
    const auto square = g->param(is_base ? "p0" : "p1", {64, 64});
    const auto narrow = g->param(is_base ? "p1" : "p0", {64, 16});
    const auto y = g->node(RLX_KIND_MatMul, {x, square}, {4, 64});
    const auto z = g->node(RLX_KIND_Activation, {y}, {4, 64});
    g->outputs({g->node(RLX_KIND_MatMul, {z, narrow}, {4, 16})});
  }
  const costed_side base{a};
  const costed_side next{b};
  const graph_diff d = compare_graphs(base.get(), next.get());
  BOOST_TEST(d.is_equal());
  BOOST_TEST(d.renamed_leaves == 2u);
  // A leaf of another shape that no other takes the place of is the same by its name.
  view_builder wide;
  const auto x = wide.input("x", {4, 64});
  const auto y = wide.node(RLX_KIND_MatMul, {x, wide.param("p0", {64, 64})}, {4, 64});
  const auto z = wide.node(RLX_KIND_Activation, {y}, {4, 64});
  wide.outputs({wide.node(RLX_KIND_MatMul, {z, wide.param("p1", {64, 32})}, {4, 32})});
  const costed_side other{wide};
  const graph_diff changed = compare_graphs(base.get(), other.get());
  BOOST_TEST(changed.renamed_leaves == 0u);
  BOOST_TEST(std::ranges::count(changed.rows, edit::changed, &diff_row::what) == 2);
}

BOOST_AUTO_TEST_CASE(a_model_with_a_layer_less_has_the_others_in_their_places) {
  const auto build = [](view_builder& g, int layers) {
    auto x = g.input("x", {4, 8});
    for (int i = 0; i < layers; ++i) {
      const auto w = g.param("layers." + std::to_string(i) + ".weight", {8, 8});
      x = unary(g, matmul(g, x, w, 8), "Relu");
    }
    g.outputs({unary(g, x, "Exp")});
  };
  view_builder a;
  build(a, 5);
  view_builder b;
  build(b, 4);
  BOOST_TEST((rows_of(a, b) == texts{"removed 1MatMul 1Activation +1 ->", "equal"}));
}

BOOST_AUTO_TEST_CASE(symbols_by_other_numbers_are_the_same_and_joined_ones_are_not) {
  const auto build = [](view_builder& g, std::uint64_t s, std::uint64_t t) {
    const auto x = g.input("x", {symbol(s), 8});
    const auto y = g.input("y", {symbol(t), 8});
    g.outputs({unary(g, x, "Relu", {symbol(s), 8}), unary(g, y, "Relu", {symbol(t), 8})});
  };
  view_builder a;
  build(a, 0, 1);
  view_builder b;
  build(b, 7, 3);
  BOOST_TEST((rows_of(a, b) == texts{"equal"}));
  view_builder c;
  build(c, 0, 0);
  BOOST_TEST((rows_of(a, c) != texts{"equal"}));
}

BOOST_AUTO_TEST_CASE(a_figure_that_turns_unknown_is_a_change_and_comes_first) {
  view_builder a;
  view_builder b;
  for (view_builder* g : {&a, &b}) {
    const auto x = g->input("x", {1024, 1024});
    const std::uint32_t kind =
        g == &a ? std::uint32_t{RLX_KIND_Activation} : g->unlisted_kind("Teleport");
    const auto y = g->node(kind, {g->input("y", {2})}, {2});
    const auto big = g->node(RLX_KIND_Activation, {x}, {1024, 1024});
    g->outputs({y, g == &a ? big : g->node(RLX_KIND_Softmax, {big}, {1024, 1024})});
  }
  const costed_side base{a};
  const costed_side next{b};
  graph_diff d = compare_graphs(base.get(), next.get());
  const metric_index needs = *find_metric("need.bytes.lo");
  sort_rows(d.rows, needs);
  BOOST_TEST(row_text(d.rows[0]) == "replaced 1Activation -> 1Teleport");
  BOOST_TEST(d.rows[0].of(needs).loses());
  BOOST_TEST(d.rows[0].of(*find_metric("need.bytes.hi")).after.is_unknown());
  BOOST_TEST(d.rows[0].of(*find_metric("unknown_nodes")).is_growth());
  BOOST_TEST(row_text(d.rows[1]) == "added -> 1Softmax");
  // Of the whole graph too it is unknown, and not the sum of the rest.
  BOOST_TEST(d.next.of(*find_metric("need.bytes.hi")).sum().is_unknown());
  BOOST_TEST(d.next.of(needs).sum().is_floor());
}

BOOST_AUTO_TEST_CASE(sums_beyond_64_bits_are_unknown_and_not_wrapped) {
  amount sum;
  sum.add(measure::known(UINT64_MAX));
  BOOST_TEST((sum.sum() == measure::known(UINT64_MAX)));
  sum.add(measure::known(1));
  BOOST_TEST(sum.sum().is_unknown());
  amount with_missing;
  with_missing.add(measure::known(3));
  with_missing.add(measure::missing());
  BOOST_TEST(with_missing.sum().is_missing());
}

BOOST_AUTO_TEST_CASE(more_rows_than_can_be_kept_become_one_an_edit_and_still_add_up) {
  row_folder folder;
  const std::uint64_t count = row_folder::most_rows + 1'000;
  for (std::uint64_t i = 0; i < count; ++i) {
    diff_row row;
    row.what = i % 2 == 0 ? edit::added : edit::removed;
    row.label = "n" + std::to_string(i);
    row.new_kinds = {{"Binary", i + 1}};
    folder.add(std::move(row));
  }
  const std::vector<diff_row> rows = folder.take();
  BOOST_REQUIRE(rows.size() == row_folder::most_rows + 2);
  std::uint64_t times = 0;
  for (const diff_row& row : rows) times += row.times;
  BOOST_TEST(times == count);
  BOOST_TEST(rows.back().times == 500u);
  BOOST_TEST(rows.back().label == "*");
}

BOOST_AUTO_TEST_CASE(empty_graphs_are_equal) {
  view_builder a;
  view_builder b;
  const costed_side base{a};
  const costed_side next{b};
  BOOST_TEST(compare_graphs(base.get(), next.get()).is_equal());
  view_builder c;
  c.outputs({unary(c, c.input("x", {4, 8}), "Relu")});
  BOOST_TEST((rows_of(a, c) == texts{"added -> 1Activation +1"}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace opscope::test
