// The needs as they are shown: summary, full report, record, kinds, recost.
#define BOOST_TEST_MODULE need_reporting
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <opscope/ledger_reader.hpp>
#include <opscope/report.hpp>

#include "plugin/ledger/record.hpp"
#include "tests/ledger/run.hpp"
#include "tests/need/support.hpp"

using namespace opscope;
using namespace opscope::test;
using document = nlohmann::json;

namespace {

// x[4,8] times the concat of two weights, then a gather of two of its four rows.
void fill(view_builder& b) {
  const auto x = b.input("x", {4, 8});
  const auto left = b.param("model.layers.0.mlp.gate_proj.weight", {8, 3});
  const auto right = b.param("model.layers.0.mlp.up_proj.weight", {8, 3});
  const auto both = b.node(RLX_KIND_Concat, {left, right}, {8, 6}, RLX_DTYPE_F32, {{"axis", 1u}});
  const auto m = b.node(RLX_KIND_MatMul, {x, both}, {4, 6});
  const auto rows = b.input("rows", {2}, RLX_DTYPE_I64);
  const auto g = b.node(RLX_KIND_Gather, {m, rows}, {2, 6}, RLX_DTYPE_F32, {{"axis", 0u}});
  b.outputs({g});
}

struct costed {
  graph_cost rule;
  graph_need need;
};

costed cost(const rlx::graph_view& v, const bindings& bound = {}) {
  costed c{analyze(v), {}};
  need_options options;
  options.bindings = bound;
  options.rule = &c.rule;
  analyze_need(v, options, c.need);
  return c;
}

constexpr std::uint64_t concat_bytes = 2 * 8 * 6 * 4;
constexpr std::uint64_t matmul_bytes = (4 * 8 + 8 * 6 + 4 * 6) * 4;
constexpr std::uint64_t gather_least = (6 + 2 * 6) * 4 + 2 * 8;
constexpr std::uint64_t gather_most = (2 * 6 + 2 * 6) * 4 + 2 * 8;

std::string record_line(const rlx_graph_view& graph, const bindings& bound = {}) {
  const costed c = cost(rlx::graph_view{graph}, bound);
  const ledger_settings settings;
  json_writer out;
  write_record(
      out, lowered_record(graph), c.rule,
      {"2026-12-01T09:30:00.000000Z", std::nullopt, std::nullopt, &settings, &c.need, &bound});
  return std::string{out.pending()};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(texts)

BOOST_AUTO_TEST_CASE(summary_leads_with_needs_and_their_ratio_to_graph_io) {
  view_builder b{"g"};
  fill(b);
  const costed c = cost(b.view());
  const std::string line = summary_line({"g", "cpu"}, c.rule, c.need);
  BOOST_TEST(line.starts_with("g [cpu]: 7 nodes need 888 B~912 B, "), line);
  static_assert(concat_bytes + matmul_bytes + gather_least == 888);
  static_assert(concat_bytes + matmul_bytes + gather_most == 912);
  BOOST_TEST(
      line.find(" of inputs, weights and outputs; 384 FLOP; 384 B invariant; all covered; ") !=
          std::string::npos,
      line);
  BOOST_TEST(line.ends_with(" as rlx-opscope 0.2.18 counts"), line);
}

BOOST_AUTO_TEST_CASE(summary_says_what_is_not_covered) {
  view_builder b{"g"};
  const auto x = b.input("x", {4});
  const auto y = b.node(RLX_KIND_Activation, {x}, {4}, RLX_DTYPE_F32, {{"value", "Neg"}});
  b.outputs({b.node(b.unlisted_kind("Teleport"), {y}, {4})});
  const costed c = cost(b.view());
  const std::string line = summary_line({"g", "cpu"}, c.rule, c.need);
  BOOST_TEST(line.find("1 of 2 nodes covered, 50.0% of the rule's bytes") != std::string::npos,
             line);
  BOOST_TEST(line.find("32 B~?") != std::string::npos, line);
}

BOOST_AUTO_TEST_CASE(full_report_is_one_table_with_graph_io_above_and_invariant_below) {
  view_builder b{"g"};
  fill(b);
  const rlx::graph_view v = b.view();
  const costed c = cost(v);
  const std::string text = need_report({"g", "cpu"}, v, c.rule, c.need, 2);
  BOOST_TEST(text.starts_with("g [cpu]: nodes need 888 B~912 B, the graph's inputs, weights and "
                              "outputs are "),
             text);
  for (const char* part :
       {"\nkind", "\nMatMul ", "\nConcat ", "\n[1 others]", "\ntotal ", "\nall covered\n",
        "\ninvariant: 384 B in 1 node, computed from weights alone: could be done once\n",
        "model.layers.0.mlp.{gate,up}_proj\n", "\nneeds: "}) {
    BOOST_TEST(text.find(part) != std::string::npos, part << " is not in\n" << text);
  }
  BOOST_TEST(!text.ends_with("\n"));
}

BOOST_AUTO_TEST_CASE(report_of_an_empty_graph_is_a_report) {
  view_builder b{""};
  const rlx::graph_view v = b.view();
  const costed c = cost(v);
  BOOST_TEST(need_report({"", ""}, v, c.rule, c.need, 10)
                 .starts_with("(unnamed graph) []: nodes "
                              "need 0 B"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(record)

BOOST_AUTO_TEST_CASE(holds_the_needs_of_totals_kinds_and_nodes) {
  view_builder b{"g"};
  fill(b);
  const document r = document::parse(record_line(b.get()));
  BOOST_TEST(r["opscope"]["need"].get<std::uint64_t>() == need_version);
  const document& totals = r["totals"];
  BOOST_TEST(totals["need"]["invariant"] == document::array({concat_bytes, concat_bytes}));
  BOOST_TEST(totals["need"]["work"] == document::array({384, 384}));
  BOOST_TEST(totals["need"]["unknown_nodes"] == 0);
  BOOST_TEST(totals["coverage"]["nodes"] == 1.0);
  BOOST_TEST(totals["coverage"]["bytes"] == 1.0);
  BOOST_TEST(totals["graph_io"].size() == 2u);
  BOOST_TEST(r["nodes"][3]["need"]["invariant"] == true);
  BOOST_TEST(r["nodes"][4]["need"]["weights"] == document::array({192, 192}));
  BOOST_TEST(r["nodes"][6]["need"]["read"] ==
             document::array({gather_least - 48, gather_most - 48}));
  BOOST_TEST(!r["nodes"][6].contains("expr"));
  for (const document& k : r["by_kind"]) BOOST_TEST(k.contains("need"));
}

BOOST_AUTO_TEST_CASE(unbounded_ends_are_null_and_dynamic_nodes_have_expressions) {
  view_builder b{"g"};
  const auto x = b.input("x", {symbol(0), 8});
  const auto s = b.node(RLX_KIND_Sort, {x}, {symbol(0), 8}, RLX_DTYPE_F32, {{"axis", 0u}});
  b.outputs({s});
  const document r = document::parse(record_line(b.get()));
  BOOST_TEST(r["nodes"][1]["need"]["read"] == document::array({0, nullptr}));
  BOOST_TEST(r["nodes"][1]["expr"]["read"] == "32*?0");
  BOOST_TEST(r["nodes"][1]["expr"]["work"].is_array());
  BOOST_TEST(r["nodes"][1]["expr"]["work"][1].is_null());
  bindings bound;
  bound.bind(0, 4);
  const document fixed = document::parse(record_line(b.get(), bound));
  BOOST_TEST(fixed["nodes"][1]["need"]["read"] == document::array({128, 128}));
  BOOST_TEST(!fixed["nodes"][1].contains("expr"));
}

BOOST_AUTO_TEST_CASE(reads_back_as_it_was_written) {
  const scratch s;
  view_builder b{"g"};
  fill(b);
  write_text(s.path("l"), record_line(b.get()) + "\n");
  ledger_reader reader{s.path("l"), [](const std::string& note) { BOOST_ERROR(note); }};
  const auto r = reader.next();
  BOOST_REQUIRE(r.has_value());
  BOOST_REQUIRE(r->need.has_value());
  const need_totals t = cost(b.view()).need.totals();
  BOOST_TEST(r->need->version == need_version);
  BOOST_TEST(r->need->totals.read == t.read);
  BOOST_TEST(r->need->totals.graph_io == t.graph_io);
  BOOST_TEST(r->need->totals.invariant == t.invariant);
  BOOST_TEST(r->need->covered_nodes.value() == 1.0);
  BOOST_TEST(r->by_kind.at(0).need.has_value());
}

BOOST_AUTO_TEST_CASE(a_broken_interval_is_no_record) {
  view_builder b{"g"};
  fill(b);
  const document good = document::parse(record_line(b.get()));
  const scratch s;
  for (const document& bad :
       {document(7), document::array({1}), document::array({2, 1}), document::array({1, 2, 3}),
        document::array({"1", 2}), document::array({-1, 2})}) {
    document r = good;
    r["totals"]["need"]["read"] = bad;
    write_text(s.path("l"), r.dump() + "\n");
    int notes = 0;
    ledger_reader reader{s.path("l"), [&](const std::string&) { ++notes; }};
    BOOST_TEST(!reader.next().has_value(), bad.dump());
    BOOST_TEST(notes == 1);
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(commands)

BOOST_AUTO_TEST_CASE(kinds_lists_every_kind) {
  const run_result text = opscope_command({"kinds"});
  BOOST_TEST(text.status == 0);
  BOOST_TEST(std::count(text.out.begin(), text.out.end(), '\n') == 1 + 187);
  BOOST_TEST(text.out.find("\nMatMul  ") != std::string::npos);
  const run_result lines = opscope_command({"kinds", "--format", "json"});
  std::istringstream in{lines.out};
  std::size_t count = 0;
  for (std::string line; std::getline(in, line); ++count) {
    const document k = document::parse(line);
    BOOST_TEST((k["bytes"] == "exact" || k["bytes"] == "interval" || k["bytes"] == "unknown"));
    BOOST_TEST(!k["formula"].get<std::string>().empty());
  }
  BOOST_TEST(count == 187u);
  BOOST_TEST(opscope_command({"kinds", "extra"}).status == 2);
}

BOOST_AUTO_TEST_CASE(recost_gives_the_record_again) {
  const scratch s;
  view_builder b{"g"};
  fill(b);
  const std::string line = record_line(b.get());
  write_text(s.path("l"), line + "\n");
  const run_result r = opscope_command({"recost", s.path("l")});
  BOOST_TEST(r.status == 0, r.err);
  BOOST_TEST(document::parse(r.out) == document::parse(line));
}

BOOST_AUTO_TEST_CASE(recost_brings_an_old_record_to_todays_models) {
  const scratch s;
  view_builder b{"g"};
  fill(b);
  document old = document::parse(record_line(b.get()));
  const document today = old;
  old["opscope"].erase("need");
  for (const char* member : {"need", "graph_io", "coverage"}) old["totals"].erase(member);
  for (document& k : old["by_kind"]) k.erase("need");
  for (document& n : old["nodes"]) n.erase("need");
  old["totals"]["bytes"] = 1;
  write_text(s.path("l"), old.dump() + "\n");
  const run_result r = opscope_command({"recost", s.path("l")});
  BOOST_TEST(r.status == 0, r.err);
  BOOST_TEST(document::parse(r.out) == today);
}

BOOST_AUTO_TEST_CASE(recost_binds_dynamic_dims) {
  const scratch s;
  view_builder b{"g"};
  const auto x = b.input("x", {symbol(3), 8});
  b.outputs({b.node(RLX_KIND_Softmax, {x}, {symbol(3), 8}, RLX_DTYPE_F32, {{"axis", -1}})});
  write_text(s.path("l"), record_line(b.get()) + "\n");
  const run_result r = opscope_command({"recost", "--bind", "3=2", s.path("l")});
  BOOST_TEST(r.status == 0, r.err);
  BOOST_TEST(document::parse(r.out)["nodes"][1]["need"]["work"] == document::array({48, 48}));
  BOOST_TEST(opscope_command({"recost", "--bind", "3", s.path("l")}).status == 2);
}

BOOST_AUTO_TEST_CASE(recost_leaves_out_records_without_nodes_and_says_so) {
  const scratch s;
  view_builder b{"g"};
  fill(b);
  document r = document::parse(record_line(b.get()));
  r.erase("nodes");
  r.erase("outputs");
  write_text(s.path("l"), r.dump() + "\n");
  const run_result ended = opscope_command({"recost", s.path("l")});
  BOOST_TEST(ended.status == 2);
  BOOST_TEST(ended.out.empty());
  BOOST_TEST(ended.err.find(":1: the record has no nodes") != std::string::npos, ended.err);
}

BOOST_AUTO_TEST_SUITE_END()
