// The main job on every graph of the vectors: rlxc with libopscope.so by bare name, nothing
// lowered. The report is the reference's text, the ledger has its figures.
#define BOOST_TEST_MODULE end_to_end
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <sstream>

#include "tests/cost/golden.hpp"
#include "tests/support/process.hpp"

namespace opscope::test {
namespace {

using nlohmann::json;

// Standard error without the plugin's prefix; each line must have it.
std::string said_by_plugin(const std::string& err) {
  constexpr std::string_view prefix = "opscope: ";
  std::string text;
  std::istringstream lines{err};
  for (std::string line; std::getline(lines, line);) {
    BOOST_TEST(line.starts_with(prefix), line);
    text += line.substr(std::min(line.size(), prefix.size())) + '\n';
  }
  return text;
}

std::vector<json> records_in(const std::filesystem::path& file) {
  std::ifstream in{file};
  std::vector<json> records;
  for (std::string line; std::getline(in, line);) records.push_back(json::parse(line));
  return records;
}

ended compile(const golden_case& c, std::vector<std::pair<std::string, std::string>> environment) {
  environment.emplace_back("RLX_PLUGINS", "libopscope.so");
  return run({.arguments = {OPSCOPE_BIN "/rlxc", "--pipeline", "none", "--target", c.target,
                            c.graph.string()},
              .environment = std::move(environment)});
}

BOOST_AUTO_TEST_SUITE(main_job)

BOOST_DATA_TEST_CASE(reports_and_records_what_the_reference_counts, golden_cases(), c) {
  const json expected = read_json(c.ledger);
  const temporary_folder folder;
  const std::string file = folder / "run.jsonl";
  const ended e =
      compile(c, {{"OPSCOPE_REPORT", "rule"}, {"OPSCOPE_TOP", "5"}, {"OPSCOPE_LEDGER", file}});
  BOOST_REQUIRE_MESSAGE(e.status == 0, e.err);
  BOOST_TEST(e.out == "");
  BOOST_TEST(said_by_plugin(e.err) == expected["report5"].get<std::string>());

  const std::vector<json> records = records_in(file);
  BOOST_REQUIRE_EQUAL(records.size(), 1u);
  const json& record = records[0];
  BOOST_TEST(record["graph"] == expected["graph"]);
  BOOST_TEST(record["target"] == c.target);
  BOOST_TEST(record["stage"] == "lowered");
  BOOST_TEST(record["opscope"]["rule"] == "rlx-opscope 0.2.18");
  const json& totals = record["totals"];
  BOOST_TEST(totals["nodes"] == expected["nodes"].size());
  BOOST_TEST(totals["bytes"] == expected["total_bytes"]);
  BOOST_TEST(totals["flops"] == expected["total_flops"]);
  BOOST_TEST(totals["bytes_weights"] == expected["total_weight_bytes"]);
  BOOST_TEST(totals["intensity"] == expected["intensity"]);
  BOOST_TEST(totals["overflow_nodes"] == 0);
  json by_kind = json::array();
  for (const json& k : record["by_kind"]) {
    by_kind.push_back({k["kind"], k["bytes"], k["flops"]});
  }
  BOOST_TEST(by_kind == expected["by_kind"]);
  BOOST_REQUIRE(record["nodes"].size() == expected["nodes"].size());
  for (std::size_t i = 0; i < expected["nodes"].size(); ++i) {
    json node = expected["nodes"][i];
    node.erase("intensity");  // the record has its two terms
    for (const auto& [member, value] : node.items()) {
      const json& actual = record["nodes"][i][member];
      BOOST_TEST(actual == value,
                 "node " << i << ": " << member << ": " << actual << " != " << value);
    }
  }
}

BOOST_AUTO_TEST_CASE(says_one_line_a_graph_by_default) {
  const auto cases = golden_cases();
  const auto gemm = std::ranges::find(cases, "gemm/mir.json", &golden_case::name);
  BOOST_REQUIRE(gemm != cases.end());
  const json expected = read_json(gemm->ledger);
  const ended e = compile(*gemm, {});
  BOOST_TEST(e.status == 0);
  const std::string text = said_by_plugin(e.err);
  BOOST_TEST(std::ranges::count(text, '\n') == 1);
  BOOST_TEST(text.starts_with(expected["graph"].get<std::string>() + " [cpu]: " +
                              std::to_string(expected["nodes"].size()) + " nodes need "));
}

BOOST_AUTO_TEST_CASE(a_ledger_that_cannot_be_written_is_one_warning_and_the_compile_goes_on) {
  const auto cases = golden_cases();
  const ended e = compile(cases.front(),
                          {{"OPSCOPE_REPORT", "off"}, {"OPSCOPE_LEDGER", "/proc/none/run.jsonl"}});
  BOOST_TEST(e.status == 0);
  const std::string text = said_by_plugin(e.err);
  BOOST_TEST(std::ranges::count(text, '\n') == 1);
  BOOST_TEST(text.find("/proc/none/run.jsonl") != std::string::npos, text);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace opscope::test
