// opscope diff, from a compile by rlxc to what a shell sees.
#define BOOST_TEST_MODULE diff
#include <boost/test/unit_test.hpp>

#include "tests/ledger/run.hpp"

namespace opscope::test {
namespace {

void expect_text(const std::string& text, std::string_view part) {
  BOOST_TEST(text.find(part) != std::string::npos, "\"" << part << "\" is not in:\n" << text);
}

// A ledger of one compile by rlxc, with its source and its passes.
struct compiled {
  scratch place;
  std::string path = place.path("ledger.jsonl");
  explicit compiled(const std::string& model) {
    const run_result r = run_program(
        {"/usr/bin/env", "RLX_PLUGINS=libopscope.so", "OPSCOPE_REPORT=off", "OPSCOPE_STAGES=all",
         "OPSCOPE_LEDGER=" + path, OPSCOPE_BIN "/rlxc", OPSCOPE_TEST_DATA "/golden/" + model});
    BOOST_REQUIRE_MESSAGE(r.status == 0, r.err);
  }
};

BOOST_AUTO_TEST_SUITE(diff)

BOOST_AUTO_TEST_CASE(the_first_screen_names_what_lowering_did_to_a_llama) {
  const compiled c{"llama32_1b_s1/mir.json"};
  const std::string of = c.path + "#llama32_1b_s1@";
  const run_result r = opscope_command({"diff", of + "source", of + "lowered"});
  BOOST_TEST(r.status == 0);
  BOOST_TEST(r.err == "");
  expect_text(r.out, "stages differ: source is compared with lowered");
  // 16 of gate and up, [2048, 8192] each, and 16 of q, k and v, read and written once.
  constexpr std::uint64_t gate_and_up = 16ull * 2 * (2 * 2048 * 8192 * 2);
  constexpr std::uint64_t query_key_value = 16ull * 2 * (2048 * (2048 + 512 + 512) * 2);
  static_assert(gate_and_up + query_key_value == 2'550'136'832);
  expect_text(r.out,
              "32 Concat, 16 of 2 operands, 16 of 3 operands: 2550136832 bytes, by "
              "fuse_shared_input_matmul, fuse_swiglu_dual_matmul");
  expect_text(r.out, "[FUSED 4->3]       x16    +2.00 GiB");
  expect_text(r.out,
              "2 MatMul, Activation, Binary -> Concat, MatMul, FusedSwiGLU; by "
              "fuse_swiglu_dual_matmul");
  expect_text(r.out, "model.layers.*.mlp.{up,gate}_proj");
  expect_text(r.out, "3 MatMul -> Concat, MatMul, 3 Narrow; by fuse_shared_input_matmul");
  expect_text(r.out, "model.layers.*.self_attn.{q,k,v}_proj");
  expect_text(r.out, "Binary, RmsNorm -> FusedResidualRmsNorm; by fuse_residual_rms_norm");
  // 745 new nodes but 16 times Concat, MatMul, FusedSwiGLU, 16 times 5, and one.
  static_assert(433 + 183 == 745 - 16 * 3 - 16 * 5 - 1);
  expect_text(r.out, "433 nodes and 183 leaves are the same");
  BOOST_TEST(std::count(r.out.begin(), r.out.end(), '\n') <= 30);
}

BOOST_AUTO_TEST_CASE(a_ledger_and_itself_have_no_difference) {
  const compiled c{"cnn_b8/mir.json"};
  const run_result r = opscope_command({"diff", c.path, c.path});
  BOOST_TEST(r.status == 0);
  expect_text(r.out, "no node changed");
}

BOOST_AUTO_TEST_CASE(refuses_what_cannot_be_compared) {
  const compiled c{"cnn_b8/mir.json"};
  const compiled other{"gemm/mir.json"};
  scratch s;
  write_text(s.path("empty"), "");
  const std::vector<std::pair<std::vector<std::string>, const char*>> wrong{
      {{"diff"}, "two ledgers are compared, BASE and NEW, and 0 given"},
      {{"diff", c.path}, "and 1 given"},
      {{"diff", c.path, c.path, c.path}, "and 3 given"},
      {{"diff", c.path, s.path("none")}, "none"},
      {{"diff", c.path, s.path("empty")}, "there is no record in it"},
      {{"diff", c.path, other.path}, "--map OLD=NEW tells which was renamed"},
      {{"diff", "--sort", "bytes", c.path, c.path}, "--sort is \"bytes\", and may be: need.bytes"},
      {{"diff", "--sort", "graph_io", c.path, c.path}, "--sort is \"graph_io\""},
      {{"diff", "--map", "a", c.path, c.path}, "--map is \"a\", and may be OLD=NEW"},
      {{"diff", "--format", "xml", c.path, c.path}, "text, md, json, csv"},
  };
  for (const auto& [arguments, message] : wrong) {
    const run_result r = opscope_command(arguments);
    BOOST_TEST(r.status == 2, message);
    BOOST_TEST(r.out == "");
    expect_text(r.err, message);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace opscope::test
