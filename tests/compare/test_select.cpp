// Which records are compared, and which may not be.
#define BOOST_TEST_MODULE select
#include "plugin/compare/select.hpp"

#include <boost/test/unit_test.hpp>

#include "plugin/compare/comparison.hpp"

namespace opscope::test {
namespace {

ledger_record record(const char* graph, const char* stage, const char* pass = nullptr,
                     const char* target = "cpu") {
  ledger_record r;
  r.graph = graph;
  r.stage = stage;
  r.target = target;
  if (pass != nullptr) r.pass = pass;
  r.rule = "rule 1";
  return r;
}
using records = std::vector<ledger_record>;
// A record cannot be copied, so no initializer list makes these.
template <class... R>
records list(R&&... r) {
  records all;
  (all.push_back(std::forward<R>(r)), ...);
  return all;
}

std::string pairs_text(const record_pairs& p) {
  std::string text;
  for (const record_pair& x : p.pairs) {
    text += x.base->graph + "@" + stage_text(*x.base) + "=" + x.next->graph + "@" +
            stage_text(*x.next) + " ";
  }
  for (const ledger_record* r : p.only_base) text += "-" + r->graph + " ";
  for (const ledger_record* r : p.only_new) text += "+" + r->graph + " ";
  return text;
}

BOOST_AUTO_TEST_SUITE(select)

BOOST_AUTO_TEST_CASE(pairs_graphs_of_one_name_and_target) {
  const records base =
      list(record("a", "lowered"), record("b", "lowered"), record("c", "lowered", nullptr, "cuda"));
  const records next = list(record("c", "lowered"), record("b", "lowered"), record("d", "lowered"));
  BOOST_TEST(pairs_text(pair_records(base, next, {}, false)) == "b@lowered=b@lowered -a -c +c +d ");
}

BOOST_AUTO_TEST_CASE(renamed_graphs_are_paired_where_it_is_said) {
  const records base = list(record("old", "lowered"), record("same", "lowered"));
  const records next = list(record("new", "lowered"), record("same", "lowered"));
  BOOST_TEST(pairs_text(pair_records(base, next, {{"old", "new"}}, false)) ==
             "old@lowered=new@lowered same@lowered=same@lowered ");
}

BOOST_AUTO_TEST_CASE(renames_that_would_lose_a_graph_or_name_none_are_refused) {
  const records base = list(record("gemm", "lowered"), record("mm", "lowered"));
  const records next = list(record("gemm", "lowered"), record("other", "lowered"));
  const auto problem = [&](const graph_renames& renames) -> std::string {
    try {
      pair_records(base, next, renames, false);
    } catch (const ledger_error& e) {
      return e.what();
    }
    return "";
  };
  BOOST_TEST(
      problem({{"mm", "gemm"}}) ==
      "--map: two graphs of BASE, \"gemm\" and \"mm\", would both be \"gemm\", and one would "
      "not be compared");
  BOOST_TEST(problem({{"mm", "other"}, {"gemm", "other"}}).find("--map: two graphs of BASE") == 0u);
  BOOST_TEST(problem({{"m", "gemm"}}).find("--map m=gemm: BASE has no graph \"m\"") == 0u);
  BOOST_TEST(problem({{"mm", "none"}}).find("--map mm=none: NEW has no graph \"none\"") == 0u);
  BOOST_TEST(problem({{"mm", "other"}, {"mm", "gemm"}}).find("\"mm\" is mapped more than once") !=
             std::string::npos);
  // Two that change places lose nothing.
  BOOST_TEST(problem({{"mm", "gemm"}, {"gemm", "other"}}) == "");
}

BOOST_AUTO_TEST_CASE(lowered_graphs_stand_for_a_compile_unless_every_stage_is_wanted) {
  const records all =
      list(record("a", "source"), record("a", "pass", "fuse"), record("a", "lowered"));
  BOOST_TEST(pairs_text(pair_records(all, all, {}, false)) == "a@lowered=a@lowered ");
  BOOST_TEST(pairs_text(pair_records(all, all, {}, true)) ==
             "a@source=a@source a@pass fuse=a@pass fuse a@lowered=a@lowered ");
}

BOOST_AUTO_TEST_CASE(a_lowered_graph_that_a_side_lacks_is_told_though_its_source_is_compared) {
  const records whole = list(record("a", "source"), record("a", "lowered"));
  const records source = list(record("a", "source"));
  for (const bool every_stage : {false, true}) {
    BOOST_TEST(pairs_text(pair_records(whole, source, {}, every_stage)) == "a@source=a@source -a ");
    BOOST_TEST(pairs_text(pair_records(source, whole, {}, every_stage)) == "a@source=a@source +a ");
  }
}

BOOST_AUTO_TEST_CASE(unequal_stages_are_compared_only_where_each_side_has_one) {
  const records source = list(record("a", "source"));
  const records lowered = list(record("a", "lowered"));
  BOOST_TEST(pairs_text(pair_records(source, lowered, {}, false)) == "a@source=a@lowered ");
  const records passes = list(record("a", "pass", "x"), record("a", "pass", "y"));
  const record_pairs none = pair_records(source, passes, {}, false);
  BOOST_TEST(pairs_text(none) == "-a +a +a ");
  BOOST_REQUIRE(none.notes.size() == 1u);
  BOOST_TEST(none.notes[0].find("no stage in common") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(another_source_is_an_obstacle_and_an_unknown_one_is_not) {
  ledger_record a = record("a", "lowered");
  ledger_record b = record("a", "lowered");
  a.source = "fp1:0";
  BOOST_TEST(find_obstacles({&a, &b}).empty());
  b.source = "fp1:0";
  BOOST_TEST(find_obstacles({&a, &b}).empty());
  b.source = "fp1:1";
  const auto found = find_obstacles({&a, &b});
  BOOST_REQUIRE(found.size() == 1u);
  BOOST_TEST((found[0].what == obstacle::other_source));
  BOOST_TEST(found[0].text.find("source fp1:0, then fp1:1") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(other_sizes_of_dynamic_dims_are_an_obstacle) {
  ledger_record a;
  a.need.emplace();
  a.totals.dynamic_nodes = 1;
  ledger_record b;
  b.need.emplace();
  b.totals.dynamic_nodes = 1;
  a.bound.bind(0, 4);
  a.bound.bind(1, 8);
  b.bound.bind(1, 8);
  b.bound.bind(0, 4);
  BOOST_TEST(find_obstacles({&a, &b}).empty());
  b.bound.bind(1, 9);
  auto found = find_obstacles({&a, &b});
  BOOST_REQUIRE(found.size() == 1u);
  BOOST_TEST((found[0].what == obstacle::other_bindings));
  BOOST_TEST(found[0].text.find("(0=4,1=8, then 0=4,1=9)") != std::string::npos);
  b.bound = {};
  BOOST_TEST(find_obstacles({&a, &b}).size() == 1u);
  // Sizes that nothing depends on.
  a.totals.dynamic_nodes = 0;
  b.totals.dynamic_nodes = 0;
  BOOST_TEST(find_obstacles({&a, &b}).empty());
}

BOOST_AUTO_TEST_CASE(other_versions_of_a_model_are_an_obstacle) {
  ledger_record a = record("a", "lowered");
  ledger_record b = record("a", "lowered");
  a.need.emplace().version = 1;
  BOOST_TEST(find_obstacles({&a, &b}).empty());  // written without: a figure is missing
  b.need.emplace().version = 2;
  b.rule = "rule 2";
  const auto found = find_obstacles({&a, &b});
  BOOST_REQUIRE(found.size() == 2u);
  for (const found_obstacle& o : found) BOOST_TEST((o.what == obstacle::other_versions));
}

BOOST_AUTO_TEST_CASE(graphs_that_grew_most_come_first_and_unknown_ones_before_them) {
  records base;
  records next;
  const std::pair<figure, figure> bytes[] = {{10, 10}, {10, 40}, {10, 5}, {10, {}}, {10, 41}};
  for (const auto& [before, after] : bytes) {
    base.push_back(record("g", "lowered"));
    base.back().totals.bytes = before;
    next.push_back(record("g", "lowered"));
    next.back().totals.bytes = after;
  }
  std::vector<graph_comparison> graphs;
  for (std::size_t i = 0; i < base.size(); ++i) {
    graphs.emplace_back();
    graphs.back().records = {&base[i], &next[i]};
  }
  sort_graphs(graphs, *find_metric("rule.bytes"));
  std::vector<figure> order;
  for (const graph_comparison& g : graphs) order.push_back(g.records.next->totals.bytes);
  BOOST_TEST((order == std::vector<figure>{std::nullopt, 41, 40, 10, 5}));
}

BOOST_AUTO_TEST_CASE(a_figure_that_one_side_was_recorded_without_is_no_difference) {
  ledger_record a = record("a", "lowered");
  ledger_record b = record("a", "lowered");
  b.memory.arena_bytes = 64;
  graph_comparison g;
  g.records = {&a, &b};
  BOOST_TEST(g.is_equal());
  a.memory.arena_bytes = 65;
  BOOST_TEST(!g.is_equal());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace opscope::test
