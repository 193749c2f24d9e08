// Labels: what names a node, and that they live through lowering.
#define BOOST_TEST_MODULE label
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>

#include "plugin/ledger/label.hpp"
#include "tests/ledger/golden.hpp"
#include "tests/support/view_builder.hpp"

namespace opscope::test {
namespace {

std::string label_of(view_builder& b, std::uint32_t id) {
  BOOST_REQUIRE(!rlx::find_defect(b.get()));
  return label_table{b.view()}[id].text();
}
std::string last_label(view_builder& b) {
  return label_of(b, static_cast<std::uint32_t>(b.size() - 1));
}

BOOST_AUTO_TEST_SUITE(labels)

BOOST_AUTO_TEST_CASE(leaves_have_their_names) {
  view_builder b{"g"};
  b.input("x", {4});
  b.param("a.weight", {4});
  b.constant({4});
  b.constant({4});
  b.name(3, "eps");
  BOOST_TEST(label_of(b, 0) == "x");
  BOOST_TEST(label_of(b, 1) == "a.weight");
  BOOST_TEST(label_of(b, 2) == "Constant");
  BOOST_TEST(label_of(b, 3) == "eps");
}

BOOST_AUTO_TEST_CASE(come_from_the_largest_parameter_without_its_role) {
  view_builder b{"g"};
  const auto x = b.input("x", {1, 8});
  const auto w = b.param("layer.0.up.weight", {8, 8});
  const auto bias = b.param("layer.0.up.bias", {8});
  b.node(RLX_KIND_FusedMatMulBiasAct, {x, w, bias}, {1, 8});
  BOOST_TEST(last_label(b) == "layer.0.up");
  const auto other = b.param("layer.0.other", {8});
  b.node(RLX_KIND_FusedMatMulBiasAct, {x, w, other}, {1, 8});
  BOOST_TEST(last_label(b) == "layer.0.up");
}

BOOST_AUTO_TEST_CASE(follow_parameters_through_invariant_nodes_only) {
  view_builder b{"g"};
  const auto x = b.input("x", {8, 8});
  const auto w = b.param("layer.0.up.weight", {8, 8});
  const auto cast = b.node(RLX_KIND_Cast, {w}, {8, 8}, RLX_DTYPE_F16, {{"to", "F16"}});
  const auto turned = b.node(RLX_KIND_Transpose, {cast}, {8, 8}, RLX_DTYPE_F16);
  const auto product = b.node(RLX_KIND_MatMul, {x, turned}, {8, 8});
  const auto relu = b.node(RLX_KIND_Activation, {product}, {8, 8});
  BOOST_TEST(label_of(b, cast) == "layer.0.up");
  BOOST_TEST(label_of(b, turned) == "layer.0.up");
  BOOST_TEST(label_of(b, product) == "layer.0.up");
  BOOST_TEST(label_of(b, relu) == "layer.0.Activation");
}

BOOST_AUTO_TEST_CASE(what_is_drawn_at_random_is_not_invariant) {
  view_builder b{"g"};
  const auto w = b.param("layer.0.up.weight", {8});
  const auto drawn = b.node(RLX_KIND_Sample, {w}, {8});
  const auto x = b.node(RLX_KIND_Binary, {drawn, drawn}, {8});
  BOOST_TEST(label_of(b, drawn) == "layer.0.up");
  BOOST_TEST(label_of(b, x) == "layer.0.Binary");
}

std::string joined(const std::vector<std::string>& names) {
  view_builder b{"g"};
  id_list parts;
  for (const std::string& name : names) parts.push_back(b.param(name, {8, 8}));
  b.node(RLX_KIND_Concat, parts, {64, 8});
  return last_label(b);
}

BOOST_AUTO_TEST_CASE(several_parameters_are_joined_in_one_component) {
  BOOST_TEST(joined({"l.3.attn.q_proj.weight", "l.3.attn.k_proj.weight",
                     "l.3.attn.v_proj.weight"}) == "l.3.attn.{q,k,v}_proj");
  BOOST_TEST(joined({"l.0.query.weight", "l.0.key.weight"}) == "l.0.{query,key}");
  BOOST_TEST(joined({"l.0.w.weight", "l.1.w.weight"}) == "l.{0,1}.w");
  BOOST_TEST(joined({"a", "b"}) == "{a,b}");
  BOOST_TEST(joined({"l.w.weight", "l.w.weight"}) == "l.w");
  // Names that differ in more than one component: what they have in common, and the kind.
  BOOST_TEST(joined({"l.0.attn.q.weight", "l.0.mlp.up.weight"}) == "l.0.Concat");
  BOOST_TEST(joined({"x.a", "y.b"}) == "x.a");
  // Scales beside a weight do not name it.
  BOOST_TEST(joined({"l.0.up.weight", "l.0.up.scale", "l.0.up.zp"}) == "l.0.up");
}

BOOST_AUTO_TEST_CASE(long_joins_are_shortened) {
  std::vector<std::string> names;
  for (int i = 0; i < 32; ++i) names.push_back("l." + std::to_string(i) + ".w");
  BOOST_TEST(joined(names) == "l.{0,1,2,..,31}.w");
}

BOOST_AUTO_TEST_CASE(a_join_is_remembered_by_what_reads_it) {
  view_builder b{"g"};
  const auto x = b.input("x", {1, 8});
  const auto q = b.param("l.3.attn.q_proj.weight", {8, 8});
  const auto k = b.param("l.3.attn.k_proj.weight", {8, 2});
  const auto both = b.node(RLX_KIND_Concat, {q, k}, {8, 10});
  const auto product = b.node(RLX_KIND_MatMul, {x, both}, {1, 10});
  const auto part = b.node(RLX_KIND_Narrow, {product}, {1, 8});
  BOOST_TEST(label_of(b, both) == "l.3.attn.{q,k}_proj");
  BOOST_TEST(label_of(b, product) == "l.3.attn.{q,k}_proj");
  BOOST_TEST(label_of(b, part) == "l.3.attn.Narrow");
}

BOOST_AUTO_TEST_CASE(shared_leaves_do_not_count_beside_larger_ones) {
  view_builder b{"g"};
  const auto cos = b.param("rope.cos", {64});
  const auto sin = b.param("rope.sin", {64});
  const auto beta = b.param("zero_beta", {64});
  std::vector<std::uint32_t> ropes;
  std::vector<std::uint32_t> norms;
  auto x = b.input("x", {64});
  for (int layer = 0; layer < 4; ++layer) {
    const std::string path = "l." + std::to_string(layer);
    const auto gamma = b.param(path + ".ln.weight", {64});
    const auto w = b.param(path + ".attn.q_proj.weight", {64, 64});
    norms.push_back(b.node(RLX_KIND_RmsNorm, {x, gamma, beta}, {64}));
    x = b.node(RLX_KIND_MatMul, {norms.back(), w}, {64});
    x = b.node(RLX_KIND_Rope, {x, cos, sin}, {64});
    ropes.push_back(x);
  }
  BOOST_TEST(label_of(b, norms[2]) == "l.2.ln");
  BOOST_TEST(label_of(b, ropes[2]) == "l.2.attn.Rope");
  // Nothing larger there: they do.
  const auto y = b.input("y", {64});
  b.node(RLX_KIND_Rope, {y, cos, sin}, {64});
  BOOST_TEST(last_label(b) == "rope.{cos,sin}");
}

BOOST_AUTO_TEST_CASE(a_tied_embedding_names_both_of_its_readers) {
  view_builder b{"g"};
  const auto ids = b.input("ids", {1}, RLX_DTYPE_I64);
  const auto table = b.param("model.embed.weight", {1'000, 8});
  const auto gamma = b.param("model.norm.weight", {8});
  const auto x = b.node(RLX_KIND_Gather, {table, ids}, {1, 8});
  const auto n = b.node(RLX_KIND_RmsNorm, {x, gamma}, {1, 8});
  const auto logits = b.node(RLX_KIND_MatMul, {n, table}, {1, 1'000});
  BOOST_TEST(label_of(b, x) == "model.embed");
  BOOST_TEST(label_of(b, n) == "model.norm");
  BOOST_TEST(label_of(b, logits) == "model.embed");
}

BOOST_AUTO_TEST_CASE(else_the_nearest_labelled_operand_gives_the_layer) {
  view_builder b{"g"};
  const auto x = b.input("past.0.key", {8, 8});
  const auto far = b.param("l.0.o_proj.weight", {8, 8});
  const auto near = b.param("l.1.down.weight", {8, 8});
  const auto a = b.node(RLX_KIND_MatMul, {x, far}, {8, 8});
  const auto a2 = b.node(RLX_KIND_Activation, {a}, {8, 8});
  const auto c = b.node(RLX_KIND_MatMul, {a2, near}, {8, 8});
  BOOST_TEST(label_of(b, b.node(RLX_KIND_Binary, {a2, c}, {8, 8})) == "l.1.Binary");
  // A parameter's layer goes before an input's, however near.
  BOOST_TEST(label_of(b, b.node(RLX_KIND_Concat, {x, a2}, {16, 8})) == "l.0.Concat");
  BOOST_TEST(label_of(b, b.node(RLX_KIND_Softmax, {x}, {8, 8})) == "past.0.Softmax");
}

BOOST_AUTO_TEST_CASE(the_nodes_own_name_comes_last) {
  view_builder b{"g"};
  const auto x = b.input("x", {8});
  const auto named = b.node(RLX_KIND_Softmax, {x}, {8});
  const auto bare = b.node(RLX_KIND_Softmax, {named}, {8});
  b.name(named, "probabilities");
  BOOST_TEST(label_of(b, named) == "probabilities");
  BOOST_TEST(label_of(b, bare) == "Softmax");
  const auto w = b.param("l.0.w", {8, 8});
  const auto product = b.node(RLX_KIND_MatMul, {named, w}, {8});
  b.name(product, "llama_decoder_block");
  BOOST_TEST(label_of(b, product) == "l.0.w");
}

BOOST_AUTO_TEST_CASE(unlisted_kinds_give_their_text) {
  view_builder b{"g"};
  const auto w = b.param("l.0.w", {8});
  const auto x = b.input("x", {8});
  const auto n = b.node(b.unlisted_kind("Later"), {w}, {8});
  BOOST_TEST(label_of(b, n) == "l.0.w");
  const auto sum = b.node(RLX_KIND_Binary, {n, x}, {8});
  BOOST_TEST(label_of(b, b.node(b.unlisted_kind("Later"), {sum}, {8})) == "l.0.Later");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(on_real_models)

std::map<std::string, std::set<std::string>> labels_by_kind(const std::string& file) {
  const golden_graph g{file};
  const rlx::graph_view view{g.view()};
  const label_table labels{view};
  std::map<std::string, std::set<std::string>> all;
  for (std::uint32_t id = 0; id < view.size(); ++id) {
    all[std::string{rlx::text(view.info(id).kind_text)}].insert(labels[id].text());
  }
  return all;
}

BOOST_AUTO_TEST_CASE(llama_layers_and_projections_are_named) {
  for (const char* target : {"mir.json", "cpu.lir.json", "cuda.lir.json", "metal.lir.json"}) {
    auto labels = labels_by_kind(std::string{"llama32_1b_s1/"} + target);
    const auto has = [&](const std::string& kind, const std::string& label) {
      BOOST_TEST(labels[kind].count(label) == 1u, target << ": no " << kind << " " << label);
    };
    for (int i = 0; i < 16; ++i) {
      const std::string layer = "model.layers." + std::to_string(i);
      if (std::string_view{target} == "mir.json") {
        for (const char* p : {"q", "k", "v"}) has("MatMul", layer + ".self_attn." + p + "_proj");
        has("MatMul", layer + ".mlp.gate_proj");
        has("MatMul", layer + ".mlp.up_proj");
      } else if (std::string_view{target} == "cpu.lir.json") {
        has("Concat", layer + ".self_attn.{q,k,v}_proj");
        has("MatMul", layer + ".self_attn.{q,k,v}_proj");
        has("Concat", layer + ".mlp.{up,gate}_proj");
        has("FusedSwiGLU", layer + ".mlp.FusedSwiGLU");
      }
      has("MatMul", layer + ".mlp.down_proj");
      has("MatMul", layer + ".self_attn.o_proj");
      has("Rope", layer + ".self_attn.Rope");
      has("RmsNorm", layer + ".post_attention_layernorm");
    }
    has("Gather", "model.embed_tokens");
    has("MatMul", "lm_head");
  }
}

BOOST_AUTO_TEST_CASE(bert_labels_live_through_lowering) {
  const auto source = labels_by_kind("bert_base_b1_s128/mir.json");
  for (const char* target : {"cpu", "metal", "mlx", "wgpu", "cuda", "rocm", "tpu"}) {
    const auto lowered = labels_by_kind(std::string{"bert_base_b1_s128/"} + target + ".lir.json");
    const auto& before = source.at("FusedMatMulBiasAct");
    const auto& after = lowered.at("FusedMatMulBiasAct");
    BOOST_TEST(before == after, target);
    BOOST_TEST(before.size() == 12u * 6u);
    // LayerNorm became FusedResidualLN under the same names.
    BOOST_TEST(source.at("LayerNorm") == lowered.at("FusedResidualLN"), target);
    BOOST_TEST(source.at("Attention") == lowered.at("Attention"), target);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace opscope::test
