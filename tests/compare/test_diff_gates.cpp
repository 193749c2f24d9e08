// opscope diff with limits, as a shell sees it: what fails, what passes, and what cannot be told.
#define BOOST_TEST_MODULE diff_gates
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "tests/ledger/run.hpp"

namespace opscope::test {
namespace {

using document = nlohmann::json;

void expect_text(const std::string& text, std::string_view part) {
  BOOST_TEST(text.find(part) != std::string::npos, "\"" << text << "\" lacks \"" << part << "\"");
}

constexpr std::uint64_t matmul_bytes = (4 * 8 + 8 * 8 + 4 * 8) * 4;
constexpr std::uint64_t relu_bytes = (4 * 8 + 4 * 8) * 4;

// Layers of a MatMul, each followed by an activation where it is not fused away.
struct ledgers {
  scratch place;
  std::string path(std::string_view name) const { return place.path(name); }
  std::string write(std::string_view name, int activations, std::string_view graph = "model",
                    bool with_need = true) const {
    view_builder b{graph};
    auto x = b.input("x", {4, 8});
    for (int i = 0; i < 3; ++i) {
      const auto w = b.param("layers." + std::to_string(i) + ".up.weight", {8, 8});
      x = b.node(RLX_KIND_MatMul, {x, w}, {4, 8});
      if (i < activations) {
        x = b.node(RLX_KIND_Activation, {x}, {4, 8}, RLX_DTYPE_F32, {{"value", "Relu"}});
      }
    }
    b.outputs({x});
    const graph_cost cost = analyze(b.view());
    const graph_need need = analyze_need(b.view(), {{}, &cost});
    ledger_settings settings;
    settings.place = path(name);
    rlx_compile_record compile = lowered_record(b.get());
    compile.source = nullptr;
    BOOST_REQUIRE(!ledger{settings}.append(compile, cost, with_need ? &need : nullptr));
    return path(name);
  }
};

run_result diff(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "diff");
  return opscope_command(std::move(arguments));
}

constexpr std::uint64_t base_bytes = 3 * matmul_bytes + 1 * relu_bytes;
constexpr std::uint64_t new_bytes = 3 * matmul_bytes + 3 * relu_bytes;

}  // namespace

BOOST_AUTO_TEST_SUITE(gates)

BOOST_AUTO_TEST_CASE(fail_over_their_limit_and_pass_one_byte_below) {
  const ledgers l;
  const std::string base = l.write("base", 1);
  const std::string next = l.write("new", 3);
  const std::string growth = std::to_string(new_bytes - base_bytes);
  const std::string less = std::to_string(new_bytes - base_bytes - 1);
  for (const char* metric : {"need.bytes.lo", "rule.bytes", "total:need.bytes.lo"}) {
    const std::string limit = std::string{metric} + "=0,";
    BOOST_TEST(diff({"--fail-over", limit + less, base, next}).status == 1, metric);
    BOOST_TEST(diff({"--fail-over", limit + growth, base, next}).status == 0, metric);
    BOOST_TEST(diff({"--fail-over", limit + less, next, base}).status == 0, metric);
    BOOST_TEST(diff({"--fail-over", limit + "0", base, base}).status == 0, metric);
  }
  BOOST_TEST(diff({base, next}).status == 0);
}

BOOST_AUTO_TEST_CASE(name_the_offender_and_its_nodes) {
  const ledgers l;
  const std::string base = l.write("base", 1);
  const std::string next = l.write("new", 3);
  static_assert(base_bytes == 1792 && new_bytes == 2304 && relu_bytes == 256);
  run_result r = diff({"--fail-over", "need.bytes.lo=1", "--fail-over", "nodes=50", base, next});
  BOOST_TEST(r.status == 1);
  expect_text(r.out,
              "\nBEYOND model for cpu: need.bytes.lo 1.75 KiB -> 2.25 KiB (+512 B, +28.57 %), "
              "limit need.bytes.lo=1\n");
  expect_text(r.out, "\n    2 x layers.*.Activation, added: +512 B, from 0\n");
  expect_text(r.out, "2 figures held against limits, 1 beyond\n");

  const document json =
      document::parse(diff({"--format", "json", "--fail-over", "need.bytes.lo=1", base, next}).out);
  BOOST_TEST(json["gate"]["status"] == "beyond");
  BOOST_TEST(json["gate"]["offences"][0]["base"] == base_bytes);
  BOOST_TEST(json["gate"]["offences"][0]["new"] == new_bytes);
  BOOST_TEST(json["gate"]["offences"][0]["nodes"][0]["new"] == 2 * relu_bytes);
  BOOST_TEST(!document::parse(diff({"--format", "json", base, next}).out).contains("gate"));

  r = diff({"--format", "md", "--fail-over", "need.bytes.lo=1", base, next});
  expect_text(r.out, "\n**1 figure held against limits, 1 beyond**\n\n- `model for cpu: need.");
  r = diff({"--format", "csv", "--fail-over", "need.bytes.lo=1", base, next});
  BOOST_TEST(r.status == 1);
  expect_text(r.err, "opscope: BEYOND model for cpu: need.bytes.lo");
  r = diff({"--quiet", "--fail-over", "need.bytes.lo=1", base, next});
  BOOST_TEST(r.status == 1);
  BOOST_TEST(r.out + r.err == "");
}

BOOST_AUTO_TEST_CASE(pass_with_a_reason_that_the_output_keeps) {
  const ledgers l;
  const std::string base = l.write("base", 1);
  const std::string next = l.write("new", 3);
  const std::vector<std::string> arguments{
      "--fail-over", "need.bytes.lo=1", "--allow", "activations are back", base, next};
  const run_result r = diff(arguments);
  BOOST_TEST(r.status == 0);
  expect_text(r.out, "\nallowed model for cpu: need.bytes.lo");
  expect_text(r.out, "1 beyond; allowed: activations are back\n");
  std::vector<std::string> as_json = arguments;
  as_json.insert(as_json.begin(), {"--format", "json"});
  const document json = document::parse(diff(as_json).out);
  BOOST_TEST(json["gate"]["status"] == "allowed");
  BOOST_TEST(json["gate"]["allowed"] == "activations are back");
  // In a comment it is text, whatever it holds.
  const run_result md = diff({"--format", "md", "--fail-over", "need.bytes.lo=1", "--allow",
                              "a|b **c**\n<img>", base, next});
  BOOST_TEST(md.status == 0);
  expect_text(md.out, "1 beyond; allowed: a\\|b \\*\\*c\\*\\*\\\\n\\<img\\>**\n");
}

BOOST_AUTO_TEST_CASE(of_graphs_that_come_and_go) {
  const ledgers l;
  const std::string one = l.write("one", 1, "a");
  const std::string two = l.write("two", 1, "a");
  l.write("two", 1, "b");
  BOOST_TEST(diff({"--fail-on-new", one, two}).status == 1);
  BOOST_TEST(diff({"--fail-on-new", two, two}).status == 0);
  BOOST_TEST(diff({"--fail-on-new", two, one}).status == 0);
  run_result r = diff({"--fail-on-missing", two, one});
  BOOST_TEST(r.status == 1);
  expect_text(r.out, "BEYOND b for cpu: the graph is gone\n");
  BOOST_TEST(diff({"--fail-on-missing", one, two}).status == 0);
  r = diff({"--fail-over", "need.bytes.lo=1", two, one});
  BOOST_TEST(r.status == 2);
  expect_text(r.err, "opscope: b for cpu: NEW has no such graph, so its limits decide nothing");
  BOOST_TEST(diff({"--fail-over", "need.bytes.lo=1", "--allow", "b is retired", two, one}).status ==
             0);
  r = diff({"--fail-over", "need.bytes.lo=1", one, two});
  BOOST_TEST(r.status == 0);
  expect_text(r.out, "\nleft out: 1 record is only in NEW and held by no limit; --fail-on-new ");
}

BOOST_AUTO_TEST_CASE(do_not_lose_a_graph_to_a_rename) {
  const ledgers l;
  const std::string base = l.write("base", 1, "gemm");
  l.write("base", 1, "mm");
  const std::string next = l.write("new", 1, "gemm");
  for (const char* by : {"node", "pass"}) {
    std::vector<std::string> arguments{"--by", by, "--map", "mm=gemm", base, next};
    if (by == std::string_view{"node"}) arguments.insert(arguments.begin(), "--fail-on-missing");
    const run_result r = diff(arguments);
    BOOST_TEST(r.status == 2);
    BOOST_TEST(r.out == "");
    expect_text(r.err, "two graphs of BASE, \"gemm\" and \"mm\", would both be \"gemm\"");
  }
}

BOOST_AUTO_TEST_CASE(decide_nothing_where_figures_or_lines_are_missing) {
  const ledgers l;
  const std::string base = l.write("base", 1);
  const std::string bare = l.write("bare", 1, "model", false);
  run_result r = diff({"--fail-over", "need.bytes.lo=1", base, bare});
  BOOST_TEST(r.status == 2);
  expect_text(r.err, "NEW says nothing of need.bytes.lo, so its limit decides nothing");
  r = diff({"--fail-over", "need.bytes.lo=1", "--skip-missing-metrics", base, bare});
  BOOST_TEST(r.status == 2);
  expect_text(r.err, "no figure is left to hold against a limit");
  r = diff({"--fail-over", "need.bytes.lo=1", "--fail-over", "rule.bytes=1",
            "--skip-missing-metrics", base, bare});
  BOOST_TEST(r.status == 0);
  expect_text(r.out, "left out: model for cpu: NEW says nothing of need.bytes.lo\n");
  BOOST_TEST(diff({"--fail-over", "rule.bytes=1", base, bare}).status == 0);

  const std::string whole = read_text(base);
  write_text(l.path("torn"), whole + whole.substr(0, whole.size() / 2));
  BOOST_TEST(diff({base, l.path("torn")}).status == 0);
  r = diff({"--fail-over", "rule.bytes=1", base, l.path("torn")});
  BOOST_TEST(r.status == 2);
  expect_text(r.err, "1 line was no record and left out");
  write_text(l.path("empty"), "");
  for (const auto& [a, b] :
       {std::pair{base, l.path("empty")}, {l.path("empty"), base}, {base, l.path("none")}}) {
    BOOST_TEST(diff({"--fail-over", "rule.bytes=1", a, b}).status == 2);
  }
}

BOOST_AUTO_TEST_CASE(refuse_what_is_no_limit) {
  const ledgers l;
  const std::string base = l.write("base", 1);
  const std::vector<std::pair<std::vector<std::string>, const char*>> wrong{
      {{"--fail-over", "bytes=1"},
       "--fail-over is \"bytes=1\": \"bytes\" is no metric; there are:"},
      {{"--fail-over", "rule.bytes=x"}, "\"x\" is no percentage"},
      {{"--fail-over", "rule.bytes"}, "METRIC=PERCENT[,ABSOLUTE]"},
      {{"--allow", "x"}, "--allow goes with a limit"},
      {{"--fail-on-new", "--allow", ""}, "--allow needs a reason"},
      {{"--skip-missing-metrics"}, "--skip-missing-metrics goes with a limit"}};
  for (const auto& [options, what] : wrong) {
    std::vector<std::string> arguments = options;
    arguments.insert(arguments.end(), {base, base});
    const run_result r = diff(arguments);
    BOOST_TEST(r.status == 2);
    BOOST_TEST(r.out == "");
    expect_text(r.err, what);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace opscope::test
