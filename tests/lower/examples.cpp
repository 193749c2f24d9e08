// The worked examples of the lowering's specification, and the oddities around them.
#define BOOST_TEST_MODULE lower_examples
#include <boost/test/unit_test.hpp>

#include "host/lower/ops.hpp"
#include "tests/lower/support.hpp"

using namespace lower_test;
using rlx::target;

namespace {

std::optional<rlx::slot> slot_of(const rlx::lowered& l, std::uint32_t id) {
  return l.module.plan->slots.at(id);
}

void check_slot(const rlx::lowered& l, std::uint32_t id, std::uint64_t offset,
                std::uint64_t bytes) {
  BOOST_REQUIRE(slot_of(l, id).has_value());
  BOOST_TEST(slot_of(l, id)->offset == offset, "slot of node " << id);
  BOOST_TEST(slot_of(l, id)->bytes == bytes, "slot of node " << id);
}

std::string listing_of(const graph_builder& b, target t) {
  return listing(lower(b.build(), t).module.graph);
}

std::string pass_of(const rlx::graph& g, std::uint32_t id) {
  return std::string{g.origin_at(g.origin_of(id)).pass.value_or("-")};
}

// x[4,8] times a declared-late bias: 0=x 1=w 2=MatMul 3=b 4=Add.
graph_builder late_bias() {
  graph_builder b;
  const auto x = b.input("x", {4, 8});
  const auto w = b.param("w", {8, 16});
  const auto m = b.matmul(x, w, {4, 16});
  const auto bias = b.param("b", {16});
  b.binary("Add", m, bias, {4, 16});
  b.outputs({4});
  return b;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(examples)

BOOST_AUTO_TEST_CASE(late_bias_is_copied_before_the_fused_node) {
  const rlx::lowered l = lower(late_bias().build(), target::cpu);
  BOOST_TEST(listing(l.module.graph) == "0=Input 1=Param 2=Param 3=FusedMatMulBiasAct[0,1,2] -> 3");
  check_slot(l, 1, 0, 8 * 16 * 4);
  check_slot(l, 3, 8 * 16 * 4, 4 * 16 * 4);
  check_slot(l, 0, 512 + 256, 4 * 8 * 4);
  check_slot(l, 2, 512 + 256 + 128, 16 * 4);
  BOOST_TEST(l.module.plan->arena_bytes == 512U + 256 + 128 + 64);
  BOOST_TEST(pass_of(l.module.graph, 3) == "fuse_matmul_bias_act");
  BOOST_TEST(pass_of(l.module.graph, 2) == "LowerControlFlow");
}

BOOST_AUTO_TEST_CASE(late_bias_used_again_is_listed_twice) {
  graph_builder b = late_bias();
  b.activation("Neg", 3, {16});
  b.outputs({4, 5});
  const rlx::lowered l = lower(b.build(), target::cpu);
  BOOST_TEST(listing(l.module.graph) ==
             "0=Input 1=Param 2=Param 3=FusedMatMulBiasAct[0,1,2] 4=Param 5=Neg[4] -> 3,5");
  const auto& params = l.module.plan->params;
  BOOST_REQUIRE(params.size() == 3U);
  BOOST_TEST((params[0] == std::pair{std::string_view{"w"}, 1U}));
  BOOST_TEST((params[1] == std::pair{std::string_view{"b"}, 2U}));
  BOOST_TEST((params[2] == std::pair{std::string_view{"b"}, 4U}));
}

BOOST_AUTO_TEST_CASE(outputs_inside_a_fused_matmul_become_it) {
  graph_builder b;
  b.input("x", {4, 8});
  b.param("w", {8, 16});
  b.param("b", {16});
  b.matmul(0, 1, {4, 16});
  b.binary("Add", 3, 2, {4, 16});
  b.activation("Gelu", 4, {4, 16});
  b.outputs({3, 4, 5});
  const rlx::lowered l = lower(b.build(), target::cpu);
  BOOST_TEST(listing(l.module.graph) ==
             "0=Input 1=Param 2=Param 3=FusedMatMulBiasAct[0,1,2] -> 3,3,3");
  BOOST_TEST(rlx::text_attribute(l.module.graph, 3, "activation").value_or("") == "Gelu");
}

BOOST_AUTO_TEST_CASE(swiglu_with_another_reader_yields_no_module_where_it_is_fused) {
  const auto build = [](bool as_output) {
    graph_builder b;
    b.input("x", {2, 8});
    b.param("u", {8, 4});
    b.param("g", {8, 4});
    b.matmul(0, 1, {2, 4});
    b.matmul(0, 2, {2, 4});
    b.activation("Silu", 4, {2, 4});
    b.binary("Mul", 3, 5, {2, 4});
    if (!as_output) b.activation("Neg", 3, {2, 4});
    b.outputs({6, as_output ? 3U : 7U});
    return b;
  };
  for (const target t : {target::cpu, target::metal, target::mlx, target::wgpu}) {
    for (const bool as_output : {false, true}) {
      BOOST_TEST(
          lower_error(build(as_output).build(), t)
              .starts_with(
                  "module \"g\": pass fuse_swiglu_dual_matmul: node 3 (MatMul): was fused away"));
    }
  }
  BOOST_TEST(listing_of(build(false), target::cuda) ==
             "0=Input 1=Param 2=Param 3=Concat[1,2] 4=MatMul[0,3] 5=Narrow[4] 6=Narrow[4] "
             "7=ElementwiseRegion[6,5] 8=Neg[5] -> 7,8");
}

BOOST_AUTO_TEST_CASE(one_weight_of_another_rank_keeps_the_group_apart) {
  graph_builder b;
  b.input("x", {2, 8});
  b.param("a", {8, 4});
  b.param("b", {8, 4});
  b.param("c", {2, 8, 4});
  b.matmul(0, 1, {2, 4});
  b.matmul(0, 2, {2, 4});
  b.matmul(0, 3, {2, 2, 4});
  b.outputs({4, 5, 6});
  const rlx::lowered l = lower(b.build(), target::cuda);
  BOOST_TEST(l.module.graph.size() == 7U);
  BOOST_REQUIRE(l.report.missed.size() == 1U);
  BOOST_TEST(l.report.missed[0].node == 4U);
  BOOST_TEST(l.report.missed[0].reason == "SharedMatmulCount { count: 3 }");
}

BOOST_AUTO_TEST_CASE(equal_weights_are_not_merged) {
  graph_builder b;
  b.input("x", {2, 8});
  b.param("u", {8, 4});
  b.matmul(0, 1, {2, 4});
  b.matmul(0, 1, {2, 4});
  b.outputs({2, 3});
  const rlx::lowered l = lower(b.build(), target::tpu);
  BOOST_TEST(listing(l.module.graph) ==
             "0=Input 1=Param 2=Concat[1,1] 3=MatMul[0,2] 4=Narrow[3] 5=Narrow[3] -> 4,5");
  BOOST_TEST(shape_text(l.module.graph, 2) == "[8,8]F32");
  BOOST_TEST(rlx::u64_attribute(l.module.graph, 5, "start").value_or(0) == 4U);
}

BOOST_AUTO_TEST_CASE(a_chain_moves_down_to_its_last_member) {
  graph_builder b;
  b.input("x", {8});
  b.activation("Tanh", 0, {8});
  b.add({{"Softmax", {{"axis", -1}}}}, {0}, {8});
  b.binary("Add", 1, 2, {8});
  b.outputs({3});
  BOOST_TEST(listing_of(b, target::cpu) == "0=Input 1=Softmax[0] 2=Tanh[0] 3=Add[2,1] -> 3");
  BOOST_TEST(listing_of(b, target::cuda) == "0=Input 1=Softmax[0] 2=ElementwiseRegion[0,1] -> 2");
}

BOOST_AUTO_TEST_CASE(cpu_recomputes_the_shapes_of_a_chain) {
  graph_builder b;
  b.input("x", {4, 8});
  b.activation("Tanh", 0, {32});
  b.activation("Neg", 1, {2, 16});
  b.outputs({2});
  const rlx::lowered cpu = lower(b.build(), target::cpu);
  BOOST_TEST(shape_text(cpu.module.graph, 1) == "[4,8]F32");
  BOOST_TEST(shape_text(cpu.module.graph, 2) == "[4,8]F32");
  BOOST_TEST(pass_of(cpu.module.graph, 1) == "unfuse_elementwise_regions");
  const rlx::lowered cuda = lower(b.build(), target::cuda);
  BOOST_TEST(cuda.module.graph.size() == 2U);
  BOOST_TEST(shape_text(cuda.module.graph, 1) == "[2,16]F32");
}

BOOST_AUTO_TEST_CASE(chains_end_at_32_steps_and_16_inputs) {
  graph_builder tanhs;
  tanhs.input("x", {8});
  for (std::uint32_t i = 0; i < 70; ++i) tanhs.activation("Tanh", i, {8});
  tanhs.outputs({70});
  const rlx::lowered l = lower(tanhs.build(), target::cuda);
  BOOST_TEST(listing(l.module.graph) ==
             "0=Input 1=ElementwiseRegion[0] 2=ElementwiseRegion[1] 3=ElementwiseRegion[2] -> 3");
  const auto steps = [&](std::uint32_t id) {
    const rlx_attribute* chain = l.module.graph.storage().attribute(l.module.graph.op(id), "chain");
    return json::parse(std::string{chain->value.text.data, chain->value.text.size}).size();
  };
  BOOST_TEST(steps(1) == 32U);
  BOOST_TEST(steps(2) == 32U);
  BOOST_TEST(steps(3) == 6U);

  const auto adds = [](std::uint32_t count) {
    graph_builder b;
    for (std::uint32_t i = 0; i <= count; ++i) b.input("x" + std::to_string(i), {8});
    std::uint32_t sum = 0;
    for (std::uint32_t i = 1; i <= count; ++i) sum = b.binary("Add", sum, i, {8});
    b.outputs({sum});
    return b;
  };
  BOOST_TEST(lower(adds(15).build(), target::cuda).module.graph.size() == 16U + 1);
  BOOST_TEST(lower(adds(16).build(), target::cuda).module.graph.size() == 17U + 16);
}

BOOST_AUTO_TEST_CASE(meeting_chains_start_a_new_one) {
  graph_builder b;
  b.input("x", {8});
  b.activation("Tanh", 0, {8});
  b.activation("Neg", 0, {8});
  b.binary("Add", 2, 1, {8});
  b.activation("Exp", 3, {8});
  b.outputs({4});
  BOOST_TEST(listing_of(b, target::cuda) ==
             "0=Input 1=Tanh[0] 2=Neg[0] 3=ElementwiseRegion[2,1] -> 3");

  graph_builder twice;
  twice.input("x", {8});
  twice.activation("Tanh", 0, {8});
  twice.activation("Neg", 0, {8});
  twice.binary("Add", 2, 1, {8});
  twice.binary("Mul", 3, 1, {8});
  twice.outputs({4});
  BOOST_TEST(listing_of(twice, target::cuda) ==
             "0=Input 1=Tanh[0] 2=Neg[0] 3=Add[2,1] 4=Mul[3,1] -> 4");
}

BOOST_AUTO_TEST_CASE(a_boundary_operand_starts_a_chain) {
  graph_builder b;
  b.input("x", {8, 8});
  b.param("w", {8, 8});
  b.matmul(0, 1, {8, 8});
  b.activation("Tanh", 0, {8, 8});
  b.binary("Mul", 3, 2, {8, 8});
  b.activation("Exp", 4, {8, 8});
  b.outputs({5});
  BOOST_TEST(listing_of(b, target::cuda) ==
             "0=Input 1=Param 2=MatMul[0,1] 3=Tanh[0] 4=ElementwiseRegion[3,2] -> 4");
}

BOOST_AUTO_TEST_CASE(views_lie_inside_their_root) {
  graph_builder b;
  b.input("x", {8, 4});
  b.param("w", {4, 4});
  b.matmul(0, 1, {8, 4});
  b.add({{"Reshape", {{"new_shape", {32}}}}}, {2}, {32});
  b.add({{"Cast", {{"to", "F32"}}}}, {3}, {32});
  b.add({{"Narrow", {{"axis", 0}, {"start", 8}, {"len", 16}}}}, {4}, {16});
  b.add({{"Softmax", {{"axis", -1}}}}, {5}, {16});
  b.outputs({6});
  const rlx::lowered l = lower(b.build(), target::cpu);
  check_slot(l, 0, 0, 8 * 4 * 4);
  check_slot(l, 2, 128, 8 * 4 * 4);
  check_slot(l, 1, 256, 4 * 4 * 4);
  check_slot(l, 6, 320, 16 * 4);
  check_slot(l, 3, 128, 32 * 4);
  check_slot(l, 4, 128, 32 * 4);
  check_slot(l, 5, 128 + 8 * 4, 16 * 4);
  BOOST_TEST((l.module.plan->views[5] == rlx::view_alias{2, 8 * 4}));
  BOOST_TEST(l.module.plan->arena_bytes == 384U);
}

BOOST_AUTO_TEST_CASE(dynamic_views_have_an_alias_and_maybe_an_empty_slot) {
  const auto narrow = [](graph_builder::dims parent, graph_builder::dims part) {
    graph_builder b;
    b.input("x", std::move(parent));
    b.add({{"Narrow", {{"axis", 0}, {"start", 1}, {"len", 2}}}}, {0}, std::move(part));
    b.outputs({1});
    return b;
  };
  const auto symbol = graph_builder::dynamic;
  const rlx::lowered rows = lower(narrow({symbol(0), 4}, {2, 4}).build());
  BOOST_TEST((rows.module.plan->views[1] == rlx::view_alias{0, 1 * 4 * 4}));
  BOOST_TEST(!slot_of(rows, 1).has_value());

  graph_builder reshape;
  reshape.input("x", {4});
  reshape.add({{"Reshape", {{"new_shape", {-1}}}}}, {0}, {symbol(5)});
  reshape.outputs({1});
  const rlx::lowered reshaped = lower(reshape.build());
  check_slot(reshaped, 1, 0, 0);
  BOOST_TEST((reshaped.module.plan->dynamic_symbols == std::vector<std::uint32_t>{5}));

  BOOST_TEST(lower_error(narrow({4, symbol(5)}, {2, symbol(5)}).build()) ==
             "module \"g\": pass plan_buffers: node 1 (Narrow): expected static dim, got dynamic "
             "symbol 5, so the slice's byte offset is not known; bind the symbol before lowering");
}

BOOST_AUTO_TEST_CASE(flatten_after_norm_joins_the_norm) {
  const auto build = [](std::int64_t rows) {
    graph_builder b;
    b.input("x", {2, 4, 8});
    b.param("g", {8});
    b.param("b", {8});
    b.add({{"RmsNorm", {{"axis", -1}, {"eps", 1e-5}}}}, {0, 1, 2}, {2, 4, 8});
    b.add({{"Reshape", {{"new_shape", {rows, 8}}}}}, {3}, {8, 8});
    b.activation("Neg", 4, {8, 8});
    b.outputs({5});
    return b;
  };
  const rlx::lowered l = lower(build(8).build(), target::cuda);
  BOOST_TEST(listing(l.module.graph) == "0=Input 1=Param 2=Param 3=RmsNorm[0,1,2] 4=Neg[3] -> 4");
  BOOST_TEST(shape_text(l.module.graph, 3) == "[8,8]F32");
  BOOST_TEST(listing_of(build(-1), target::cuda) ==
             "0=Input 1=Param 2=Param 3=RmsNorm[0,1,2] 4=Reshape[3] 5=Neg[4] -> 5");
}

BOOST_AUTO_TEST_SUITE_END()
