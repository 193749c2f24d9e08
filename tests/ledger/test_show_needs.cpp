// opscope show on records with needs: the rows, what stands around them, and --bind.
#define BOOST_TEST_MODULE show_needs
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "plugin/ledger/recost.hpp"
#include "tests/ledger/run.hpp"

namespace opscope::test {
namespace {

using document = nlohmann::json;

// x[4,8] times the concat of two weights, then a gather of two of its four rows.
void fill(view_builder& b) {
  const auto x = b.input("x", {4, 8});
  const auto left = b.param("model.layers.0.mlp.gate_proj.weight", {8, 3});
  const auto right = b.param("model.layers.0.mlp.up_proj.weight", {8, 3});
  const auto both = b.node(RLX_KIND_Concat, {left, right}, {8, 6}, RLX_DTYPE_F32, {{"axis", 1u}});
  const auto m = b.node(RLX_KIND_MatMul, {x, both}, {4, 6});
  const auto rows = b.input("rows", {2}, RLX_DTYPE_I64);
  b.outputs({b.node(RLX_KIND_Gather, {m, rows}, {2, 6}, RLX_DTYPE_F32, {{"axis", 0u}})});
}
constexpr std::uint64_t concat_bytes = 2 * 8 * 6 * 4;
constexpr std::uint64_t matmul_read = (4 * 8 + 8 * 6) * 4;
constexpr std::uint64_t matmul_written = 4 * 6 * 4;
constexpr std::uint64_t matmul_work = 2 * 4 * 8 * 6;

// Rows of 16, of a number that is open, and a weight of which nothing depends on it.
void fill_dynamic(view_builder& b) {
  const auto x = b.input("x", {symbol(0), 16});
  const auto w = b.param("w", {16, 8});
  b.outputs({b.node(RLX_KIND_MatMul, {x, w}, {symbol(0), 8})});
}

struct one_ledger {
  scratch place;
  std::string path = place.path("ledger.jsonl");
  explicit one_ledger(void (*build)(view_builder&), bool with_nodes = true,
                      const bindings& bound = {}) {
    view_builder b{"model"};
    build(b);
    const graph_cost cost = analyze(b.view());
    const graph_need need = analyze_need(b.view(), {bound, &cost});
    ledger_settings settings;
    settings.place = path;
    settings.with_nodes = with_nodes;
    BOOST_REQUIRE(
        !ledger{settings}.append(lowered_record(b.get()), cost, &need, &bound).has_value());
  }
};

document shown(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"show", "--format", "json"});
  const run_result r = opscope_command(arguments);
  BOOST_REQUIRE_MESSAGE(r.status == 0, r.err);
  return document::parse(r.out);
}

std::string text_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "show");
  const run_result r = opscope_command(arguments);
  BOOST_REQUIRE_MESSAGE(r.status == 0, r.err);
  return r.out;
}

void expect_text(const std::string& text, std::string_view part) {
  BOOST_TEST(text.find(part) != std::string::npos, "\"" << text << "\" lacks \"" << part << "\"");
}

document exactly(std::uint64_t n) { return document::array({n, n}); }

}  // namespace

BOOST_AUTO_TEST_SUITE(rows)

BOOST_AUTO_TEST_CASE(are_ordered_by_what_is_needed) {
  const one_ledger l{fill};
  // The rule has the matmul in front of the concat by far less than what gather's table weighs.
  document r = shown({"--by", "kind", l.path})["rows"];
  BOOST_TEST(r[0]["kind"] == "MatMul");
  BOOST_TEST(r[1]["kind"] == "Concat");
  BOOST_TEST(r[2]["kind"] == "Gather");
  static_assert(matmul_read + matmul_written > concat_bytes);
  BOOST_TEST(r[0]["need"]["read"] == exactly(matmul_read));
  BOOST_TEST(r[0]["need"]["written"] == exactly(matmul_written));
  BOOST_TEST(r[0]["need"]["work"] == exactly(matmul_work));
  BOOST_TEST(r[2]["need"]["read"] == document::array({6 * 4 + 2 * 8, 2 * 6 * 4 + 2 * 8}));
}

BOOST_AUTO_TEST_CASE(tell_what_is_invariant) {
  const one_ledger l{fill};
  document r = shown({"--by", "node", l.path})["rows"];
  BOOST_TEST(r[1]["kind"] == "Concat");
  BOOST_TEST(r[1]["need"]["invariant"] == true);
  BOOST_TEST(r[0]["need"]["invariant"] == false);
  std::uint64_t invariant = 0;
  const document labels = shown({"--by", "label", l.path});
  for (const document& row : labels["rows"]) {
    invariant += row["invariant"][0].get<std::uint64_t>();
  }
  BOOST_TEST(invariant == concat_bytes);
}

BOOST_AUTO_TEST_CASE(add_up_to_the_totals_in_every_grouping) {
  const one_ledger l{fill};
  for (const char* by : {"kind", "label", "node"}) {
    const document r = shown({"--by", by, "--top", "0", l.path});
    for (const char* column : {"read", "written", "weights", "work", "contraction", "int_ops"}) {
      std::uint64_t lo = 0;
      std::uint64_t hi = 0;
      for (const document& row : r["rows"]) {
        lo += row["need"][column][0].get<std::uint64_t>();
        hi += row["need"][column][1].get<std::uint64_t>();
      }
      BOOST_TEST(r["totals"]["need"][column] == document::array({lo, hi}), by << " " << column);
    }
  }
}

BOOST_AUTO_TEST_CASE(of_csv_have_both_ends_and_empty_fields_for_what_has_none) {
  const one_ledger l{fill};
  const auto lines = [](const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
  };
  const std::string nodes = text_of({"--format", "csv", "--by", "node", l.path});
  BOOST_TEST(lines(nodes) == 4);
  expect_text(nodes, ",need_int_ops_lo,need_int_ops_hi,invariant\n");
  expect_text(nodes, "," + std::to_string(matmul_work) + "," + std::to_string(matmul_work) +
                         ",0,0,false\n");
  const one_ledger open{fill_dynamic};
  expect_text(text_of({"--format", "csv", "--by", "node", open.path}),
              ",0,,0,,0,512,0,,0,,0,0,false\n");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(text)

BOOST_AUTO_TEST_CASE(leads_with_needs_and_ends_with_coverage_and_invariant_work) {
  const one_ledger l{fill};
  const std::string out = text_of({"--by", "label", l.path});
  expect_text(out, "\n7 nodes need 888 B~912 B (");
  expect_text(out, " of inputs, weights and outputs\n");
  expect_text(out, "\nwork: 384 FLOP, of it 384 FLOP in contractions");
  expect_text(out, "\nas rlx-opscope 0.2.18 counts: ");
  expect_text(out, "\nall covered\ninvariant: 384 B, computed from weights alone");
  expect_text(out, "\n  384 B  model.layers.*.mlp.{gate,up}_proj\n");
  static_assert(concat_bytes == 384 && matmul_work == 384);
  // Kinds are recorded without what is invariant in them.
  BOOST_TEST(text_of({l.path}).find("\n  384 B") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(says_what_is_not_covered) {
  const one_ledger l{fill_dynamic};
  const std::string out = text_of({l.path});
  expect_text(out, "3 nodes need unknown (");
  expect_text(out, "for a dynamic dim; --bind gives the needs sizes\n");
  expect_text(out,
              "covered: 0.0 % of the nodes, 0.0 % of the rule's bytes; 1 without an upper bound");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(binding)

BOOST_AUTO_TEST_CASE(costs_the_recorded_graph_with_sizes) {
  const one_ledger l{fill_dynamic};
  document r = shown({"--by", "node", l.path});
  BOOST_TEST(r["rows"][0]["need"]["work"] == document::array({0, nullptr}));
  BOOST_TEST(r["rows"][0]["expr"]["work"] == "256*?0");
  BOOST_TEST(!r.contains("bound"));
  r = shown({"--by", "node", "--bind", "0=10", l.path});
  BOOST_TEST(r["bound"] == document({{"?0", 10}}));
  BOOST_TEST(r["rows"][0]["need"]["work"] == exactly(2 * 10 * 16 * 8));
  BOOST_TEST(r["rows"][0]["need"]["read"] == exactly((10 * 16 + 16 * 8) * 4));
  BOOST_TEST(r["totals"]["need"]["written"] == exactly(10 * 8 * 4));
  BOOST_TEST(r["totals"]["coverage"]["nodes"] == 1.0);
  BOOST_TEST(shown({"--bind", "0=10", l.path})["rows"][0]["need"]["work"] ==
             exactly(2 * 10 * 16 * 8));
  expect_text(text_of({"--bind", "0=10", l.path}), "  costed with ?0 = 10\n");
}

BOOST_AUTO_TEST_CASE(of_a_symbol_that_no_graph_has_is_noted) {
  const one_ledger l{fill_dynamic};
  for (const char* command : {"show", "recost"}) {
    const run_result met = opscope_command({command, "--bind", "0=10", l.path});
    BOOST_TEST(met.err == "");
    const run_result unmet = opscope_command({command, "--bind", "0=10,7=1,9=2", l.path});
    BOOST_TEST(unmet.status == 0);
    expect_text(unmet.err, "--bind gives a size for ?7, ?9, and no dim of these graphs");
  }
}

BOOST_AUTO_TEST_CASE(is_recorded_and_keeps_other_sizes_apart) {
  bindings ten;
  ten.bind(0, 10);
  const one_ledger l{fill_dynamic, true, ten};
  expect_text(read_text(l.path), ",\"bind\":\"0=10\"}");
  document r = shown({l.path});
  BOOST_TEST(r["opscope"]["bind"] == "0=10");
  BOOST_TEST(r["bound"] == document({{"?0", 10}}));
  expect_text(text_of({l.path}), "  costed with ?0 = 10\n");
  expect_text(opscope_command({"recost", l.path}).out, ",\"bind\":\"0=10\"}");
  expect_text(opscope_command({"recost", "--bind", "0=11", l.path}).out, ",\"bind\":\"0=11\"}");

  const one_ledger open{fill_dynamic};
  BOOST_TEST(read_text(open.path).find("\"bind\"") == std::string::npos);
  run_result d = opscope_command({"diff", l.path, open.path});
  BOOST_TEST(d.status == 2);
  expect_text(d.err, "dynamic dims were given other sizes (0=10, then none)");
  expect_text(d.err, "--across-bindings compares nevertheless");
  d = opscope_command({"diff", "--across-bindings", l.path, open.path});
  BOOST_TEST(d.status == 0);
  expect_text(d.out, "dynamic dims were given other sizes");
  BOOST_TEST(opscope_command({"diff", "--across-versions", l.path, open.path}).status == 2);

  // What is compared with itself is said to be.
  d = opscope_command({"diff", l.path, l.path});
  BOOST_TEST(d.status == 0);
  expect_text(d.err, "opscope: BASE and NEW are the same records of the same file");

  std::string wrong = read_text(l.path);
  wrong.replace(wrong.find("\"0=10\""), 6, "\"0:10\"");
  write_text(l.path, wrong);
  d = opscope_command({"show", l.path});
  BOOST_TEST(d.status == 2);
  expect_text(d.err, "the member opscope.bind gives no sizes");
}

BOOST_AUTO_TEST_CASE(with_a_size_too_few_leaves_the_node_open) {
  const one_ledger l{fill_dynamic};
  BOOST_TEST(shown({"--bind", "1=10", l.path})["totals"]["need"]["work"] ==
             document::array({0, nullptr}));
}

BOOST_AUTO_TEST_CASE(that_cannot_be_done_is_said) {
  const one_ledger l{fill_dynamic};
  const auto complaint = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "show");
    const run_result r = opscope_command(arguments);
    BOOST_TEST(r.status == 2);
    BOOST_TEST(r.out == "");
    return r.err;
  };
  expect_text(complaint({"--bind", "x", l.path}), "opscope: show: --bind: ");
  expect_text(complaint({"--bind", "0=1", "--by", "pass", l.path}), "--bind does not go with");
  expect_text(complaint({"--top", "3", "--by", "pass", l.path}),
              "--top does not go with --by pass");
  expect_text(complaint({"--ridge", "3", "--by", "pass", l.path}), "--ridge does not go with");
  const one_ledger heads{fill_dynamic, false};
  expect_text(complaint({"--bind", "0=1", heads.path}), "the record has no nodes");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace opscope::test
