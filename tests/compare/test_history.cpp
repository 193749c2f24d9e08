// opscope history: order, what follows what, and the changes in three formats.
#define BOOST_TEST_MODULE history
#include "plugin/compare/history.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "plugin/render/history.hpp"
#include "tests/ledger/run.hpp"

namespace opscope::test {
namespace {

using document = nlohmann::json;

void expect_text(const std::string& text, std::string_view part) {
  BOOST_TEST(text.find(part) != std::string::npos, "\"" << text << "\" lacks \"" << part << "\"");
}

ledger_record record(std::string time, std::uint64_t bytes, std::string target = "cpu") {
  ledger_record r;
  r.time = std::move(time);
  r.target = std::move(target);
  r.stage = "lowered";
  r.rule = rule_version;
  r.source = "fp1:one";
  r.totals.bytes = bytes;
  return r;
}

history bytes_of(std::vector<ledger_record> records) {
  history h{{*find_metric("rule.bytes")}};
  for (const ledger_record& r : records) h.add(r);
  h.finish();
  return h;
}

template <class... Records>
std::vector<ledger_record> all_of(Records... records) {
  std::vector<ledger_record> all;
  (all.push_back(std::move(records)), ...);
  return all;
}

// A MatMul of `rows` rows, compiled at that second after 1970.
void append(const std::string& place, std::uint64_t rows, const char* second,
            std::string_view graph = "model") {
  ::setenv("SOURCE_DATE_EPOCH", second, 1);
  view_builder b{graph};
  const auto x = b.input("x", {rows, 8});
  b.outputs({b.node(RLX_KIND_MatMul, {x, b.param("w", {8, 8})}, {rows, 8})});
  BOOST_REQUIRE(append_graph(place, b.get()) == "");
}
constexpr std::uint64_t bytes_of_rows(std::uint64_t rows) {
  return (rows * 8 + 8 * 8 + rows * 8) * 4;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(order)

BOOST_AUTO_TEST_CASE(is_that_of_the_times) {
  const history h = bytes_of(all_of(record("2026-03", 30), record("2026-01", 10),
                                    record("2026-02", 20), record("2026-02", 21)));
  std::vector<std::uint64_t> values;
  for (const history_entry& e : h.entries()) values.push_back(e.figures[0].value());
  const std::vector<std::uint64_t> wanted{10, 20, 21, 30};
  BOOST_TEST(values == wanted, boost::test_tools::per_element());
  BOOST_TEST(!h.change_of(h.entries()[0], 0).has_value());
  BOOST_TEST(h.change_of(h.entries()[1], 0)->before.value() == 10u);
}

BOOST_AUTO_TEST_CASE(follows_each_target_by_itself) {
  const history h = bytes_of(all_of(record("1", 10, "cpu"), record("2", 100, "cuda"),
                                    record("3", 11, "cpu"), record("4", 90, "cuda")));
  BOOST_TEST(!h.entries()[1].before.has_value());
  BOOST_TEST(*h.entries()[2].before == 0u);
  BOOST_TEST(*h.entries()[3].before == 1u);
  BOOST_TEST(h.change_of(h.entries()[3], 0)->size() == 10u);
  BOOST_TEST(!h.change_of(h.entries()[3], 0)->is_growth());
}

BOOST_AUTO_TEST_CASE(says_where_models_or_versions_changed) {
  ledger_record other_model = record("2", 20);
  other_model.source = "fp1:two";
  ledger_record no_source = record("3", 20);
  no_source.source.reset();
  ledger_record other_rule = record("4", 20);
  other_rule.rule = "rlx-opscope 0.3.0";
  const history h = bytes_of(
      all_of(record("1", 10), std::move(other_model), std::move(no_source), std::move(other_rule)));
  BOOST_TEST(!h.entries()[0].is_other_model);
  BOOST_TEST(h.entries()[1].is_other_model);
  BOOST_TEST(h.change_of(h.entries()[1], 0).has_value());
  BOOST_TEST(!h.entries()[2].is_other_model);
  BOOST_TEST(h.entries()[3].is_other_versions);
  BOOST_TEST(!h.change_of(h.entries()[3], 0).has_value());
}

BOOST_AUTO_TEST_CASE(names_a_pipeline_where_it_is_another) {
  const auto lowered_by = [](std::string time, std::string pipeline) {
    ledger_record r = record(std::move(time), 10);
    r.pipeline = std::move(pipeline);
    return r;
  };
  const history h =
      bytes_of(all_of(lowered_by("1", "old"), lowered_by("2", "new"), lowered_by("3", "new")));
  BOOST_TEST(!h.entries()[0].is_other_pipeline);
  BOOST_TEST(h.entries()[1].is_other_pipeline);
  BOOST_TEST(h.change_of(h.entries()[1], 0).has_value());
  BOOST_TEST(!h.entries()[2].is_other_pipeline);
  const std::string text = history_text(h, [](std::string_view s) { return std::string{s}; });
  expect_text(text, "=  pipeline new\n");
  BOOST_TEST(text.find("pipeline old") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(tells_no_change_between_other_sizes_of_dynamic_dims) {
  const auto sized = [](std::string time, std::uint64_t size) {
    ledger_record r = record(std::move(time), 10);
    r.need.emplace();
    r.totals.dynamic_nodes = 1;
    r.bound.bind(0, size);
    return r;
  };
  const history h = bytes_of(all_of(sized("1", 4), sized("2", 4), sized("3", 8)));
  BOOST_TEST(!h.entries()[1].is_other_bindings);
  BOOST_TEST(h.change_of(h.entries()[1], 0).has_value());
  BOOST_TEST(h.entries()[2].is_other_bindings);
  BOOST_TEST(!h.change_of(h.entries()[2], 0).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(command)

run_result history_command(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "history");
  return opscope_command(std::move(arguments));
}

BOOST_AUTO_TEST_CASE(shows_a_line_a_record_with_its_change) {
  const scratch s;
  const std::string place = s.path("l");
  append(place, 5, "120");
  append(place, 4, "60");
  append(place, 5, "180");
  append(place, 1, "0", "other");
  static_assert(bytes_of_rows(4) == 512 && bytes_of_rows(5) == 576);
  const std::vector<std::string> of{"--graph", "model", "--metric", "rule.bytes", place};
  run_result r = history_command(of);
  BOOST_TEST(r.status == 0);
  expect_text(r.out, "time (UTC)");
  expect_text(r.out, "1970-01-01T00:01:00");
  expect_text(r.out, "576 B  +12.50 %  model changed");
  expect_text(r.out, "576 B         =");
  BOOST_TEST(std::count(r.out.begin(), r.out.end(), '\n') == 1 + 3);

  std::vector<std::string> arguments{"--format", "csv"};
  arguments.insert(arguments.end(), of.begin(), of.end());
  r = history_command(arguments);
  expect_text(r.out,
              "graph,target,stage,pass,time,compiler,compiler_version,pipeline,rule.bytes,"
              "rule.bytes change,other_model,other_versions,other_bindings,file,line\n");
  expect_text(r.out, ",rlxc,0.2.2,none,512,,false,false,false," + place + ",2\n");
  expect_text(r.out, ",rlxc,0.2.2,none,576,64,true,false,false," + place + ",1\n");
  expect_text(r.out, ",rlxc,0.2.2,none,576,0,false,false,false," + place + ",3\n");

  arguments[1] = "json";
  r = history_command(arguments);
  const document first = document::parse(r.out.substr(0, r.out.find('\n')));
  BOOST_TEST(first["figures"]["rule.bytes"]["value"] == 512);
  BOOST_TEST(first["figures"]["rule.bytes"]["change"].is_null());
  BOOST_TEST(first["line"] == 2);
}

BOOST_AUTO_TEST_CASE(shows_the_default_metrics_and_what_is_missing) {
  const scratch s;
  append(s.path("l"), 4, "60");
  const run_result r = history_command({s.path("l")});
  BOOST_TEST(r.status == 0);
  for (const char* heading : {"needs", "invariant", "work", "rule bytes", "arena"}) {
    expect_text(r.out, heading);
  }
  expect_text(r.out, " - ");  // written without needs and plan
}

BOOST_AUTO_TEST_CASE(falls_with_a_sign) {
  const scratch s;
  append(s.path("l"), 5, "60");
  append(s.path("l"), 4, "120");
  const run_result r = history_command({"--metric", "rule.bytes", "--format", "json", s.path("l")});
  expect_text(r.out, "\"rule.bytes\":{\"value\":512,\"change\":-64}");
  expect_text(history_command({"--metric", "rule.bytes", s.path("l")}).out, "-11.11 %");
}

BOOST_AUTO_TEST_CASE(asks_back_where_it_cannot_tell) {
  const scratch s;
  append(s.path("l"), 4, "60");
  append(s.path("l"), 4, "60", "other");
  const std::vector<std::pair<std::vector<std::string>, const char*>> wrong{
      {{}, "no LEDGER given"},
      {{s.path("l")}, "more than one graph (model, other); choose one with --graph"},
      {{"--graph", "none", s.path("l")}, "there is no lowered record of the graph \"none\""},
      {{"--graph", "model", "--stage", "source", s.path("l")}, "there is no source record"},
      {{"--graph", "model", "--metric", "bytes", s.path("l")}, "--metric is \"bytes\""},
      {{"--graph", "model", s.path("missing")}, "missing"}};
  for (const auto& [arguments, what] : wrong) {
    const run_result r = history_command(arguments);
    BOOST_TEST(r.status == 2);
    BOOST_TEST(r.out == "");
    expect_text(r.err, what);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace opscope::test
