// Options, and modules that the lowering must refuse in bounded time and memory.
#define BOOST_TEST_MODULE lower_limits
#include <boost/test/unit_test.hpp>

#include "host/lower/ops.hpp"
#include "host/lower/users.hpp"
#include "tests/lower/support.hpp"

using namespace lower_test;
using rlx::target;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

json less_than_itself() {
  graph_builder b{"c"};
  b.input("i", {1});
  b.add({{"Compare", "Lt"}}, {0, 0}, {1}, "Bool");
  return b.outputs({1}).to_json();
}

json tanh_body() {
  graph_builder b{"b"};
  b.input("i", {1});
  b.activation("Tanh", 0, {1});
  return b.outputs({1}).to_json();
}

rlx::graph loop(const json& max_iterations, const json& body = tanh_body()) {
  graph_builder b{"loop"};
  b.input("x", {1});
  b.add({{"While",
          {{"cond", less_than_itself()}, {"body", body}, {"max_iterations", max_iterations}}}},
        {0}, {1});
  return b.outputs({1}).build();
}

// A region whose chain has that many steps.
rlx::graph region(std::size_t steps) {
  json chain = json::array();
  chain.push_back({{"Activation", {"Tanh", {{"Input", 0}}}}});
  for (std::size_t i = 1; i < steps; ++i) {
    chain.push_back({{"Activation", {"Tanh", {{"Step", i - 1}}}}});
  }
  graph_builder b{"chain"};
  b.input("x", {4});
  b.add({{"ElementwiseRegion",
          {{"chain", chain},
           {"num_inputs", 1},
           {"scalar_input_mask", 0},
           {"input_modulus", std::vector<int>(16, 0)}}}},
        {0}, {4});
  return b.outputs({1}).build();
}

rlx::lower_options options_for(target t) {
  rlx::lower_options options;
  options.target = t;
  return options;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(limits)

BOOST_AUTO_TEST_CASE(unrolls_a_loop_of_many_rounds_but_not_of_2_to_the_60) {
  // A round: Compare, Cast, Mul, Tanh, Where; the first constant and x.
  const rlx::lowered l = lower(loop(20'000), target::cuda);
  BOOST_TEST(l.module.graph.size() > 20'000U);
  BOOST_TEST(lower_error(loop(std::uint64_t{1} << 60)) ==
             "module \"loop\": pass LowerControlFlow: node 1 (While): unrolling it would add more "
             "nodes, operands and dims than the limit left for this module (" +
                 std::to_string((std::uint64_t{1} << 24) + 2 * (2 + 1 + 2)) +
                 "); lower max_iterations or shorten the body");
  BOOST_TEST(contains(lower_error(loop(UINT64_MAX)), "unrolling it would add more"));
}

BOOST_AUTO_TEST_CASE(counts_all_loops_of_a_module_against_one_limit) {
  rlx::lower_options options;
  options.growth_limit = 5000;
  const auto two_loops = [](int rounds) {
    graph_builder b{"two"};
    b.input("x", {1});
    const json op = {
        {"While",
         {{"cond", less_than_itself()}, {"body", tanh_body()}, {"max_iterations", rounds}}}};
    b.add(op, {0}, {1});
    b.add(op, {1}, {1});
    return b.outputs({2}).build();
  };
  BOOST_TEST(lower_error(two_loops(10), options) == "");
  BOOST_TEST(contains(lower_error(two_loops(60), options), "node 2 (While): unrolling"));
}

BOOST_AUTO_TEST_CASE(refuses_loops_that_do_not_fit_their_graphs) {
  BOOST_TEST(contains(lower_error(loop(nullptr)), "has no max_iterations"));
  graph_builder two_inputs{"b"};
  two_inputs.input("i", {1});
  two_inputs.input("j", {1});
  two_inputs.outputs({0});
  BOOST_TEST(contains(lower_error(loop(2, two_inputs.to_json())),
                      "graph `body` has 2 Input nodes for 1 values handed in"));
  graph_builder two_outputs{"b"};
  two_outputs.input("i", {1});
  two_outputs.outputs({0, 0});
  BOOST_TEST(contains(lower_error(loop(2, two_outputs.to_json())),
                      "graph `body` has 2 outputs for 1 carried values"));
  BOOST_TEST(lower_error(loop(0, two_outputs.to_json())) == "");
}

BOOST_AUTO_TEST_CASE(unfolds_long_regions_within_the_limit) {
  BOOST_TEST(lower(region(3000), target::cpu).module.graph.size() == 3001U);
  BOOST_TEST(lower(region(32), target::cuda).module.graph.size() == 2U);
  BOOST_TEST(lower(region(33), target::cuda).module.graph.size() == 34U);
  rlx::lower_options options;
  options.growth_limit = 3000;
  BOOST_TEST(contains(lower_error(region(3000), options),
                      "pass unfuse_elementwise_regions: node 1 (ElementwiseRegion): unfolding"));
}

BOOST_AUTO_TEST_CASE(refuses_sizes_beyond_64_bits) {
  const std::int64_t huge = std::int64_t{1} << 62;
  graph_builder wide;
  wide.input("x", {huge}, "F64");
  wide.outputs({0});
  BOOST_TEST(lower_error(wide.build()) ==
             "module \"g\": pass plan_buffers: node 0 (Input): 4611686018427387904 elements of 8 "
             "bytes pass 64 bits, so no buffer can be planned; use smaller dims");
  graph_builder offset;
  offset.input("x", {4, huge}, "I8");
  offset.add({{"Narrow", {{"axis", 0}, {"start", 8}, {"len", 1}}}}, {0}, {1, 1}, "I8");
  offset.outputs({1});
  BOOST_TEST(
      contains(lower_error(offset.build()), "node 1 (Narrow): its byte offset passes 64 bits"));
  // An element count beyond 64 bits is unknown, like a dynamic one, and gets no slot.
  graph_builder unknown;
  unknown.input("x", {huge, 8});
  unknown.outputs({0});
  const rlx::lowered l = lower(unknown.build());
  BOOST_TEST(!l.module.plan->slots[0].has_value());
  BOOST_TEST(l.module.plan->arena_bytes == 0U);
}

BOOST_AUTO_TEST_CASE(gives_values_of_unknown_width_no_slot) {
  graph_builder later;
  later.input("x", {4}, "F4E2M1");
  later.add({{"KindOfTomorrow", {{"field", 1}}}}, {0}, {4});
  later.outputs({1});
  const rlx::lowered l = lower(later.build(), target::cuda);
  BOOST_TEST(listing(l.module.graph) == "0=Input 1=KindOfTomorrow[0] -> 1");
  BOOST_TEST(!l.module.plan->slots[0].has_value());
  BOOST_TEST(l.module.plan->slots[1]->bytes == 4U * 4);
}

BOOST_AUTO_TEST_CASE(refuses_a_node_without_the_operands_a_pass_reads) {
  graph_builder b;
  b.input("x", {4, 4});
  b.add("MatMul", {0}, {4, 4});
  b.param("b", {4});
  b.binary("Add", 1, 2, {4, 4});
  b.outputs({3});
  BOOST_TEST(lower_error(b.build()) ==
             "module \"g\": pass fuse_matmul_bias_act: node 1 (MatMul): has 1 operands where the "
             "pass reads operand 1; give the node the operands its operation needs");
}

BOOST_AUTO_TEST_CASE(refuses_a_malformed_chain_only_where_it_is_taken_apart) {
  graph_builder b;
  b.input("x", {4});
  b.add({{"ElementwiseRegion",
          {{"chain", {{{"Shuffle", {{{"Input", 0}}}}}}},
           {"num_inputs", 1},
           {"scalar_input_mask", 0},
           {"input_modulus", std::vector<int>(16, 0)}}}},
        {0}, {4});
  b.outputs({1});
  BOOST_TEST(contains(lower_error(b.build(), target::cpu), "its chain is not a list of steps"));
  BOOST_TEST(lower_error(b.build(), target::cuda) == "");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(options)

BOOST_AUTO_TEST_CASE(reads_flags_as_the_compiler_does) {
  for (const char* on : {"1", "00", "2", "x", "TRUE", " on "}) {
    BOOST_TEST(rlx::flag_is_on(std::string{on}), on);
  }
  for (const char* off : {"", "  ", "0", "false", "OFF", "No", " 0\t"}) {
    BOOST_TEST(!rlx::flag_is_on(std::string{off}), off);
  }
  BOOST_TEST(!rlx::flag_is_on(std::nullopt));
}

BOOST_AUTO_TEST_CASE(records_flags_of_metal_only_and_disabled_passes_sorted) {
  const rlx::pipeline& p = *rlx::find_pipeline("rlx-0.2.2");
  rlx::lower_options o = options_for(target::metal);
  BOOST_TEST(p.options(o).empty());
  o.metal_no_fusion = "yes";
  o.metal_unfuse_regions = "off";
  o.fuse_attention_threshold = "3";
  o.disabled_passes = {"fuse_swiglu", "fuse_residual_ln", "fuse_swiglu"};
  const std::vector<std::pair<std::string, std::string>> expected{
      {"RLX_METAL_NO_FUSION", "1"}, {"disable-pass", "fuse_residual_ln,fuse_swiglu"}};
  BOOST_TEST((p.options(o) == expected));
  o.target = target::cuda;
  BOOST_TEST(p.options(o).size() == 1U);
}

BOOST_AUTO_TEST_CASE(metal_without_fusion_keeps_unreachable_nodes) {
  graph_builder b;
  b.input("x", {4});
  b.input("unused", {4});
  b.activation("Neg", 0, {4});
  b.activation("Exp", 2, {4});
  b.outputs({3});
  rlx::lower_options o = options_for(target::metal);
  BOOST_TEST(listing(lower(b.build(), o).module.graph) == "0=Input 1=ElementwiseRegion[0] -> 1");
  o.metal_no_fusion = "1";
  BOOST_TEST(listing(lower(b.build(), o).module.graph) == "0=Input 1=Input 2=Neg[0] 3=Exp[2] -> 3");
  BOOST_TEST((rlx::find_pipeline("rlx-0.2.2")->passes(o) ==
              std::vector<std::string_view>{"LowerControlFlow", "lower_dot_general"}));
}

BOOST_AUTO_TEST_CASE(metal_unfuses_within_its_limits_where_asked) {
  graph_builder b;
  b.input("x", {4});
  for (std::uint32_t i = 0; i < 40; ++i) b.activation("Tanh", i, {4});
  b.outputs({40});
  rlx::lower_options o = options_for(target::metal);
  o.metal_unfuse_regions = "1";
  const rlx::lowered l = lower(b.build(), o);
  BOOST_TEST(l.module.graph.size() == 41U);
  const rlx::graph& g = l.module.graph;
  BOOST_TEST(g.origin_at(g.origin_of(5)).pass.value_or("") == "unfuse_elementwise_regions");
}

BOOST_AUTO_TEST_CASE(refuses_only_the_dispatch_that_expands_ops) {
  for (const char* value : {"common", "force_common", "ForceCommon"}) {
    rlx::lower_options o;
    o.kernel_dispatch = value;
    BOOST_TEST(contains(lower_error(region(2), o), std::string{"RLX_KERNEL_DISPATCH="} + value));
  }
  rlx::lower_options o;
  o.kernel_dispatch = "native";
  BOOST_TEST(lower_error(region(2), o) == "");
}

BOOST_AUTO_TEST_CASE(stamps_hir_and_label_of_operands_where_names_are_kept) {
  graph_builder b;
  b.input("x", {2, 4});
  b.param("w", {4, 4});
  b.param("b", {4});
  b.matmul(0, 1, {2, 4});
  b.binary("Add", 3, 2, {2, 4});
  b.outputs({4});
  json mir = b.to_json();
  mir["nodes"][0]["name"] = "x";
  mir["nodes"][1]["origin"] = {{"hir", 7}, {"label", nullptr}, {"pass", nullptr}};
  rlx::lower_options o;
  o.disabled_passes = {"LowerControlFlow"};
  const rlx::lowered l = lower(graph_of(mir), o);
  const rlx::graph& g = l.module.graph;
  BOOST_TEST(listing(g) == "0=Input 1=Param 2=Param 3=FusedMatMulBiasAct[0,1,2] -> 3");
  BOOST_TEST(g.name_of(0).value_or("") == "x");
  const rlx::origin& fused = g.origin_at(g.origin_of(3));
  BOOST_TEST(fused.hir.value_or(0) == 7U);
  BOOST_TEST(fused.label.value_or("") == "x");
  BOOST_TEST(fused.pass.value_or("") == "fuse_matmul_bias_act");
  BOOST_TEST(g.origin_at(g.origin_of(2)).pass.value_or("") == "lower_dot_general");
}

BOOST_AUTO_TEST_CASE(users_counts_a_reader_once_and_outputs_never) {
  graph_builder b;
  b.input("x", {4});
  b.binary("Mul", 0, 0, {4});
  b.binary("Add", 0, 1, {4});
  b.outputs({0, 1});
  const rlx::users readers{b.build()};
  BOOST_TEST((std::vector<rlx::node_id>(readers.of(0).begin(), readers.of(0).end()) ==
              std::vector<rlx::node_id>{1, 2}));
  BOOST_TEST(readers.count(1) == 1U);
  BOOST_TEST(readers.count(2) == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
