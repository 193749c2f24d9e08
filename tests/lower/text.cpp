// Pieces of the text listings that the golden vectors do not show.
#define BOOST_TEST_MODULE text
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/emit/op_text.hpp"
#include "host/emit/text.hpp"
#include "host/graph/graph.hpp"
#include "host/lower/hir/lower.hpp"
#include "host/lower/hir/op_json.hpp"
#include "host/read/op.hpp"
#include "host/read/read.hpp"
#include "tests/lower/hir_builder.hpp"

namespace {

std::string op_text(std::string_view json) {
  rlx::storage s;
  std::string out;
  rlx::append_op_text(out, s, rlx::read_op(s, json));
  return out;
}

std::string block_text(std::string_view json) {
  rlx::storage s;
  std::string out;
  rlx::append_block_text(out, s, rlx::read_op(s, json));
  return out;
}

std::string f32_text(float value) {
  std::string out;
  rlx::append_f32_text(out, value);
  return out;
}

std::string f32_json(float value) {
  std::string out;
  rlx::append_f32_json(out, value);
  return out;
}

using samples = std::vector<std::pair<std::string_view, std::string_view>>;

void check_ops(const samples& all) {
  for (const auto& [json, text] : all) BOOST_CHECK_EQUAL(op_text(json), text);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(floats)

BOOST_AUTO_TEST_CASE(print_without_exponent_in_the_shortest_digits) {
  BOOST_CHECK_EQUAL(f32_text(1), "1");
  BOOST_CHECK_EQUAL(f32_text(-0.0F), "-0");
  BOOST_CHECK_EQUAL(f32_text(0.1F), "0.1");
  BOOST_CHECK_EQUAL(f32_text(-12.5F), "-12.5");
  BOOST_CHECK_EQUAL(f32_text(1e-12F), "0.000000000001");
  BOOST_CHECK_EQUAL(f32_text(16777216), "16777216");
  BOOST_CHECK_EQUAL(f32_text(3.4028235e38F), "34028235" + std::string(31, '0'));
  BOOST_CHECK_EQUAL(f32_text(1e-45F), "0." + std::string(44, '0') + "1");
  BOOST_CHECK_EQUAL(f32_text(std::numeric_limits<float>::infinity()), "inf");
  BOOST_CHECK_EQUAL(f32_text(-std::numeric_limits<float>::infinity()), "-inf");
  BOOST_CHECK_EQUAL(f32_text(std::nanf("")), "NaN");
}

BOOST_AUTO_TEST_CASE(are_written_to_json_as_the_compiler_spells_them) {
  BOOST_CHECK_EQUAL(f32_json(1), "1.0");
  BOOST_CHECK_EQUAL(f32_json(-0.0F), "-0.0");
  BOOST_CHECK_EQUAL(f32_json(0.5F), "0.5");
  BOOST_CHECK_EQUAL(f32_json(1e-5F), "0.00001");
  BOOST_CHECK_EQUAL(f32_json(1e-6F), "1e-6");
  BOOST_CHECK_EQUAL(f32_json(1.25e-12F), "1.25e-12");
  BOOST_CHECK_EQUAL(f32_json(1e20F), "1e20");
  BOOST_CHECK_EQUAL(f32_json(-3.4028235e38F), "-3.4028235e38");
  BOOST_CHECK_EQUAL(f32_json(std::nanf("")), "null");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(op_texts)

BOOST_AUTO_TEST_CASE(show_masks_and_options_of_attention) {
  const auto attention = [](std::string_view mask, std::string_view rest) {
    return op_text(R"({"Attention":{"num_heads":8,"head_dim":64,"mask_kind":)" + std::string{mask} +
                   std::string{rest} + "}}");
  };
  constexpr std::string_view none = R"(,"score_scale":null,"attn_logit_softcap":null)";
  BOOST_CHECK_EQUAL(attention("\"None\"", none), "attention(h=8,d=64,nomask)");
  BOOST_CHECK_EQUAL(attention("\"Custom\"", none), "attention(h=8,d=64)");
  BOOST_CHECK_EQUAL(attention("\"Bias\"", none), "attention(h=8,d=64,bias)");
  BOOST_CHECK_EQUAL(attention(R"({"SlidingWindow":9})", none), "attention(h=8,d=64,sw=9)");
  BOOST_CHECK_EQUAL(
      attention("\"Causal\"", R"(,"score_scale":0.0625,"attn_logit_softcap":50.0,"v_head_dim":32)"),
      "attention(h=8,d=64,causal),vd=32,scale=0.0625,softcap=50");
  BOOST_CHECK_EQUAL(
      op_text(R"({"AttentionBackward":{"num_heads":8,"head_dim":64,"mask_kind":"Custom",)"
              R"("wrt":"Query"}})"),
      "attn_bwd_Query(h=8,d=64,custom)");
}

BOOST_AUTO_TEST_CASE(leave_out_what_is_at_its_default) {
  check_ops({
      {R"({"Sample":{"top_k":0,"top_p":1.0,"temperature":0.5,"seed":1}})", "sample(t=0.5)"},
      {R"({"Sample":{"top_k":4,"top_p":0.9,"temperature":1.0,"seed":1}})", "sample(t=1,k=4,p=0.9)"},
      {R"({"FusedSwiGLU":{"cast_to":null,"gate_first":false}})", "fused_swiglu()"},
      {R"({"FusedSwiGLU":{"cast_to":null,"gate_first":true}})", "fused_swiglu(,gate_first)"},
      {R"({"FusedSwiGLU":{"cast_to":"F16","gate_first":true}})",
       "fused_swiglu(cast=f16,gate_first)"},
      {R"({"FusedMatMulBiasAct":{"activation":null}})", "fused_mm_bias"},
      {R"({"FusedMatMulBiasAct":{"activation":"Gelu"}})", "fused_mm_bias_Gelu"},
      {R"({"FusedResidualLN":{"has_bias":true,"eps":1e-12}})",
       "fused_residual_bias_ln(eps=0.000000000001)"},
      {R"("ScatterAdd")", "scatter_add"},
      {R"({"ScatterAdd":{"axis":0}})", "scatter_add(axis=0)"},
      {R"({"Rope":{"head_dim":4,"n_rot":2}})", "rope(d=4, n_rot=2)"},
      {R"({"Rope":{"head_dim":4,"n_rot":2,"style":"GptJ"}})", "rope(d=4, n_rot=2, style=GptJ)"},
      {R"({"Cumsum":{"axis":-1,"exclusive":true}})", "cumsum(axis=-1,excl)"},
  });
}

BOOST_AUTO_TEST_CASE(show_quantisation) {
  check_ops({
      {R"({"Quantize":{"axis":null,"scales":[0.5],"zero_points":[0]}})", "quantize(s=0.5)"},
      {R"({"Dequantize":{"axis":1,"scales":[0.5,0.25,1.0],"zero_points":[0,0,0]}})",
       "dequantize(axis=1,nch=3)"},
      {R"({"DequantMatMul":{"scheme":"Nvfp4Block"}})", "dequant_matmul(nvfp4/16)"},
      {R"({"DequantMatMul":{"scheme":{"Int4Block":{"block_size":64}}}})",
       "dequant_matmul(int4/64)"},
      {R"({"DequantGroupedMatMulMlx":{"scheme":{"MlxAffine":{"bits":4,"group_size":32}}}})",
       "dequant_grouped_matmul_mlx(mlx_affine/4/32)"},
      {R"({"DequantMatMul":{"scheme":"Later"}})", "dequant_matmul(Later)"},
      {R"({"FakeQuantize":{"bits":8,"axis":0,"ste":"Tanh","scale_mode":{"EMA":{"decay":0.99}}}})",
       "fake_quant(bits=8,axis=0,ste=Tanh,scale=EMA { decay: 0.99 })"},
      {R"({"FakeQuantize":{"bits":8,"axis":null,"ste":"Identity","scale_mode":"PerBatch"}})",
       "fake_quant(bits=8,ste=Identity,scale=PerBatch)"},
  });
}

BOOST_AUTO_TEST_CASE(show_regions_bodies_and_payloads_by_size) {
  const std::string body = R"({"name":"b","nodes":[],"outputs":[]})";
  check_ops({
      {R"({"ElementwiseRegion":{"chain":[{"Activation":["Exp",{"Input":0}]},)"
       R"({"Binary":["Add",{"Step":0},{"Input":1}]}],"num_inputs":2,"scalar_input_mask":10,)"
       R"("input_modulus":[0,1]}})",
       "ew_region(in=2,steps=2,scalar_mask=0xa)"},
      {R"({"ElementwiseRegion":{"chain":[],"num_inputs":0,"scalar_input_mask":0,)"
       R"("input_modulus":[]}})",
       "ew_region(in=0,steps=0)"},
      {R"({"Constant":{"data":[1,2,3]}})", "const(3B)"},
      {R"({"Custom":{"name":"f","num_inputs":2,"attrs":[1]}})", "custom(f,in=2,attrs=1B)"},
      {R"({"Conv":{"kernel_size":[3,5],"stride":[1,1],"padding":[0,0],"dilation":[1,1],)"
       R"("groups":1}})",
       "conv2d([3, 5])"},
  });
  BOOST_CHECK_EQUAL(op_text(R"({"CustomFn":{"fwd_body":)" + body + R"(,"vjp_body":)" + body +
                            R"(,"jvp_body":null,"num_inputs":1}})"),
                    "custom_fn(in=1,vjp)");
  BOOST_CHECK_EQUAL(
      op_text(R"({"While":{"cond":)" + body + R"(,"body":)" + body + R"(,"max_iterations":7}})"),
      "while(...max=7)");
  BOOST_CHECK_EQUAL(
      op_text(R"({"While":{"cond":)" + body + R"(,"body":)" + body + R"(,"max_iterations":null}})"),
      "while(...)");
}

BOOST_AUTO_TEST_CASE(never_fail_on_what_they_do_not_know) {
  check_ops({{R"("Later")", "Later"},
             {R"({"Later":{"a":1}})", "Later"},
             {R"({"Gather":{}})", "gather(axis=?)"},
             {R"({"LayerNorm":{"axis":-1,"eps":null}})", "layer_norm(eps=?)"},
             {R"({"Quantize":{"axis":null}})", "quantize(s=?)"}});
}

// Every kind of the contract's table has a text of its own: none is printed by its kind's name.
BOOST_AUTO_TEST_CASE(know_every_kind_of_the_contract) {
  const std::vector<std::string_view> kinds{
#define KIND_NAME(number, name, fields) #name,
      RLX_KINDS(KIND_NAME)
#undef KIND_NAME
  };
  for (const std::string_view kind : kinds) {
    const std::string text = op_text('"' + std::string{kind} + '"');
    BOOST_CHECK_MESSAGE(text != kind, kind << " has no text");
  }
  BOOST_CHECK_EQUAL(kinds.size(), 187);
}

BOOST_AUTO_TEST_CASE(of_blocks_have_their_own_words) {
  for (const auto& [json, text] :
       samples{{R"({"Linear":{"activation":"Gelu","has_bias":true}})", "linear+bias+Gelu"},
               {R"({"Linear":{"activation":null,"has_bias":false}})", "linear"},
               {R"({"LinearFused":{"activation":"Silu"}})", "linear_fused(Silu)"},
               {R"({"LinearFused":{"activation":null}})", "linear_fused"},
               {R"({"SharedLinearPair":{"slot":1}})", "shared_linear_pair(out=1)"},
               {R"("SwiGLU")", "swiglu_ffn"},
               {R"({"Attention":{"num_heads":2,"head_dim":4,"mask":{"SlidingWindow":8}}})",
                "attention(heads=2, dim=4, mask=SlidingWindow(8))"},
               {R"({"Constant":{"data":[0,0]}})", "constant(2 bytes)"},
               {R"({"GatedDeltaNet":{"state_size":4,"carry_state":true}})",
                "gated_delta_net(n=4,carry)"},
               {R"({"DepthwiseConv1dCausal":{"kernel_size":4}})", "depthwise_conv1d_causal(k=4)"},
               {R"({"Qwen35MtpHead":{"num_heads":2,"num_kv_heads":1,"head_dim":4,"n_rot":4,)"
                R"("n_embd":8,"n_ff":16,"mtp_vocab":99,"eps":0.5}})",
                "qwen35_mtp_head(heads=2, dim=4, vocab=99)"}}) {
    BOOST_CHECK_EQUAL(block_text(json), text);
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(listings)

rlx::graph chain_with_names(const std::vector<std::string_view>& names) {
  auto store = std::make_shared<rlx::storage>();
  rlx::graph g{store, "g"};
  const std::uint64_t dims[] = {2};
  const rlx::shape_view shape{dims, 0, RLX_DTYPE_F32};
  g.add(rlx::read_op(*store, R"({"Input":{"name":"x"}})"), {}, shape);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const rlx::node_id before[] = {static_cast<rlx::node_id>(i)};
    g.add(rlx::read_op(*store, R"({"Activation":"Neg"})"), before, shape, names[i]);
  }
  return g;
}

BOOST_AUTO_TEST_CASE(pad_by_characters_to_the_widest_tag_in_bytes) {
  // `%1 ["éé"]` is 9 characters and 11 bytes: every ` = ` stands at column 2 + 14, the bytes of
  // `%0 [input "x"]`; a longer name in bytes widens all.
  const rlx::graph g = chain_with_names({"\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"});
  std::string out;
  rlx::append_graph_listing(out, g);
  // `%1 ["` 5 + 12 bytes + `"]` 2 = 19 bytes wide.
  BOOST_CHECK(out.find("  %0 [input \"x\"]" + std::string(19 - 14, ' ') + " = input(\"x\")") !=
              std::string::npos);
  BOOST_CHECK(out.find("  %1 [\"\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\"]" + std::string(6, ' ') +
                       " = Neg(%0)") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(mark_an_output_once_and_return_it_as_often_as_named) {
  rlx::graph g = chain_with_names({"a"});
  g.set_outputs({1, 0, 1});
  std::string out;
  rlx::append_graph_listing(out, g);
  BOOST_CHECK(out.find("  return %1, %0, %1\n") != std::string::npos);
  std::size_t marks = 0;
  for (std::size_t at = 0; (at = out.find("\u2190 output", at)) != std::string::npos; ++at) ++marks;
  BOOST_CHECK_EQUAL(marks, 2);
}

BOOST_AUTO_TEST_CASE(tell_an_empty_origin_from_none) {
  rlx::graph g = chain_with_names({"a", "b"});
  g.set_origin_of(1, g.intern_origin({}));
  g.set_origin_of(2, g.intern_origin({.hir = 3, .label = "l", .pass = "p"}));
  std::string out;
  rlx::append_graph_listing(out, g);
  BOOST_CHECK(out.find("= input(\"x\") : [2] f32\n") != std::string::npos);
  BOOST_CHECK(out.find("= Neg(%0) : [2] f32  // \u2014\n") != std::string::npos);
  BOOST_CHECK(out.find("= Neg(%1) : [2] f32  // hir=h3, \"l\", pass=p\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(scale_the_known_bytes) {
  const auto header = [](std::uint64_t bytes) {
    auto store = std::make_shared<rlx::storage>();
    rlx::graph g{store, "g"};
    const std::uint64_t dims[] = {bytes};
    g.add(rlx::read_op(*store, R"({"Input":{"name":"x"}})"), {}, {dims, 0, RLX_DTYPE_U8});
    std::string out;
    rlx::append_graph_listing(out, g);
    return out.substr(0, out.find('\n'));
  };
  const auto wanted = [](std::string_view size) {
    return "graph @g (1 nodes, 0 outputs, " + std::string{size} + " arena)";
  };
  BOOST_CHECK_EQUAL(header(1023), wanted("1023 B"));
  BOOST_CHECK_EQUAL(header(1024 + 512), wanted("1.5 KB"));
  BOOST_CHECK_EQUAL(header(std::uint64_t{3} << 20), wanted("3.0 MB"));
  BOOST_CHECK_EQUAL(header(std::uint64_t{2048} << 30), wanted("2048.0 GB"));
}

BOOST_AUTO_TEST_CASE(of_a_diff_leave_out_kinds_that_did_not_change) {
  const rlx::graph before = chain_with_names({"a"});
  const rlx::graph after = chain_with_names({"a", "b", "c"});
  std::string out;
  rlx::append_diff_text(out, before, after);
  BOOST_CHECK_EQUAL(out,
                    "  diff: 2 \u2192 4 nodes (0 \u2192 0 outputs)\n  op delta: Activation+2\n");
  out.clear();
  rlx::append_diff_text(out, after, before);
  BOOST_CHECK_EQUAL(out,
                    "  diff: 4 \u2192 2 nodes (0 \u2192 0 outputs)\n  op delta: Activation-2\n");
  out.clear();
  rlx::append_diff_text(out, before, before);
  BOOST_CHECK_EQUAL(out, "  diff: 2 \u2192 2 nodes (0 \u2192 0 outputs)\n");
}

BOOST_AUTO_TEST_CASE(of_hir_show_wrapped_operations) {
  hir_test::builder b{"Fusable"};
  const auto x = b.input("x", {2});
  const auto y = b.node(R"({"Mir":{"Activation":"Neg"}})", {x}, {2}, "F32", R"("mine")");
  const auto z = b.node(R"({"Mir":{"Input":{"name":"z"}}})", {}, {2});
  std::string out;
  rlx::append_hir_text(out, *rlx::read_text(b.finish({y, z})).hir);
  BOOST_CHECK_EQUAL(out,
                    "hir @m (3 nodes, 2 outputs, fusion=Fusable)\n"
                    "  block ops: Input=1, Mir=2\n\n"
                    "  h0 [input \"x\"] = input(\"x\") : [2] f32\n"
                    "  h1 [\"mine\"]    = mir(Neg)(h0) : [2] f32  \u2190 output\n"
                    "  h2             = mir(input(\"z\")) : [2] f32  \u2190 output\n"
                    "  return h1, h2\n");
}

BOOST_AUTO_TEST_SUITE_END()
