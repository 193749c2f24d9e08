// The driver with its pipeline, run as a program: what it emits, prints and hands to plugins.
#define BOOST_TEST_MODULE lower_rlxc
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <iostream>

#include "tests/lower/support.hpp"
#include "tests/read/json_equal.hpp"
#include "tests/support/process.hpp"

namespace fs = std::filesystem;
using namespace lower_test;
using opscope::test::ended;
using rlx_test::find_difference;

namespace {

using settings = std::vector<std::pair<std::string, std::string>>;

const std::string golden = OPSCOPE_TEST_DATA "/golden/";
const std::string chain = golden + "elementwise_chain/mir.json";

ended rlxc(std::vector<std::string> arguments, settings environment = {},
           const std::string& input = "") {
  arguments.insert(arguments.begin(), OPSCOPE_BIN "/rlxc");
  return opscope::test::run({std::move(arguments), std::move(environment), "", input});
}

const std::string cpu_passes =
    "LowerControlFlow\nlower_dot_general\nfuse_attention_block\nfuse_matmul_bias_act\n"
    "fuse_residual_ln\nfuse_residual_rms_norm\nfuse_rms_norm_reshape\nfuse_swiglu_dual_matmul\n"
    "fuse_shared_input_matmul\nfuse_swiglu\nmark_elementwise_regions\n"
    "unfuse_elementwise_regions\ndead_code_elimination\n";

}  // namespace

BOOST_AUTO_TEST_SUITE(driver)

BOOST_AUTO_TEST_CASE(emits_the_vectors_from_hir_and_from_mir) {
  std::size_t compared = 0;
  for (const std::string name : {"matmul", "cnn_b8", "scan_rnn", "empty", "gated_delta_net",
                                 "bert_base_b1_s128", "llama32_1b_s1", "mixed_dtypes"}) {
    for (const char* source : {"hir.json", "mir.json"}) {
      const std::string path = golden + name + "/" + source;
      if (!fs::exists(path)) continue;
      for (const std::string target : {"cpu", "cuda"}) {
        const std::string expected = golden + name + "/" + target;
        if (!fs::exists(expected + ".lir.json")) continue;
        const ended lir = rlxc({"--target", target, "--emit", "lir", path});
        BOOST_REQUIRE_MESSAGE(lir.status == 0, lir.err);
        BOOST_TEST(find_difference(json::parse(lir.out), read_json(expected + ".lir.json")) == "");
        const ended report = rlxc({"--target", target, "--emit", "fusion-report", path});
        BOOST_TEST(report.out + "\n" == read_text_file(expected + ".fusion.txt"));
        ++compared;
      }
    }
  }
  BOOST_TEST(compared >= 15U);
}

BOOST_AUTO_TEST_CASE(emits_as_mir_what_was_there_before_the_passes) {
  const ended e = rlxc({"--emit", "mir", golden + "llama32_1b_s1/hir.json"});
  BOOST_REQUIRE_MESSAGE(e.status == 0, e.err);
  BOOST_TEST(find_difference(json::parse(e.out), read_json(golden + "llama32_1b_s1/mir.json")) ==
             "");
}

BOOST_AUTO_TEST_CASE(passes_a_lowered_module_through) {
  const std::string path = golden + "cnn_b8/metal.lir.json";
  const ended e = rlxc({"--target", "cuda", "--emit", "lir", path});
  BOOST_REQUIRE_MESSAGE(e.status == 0, e.err);
  BOOST_TEST(find_difference(json::parse(e.out), read_json(path)) == "");
  const ended report = rlxc({"--emit", "fusion-report", path});
  BOOST_TEST(report.out ==
             "fusion report:\n  nodes=0→0 matmul=0→0 fused_mm_act=0 fused_swiglu=0 "
             "elementwise_region=0 missed_mm_act=0 missed_swiglu=0 missed_shared_mm=0\n");
}

BOOST_AUTO_TEST_CASE(writes_the_same_bytes_twice_and_reads_its_own_output) {
  const std::string path = golden + "moe_e8/mir.json";
  const ended first = rlxc({"--emit", "lir", path});
  BOOST_REQUIRE_MESSAGE(first.status == 0, first.err);
  BOOST_TEST(first.out == rlxc({"--emit", "lir", path}).out);
  BOOST_TEST(first.out == rlxc({"--emit", "lir", "-"}, {}, first.out).out);
}

BOOST_AUTO_TEST_CASE(prints_the_passes_of_a_target) {
  const ended cpu = rlxc({"--print-passes"});
  BOOST_TEST(cpu.status == 0);
  BOOST_TEST(cpu.out == cpu_passes);
  BOOST_TEST(rlxc({"--print-passes", "--target", "tpu"}).out ==
             "LowerControlFlow\nlower_dot_general\nfuse_matmul_bias_act\nfuse_residual_ln\n"
             "fuse_rms_norm_reshape\nfuse_shared_input_matmul\nmark_elementwise_regions\n"
             "dead_code_elimination\n");
  BOOST_TEST(rlxc({"--print-passes", "--pipeline", "none"}).out == "");
}

BOOST_AUTO_TEST_CASE(leaves_a_disabled_pass_out) {
  const ended e = rlxc({"--target", "cuda", "--disable-pass", "mark_elementwise_regions",
                        "--disable-pass", "fuse_swiglu", "--emit", "fusion-report", chain});
  BOOST_TEST(e.status == 0, e.err);
  BOOST_TEST(e.out.find("nodes=26→26") != std::string::npos, e.out);
  const ended enabled = rlxc({"--target", "cuda", "--emit", "fusion-report", chain});
  BOOST_TEST(enabled.out.find("nodes=26→3") != std::string::npos, enabled.out);
}

BOOST_AUTO_TEST_CASE(refuses_what_the_pipeline_does_not_have) {
  const auto refused = [](std::vector<std::string> arguments, settings environment,
                          const std::string& part) {
    arguments.push_back(chain);
    const ended e = rlxc(std::move(arguments), std::move(environment));
    BOOST_TEST(e.status == 2);
    BOOST_TEST(e.err.find(part) != std::string::npos, e.err);
  };
  refused({"--disable-pass", "fuse_everything"}, {},
          "there is no pass `fuse_everything` to disable; pipeline rlx-0.2.2 has LowerControlFlow");
  refused({"--print-after", "fuse_swiglu", "--target", "tpu"}, {},
          "--print-after: target tpu runs no pass \"fuse_swiglu\"");
  refused({"--disable-pass", "fuse_swiglu", "--pipeline", "none"}, {},
          "pipeline \"none\" has no passes to disable");
  refused({}, {{"RLX_KERNEL_DISPATCH", "common"}}, "RLX_KERNEL_DISPATCH=common asks for");
}

BOOST_AUTO_TEST_CASE(has_no_plan_and_no_report_without_a_pipeline) {
  for (const std::string form : {"lir", "fusion-report"}) {
    const ended e = rlxc({"--pipeline", "none", "--emit", form, chain});
    BOOST_TEST(e.status == 1);
    BOOST_TEST(e.err.find("since pipeline \"none\" lowers nothing") != std::string::npos, e.err);
  }
}

BOOST_AUTO_TEST_CASE(follows_the_flags_of_metal_and_ignores_the_threshold) {
  const std::vector<std::string> metal{"--target", "metal", "--emit", "fusion-report", chain};
  const auto nodes_with = [&](const settings& environment) {
    const std::string text = rlxc(metal, environment).out;
    const std::size_t begin = text.find("nodes=");
    return text.substr(begin, text.find(' ', begin) - begin);
  };
  BOOST_TEST(nodes_with({}) == "nodes=26→3");
  BOOST_TEST(nodes_with({{"RLX_METAL_NO_FUSION", "1"}}) == "nodes=26→26");
  BOOST_TEST(nodes_with({{"RLX_METAL_NO_FUSION", " OFF "}}) == "nodes=26→3");
  BOOST_TEST(nodes_with({{"RLX_METAL_UNFUSE_REGIONS", "x"}}) == "nodes=26→26");
  BOOST_TEST(nodes_with({{"RLX_FUSE_ATTN_THRESHOLD", "0"}}) == "nodes=26→3");
  BOOST_TEST(
      rlxc({"--target", "cuda", "--emit", "fusion-report", chain}, {{"RLX_METAL_NO_FUSION", "1"}})
          .out.find("nodes=26→3") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(lists_the_graph_after_a_pass_on_standard_error) {
  const ended one = rlxc({"--target", "cuda", "--print-after", "mark_elementwise_regions", chain});
  BOOST_TEST(one.status == 0);
  BOOST_TEST(one.out == "");
  BOOST_TEST(one.err.starts_with("after mark_elementwise_regions:\ngraph @elem (3 nodes"), one.err);
  const ended all = rlxc({"--target", "cuda", "--print-after", "all", chain});
  BOOST_TEST(all.err.find("after LowerControlFlow:\n") == 0U);
  BOOST_TEST(all.err.find("after fuse_residual_ln: unchanged\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(fails_with_module_pass_and_node_where_the_compiler_yields_no_module) {
  graph_builder b{"odd"};
  b.input("x", {4});
  b.add({{"Cast", {{"to", "F16"}}}}, {0}, {4}, "F16");
  b.add({{"While",
          {{"cond", graph_builder{"c"}.to_json()},
           {"body", graph_builder{"b"}.to_json()},
           {"max_iterations", nullptr}}}},
        {1}, {4}, "F16");
  b.outputs({2});
  const ended e = rlxc({"-"}, {}, b.to_json().dump());
  BOOST_TEST(e.status == 1);
  BOOST_TEST(e.err ==
             "rlxc: -: module \"odd\": pass LowerControlFlow: node 2 (While): has no "
             "max_iterations; only loops with a bound can be unrolled\n");
}

BOOST_AUTO_TEST_CASE(offers_plugins_the_source_each_change_and_the_result) {
  const ended e = rlxc({"--target", "cpu", chain}, {{"RLX_PLUGINS", STAGE_NAMES_PLUGIN}});
  BOOST_TEST(e.status == 0);
  BOOST_TEST(e.err ==
             "stage_names: stage 1 pass  nodes 26 of 26\n"
             "stage_names: stage 2 pass LowerControlFlow nodes 26 of 26\n"
             "stage_names: stage 2 pass mark_elementwise_regions nodes 3 of 26\n"
             "stage_names: stage 2 pass unfuse_elementwise_regions nodes 26 of 26\n"
             "stage_names: stage 4 pass  nodes 26 of 26\n");
  const ended lowered =
      rlxc({golden + "elementwise_chain/metal.lir.json"}, {{"RLX_PLUGINS", STAGE_NAMES_PLUGIN}});
  BOOST_TEST(lowered.err == "stage_names: stage 4 pass  nodes 3 of 0\n");
  const ended emitted = rlxc({"--emit", "lir", chain}, {{"RLX_PLUGINS", STAGE_NAMES_PLUGIN}});
  BOOST_TEST(emitted.out == rlxc({"--emit", "lir", chain}).out);
}

BOOST_AUTO_TEST_CASE(records_what_shaped_the_result) {
  const auto record = [](std::vector<std::string> arguments) {
    return rlxc(std::move(arguments), {{"RLX_PLUGINS", RECORDING_PLUGIN}}).err;
  };
  const std::string plain = record({"--target", "cuda", chain});
  BOOST_TEST(plain.find("stage 4 source other pass none target cuda") != std::string::npos, plain);
  BOOST_TEST(plain.find("pipeline rlx-0.2.2 options 0 ") != std::string::npos, plain);
  const std::string shaped = record({"--disable-pass", "fuse_residual_ln", chain});
  BOOST_TEST(shaped.find("pipeline rlx-0.2.2 options 1 ") != std::string::npos, shaped);
  // Nothing was lowered here, so nothing of this driver shaped it.
  const std::string lir =
      record({"--disable-pass", "fuse_residual_ln", golden + "elementwise_chain/cpu.lir.json"});
  BOOST_TEST(lir.find("source none pass none") != std::string::npos, lir);
  BOOST_TEST(lir.find("pipeline none options 0 ") != std::string::npos, lir);
}

BOOST_AUTO_TEST_SUITE_END()
