// The rule on every graph of the vectors, in this process: each figure, each order, each text.
#define BOOST_TEST_MODULE golden
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <opscope/cost.hpp>

#include "host/graph/view.hpp"
#include "host/read/read.hpp"
#include "tests/cost/golden.hpp"

namespace opscope::test {
namespace {

using nlohmann::json;

json as_json(const figure& f) { return f ? json(*f) : json(); }
json as_json(const std::optional<double>& d) { return d ? json(*d) : json(); }

json as_json(const rlx::graph_view& view, const node_cost& cost) {
  const rlx_node_info& info = view.info(cost.id);
  return {{"id", cost.id},
          {"kind", rlx::text(info.kind_text)},
          {"name", rlx::is_absent(info.name) ? json() : json(rlx::text(info.name))},
          {"bytes_read", as_json(cost.bytes_read())},
          {"bytes_written", as_json(cost.bytes_written())},
          {"bytes_weights", as_json(cost.bytes_weights())},
          {"flops", as_json(cost.flops())},
          {"intensity", as_json(cost.intensity())}};
}

// The ledger that the reference made, from our figures.
json ledger_of(const rlx::graph_view& view) {
  const graph_cost cost = analyze(view);
  json ledger{{"graph", view.name()},
              {"total_bytes", as_json(cost.totals().bytes)},
              {"total_flops", as_json(cost.totals().flops)},
              {"total_weight_bytes", as_json(cost.totals().bytes_weights)},
              {"intensity", cost.totals().intensity},
              {"by_kind", json::array()},
              {"top5", json::array()},
              {"nodes", json::array()},
              {"report5", cost.report(5)}};
  for (const kind_cost& k : cost.by_kind()) {
    ledger["by_kind"].push_back({k.kind, as_json(k.bytes), as_json(k.flops)});
  }
  for (const node_cost* n : cost.top_by_bytes(5)) ledger["top5"].push_back(n->id);
  for (const node_cost& n : cost.nodes()) ledger["nodes"].push_back(as_json(view, n));
  for (const unsigned ridge : {10u, 100u}) {
    const roofline split = cost.roofline_split(ridge);
    ledger["roofline_split"][std::to_string(ridge)] = {as_json(split.memory_bound),
                                                       as_json(split.compute_bound)};
  }
  return ledger;
}

BOOST_AUTO_TEST_SUITE(rule_on_golden_graphs)

BOOST_AUTO_TEST_CASE(there_are_vectors) {
  // 17 cases, each with a ledger of its MIR graph and of one target or more.
  const auto cases = golden_cases();
  BOOST_TEST(cases.size() >= 2u * 17);
  BOOST_TEST(std::ranges::count(cases, "mir.json",
                                [](const golden_case& c) { return c.graph.filename(); }) == 17);
}

BOOST_DATA_TEST_CASE(ledger_is_that_of_the_reference, golden_cases(), c) {
  const json expected = read_json(c.ledger);
  const rlx::module module = rlx::read_file(c.graph.string());
  const rlx::lent_view lent{module.graph, module.plan ? &*module.plan : nullptr};
  BOOST_REQUIRE(!rlx::find_defect(lent.get()).has_value());
  const json actual = ledger_of(rlx::graph_view{lent.get()});
  // Member by member, so that a failure says where; then whole, so that none is left out.
  for (const auto& [member, value] : expected.items()) {
    BOOST_TEST(actual.contains(member), member);
    if (member == "nodes" || !actual.contains(member)) continue;
    BOOST_TEST(actual[member] == value, member << ": " << actual[member] << " != " << value);
  }
  BOOST_REQUIRE(actual["nodes"].size() == expected["nodes"].size());
  for (std::size_t i = 0; i < expected["nodes"].size(); ++i) {
    const json& node = actual["nodes"][i];
    BOOST_TEST(node == expected["nodes"][i], node << " != " << expected["nodes"][i]);
  }
  BOOST_TEST((actual == expected));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace opscope::test
