// opscope show --by pass, from a compile by rlxc to the rows on the terminal.
#define BOOST_TEST_MODULE waterfall
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "tests/ledger/run.hpp"

namespace opscope::test {
namespace {

using nlohmann::json;

struct decode_ledger {
  scratch place;
  std::string path = place.path("ledger.jsonl");
  explicit decode_ledger(const char* stages) {
    const run_result r =
        run_program({"/usr/bin/env", "RLX_PLUGINS=libopscope.so", "OPSCOPE_REPORT=off",
                     std::string{"OPSCOPE_STAGES="} + stages, "OPSCOPE_LEDGER=" + path,
                     OPSCOPE_BIN "/rlxc", OPSCOPE_TEST_DATA "/golden/llama32_1b_s1/mir.json"});
    BOOST_REQUIRE_MESSAGE(r.status == 0, r.err);
  }
  run_result show(std::vector<std::string> more) const {
    std::vector<std::string> arguments{"show", "--by", "pass", path};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return opscope_command(arguments);
  }
};

// The rule's bytes of the published ledgers before and after lowering for cpu.
constexpr std::int64_t bytes_of_source = 3'001'739'784;
constexpr std::int64_t bytes_of_lowered = 5'551'540'744;

BOOST_AUTO_TEST_SUITE(waterfall)

BOOST_AUTO_TEST_CASE(names_the_passes_in_rows_that_add_up) {
  const decode_ledger ledger{"all"};
  const run_result r = ledger.show({"--format", "json"});
  BOOST_REQUIRE_MESSAGE(r.status == 0, r.err);
  const json shown = json::parse(r.out);
  for (const char* figure : {"nodes", "bytes", "flops", "need_bytes_lo"}) {
    std::int64_t at = shown["total"][figure][0];
    std::int64_t sum = 0;
    for (const json& step : shown["steps"]) {
      const std::int64_t before = step[figure][0];
      const std::int64_t after = step[figure][1];
      BOOST_TEST(before == at, figure);
      sum += after - before;
      at = after;
    }
    const std::int64_t first = shown["total"][figure][0];
    const std::int64_t last = shown["total"][figure][1];
    BOOST_TEST(at == last, figure);
    BOOST_TEST(sum == last - first, figure);
  }
  BOOST_TEST(shown["total"]["bytes"][0] == bytes_of_source);
  BOOST_TEST(shown["total"]["bytes"][1] == bytes_of_lowered);
  std::vector<std::string> names;
  for (const json& step : shown["steps"]) names.push_back(step["step"]);
  const std::vector<std::string> expected{"fuse_residual_rms_norm", "fuse_swiglu_dual_matmul",
                                          "fuse_shared_input_matmul"};
  BOOST_TEST(names == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(prints_exact_figures_with_their_sign) {
  const run_result r = decode_ledger{"all"}.show({});
  BOOST_TEST(r.status == 0);
  for (const std::string& part : {std::to_string(bytes_of_source), std::to_string(bytes_of_lowered),
                                  "+" + std::to_string(bytes_of_lowered - bytes_of_source),
                                  std::string{"TOTAL"}, std::string{"fuse_swiglu_dual_matmul"}}) {
    BOOST_TEST(r.out.find(part) != std::string::npos, part << " is not in " << r.out);
  }
}

BOOST_AUTO_TEST_CASE(is_one_row_where_the_passes_were_not_recorded) {
  const run_result r = decode_ledger{"source"}.show({"--format", "csv"});
  BOOST_TEST(r.status == 0);
  BOOST_TEST(std::count(r.out.begin(), r.out.end(), '\n') == 2);
  BOOST_TEST(r.out.find("llama32_1b_s1,cpu,lowering,") != std::string::npos, r.out);
}

BOOST_AUTO_TEST_CASE(says_what_to_do_where_only_results_were_recorded) {
  const run_result r = decode_ledger{"lowered"}.show({});
  BOOST_TEST(r.status == 2);
  BOOST_TEST(r.err.find("OPSCOPE_STAGES=all") != std::string::npos, r.err);
}

BOOST_AUTO_TEST_CASE(refuses_a_single_stage) {
  const run_result r = decode_ledger{"all"}.show({"--stage", "source"});
  BOOST_TEST(r.status == 2);
  BOOST_TEST(r.err.find("leave --stage out") != std::string::npos, r.err);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace opscope::test
