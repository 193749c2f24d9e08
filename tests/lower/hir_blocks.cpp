// What each block operation becomes, which names and origins the nodes get, and what is refused.
#define BOOST_TEST_MODULE hir_blocks
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

#include "host/error.hpp"
#include "host/lower/hir/lower.hpp"
#include "host/read/read.hpp"
#include "tests/lower/hir_builder.hpp"

namespace {

using hir_test::builder;
using hir_test::dims;
using hir_test::ids;
using hir_test::symbol;
using lines = std::vector<std::string>;

rlx::graph lower(const builder& b, const ids& outputs) {
  return rlx::lower_hir(*rlx::read_text(b.finish(outputs)).hir);
}

void check_lines(const lines& made, const lines& wanted) {
  BOOST_CHECK_EQUAL_COLLECTIONS(made.begin(), made.end(), wanted.begin(), wanted.end());
}

std::string refusal(const builder& b, const ids& outputs = {}) {
  try {
    lower(b, outputs);
  } catch (const rlx::error& e) {
    return e.what();
  }
  return "lowered";
}

// `count` leaves of one shape, then the block over them.
std::string refusal_of(std::string_view op, std::size_t count, const dims& leaf = {4, 4},
                       std::string_view policy = "Direct") {
  builder b{policy};
  ids operands;
  for (std::size_t i = 0; i < count; ++i) {
    operands.push_back(b.param("p" + std::to_string(i), leaf));
  }
  const auto block = b.node(op, operands, {4, 4});
  return refusal(b, {block});
}

// The message without its place.
std::string tail(const std::string& message) {
  const std::size_t colon = message.find("): ");
  return colon == std::string::npos ? message : message.substr(colon + 3);
}

constexpr std::string_view linear_bias_gelu = R"({"Linear":{"activation":"Gelu","has_bias":true}})";

struct linear_operands {
  builder b;
  std::uint32_t x, w, bias;
  explicit linear_operands(std::string_view policy)
      : b{policy},
        x{b.input("x", {2, 4}, "F16")},
        w{b.param("w", {4, 8}, "F32")},
        bias{b.param("b", {8}, "F32")} {}
};

}  // namespace

BOOST_AUTO_TEST_SUITE(linear)

BOOST_AUTO_TEST_CASE(with_bias_and_direct_policy_is_one_fused_node_of_the_declared_shape) {
  linear_operands in{"Direct"};
  const auto y = in.b.node(linear_bias_gelu, {in.x, in.w, in.bias}, {3, 3}, "BF16");
  check_lines(hir_test::lines(lower(in.b, {y}), 3),
              {"fused_mm_bias_Gelu(%0, %1, %2) : [3, 3] bf16"});
}

BOOST_AUTO_TEST_CASE(fusable_is_spelled_out_with_inferred_shapes) {
  linear_operands in{"Fusable"};
  const auto y = in.b.node(linear_bias_gelu, {in.x, in.w, in.bias}, {3, 3}, "BF16");
  check_lines(hir_test::lines(lower(in.b, {y}), 3),
              {"matmul(%0, %1) : [2, 8] f16", "Add(%3, %2) : [2, 8] f16", "Gelu(%4) : [2, 8] f16"});
}

BOOST_AUTO_TEST_CASE(without_bias_is_a_matmul_under_either_policy) {
  for (const auto* const policy : {"Direct", "Fusable"}) {
    linear_operands in{policy};
    const auto y =
        in.b.node(R"({"Linear":{"activation":null,"has_bias":false}})", {in.x, in.w}, {2, 8});
    check_lines(hir_test::lines(lower(in.b, {y}), 3), {"matmul(%0, %1) : [2, 8] f16"});
  }
}

BOOST_AUTO_TEST_CASE(linear_fused_is_fused_under_either_policy) {
  for (const auto* const policy : {"Direct", "Fusable"}) {
    linear_operands in{policy};
    const auto y =
        in.b.node(R"({"LinearFused":{"activation":null}})", {in.x, in.w, in.bias}, {2, 8});
    check_lines(hir_test::lines(lower(in.b, {y}), 3), {"fused_mm_bias(%0, %1, %2) : [2, 8] f32"});
  }
}

BOOST_AUTO_TEST_CASE(an_activation_name_with_quotes_stays_one_name) {
  linear_operands in{"Fusable"};
  const auto y =
      in.b.node(R"({"Linear":{"activation":"a\"},\"b","has_bias":false}})", {in.x, in.w}, {2, 8});
  check_lines(hir_test::lines(lower(in.b, {y}), 4), {"a\"},\"b(%3) : [2, 8] f16"});
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(pair)

BOOST_AUTO_TEST_CASE(is_made_once_for_each_triple_of_operands) {
  builder b;
  const auto x = b.input("x", {2, 4});
  const auto u = b.param("u", {4, 8});
  const auto g = b.param("g", {4, 6});
  const auto first = b.node(R"({"SharedLinearPair":{"slot":0}})", {x, u, g}, {2, 8});
  const auto second = b.node(R"({"SharedLinearPair":{"slot":1}})", {x, u, g}, {2, 6});
  const auto again = b.node(R"({"SharedLinearPair":{"slot":7}})", {x, u, g}, {2, 6});
  const auto turned = b.node(R"({"SharedLinearPair":{"slot":0}})", {x, g, u}, {2, 6});
  const rlx::graph out = lower(b, {first, second, again, turned});
  check_lines(hir_test::lines(out, 3),
              {"matmul(%0, %1) : [2, 8] f32", "matmul(%0, %2) : [2, 6] f32",
               "matmul(%0, %2) : [2, 6] f32", "matmul(%0, %1) : [2, 8] f32"});
  const std::vector<rlx::node_id> roots{3, 4, 4, 5};
  BOOST_CHECK_EQUAL_COLLECTIONS(out.outputs().begin(), out.outputs().end(), roots.begin(),
                                roots.end());
}

BOOST_AUTO_TEST_CASE(another_block_in_between_tags_the_second_matmul) {
  builder b;
  const auto x = b.input("x", {2, 4});
  const auto u = b.param("u", {4, 4});
  const auto first = b.node(R"({"SharedLinearPair":{"slot":0}})", {x, u, u}, {2, 4});
  const auto leaf = b.param("late", {4});
  const auto other = b.node(R"({"Mir":{"Activation":"Neg"}})", {first}, {2, 4});
  const auto second = b.node(R"({"SharedLinearPair":{"slot":1}})", {x, u, u}, {2, 4});
  const rlx::graph out = lower(b, {other, second, leaf});
  // 2 and 3 are the pair, 4 the leaf, 5 the Neg, whose block comes before slot 1.
  BOOST_CHECK_EQUAL(*out.name_of(2), "shared_linear_pair[0]");
  BOOST_CHECK_EQUAL(*out.origin_at(out.origin_of(2)).hir, first);
  BOOST_CHECK_EQUAL(*out.name_of(3), "mir");
  BOOST_CHECK_EQUAL(*out.origin_at(out.origin_of(3)).hir, other);
  BOOST_CHECK_EQUAL(*out.name_of(4), "late");
  BOOST_CHECK_EQUAL(*out.origin_at(out.origin_of(4)).hir, leaf);
}

BOOST_AUTO_TEST_CASE(second_slot_tags_its_own_matmul_where_only_a_leaf_comes_between) {
  builder b;
  const auto x = b.input("x", {2, 4});
  const auto u = b.param("u", {4, 4});
  const auto first = b.node(R"({"SharedLinearPair":{"slot":0}})", {x, u, u}, {2, 4});
  b.param("late", {4});
  const auto second = b.node(R"({"SharedLinearPair":{"slot":1}})", {x, u, u}, {2, 4});
  const rlx::graph out = lower(b, {first, second});
  BOOST_CHECK_EQUAL(*out.name_of(3), "shared_linear_pair[1]");
  BOOST_CHECK_EQUAL(*out.origin_at(out.origin_of(3)).hir, second);
}

BOOST_AUTO_TEST_CASE(second_matmul_that_nothing_tags_has_neither_name_nor_origin) {
  builder b;
  const auto x = b.input("x", {2, 4});
  const auto u = b.param("u", {4, 4});
  const auto first = b.node(R"({"SharedLinearPair":{"slot":0}})", {x, u, u}, {2, 4});
  const rlx::graph out = lower(b, {first});
  BOOST_CHECK(!out.name_of(3));
  BOOST_CHECK_EQUAL(out.origin_of(3), rlx::no_origin);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(swiglu)

struct operands {
  builder b;
  ids in;
  explicit operands(std::string_view policy, const dims& up = {4, 8}, const dims& x = {2, 4})
      : b{policy},
        in{b.input("x", x, "F16"), b.param("up", up, "BF16"), b.param("gate", {4, 6}),
           b.param("down", {8, 4})} {}
};

BOOST_AUTO_TEST_CASE(direct_joins_up_and_gate) {
  operands o{"Direct"};
  const auto y = o.b.node(R"("SwiGLU")", o.in, {9, 9});
  check_lines(hir_test::lines(lower(o.b, {y}), 4),
              {"concat(axis=1)(%1, %2) : [4, 14] bf16", "matmul(%0, %4) : [2, 14] f16",
               "fused_swiglu()(%5) : [2, 8] f16", "matmul(%6, %3) : [2, 4] f16"});
}

BOOST_AUTO_TEST_CASE(fusable_is_spelled_out) {
  operands o{"Fusable", {4, 6}};
  o.b.param("down6", {6, 4});
  o.in[3] = 4;
  const auto y = o.b.node(R"("SwiGLU")", o.in, {9, 9});
  check_lines(hir_test::lines(lower(o.b, {y}), 5),
              {"matmul(%0, %1) : [2, 6] f16", "matmul(%0, %2) : [2, 6] f16",
               "Silu(%6) : [2, 6] f16", "Mul(%5, %7) : [2, 6] f16", "matmul(%8, %4) : [2, 4] f16"});
}

BOOST_AUTO_TEST_CASE(direct_needs_static_dims_and_matrices) {
  const auto refused = [](const dims& up, const dims& x) {
    operands o{"Direct", up, x};
    return tail(refusal(o.b, {o.b.node(R"("SwiGLU")", o.in, {9, 9})}));
  };
  BOOST_CHECK_EQUAL(refused({4}, {2, 4}), "the up weight of shape [4] needs a static dim 1");
  BOOST_CHECK_EQUAL(refused({symbol(3), 8}, {2, 4}),
                    "the up weight of shape [?3, 8] needs a static dim 0");
  BOOST_CHECK_EQUAL(refused({4, 8}, {symbol(0), 4}),
                    "x of shape [?0, 4] needs rank 1 or more and static dims, as the fusion policy "
                    "is Direct");
  BOOST_CHECK_EQUAL(refused({4, 8}, {}),
                    "x of shape [] needs rank 1 or more and static dims, as the fusion policy is "
                    "Direct");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(small_blocks)

BOOST_AUTO_TEST_CASE(residual_rms_norm_by_policy) {
  for (const auto* const policy : {"Direct", "Fusable"}) {
    builder b{policy};
    const ids in{b.input("x", {2, 8}), b.input("r", {2, 8}), b.param("g", {8}), b.param("b", {8})};
    const auto y = b.node(R"({"ResidualRmsNorm":{"eps":0.00001}})", in, {16});
    const auto made = hir_test::lines(lower(b, {y}), 4);
    check_lines(made, std::string_view{policy} == "Direct"
                          ? lines{"fused_residual_rms(eps=0.00001)(%0, %1, %2, %3) : [16] f32"}
                          : lines{"Add(%0, %1) : [2, 8] f32",
                                  "rms_norm(eps=0.00001)(%4, %2, %3) : [2, 8] f32"});
  }
}

BOOST_AUTO_TEST_CASE(attention_takes_its_mask_operand_and_the_declared_shape) {
  builder b;
  const auto x = b.input("x", {2, 4, 8});
  const auto m = b.input("m", {4, 4});
  const auto plain = b.node(
      R"({"Attention":{"num_heads":2,"head_dim":4,"mask":{"SlidingWindow":3}}})", {x, x, x}, {7});
  const auto biased =
      b.node(R"({"Attention":{"num_heads":2,"head_dim":4,"mask":"Bias"}})", {x, x, x, m}, {5});
  check_lines(hir_test::lines(lower(b, {plain, biased}), 2),
              {"attention(h=2,d=4,sw=3)(%0, %0, %0) : [7] f32",
               "attention(h=2,d=4,bias)(%0, %0, %0, %1) : [5] f32"});
}

BOOST_AUTO_TEST_CASE(depthwise_conv_pads_turns_and_convolves) {
  builder b;
  const auto x = b.input("x", {2, 5, 3}, "F16");
  const auto w = b.param("w", {3, 1, 1, 4});
  const auto pad = b.input("pad", {2, 3, 3});
  const auto y = b.node(R"({"DepthwiseConv1dCausal":{"kernel_size":4}})", {x, w, pad}, {1});
  // 4 - 1 + 5 = 8 positions.
  check_lines(
      hir_test::lines(lower(b, {y}), 3),
      {"concat(axis=1)(%2, %0) : [2, 8, 3] f16", "transpose([0, 2, 1])(%3) : [2, 3, 8] f16",
       "reshape([2, 3, 1, 8])(%4) : [2, 3, 1, 8] f16", "conv2d([1, 4])(%5, %1) : [2, 3, 1, 5] f16",
       "reshape([2, 3, 5])(%6) : [2, 3, 5] f16", "transpose([0, 2, 1])(%7) : [2, 5, 3] f16"});
}

BOOST_AUTO_TEST_CASE(depthwise_conv_refuses_what_has_no_size) {
  const auto refused = [](const dims& x, std::string_view kernel) {
    builder b;
    const auto in = b.input("x", x);
    const auto op = R"({"DepthwiseConv1dCausal":{"kernel_size":)" + std::string{kernel} + "}}";
    return tail(refusal(b, {b.node(op, {in, in, in}, {1})}));
  };
  BOOST_CHECK_EQUAL(
      refused({2, symbol(1), 3}, "4"),
      "the input of shape [2, ?1, 3] must be [batch, sequence, channels], all static");
  BOOST_CHECK_EQUAL(refused({2, 3}, "4"),
                    "the input of shape [2, 3] must be [batch, sequence, channels], all static");
  BOOST_CHECK_EQUAL(refused({2, 0, 3}, "0"),
                    "a kernel of 0 over the shape [2, 0, 3] has no representable size");
  BOOST_CHECK_EQUAL(refused({2, 5, 3}, "18446744073709551615"), "the padded sequence passes 2^64");
}

BOOST_AUTO_TEST_CASE(dequant_and_delta_net_keep_their_operation) {
  builder b;
  const auto x = b.input("x", {1, 8});
  const auto q4 = b.node(R"({"DequantMatMul":{"scheme":"GgufQ4K"}})", {x, x}, {1, 2});
  const auto i8 = b.node(R"({"DequantMatMul":{"scheme":{"Int8Block":{"block_size":32}}}})",
                         {x, x, x, x}, {1, 3});
  const auto net =
      b.node(R"({"GatedDeltaNet":{"state_size":16,"carry_state":false}})", {x, x, x, x, x}, {1, 4});
  const rlx::graph out = lower(b, {q4, i8, net});
  check_lines(hir_test::lines(out, 1), {"dequant_matmul(gguf_q4k)(%0, %0) : [1, 2] f32",
                                        "dequant_matmul(int8/32)(%0, %0, %0, %0) : [1, 3] f32",
                                        "gated_delta_net(n=16)(%0, %0, %0, %0, %0) : [1, 4] f32"});
  BOOST_CHECK_EQUAL(*out.name_of(1), "dequant_matmul(gguf_q4k)");
  BOOST_CHECK_EQUAL(*out.name_of(2), "dequant_matmul(int8/32)");
  BOOST_CHECK_EQUAL(*out.name_of(3), "gated_delta_net");
}

BOOST_AUTO_TEST_CASE(rope_takes_an_even_part_of_the_head) {
  const auto rope = [](std::string_view n_rot) {
    return tail(refusal_of(R"({"RoPE":{"head_dim":4,"n_rot":)" + std::string{n_rot} + "}}", 3));
  };
  BOOST_CHECK_EQUAL(rope("0"), "lowered");
  BOOST_CHECK_EQUAL(rope("4"), "lowered");
  BOOST_CHECK_EQUAL(rope("3"),
                    "a rotation of 3 of 4 head dims; it must be even and at most the "
                    "whole head");
  BOOST_CHECK_EQUAL(rope("6"),
                    "a rotation of 6 of 4 head dims; it must be even and at most the "
                    "whole head");
}

BOOST_AUTO_TEST_CASE(leaves_drop_operands_and_keep_their_own_names) {
  builder b;
  const auto x = b.input("x", {2});
  b.node(R"({"Param":{"name":"w"}})", {x}, {3}, "F32", R"("hir name")");
  b.node(R"({"Constant":{"data":[1,2]}})", {x}, {2}, "U8", R"("table")");
  const auto wrapped = b.node(R"({"Mir":{"Input":{"name":"y"}}})", {}, {4});
  const rlx::graph out = lower(b, {wrapped});
  check_lines(hir_test::lines(out, 0), {"input(\"x\") : [2] f32", "param(\"w\") : [3] f32",
                                        "const(2B) : [2] u8", "input(\"y\") : [4] f32"});
  BOOST_CHECK_EQUAL(*out.name_of(0), "x");
  BOOST_CHECK(!out.origin_at(out.origin_of(0)).label);
  BOOST_CHECK_EQUAL(*out.name_of(1), "w");
  BOOST_CHECK_EQUAL(*out.origin_at(out.origin_of(1)).label, "hir name");
  BOOST_CHECK_EQUAL(*out.name_of(2), "table");
  BOOST_CHECK_EQUAL(*out.name_of(3), "mir");
  BOOST_CHECK_EQUAL(*out.origin_at(out.origin_of(3)).label, "mir");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(decoder_block)

std::string llama_op(std::string_view heads, std::string_view kv_heads, std::string_view head_dim,
                     std::string_view mask = "\"Causal\"") {
  return R"({"LlamaDecoderBlock":{"num_heads":)" + std::string{heads} + R"(,"head_dim":)" +
         std::string{head_dim} + R"(,"num_kv_heads":)" + std::string{kv_heads} +
         R"(,"eps":0.5,"mask":)" + std::string{mask} + "}}";
}

// Width 8, ffn 16; kv_width is that of the k and v projections.
builder llama(const std::string& op, int kv_width, bool has_mask = false) {
  builder b;
  ids in{b.input("x", {1, 2, 8})};
  const auto norm = [&] {
    in.push_back(b.param("g", {8}));
    in.push_back(b.param("b", {8}));
  };
  norm();
  for (const int width : {8, kv_width, kv_width, 8}) in.push_back(b.param("w", {8, width}));
  norm();
  in.push_back(b.param("gate", {8, 16}));
  in.push_back(b.param("up", {8, 16}));
  in.push_back(b.param("down", {16, 8}));
  in.push_back(b.param("cos", {2, 1}));
  in.push_back(b.param("sin", {2, 1}));
  if (has_mask) in.push_back(b.input("mask", {2, 2}));
  b.node(op, in, {1, 2, 8});
  return b;
}

BOOST_AUTO_TEST_CASE(grouped_heads_are_repeated_in_a_row) {
  const builder b = llama(llama_op("4", "2", "2"), 4);
  check_lines(hir_test::lines(lower(b, {14}), 14),
              {"rms_norm(eps=0.5)(%0, %1, %2) : [1, 2, 8] f32",
               "matmul(%14, %3) : [1, 2, 8] f32",
               "matmul(%14, %4) : [1, 2, 4] f32",
               "matmul(%14, %5) : [1, 2, 4] f32",
               "rope(d=2, n_rot=2)(%15, %12, %13) : [1, 2, 8] f32",
               "rope(d=2, n_rot=2)(%16, %12, %13) : [1, 2, 4] f32",
               "narrow(2,0,2)(%19) : [1, 2, 2] f32",
               "narrow(2,2,2)(%19) : [1, 2, 2] f32",
               "concat(axis=2)(%20, %20, %21, %21) : [1, 2, 8] f32",
               "narrow(2,0,2)(%17) : [1, 2, 2] f32",
               "narrow(2,2,2)(%17) : [1, 2, 2] f32",
               "concat(axis=2)(%23, %23, %24, %24) : [1, 2, 8] f32",
               "attention(h=4,d=2,causal)(%18, %22, %25) : [1, 2, 8] f32",
               "matmul(%26, %6) : [1, 2, 8] f32",
               "Add(%0, %27) : [1, 2, 8] f32",
               "rms_norm(eps=0.5)(%28, %7, %8) : [1, 2, 8] f32",
               "matmul(%29, %9) : [1, 2, 16] f32",
               "matmul(%29, %10) : [1, 2, 16] f32",
               "Silu(%30) : [1, 2, 16] f32",
               "Mul(%32, %31) : [1, 2, 16] f32",
               "matmul(%33, %11) : [1, 2, 8] f32",
               "Add(%28, %34) : [1, 2, 8] f32"});
}

BOOST_AUTO_TEST_CASE(has_16_nodes_without_groups_and_two_more_a_kv_head_with) {
  BOOST_CHECK_EQUAL(lower(llama(llama_op("4", "4", "2"), 8), {14}).size(), 14 + 16);
  BOOST_CHECK_EQUAL(lower(llama(llama_op("4", "2", "2"), 4), {14}).size(), 14 + 16 + 2 * (2 + 1));
  // The quotient is an integer: 4 / 3 is 1.
  BOOST_CHECK_EQUAL(lower(llama(llama_op("4", "3", "2"), 8), {14}).size(), 14 + 16);
}

BOOST_AUTO_TEST_CASE(mask_tensor_is_the_fifteenth_operand) {
  const builder b = llama(llama_op("4", "4", "2", "\"Custom\""), 8, true);
  BOOST_CHECK_EQUAL(hir_test::lines(lower(b, {15}), 21).front(),
                    "attention(h=4,d=2)(%19, %20, %18, %14) : [1, 2, 8] f32");
  BOOST_CHECK_EQUAL(refusal(llama(llama_op("4", "4", "2", "\"Custom\""), 8)),
                    "module \"m\": node 14 (llama_decoder_block): LlamaDecoderBlock: expected 15 "
                    "inputs, got 14");
  BOOST_CHECK_EQUAL(tail(refusal(llama(llama_op("4", "4", "2"), 8, true))),
                    "LlamaDecoderBlock: expected 14 inputs, got 15");
}

BOOST_AUTO_TEST_CASE(head_counts_that_make_no_group_are_refused) {
  BOOST_CHECK_EQUAL(tail(refusal(llama(llama_op("4", "0", "2"), 4))), "num_kv_heads is 0");
  BOOST_CHECK_EQUAL(tail(refusal(llama(llama_op("2", "4", "2"), 4))),
                    "num_heads 2 is below num_kv_heads 4");
  BOOST_CHECK_EQUAL(tail(refusal(llama(llama_op("4", "2", "3"), 4))),
                    "a rotation of 3 of 3 head dims; it must be even and at most the whole head");
}

BOOST_AUTO_TEST_CASE(heads_by_the_billion_are_refused_before_they_are_made) {
  const std::string too_many =
      "repeated heads would pass 4194304 nodes and operands; check num_heads and num_kv_heads, or "
      "split the module";
  BOOST_CHECK_EQUAL(tail(refusal(llama(llama_op("4000000000", "1000000000", "2"), 4))), too_many);
  BOOST_CHECK_EQUAL(tail(refusal(llama(llama_op("18446744073709551615", "2", "2"), 4))), too_many);
  BOOST_CHECK_EQUAL(tail(refusal(llama(llama_op("18446744073709551615", "1", "2"), 4))), too_many);
  BOOST_CHECK_EQUAL(tail(refusal(llama(llama_op("4194304", "2", "2"), 4))), too_many);
  BOOST_CHECK_EQUAL(tail(refusal(llama(llama_op("8", "4", "18446744073709551614"), 4))),
                    "head 2 of 18446744073709551614 dims starts beyond 2^64");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(refusals)

BOOST_AUTO_TEST_CASE(wrong_operand_counts_are_told_in_the_compilers_words) {
  const auto check = [](std::string_view op, std::size_t given, const std::string& sentence) {
    BOOST_CHECK_EQUAL(tail(refusal_of(op, given)), sentence);
  };
  check(R"({"Linear":{"activation":null,"has_bias":true}})", 2, "Linear: expected 3 inputs, got 2");
  check(R"({"Linear":{"activation":null,"has_bias":false}})", 3,
        "Linear: expected 2 inputs, got 3");
  check(R"({"LinearFused":{"activation":null}})", 4, "LinearFused: expected 3 inputs, got 4");
  check(R"({"SharedLinearPair":{"slot":0}})", 0, "SharedLinearPair: expected 3 inputs, got 0");
  check(R"("SwiGLU")", 3, "SwiGLU: expected 4 inputs, got 3");
  check(R"({"ResidualRmsNorm":{"eps":1.0}})", 5, "ResidualRmsNorm: expected 4 inputs, got 5");
  check(R"({"Attention":{"num_heads":1,"head_dim":4,"mask":"None"}})", 4,
        "Attention: expected 3 or 4 inputs, got 4");
  check(R"({"Attention":{"num_heads":1,"head_dim":4,"mask":"Custom"}})", 3,
        "Attention: expected 3 or 4 inputs, got 3");
  check(R"({"DepthwiseConv1dCausal":{"kernel_size":2}})", 2,
        "DepthwiseConv1dCausal: expected 3 inputs, got 2");
  check(R"({"DequantMatMul":{"scheme":"GgufQ8_0"}})", 4, "DequantMatMul: expected 2 inputs, got 4");
  check(R"({"DequantMatMul":{"scheme":"Fp8E4m3"}})", 2, "DequantMatMul: expected 4 inputs, got 2");
  check(R"({"GatedDeltaNet":{"state_size":1,"carry_state":true}})", 5,
        "GatedDeltaNet: expected 6 inputs, got 5");
  check(R"({"GatedDeltaNet":{"state_size":1,"carry_state":false}})", 6,
        "GatedDeltaNet: expected 5 inputs, got 6");
  check(R"({"RoPE":{"head_dim":4,"n_rot":4}})", 1, "RoPE: expected 3 inputs, got 1");
  check(R"({"RmsNorm":{"eps":1.0}})", 2, "RmsNorm: expected 3 inputs, got 2");
  check(R"({"Qwen35MtpHead":{"num_heads":1,"num_kv_heads":1,"head_dim":2,"n_rot":2,"n_embd":4,)"
        R"("n_ff":4,"mtp_vocab":4,"eps":1.0}})",
        28, "Qwen35MtpHead: expected 29 inputs, got 28");
}

BOOST_AUTO_TEST_CASE(the_place_is_module_node_and_block) {
  BOOST_CHECK_EQUAL(refusal_of(R"("SwiGLU")", 1),
                    "module \"m\": node 1 (swiglu_ffn): SwiGLU: expected 4 inputs, got 1");
  builder b;
  const auto x = b.input("x", {2});
  b.node(R"("SwiGLU")", {x}, {2}, "F32", R"("ffn.\"3\"")");
  BOOST_CHECK_EQUAL(
      refusal(b),
      "module \"m\": node 1 (swiglu_ffn \"ffn.\\\"3\\\"\"): SwiGLU: expected 4 inputs, "
      "got 1");
}

BOOST_AUTO_TEST_CASE(fields_must_be_there_and_of_their_type) {
  const auto check = [](std::string_view op, const std::string& sentence) {
    BOOST_CHECK_EQUAL(tail(refusal_of(op, 3)), sentence);
  };
  check(R"({"Linear":{"activation":null}})", "the field \"has_bias\" is missing or null");
  check(R"({"Linear":{"activation":null,"has_bias":1}})",
        "the field \"has_bias\" is not true or false");
  check(R"({"Linear":{"activation":7,"has_bias":true}})",
        "the field \"activation\" is not an enumeration's value");
  check(R"({"RmsNorm":{"eps":null}})", "the field \"eps\" is missing or null");
  check(R"({"RmsNorm":{"eps":"1"}})", "the field \"eps\" is not a number");
  check(R"({"RoPE":{"head_dim":-4,"n_rot":4}})",
        "the field \"head_dim\" is not an unsigned integer");
  check(R"({"RoPE":{"head_dim":4.0,"n_rot":4}})",
        "the field \"head_dim\" is not an unsigned integer");
  check(R"({"Attention":{"num_heads":1,"head_dim":4,"mask":"Blur"}})",
        "the mask \"Blur\" is none of None, Causal, SlidingWindow, Custom, Bias");
  check(R"({"DequantMatMul":{"scheme":"GgufX"}})", "the scheme \"GgufX\" is not known");
}

BOOST_AUTO_TEST_CASE(operations_of_later_compilers_are_named_not_guessed) {
  BOOST_CHECK_EQUAL(refusal_of(R"({"Lstm":{"hidden_size":4}})", 2),
                    "module \"m\": node 2 (Lstm): no HIR operation of RLX 0.2.2; lower the module "
                    "with the compiler that wrote it");
}

BOOST_AUTO_TEST_CASE(shapes_that_cannot_be_are_told) {
  const auto matmul = [](const dims& x, const dims& w) {
    builder b{"Fusable"};
    const ids in{b.input("x", x), b.param("w", w)};
    return tail(
        refusal(b, {b.node(R"({"Linear":{"activation":null,"has_bias":false}})", in, {1})}));
  };
  BOOST_CHECK_EQUAL(matmul({2, 4}, {5, 8}),
                    "a matmul of the shapes [2, 4] and [5, 8]: the inner dims 4 and 5 differ");
  BOOST_CHECK_EQUAL(matmul({2, symbol(1)}, {symbol(2), 8}),
                    "a matmul of the shapes [2, ?1] and [?2, 8]: the inner dims ?1 and ?2 differ");
  BOOST_CHECK_EQUAL(matmul({2, symbol(1)}, {4, 8}), "lowered");
  BOOST_CHECK_EQUAL(matmul({4}, {4, 8}),
                    "a matmul of the shapes [4] and [4, 8]: both need rank 2 or more");
  BOOST_CHECK_EQUAL(matmul({2, 2, 4}, {3, 4, 8}),
                    "the shapes [2, 2, 4] and [3, 4, 8] do not broadcast: 2 meets 3");
}

BOOST_AUTO_TEST_SUITE_END()
