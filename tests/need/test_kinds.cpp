// Kinds one by one: worked examples, the numbers of other tools, and what must stay unknown.
#define BOOST_TEST_MODULE need_kinds
#include <boost/test/unit_test.hpp>
#include <set>

#include "tests/need/support.hpp"

using namespace opscope;
using namespace opscope::test;

namespace {

constexpr auto f16 = RLX_DTYPE_F16;
constexpr auto bf16 = RLX_DTYPE_BF16;
constexpr auto i64 = RLX_DTYPE_I64;
constexpr auto i32 = RLX_DTYPE_I32;
constexpr auto u8 = RLX_DTYPE_U8;
constexpr auto i8 = RLX_DTYPE_I8;

void is_exactly(const node_need& n, std::uint64_t bytes, std::uint64_t work) {
  BOOST_TEST(n.bytes() == interval{bytes});
  BOOST_TEST(n.work == interval{work});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(worked_examples)

BOOST_AUTO_TEST_CASE(matmul) {
  is_exactly(need_of(RLX_KIND_MatMul, {{{64, 128}}, {{128, 32}}}, {{64, 32}}),
             (64 * 128 + 128 * 32 + 64 * 32) * 4, 2 * 64 * 128 * 32);
}

BOOST_AUTO_TEST_CASE(operand_used_twice_is_read_once) {
  view_builder b;
  const auto x = b.input("x", {256, 256});
  const auto y = b.node(RLX_KIND_MatMul, {x, x}, {256, 256});
  b.outputs({y});
  is_exactly(analyze_need(b.view()).nodes()[y], 2 * 256 * 256 * 4, 2 * 256 * 256 * 256);
}

BOOST_AUTO_TEST_CASE(convolution_counts_taps_on_real_input) {
  const attribute_list a{{"kernel_size", u64s({3, 3})},
                         {"stride", u64s({1, 1})},
                         {"padding", u64s({1, 1})},
                         {"dilation", u64s({1, 1})},
                         {"groups", 1u}};
  const std::uint64_t t = 3 * 32 - 2;
  is_exactly(need_of(RLX_KIND_Conv, {{{8, 3, 32, 32}}, {{32, 3, 3, 3}}}, {{8, 32, 32, 32}}, a),
             1150336, 2 * 8 * 32 * 3 * t * t);
}

BOOST_AUTO_TEST_CASE(causal_attention_counts_visible_pairs) {
  const attribute_list a{{"num_heads", 32u}, {"head_dim", 64u}, {"mask_kind", "Causal"}};
  const tensor t{{1, 512, 32 * 64}, bf16};
  const std::uint64_t pairs = 512 * 513 / 2;
  const node_need n = need_of(RLX_KIND_Attention, {t, t, t}, t, a);
  is_exactly(n, 8388608, 32 * pairs * (2 * 64 + 2 * 64 + 3));
  BOOST_TEST(n.contraction == interval{32 * pairs * 4 * 64});
  is_exactly(n, 8388608, 1088446464);
}

BOOST_AUTO_TEST_CASE(grouped_heads_count_query_heads_and_stored_keys) {
  const attribute_list a{{"num_heads", 32u}, {"head_dim", 128u}, {"mask_kind", "Causal"}};
  const tensor q{{1, 32, 1, 128}, f16};
  const tensor kv{{1, 8, 4096, 128}, f16};
  is_exactly(need_of(RLX_KIND_Attention, {q, kv, kv}, q, a), 16793600, 67502080);
}

BOOST_AUTO_TEST_CASE(gather_reads_one_row_to_a_row_an_index) {
  const node_need n = need_of(RLX_KIND_Gather, {{{128256, 2048}, bf16}, {{1, 512}, i64}},
                              {{1, 512, 2048}, bf16}, {{"axis", 0u}});
  BOOST_TEST(n.bytes().hi().value() == 4198400u);
  BOOST_TEST(n.read == interval::between(512 * 8 + 2048 * 2, 512 * 8 + 512 * 2048 * 2));
  BOOST_TEST(n.work.is_zero());
}

BOOST_AUTO_TEST_CASE(gather_of_one_index_is_exact) {
  const node_need n = need_of(RLX_KIND_Gather, {{{128256, 2048}, f16}, {{1, 1}, i64}},
                              {{1, 1, 2048}, f16}, {{"axis", 0u}});
  BOOST_TEST(n.read == interval{4096 + 8});
}

BOOST_AUTO_TEST_CASE(narrow_reads_the_slice) {
  is_exactly(need_of(RLX_KIND_Narrow, {{{4, 15, 1152}}}, {{4, 15, 384}},
                     {{"axis", 2u}, {"start", 0u}, {"len", 384u}}),
             184320, 0);
}

BOOST_AUTO_TEST_CASE(softmax) {
  is_exactly(need_of(RLX_KIND_Softmax, {{{32, 8}}}, {{32, 8}}, {{"axis", -1}}), 2048, 768);
}

BOOST_AUTO_TEST_CASE(layer_norm) {
  is_exactly(need_of(RLX_KIND_LayerNorm, {{{1, 128, 768}}, {{768}}, {{768}}}, {{1, 128, 768}}),
             792576, 294912);
}

BOOST_AUTO_TEST_CASE(rope) {
  is_exactly(need_of(RLX_KIND_Rope, {{{1, 512, 2048}, f16}, {{512, 32}}, {{512, 32}}},
                     {{1, 512, 2048}, f16}, {{"head_dim", 64u}, {"n_rot", 64u}}),
             4325376, 3145728);
}

BOOST_AUTO_TEST_CASE(packed_quantised_product) {
  const node_need n = need_of(RLX_KIND_DequantMatMul, {{{1, 2048}}, {{9437184}, u8}}, {{1, 8192}},
                              {{"scheme", "GgufQ4K"}});
  is_exactly(n, 9478144, 67108864);
  BOOST_TEST(n.contraction == interval{2 * 2048 * 8192});
}

BOOST_AUTO_TEST_CASE(packed_weight_declared_by_its_logical_shape_takes_packed_bytes) {
  const node_need n = need_of(RLX_KIND_DequantMatMul, {{{1, 2048}}, {{8192, 2048}, u8}},
                              {{1, 8192}}, {{"scheme", "GgufQ4K"}});
  is_exactly(n, 9478144, 67108864);
}

BOOST_AUTO_TEST_CASE(block_quantised_product_does_not_read_the_zero_point) {
  is_exactly(need_of(RLX_KIND_DequantMatMul,
                     {{{1, 8192}}, {{8192, 2048}, i8}, {{256, 2048}}, {{256, 2048}}}, {{1, 2048}},
                     {{"scheme", json(R"({"Int8Block":{"block_size":32}})")}}),
             18915328, 50331648);
}

BOOST_AUTO_TEST_CASE(grouped_product_reads_one_to_all_experts_hit) {
  const node_need n =
      need_of(RLX_KIND_GroupedMatMul, {{{32, 256}}, {{8, 256, 512}}, {{32}}}, {{32, 512}});
  BOOST_TEST(n.bytes() == interval::between(98432 + 524288, 98432 + 8 * 524288));
  BOOST_TEST(n.work == interval{8388608});
}

BOOST_AUTO_TEST_CASE(scan_multiplies_its_body_by_its_length) {
  view_builder b;
  const auto init = b.input("h0", {64});
  const auto scan = b.node(RLX_KIND_Scan, {init}, {64}, RLX_DTYPE_F32,
                           {{"length", 100u},
                            {"save_trajectory", false},
                            {"num_bcast", 0u},
                            {"num_xs", 0u},
                            {"num_checkpoints", 0u}});
  view_builder& body = b.nested(scan, "body");
  const auto h = body.input("h", {64});
  const auto row = body.node(RLX_KIND_Reshape, {h}, {1, 64});
  body.alias(row, h);
  const auto w = body.param("w", {64, 64});
  const auto product = body.node(RLX_KIND_MatMul, {row, w}, {1, 64});
  const auto tanh =
      body.node(RLX_KIND_Activation, {product}, {1, 64}, RLX_DTYPE_F32, {{"value", "Tanh"}});
  const auto flat = body.node(RLX_KIND_Reshape, {tanh}, {64});
  body.alias(flat, tanh);
  body.outputs({flat});
  b.outputs({scan});
  const node_need n = analyze_need(b.view()).nodes()[scan];
  is_exactly(n, 16896, 100 * (2 * 64 * 64 + 64));
  BOOST_TEST(analyze_need(b.view()).totals().graph_io == interval{16896});
  BOOST_TEST(n.contraction == interval{100 * 2 * 64 * 64});
}

BOOST_AUTO_TEST_CASE(gated_delta_net_writes_the_state_it_carries) {
  const std::uint64_t s = 64, h = 16, d = 128;
  const tensor t{{1, s, h, d}};
  is_exactly(need_of(RLX_KIND_GatedDeltaNet, {t, t, t, {{1, s, h}}, {{1, s, h}}, {{1, h, d, d}}}, t,
                     {{"state_size", d}, {"carry_state", true}}),
             4202496, s * h * (7 * d * d + 3 * d + 1));
}

BOOST_AUTO_TEST_CASE(fused_product_is_the_sum_of_its_parts) {
  is_exactly(need_of(RLX_KIND_FusedMatMulBiasAct, {{{1, 128, 768}}, {{768, 3072}}, {{3072}}},
                     {{1, 128, 3072}}, {{"activation", "Gelu"}}),
             11415552, 604766208);
}

BOOST_AUTO_TEST_CASE(region_costs_each_step) {
  std::string chain = "[";
  for (int i = 0; i < 24; ++i) {
    if (i != 0) chain += ',';
    chain += i == 0 ? R"({"Binary":["Mul",{"Input":0},{"Input":1}]})"
                    : R"({"Binary":["Mul",{"Step":)" + std::to_string(i - 1) + R"(},{"Input":1}]})";
  }
  chain += ']';
  is_exactly(need_of(RLX_KIND_ElementwiseRegion, {{{4096}}, {{1}}}, {{4096}},
                     {{"chain", json(chain)}, {"num_inputs", 2u}, {"scalar_input_mask", 2u}}),
             32772, 24 * 4096);
}

BOOST_AUTO_TEST_CASE(view_moves_nothing) {
  view_builder b;
  const auto x = b.input("x", {6, 4});
  const auto v = b.node(RLX_KIND_Reshape, {x}, {24});
  b.alias(v, x).outputs({v});
  is_exactly(analyze_need(b.view()).nodes()[v], 0, 0);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(numbers_of_other_tools)

BOOST_AUTO_TEST_CASE(small_product) {
  is_exactly(need_of(RLX_KIND_MatMul, {{{10, 5}}, {{5, 30}}}, {{10, 30}}), 2000, 3000);
}

BOOST_AUTO_TEST_CASE(convolution_without_padding) {
  is_exactly(need_of(RLX_KIND_Conv, {{{1, 1, 10, 20}}, {{1, 1, 3, 3}}}, {{1, 1, 8, 18}},
                     {{"stride", u64s({1, 1})}}),
             1412, 2592);
}

BOOST_AUTO_TEST_CASE(convolution_with_same_padding) {
  is_exactly(need_of(RLX_KIND_Conv, {{{1, 1, 3, 3}}, {{1, 1, 3, 3}}}, {{1, 1, 3, 3}},
                     {{"padding", u64s({1, 1})}}),
             108, 98);
}

// 120 groups over the image of the first convolution.
BOOST_AUTO_TEST_CASE(grouped_convolution) {
  const node_need n = need_of(RLX_KIND_Conv, {{{1, 120, 10, 20}}, {{120, 1, 3, 3}}},
                              {{1, 120, 8, 18}}, {{"groups", 120u}});
  BOOST_TEST(n.work == interval{311040});
}

BOOST_AUTO_TEST_CASE(slice_counts_what_it_takes) {
  is_exactly(need_of(RLX_KIND_Slice, {{{2}}}, {{1}},
                     {{"axis", 0u}, {"start", 0u}, {"len", 1u}, {"step", 1}}),
             8, 0);
}

BOOST_AUTO_TEST_CASE(gather_of_two_rows) {
  const node_need n =
      need_of(RLX_KIND_Gather, {{{3, 3}, i32}, {{2}, i32}}, {{2, 3}, i32}, {{"axis", 0u}});
  BOOST_TEST(n.bytes().hi().value() == 56u);
  BOOST_TEST(n.bytes().lo() == 56u - 12u);  // both may name one row
}

BOOST_AUTO_TEST_CASE(attention_products_without_a_mask) {
  const tensor t{{1, 12, 64, 64}};
  const node_need n = need_of(RLX_KIND_Attention, {t, t, t}, t,
                              {{"num_heads", 12u}, {"head_dim", 64u}, {"mask_kind", "None"}});
  BOOST_TEST(n.contraction == interval{12582912});
}

BOOST_AUTO_TEST_CASE(attention_products_under_a_causal_mask) {
  const tensor t{{1, 12, 64, 64}};
  const node_need n = need_of(RLX_KIND_Attention, {t, t, t}, t,
                              {{"num_heads", 12u}, {"head_dim", 64u}, {"mask_kind", "Causal"}});
  BOOST_TEST(n.contraction == interval{12 * (64 * 65 / 2) * (2 * 64 + 2 * 64)});
}

BOOST_AUTO_TEST_CASE(packed_weight_bytes) {
  const node_need n = need_of(RLX_KIND_DequantMatMul, {{{1, 896}}, {{4864 * 896 / 256 * 144}, u8}},
                              {{1, 4864}}, {{"scheme", "GgufQ4K"}});
  BOOST_TEST(n.read == interval{2451456 + 896 * 4});
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(honesty)

BOOST_AUTO_TEST_CASE(every_listed_kind_has_a_row) {
  const auto models = kind_models();
  BOOST_TEST(models.size() == rlx::kind_count);
  std::set<std::uint32_t> seen;
  for (const kind_model& m : models) {
    seen.insert(m.kind);
    BOOST_TEST(m.words != "this version does not know it", "no row for " << m.name);
  }
  BOOST_TEST(seen.size() == rlx::kind_count);
}

BOOST_AUTO_TEST_CASE(unlisted_kind_is_unknown_and_never_nothing) {
  view_builder b;
  const auto x = b.input("x", {4});
  const auto y = b.node(b.unlisted_kind("Teleport"), {x}, {4});
  b.outputs({y});
  const graph_need g = analyze_need(b.view());
  BOOST_TEST(g.nodes()[y].read == interval::unknown());
  BOOST_TEST(g.nodes()[y].written == interval::unknown());
  BOOST_TEST(g.nodes()[y].work == interval::unknown());
  BOOST_TEST(g.totals().unknown_nodes == 1u);
  BOOST_TEST(g.totals().coverage.nodes == 0u);
  BOOST_TEST(g.totals().coverage.counted_nodes == 1u);
  BOOST_REQUIRE(g.unknown().size() == 1u);
  BOOST_TEST(g.unknown()[0].id == y);
}

BOOST_AUTO_TEST_CASE(every_kind_survives_having_no_operands_and_no_attributes) {
  for (std::uint32_t kind = 1; kind <= rlx::kind_count; ++kind) {
    for (const dim_list& shape : {dim_list{}, dim_list{3}, dim_list{2, 3, 4, 5}}) {
      view_builder b;
      const auto y = b.node(kind, {}, shape);
      b.outputs({y});
      const graph_need g = analyze_need(b.view());
      BOOST_TEST(g.nodes().size() == 1u);
    }
  }
}

// One wrong operand after the other must end as unknown or as figures, never as a crash.
BOOST_AUTO_TEST_CASE(every_kind_survives_operands_of_any_rank) {
  for (std::uint32_t kind = 1; kind <= rlx::kind_count; ++kind) {
    for (unsigned rank = 0; rank <= 6; ++rank) {
      for (unsigned operands = 1; operands <= 9; operands += 2) {
        view_builder b;
        dim_list shape;
        for (unsigned i = 0; i < rank; ++i) shape.push_back(dim{i + 1});
        id_list ids;
        for (unsigned i = 0; i < operands; ++i) ids.push_back(b.input("x", shape));
        b.outputs({b.node(kind, ids, shape)});
        const graph_need g = analyze_need(b.view());
        BOOST_TEST(g.nodes().size() == operands + 1u);
        BOOST_TEST(express_need(b.view()).empty());
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(dims_beyond_64_bits_are_unbounded_with_a_correct_low_end) {
  const std::uint64_t big = std::uint64_t{1} << 40;
  const node_need n = need_of(RLX_KIND_MatMul, {{{big, big}}, {{big, big}}}, {{big, big}});
  BOOST_TEST(!n.read.is_bounded());
  BOOST_TEST(n.read.lo() == UINT64_MAX);
  BOOST_TEST(!n.work.is_bounded());
}

BOOST_AUTO_TEST_CASE(empty_result_needs_nothing) {
  is_exactly(need_of(RLX_KIND_MatMul, {{{0, 128}}, {{128, 32}}}, {{0, 32}}), 0, 0);
}

BOOST_AUTO_TEST_CASE(unknown_dtype_has_unknown_bytes_and_keeps_the_rest) {
  view_builder b;
  const auto x = b.input("x", {8}, b.unlisted_dtype("F8"));
  const auto y = b.node(RLX_KIND_Cast, {x}, {8}, RLX_DTYPE_F32, {{"to", "F32"}});
  b.outputs({y});
  const node_need n = analyze_need(b.view()).nodes()[y];
  BOOST_TEST(!n.read.is_bounded());
  BOOST_TEST(n.written == interval{32});
}

BOOST_AUTO_TEST_CASE(unknown_scheme_is_unknown) {
  const node_need n = need_of(RLX_KIND_DequantMatMul, {{{1, 2048}}, {{9437184}, u8}}, {{1, 8192}},
                              {{"scheme", "GgufQ99"}});
  BOOST_TEST(n.read == interval::unknown());
}

BOOST_AUTO_TEST_CASE(custom_mask_hides_nothing_to_everything) {
  const tensor t{{1, 12, 64, 64}};
  const node_need n = need_of(RLX_KIND_Attention, {t, t, t, {{1, 64}}}, t,
                              {{"num_heads", 12u}, {"head_dim", 64u}, {"mask_kind", "Custom"}});
  BOOST_TEST(n.contraction == interval::at_most(12582912));
  BOOST_TEST(n.read == interval::between(64 * 4, 64 * 4 + 3 * 12 * 64 * 64 * 4));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(storage)

BOOST_AUTO_TEST_CASE(views_of_one_root_count_the_union_of_their_ranges) {
  view_builder b;
  const auto x = b.input("x", {8, 4});
  const auto first = b.node(RLX_KIND_Narrow, {x}, {4, 4}, RLX_DTYPE_F32,
                            {{"axis", 0u}, {"start", 0u}, {"len", 4u}});
  b.alias(first, x, 0);
  const auto middle = b.node(RLX_KIND_Narrow, {x}, {4, 4}, RLX_DTYPE_F32,
                             {{"axis", 0u}, {"start", 2u}, {"len", 4u}});
  b.alias(middle, x, 2 * 4 * 4);
  const auto sum =
      b.node(RLX_KIND_Binary, {first, middle}, {4, 4}, RLX_DTYPE_F32, {{"value", "Add"}});
  b.outputs({sum});
  const graph_need g = analyze_need(b.view());
  BOOST_TEST(g.nodes()[sum].read == interval{6 * 4 * 4});
  BOOST_TEST(g.totals().io_inputs == interval{6 * 4 * 4});
}

BOOST_AUTO_TEST_CASE(concat_of_a_repeated_slice_reads_it_once) {
  view_builder b;
  const auto x = b.input("x", {1, 4});
  id_list ids;
  for (int i = 0; i < 9; ++i) ids.push_back(x);
  const auto c = b.node(RLX_KIND_Concat, ids, {1, 36}, RLX_DTYPE_F32, {{"axis", 1u}});
  b.outputs({c});
  BOOST_TEST(analyze_need(b.view()).nodes()[c].read == interval{4 * 4});
}

BOOST_AUTO_TEST_CASE(append_in_place_costs_its_row) {
  view_builder b;
  const auto cache = b.input("cache", {1, 8, 4});
  const auto row = b.input("row", {1, 1, 4});
  const auto kv = b.node(RLX_KIND_KvAppend, {cache, row}, {1, 6, 4}, RLX_DTYPE_F32,
                         {{"axis", 1u}, {"pos", 5u}});
  b.alias(kv, cache).outputs({kv});
  const graph_need g = analyze_need(b.view());
  BOOST_TEST(g.nodes()[kv].read == interval{16});
  BOOST_TEST(g.nodes()[kv].written == interval{16});
  BOOST_TEST(g.totals().io_outputs == interval{16});
}

BOOST_AUTO_TEST_CASE(append_that_copies_costs_the_kept_part) {
  const node_need n = need_of(RLX_KIND_KvAppend, {{{1, 8, 4}}, {{1, 1, 4}}}, {{1, 6, 4}},
                              {{"axis", 1u}, {"pos", 5u}});
  BOOST_TEST(n.read == interval{6 * 16});
  BOOST_TEST(n.written == interval{6 * 16});
}

BOOST_AUTO_TEST_CASE(scatter_is_in_place_only_where_the_plan_says) {
  view_builder b;
  const auto data = b.input("data", {100, 4});
  const auto indices = b.input("i", {2, 1}, i64);
  const auto updates = b.input("u", {2, 4});
  const auto copied = b.node(RLX_KIND_ScatterNd, {data, indices, updates}, {100, 4}, RLX_DTYPE_F32,
                             {{"reduction", "None"}});
  const auto placed = b.node(RLX_KIND_ScatterNd, {data, indices, updates}, {100, 4}, RLX_DTYPE_F32,
                             {{"reduction", "None"}});
  b.slot(data, 0, 1600).slot(placed, 0, 1600).slot(copied, 1600, 1600);
  b.outputs({copied, placed});
  const graph_need g = analyze_need(b.view());
  BOOST_TEST(g.nodes()[copied].written == interval{1600});
  BOOST_TEST(g.nodes()[copied].read == interval::between(1600 - 32 + 16 + 32, 1600 - 16 + 16 + 32));
  BOOST_TEST(g.nodes()[placed].written == interval::between(16, 32));
  BOOST_TEST(g.nodes()[placed].read == interval{16 + 32});
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(graphs)

BOOST_AUTO_TEST_CASE(graph_io_counts_inputs_weights_and_outputs_once) {
  view_builder b;
  const auto x = b.input("x", {4, 8});
  const auto w = b.param("w", {8, 8});
  const auto a = b.node(RLX_KIND_MatMul, {x, w}, {4, 8});
  const auto c = b.node(RLX_KIND_MatMul, {a, w}, {4, 8});
  b.outputs({c});
  const need_totals t = analyze_need(b.view()).totals();
  BOOST_TEST(t.io_inputs == interval{4 * 8 * 4});
  BOOST_TEST(t.io_weights == interval{8 * 8 * 4});
  BOOST_TEST(t.io_outputs == interval{4 * 8 * 4});
  BOOST_TEST(t.graph_io == interval{(32 + 64 + 32) * 4});
  BOOST_TEST(t.bytes() == interval{2 * (32 + 64 + 32) * 4});
}

BOOST_AUTO_TEST_CASE(dead_inputs_are_not_needed) {
  view_builder b;
  const auto x = b.input("x", {4});
  const auto dead = b.input("y", {4});
  const auto n = b.node(RLX_KIND_Activation, {dead}, {4}, RLX_DTYPE_F32, {{"value", "Neg"}});
  const auto o = b.node(RLX_KIND_Activation, {x}, {4}, RLX_DTYPE_F32, {{"value", "Neg"}});
  b.outputs({o});
  const graph_need g = analyze_need(b.view());
  BOOST_TEST(g.totals().io_inputs == interval{16});
  BOOST_TEST(g.nodes()[n].is_dead);
  BOOST_TEST(!g.nodes()[o].is_dead);
}

BOOST_AUTO_TEST_CASE(slices_that_cover_a_tensor_need_all_of_it) {
  view_builder b;
  const auto x = b.input("x", {4, 8});
  const auto w = b.param("w", {8, 6});
  const auto m = b.node(RLX_KIND_MatMul, {x, w}, {4, 6});
  const auto left = b.node(RLX_KIND_Narrow, {m}, {4, 2}, RLX_DTYPE_F32,
                           {{"axis", 1u}, {"start", 0u}, {"len", 2u}});
  const auto right = b.node(RLX_KIND_Narrow, {m}, {4, 4}, RLX_DTYPE_F32,
                            {{"axis", 1u}, {"start", 2u}, {"len", 4u}});
  b.outputs({left, right});
  BOOST_TEST(analyze_need(b.view()).totals().io_weights == interval{8 * 6 * 4});
  b.outputs({left});
  const need_totals t = analyze_need(b.view()).totals();
  BOOST_TEST(t.io_weights == interval::at_most(8 * 6 * 4));
}

BOOST_AUTO_TEST_CASE(weights_are_followed_through_concats_and_casts) {
  view_builder b;
  const auto x = b.input("x", {1, 4});
  const auto w = b.param("w", {4, 2}, f16);
  const auto v = b.param("v", {4, 2}, f16);
  const auto both = b.node(RLX_KIND_Concat, {w, v}, {4, 4}, f16, {{"axis", 1u}});
  const auto wide = b.node(RLX_KIND_Cast, {both}, {4, 4}, RLX_DTYPE_F32, {{"to", "F32"}});
  const auto m = b.node(RLX_KIND_MatMul, {x, wide}, {1, 4});
  b.outputs({m});
  const graph_need g = analyze_need(b.view());
  BOOST_TEST(g.nodes()[m].weights == interval{4 * 4 * 4});
  BOOST_TEST(g.nodes()[both].is_invariant);
  BOOST_TEST(g.nodes()[wide].is_invariant);
  BOOST_TEST(!g.nodes()[m].is_invariant);
  BOOST_TEST(g.totals().invariant == interval{2 * 32 + 32 + 64});
}

BOOST_AUTO_TEST_CASE(random_values_are_not_invariant) {
  view_builder b;
  const auto w = b.param("w", {4});
  const auto r = b.node(RLX_KIND_RngUniform, {w}, {4});
  b.outputs({r});
  BOOST_TEST(!analyze_need(b.view()).nodes()[r].is_invariant);
}

BOOST_AUTO_TEST_CASE(coverage_counts_rule_bytes_of_bounded_nodes) {
  view_builder b;
  const auto x = b.input("x", {4});
  const auto y = b.node(RLX_KIND_Activation, {x}, {4}, RLX_DTYPE_F32, {{"value", "Neg"}});
  const auto z = b.node(b.unlisted_kind("Teleport"), {y}, {8});
  b.outputs({z});
  const rlx::graph_view v = b.view();
  const graph_cost rule = analyze(v);
  need_options options;
  options.rule = &rule;
  const need_coverage c = analyze_need(v, options).totals().coverage;
  BOOST_TEST(c.nodes == 1u);
  BOOST_TEST(c.counted_nodes == 2u);
  BOOST_TEST(c.rule_bytes.value() == 32u);
  BOOST_TEST(c.counted_rule_bytes.value() == 32u + 16 + 32);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(dynamic_dims)

BOOST_AUTO_TEST_CASE(unbound_symbol_is_unbounded_and_bound_one_exact) {
  view_builder b;
  const auto x = b.input("x", {symbol(0), 8});
  const auto w = b.param("w", {8, 4});
  const auto m = b.node(RLX_KIND_MatMul, {x, w}, {symbol(0), 4});
  b.outputs({m});
  const rlx::graph_view v = b.view();
  const node_need open = analyze_need(v).nodes()[m];
  BOOST_TEST(!open.read.is_bounded());
  BOOST_TEST(open.read.lo() == 0u);
  need_options options;
  options.bindings.bind(0, 5);
  const node_need n = analyze_need(v, options).nodes()[m];
  is_exactly(n, (5 * 8 + 8 * 4 + 5 * 4) * 4, 2 * 5 * 8 * 4);
  const auto e = express_need(v);
  BOOST_REQUIRE(e.size() == 1u);
  BOOST_TEST(e[0].id == m);
  BOOST_TEST(e[0].read.lo == "32*?0 + 128");
  BOOST_TEST(e[0].read.hi == "32*?0 + 128");
  BOOST_TEST(e[0].written.hi == "16*?0");
  BOOST_TEST(e[0].work.hi == "64*?0");
  BOOST_TEST(express_need(v, options.bindings).empty());
}

BOOST_AUTO_TEST_CASE(view_of_unknown_size_leaves_its_leaf_unbounded) {
  view_builder b;
  const auto x = b.input("x", {symbol(0), 8});
  const auto v = b.node(RLX_KIND_Reshape, {x}, {8, symbol(0)});
  const auto y =
      b.node(RLX_KIND_Activation, {v}, {8, symbol(0)}, RLX_DTYPE_F32, {{"value", "Neg"}});
  b.alias(v, x).outputs({y});
  const rlx::graph_view g = b.view();
  BOOST_TEST(analyze_need(g).totals().io_inputs == interval::unknown());
  need_options options;
  options.bindings.bind(0, 3);
  BOOST_TEST(analyze_need(g, options).totals().io_inputs == interval{3 * 8 * 4});
}

BOOST_AUTO_TEST_CASE(causal_pairs_are_a_polynomial_over_one_denominator) {
  view_builder b;
  const dim_list shape{1, symbol(1), 2 * 4};
  const auto q = b.input("q", shape);
  const auto k = b.input("k", shape);
  const auto v = b.input("v", shape);
  const auto a = b.node(RLX_KIND_Attention, {q, k, v}, shape, RLX_DTYPE_F32,
                        {{"num_heads", 2u}, {"head_dim", 4u}, {"mask_kind", "Causal"}});
  b.outputs({a});
  const auto e = express_need(b.view());
  BOOST_REQUIRE(e.size() == 1u);
  // 2 heads * S(S+1)/2 pairs * (4*4 + 3)
  BOOST_TEST(e[0].work.hi == "19*?1^2 + 19*?1");
}

BOOST_AUTO_TEST_CASE(decode_step_over_a_cache_of_any_length) {
  view_builder b;
  const auto q = b.input("q", {1, 1, 8});
  const auto k = b.input("k", {1, symbol(3), 8});
  const auto v = b.input("v", {1, symbol(3), 8});
  const auto a = b.node(RLX_KIND_Attention, {q, k, v}, {1, 1, 8}, RLX_DTYPE_F32,
                        {{"num_heads", 2u}, {"head_dim", 4u}, {"mask_kind", "Causal"}});
  b.outputs({a});
  const auto e = express_need(b.view());
  BOOST_REQUIRE(e.size() == 1u);
  BOOST_TEST(e[0].contraction.hi == "32*?3");
  BOOST_TEST(e[0].contraction.lo == "32*?3");
}

BOOST_AUTO_TEST_CASE(what_is_no_polynomial_has_no_text) {
  view_builder b;
  const auto x = b.input("x", {symbol(0)});
  const auto s = b.node(RLX_KIND_Sort, {x}, {symbol(0)}, RLX_DTYPE_F32, {{"axis", 0u}});
  b.outputs({s});
  const auto e = express_need(b.view());
  BOOST_REQUIRE(e.size() == 1u);
  BOOST_TEST(e[0].read.hi == "4*?0");
  BOOST_TEST(e[0].work.hi == "");
}

BOOST_AUTO_TEST_CASE(bindings_are_read_strictly) {
  std::string problem;
  const auto b = parse_bindings("0=1,?1=128", problem);
  BOOST_REQUIRE(b.has_value());
  BOOST_TEST(b->find(0).value() == 1u);
  BOOST_TEST(b->find(1).value() == 128u);
  BOOST_TEST(!b->find(2).has_value());
  for (const char* bad : {"0", "0=", "=1", "0=x", "0=1x", "0=-1", "0=1,,1=2", "0=1,0=2"}) {
    problem.clear();
    BOOST_TEST(!parse_bindings(bad, problem).has_value(), bad);
    BOOST_TEST(!problem.empty());
  }
}

BOOST_AUTO_TEST_SUITE_END()
