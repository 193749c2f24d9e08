// The builder that other tests stand on: what it says is what a reader of the view sees.
#define BOOST_TEST_MODULE view_builder
#include <boost/test/unit_test.hpp>

#include "tests/support/view_builder.hpp"

namespace opscope::test {
namespace {

BOOST_AUTO_TEST_SUITE(view_builder_suite)

BOOST_AUTO_TEST_CASE(lends_nodes_dims_and_operands) {
  view_builder b{"mm"};
  const auto x = b.input("x", {symbol(3), 128});
  const auto w = b.param("w", {128, 32}, RLX_DTYPE_F16);
  const auto y = b.node(RLX_KIND_MatMul, {x, w}, {symbol(3), 32});
  b.outputs({y, y}).slot(y, 64, 256).arena(320);
  const rlx::graph_view g = b.view();
  BOOST_TEST(!rlx::find_defect(b.get()).has_value());
  BOOST_TEST(g.name() == "mm");
  BOOST_REQUIRE(g.size() == 3u);
  BOOST_TEST(g.node(y).kind == std::uint32_t{RLX_KIND_MatMul});
  BOOST_TEST(g.node(w).dtype == std::uint32_t{RLX_DTYPE_F16});
  BOOST_TEST(g.node(x).dynamic_dims == 1u);
  BOOST_TEST(g.node(w).dynamic_dims == 0u);
  BOOST_TEST(g.dims(g.node(y))[0] == 3u);
  BOOST_TEST(g.dims(g.node(y))[1] == 32u);
  BOOST_TEST(g.inputs(g.node(y))[1] == w);
  BOOST_TEST(rlx::text(g.info(x).name) == "x");
  BOOST_TEST(rlx::is_absent(g.info(y).name));
  BOOST_TEST(rlx::text(g.info(y).kind_text) == "MatMul");
  BOOST_TEST(rlx::text(g.info(w).dtype_text) == "F16");
  BOOST_TEST(g.info(y).slot_offset == 64u);
  BOOST_TEST(g.info(x).slot_offset == RLX_UNKNOWN);
  BOOST_TEST(g.arena_bytes().value() == 320u);
  BOOST_TEST(g.outputs().size() == 2u);
}

BOOST_AUTO_TEST_CASE(types_attributes_by_their_value) {
  view_builder b;
  const auto x = b.input("x", {4});
  const auto n = b.node(RLX_KIND_Attention, {x}, {4}, RLX_DTYPE_F32,
                        {{"num_heads", 8u},
                         {"axis", -1},
                         {"eps", 1e-5f},
                         {"causal", true},
                         {"mask_kind", "Causal"},
                         {"data", bytes(17)},
                         {"chain", json("[]")},
                         {"perm", u64s({1, 0})},
                         {"new_shape", i64s({-1, 2})},
                         {"scales", f64s({0.5})},
                         {"reuse", bools({true, false})},
                         {"names", texts({"a", "b"})}});
  const rlx::graph_view g = b.view();
  BOOST_TEST(g.attributes(n).size() == 12u);
  BOOST_TEST(g.attribute(n, "num_heads")->type == RLX_ATTRIBUTE_U64);
  BOOST_TEST(g.attribute(n, "num_heads")->value.u64 == 8u);
  BOOST_TEST(g.attribute(n, "axis")->value.i64 == -1);
  BOOST_TEST(g.attribute(n, "eps")->value.f64 == double{1e-5f});
  BOOST_TEST(g.attribute(n, "causal")->type == RLX_ATTRIBUTE_BOOL);
  BOOST_TEST(rlx::text(g.attribute(n, "mask_kind")->value.text) == "Causal");
  BOOST_TEST(g.attribute(n, "data")->type == RLX_ATTRIBUTE_BYTES);
  BOOST_TEST(g.attribute(n, "data")->value.u64 == 17u);
  BOOST_TEST(g.attribute(n, "chain")->type == RLX_ATTRIBUTE_JSON);
  BOOST_TEST(g.attribute(n, "perm")->count == 2u);
  BOOST_TEST(g.attribute(n, "perm")->value.u64s[0] == 1u);
  BOOST_TEST(g.attribute(n, "new_shape")->value.i64s[0] == -1);
  BOOST_TEST(g.attribute(n, "scales")->value.f64s[0] == 0.5);
  BOOST_TEST(g.attribute(n, "reuse")->value.u64s[1] == 0u);
  BOOST_TEST(rlx::text(g.attribute(n, "names")->value.texts[1]) == "b");
  BOOST_TEST(g.attribute(n, "absent") == nullptr);
}

BOOST_AUTO_TEST_CASE(numbers_unlisted_kinds_alike_in_nested_graphs) {
  view_builder b;
  const auto c = b.input("c", {}, RLX_DTYPE_Bool);
  const auto kind = b.unlisted_kind("NextYear");
  const auto n = b.node(RLX_KIND_If, {c}, {4});
  view_builder& branch = b.nested(n, "then_branch");
  branch.node(branch.unlisted_kind("NextYear"), {}, {4}, branch.unlisted_dtype("F8"));
  const rlx::graph_view g = b.view();
  BOOST_REQUIRE(g.nested(n).size() == 1u);
  BOOST_TEST(rlx::text(g.nested(n)[0].role) == "then_branch");
  const rlx::graph_view body{*g.nested(n)[0].graph};
  BOOST_TEST(body.node(0).kind == kind);
  BOOST_TEST(kind >= RLX_FIRST_UNLISTED);
  BOOST_TEST(b.unlisted_kind("Other") == kind + 1);
  BOOST_TEST(rlx::text(body.info(0).kind_text) == "NextYear");
  BOOST_TEST(rlx::text(body.info(0).dtype_text) == "F8");
}

BOOST_AUTO_TEST_CASE(resolves_alias_chains) {
  view_builder b;
  const auto x = b.input("x", {8, 4});
  const auto y = b.node(RLX_KIND_Narrow, {x}, {4, 4});
  const auto z = b.node(RLX_KIND_Narrow, {y}, {1, 4});
  b.alias(y, x, 64).alias(z, y, 32);
  const rlx::graph_view g = b.view();
  BOOST_TEST(g.node(z).view_root == x);
  BOOST_TEST(g.info(z).view_byte_offset == 64u + 32u);
  BOOST_TEST(g.is_view(z));
  BOOST_TEST(!g.is_view(x));
}

BOOST_AUTO_TEST_CASE(lends_longer_elements) {
  view_builder b;
  b.input("x", {8});
  b.node(RLX_KIND_Activation, {0}, {8});
  b.stride_padding(16);
  const rlx::graph_view g = b.view();
  BOOST_TEST(g.raw().node_stride == sizeof(rlx_node) + 16);
  BOOST_TEST(g.raw().info_stride == sizeof(rlx_node_info) + 16);
  BOOST_TEST(g.node(1).kind == std::uint32_t{RLX_KIND_Activation});
  BOOST_TEST(rlx::text(g.info(1).kind_text) == "Activation");
  BOOST_TEST(!rlx::find_defect(b.get()).has_value());
}

BOOST_AUTO_TEST_CASE(lets_a_test_break_a_record) {
  view_builder b;
  b.input("x", {8});
  b.node(RLX_KIND_Activation, {0}, {8});
  b.raw_inputs()[0] = 1;
  BOOST_TEST(rlx::find_defect(b.get()).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace opscope::test
