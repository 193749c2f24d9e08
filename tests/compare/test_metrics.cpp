// The table of metrics: names, states, and that the nodes' figures are the graph's.
#define BOOST_TEST_MODULE metrics
#include "plugin/compare/metrics.hpp"

#include <boost/test/unit_test.hpp>
#include <set>

#include "tests/ledger/golden.hpp"
#include "tests/support/view_builder.hpp"

namespace opscope::test {
namespace {

struct costed {
  graph_cost rule;
  graph_need need;
  explicit costed(const rlx::graph_view& g) : rule{analyze(g)}, need{analyze_need(g)} {}
  ledger_record record() const {
    ledger_record r;
    r.totals = rule.totals();
    r.need.emplace().totals = need.totals();
    return r;
  }
};

measure of_record(std::string_view name, const ledger_record& r) {
  const auto m = find_metric(name);
  BOOST_REQUIRE(m.has_value());
  return metrics()[*m].of_record(r);
}

// What the nodes' measures add up to, as far as all are known.
measure sum_of_nodes(const metric& m, const rlx::graph_view& g, const costed& c) {
  std::uint64_t sum = 0;
  bool is_floor = false;
  for (std::uint32_t id = 0; id < g.size(); ++id) {
    const node_need need = c.need.nodes()[id];
    const measure x = m.of_node({&c.rule.nodes()[id], &need, rlx::is_leaf_kind(g.node(id).kind)});
    if (!x.is_known()) return x;
    is_floor |= x.is_floor();
    sum += x.value();
  }
  return is_floor ? measure::low_end(interval::at_least(sum)) : measure::known(sum);
}

void expect_sums(const rlx::graph_view& g) {
  const costed c{g};
  const ledger_record r = c.record();
  for (const metric_index m : node_metrics()) {
    const metric& metric = metrics()[m];
    const measure whole = metric.of_record(r);
    const measure sum = sum_of_nodes(metric, g, c);
    BOOST_TEST((sum == whole), g.name() << ": " << metric.name << ": nodes add up to "
                                        << sum.value() << ", the record has " << whole.value());
  }
}

BOOST_AUTO_TEST_SUITE(metric_table)

BOOST_AUTO_TEST_CASE(finds_each_by_its_own_name_only) {
  std::set<std::string_view> names;
  for (metric_index m = 0; m < metrics().size(); ++m) {
    BOOST_TEST((find_metric(metrics()[m].name) == m));
    BOOST_TEST(names.insert(metrics()[m].name).second);
  }
  for (const char* name :
       {"rule.bytes", "rule.weights", "rule.flops", "need.bytes.lo", "need.bytes.hi",
        "need.weights.lo", "need.work.lo", "need.contraction.lo", "need.invariant", "graph_io",
        "memory.arena_bytes", "unknown_nodes", "nodes"}) {
    BOOST_TEST(names.count(name) == 1u, name);
  }
  BOOST_TEST(!find_metric("bytes"));
  BOOST_TEST(!find_metric(""));
}

BOOST_AUTO_TEST_CASE(places_of_node_metrics_are_their_order) {
  std::uint32_t place = 0;
  for (const metric_index m : node_metrics()) BOOST_TEST((node_metric_place(m) == place++));
  BOOST_TEST(!node_metric_place(*find_metric("graph_io")));
}

BOOST_AUTO_TEST_CASE(nodes_add_up_to_every_golden_graph) {
  const auto files = golden_files();
  BOOST_REQUIRE(files.size() > 20);
  for (const std::string& file : files) {
    const golden_graph g{file};
    expect_sums(rlx::graph_view{g.view()});
  }
}

BOOST_AUTO_TEST_CASE(without_needs_or_plan_a_figure_is_missing_and_not_zero) {
  const ledger_record r;
  BOOST_TEST(of_record("need.bytes.lo", r).is_missing());
  BOOST_TEST(of_record("need.invariant", r).is_missing());
  BOOST_TEST(of_record("graph_io", r).is_missing());
  BOOST_TEST(of_record("unknown_nodes", r).is_missing());
  BOOST_TEST(of_record("memory.arena_bytes", r).is_missing());
  BOOST_TEST((of_record("rule.bytes", r) == measure::known(0)));
}

BOOST_AUTO_TEST_CASE(an_unknown_figure_is_unknown_and_not_zero) {
  ledger_record r;
  r.totals.bytes = std::nullopt;
  r.need.emplace().totals.written = interval::at_least(7);
  BOOST_TEST(of_record("rule.bytes", r).is_unknown());
  BOOST_TEST(of_record("need.bytes.hi", r).is_unknown());
  const measure least = of_record("need.bytes.lo", r);
  BOOST_TEST(least.is_known());
  BOOST_TEST(least.is_floor());
  BOOST_TEST(least.value() == 7u);
  r.need->totals.written = interval::at_least(UINT64_MAX);
  BOOST_TEST(of_record("need.bytes.lo", r).is_unknown());
}

BOOST_AUTO_TEST_CASE(counts_a_node_without_bounds_as_unknown) {
  view_builder b{"g"};
  const auto x = b.input("x", {4});
  b.outputs({b.node(b.unlisted_kind("Teleport"), {x}, {4})});
  const costed c{b.view()};
  BOOST_TEST((of_record("unknown_nodes", c.record()) == measure::known(1)));
  BOOST_TEST(of_record("need.bytes.lo", c.record()).is_floor());
  expect_sums(b.view());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace opscope::test
