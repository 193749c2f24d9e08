// The host's graph: its columns, what the storage shares, and the view lent of it.
#define BOOST_TEST_MODULE graph
#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "host/error.hpp"
#include "host/graph/graph.hpp"
#include "host/graph/view.hpp"
#include "host/read/op.hpp"
#include "rlx/view.hpp"

namespace {

using ids = std::vector<rlx::node_id>;
using sizes = std::vector<std::uint64_t>;

struct fixture {
  std::shared_ptr<rlx::storage> store = std::make_shared<rlx::storage>();
  rlx::graph g{store, "g"};

  rlx::node_id add(std::string_view op, const ids& inputs, const sizes& dims,
                   std::uint32_t dtype = RLX_DTYPE_F32, std::uint64_t dynamic = 0) {
    return g.add(rlx::read_op(*store, op), inputs, {dims, dynamic, dtype});
  }
  rlx::node_id input(const sizes& dims, std::uint64_t dynamic = 0) {
    return add(R"({"Input":{"name":"x"}})", {}, dims, RLX_DTYPE_F32, dynamic);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(storage, fixture)

BOOST_AUTO_TEST_CASE(numbers_kinds_by_the_table) {
  BOOST_TEST(store->kind_number("MatMul") == std::uint32_t{RLX_KIND_MatMul});
  BOOST_TEST(store->kind_number("SpdMatrixFnBatchBackward") == 187u);
}

BOOST_AUTO_TEST_CASE(numbers_unknown_kinds_from_the_first_unlisted_on) {
  const std::uint32_t a = store->kind_number("Novel");
  BOOST_TEST(a == RLX_FIRST_UNLISTED);
  BOOST_TEST(store->kind_number("Other") == RLX_FIRST_UNLISTED + 1);
  BOOST_TEST(store->kind_number("Novel") == a);
  BOOST_TEST(store->kind_number("matmul") >= RLX_FIRST_UNLISTED);
  BOOST_TEST(store->unlisted_kind_number("MatMul") >= RLX_FIRST_UNLISTED);
}

BOOST_AUTO_TEST_CASE(numbers_dtypes_and_gives_their_text_back) {
  for (const char* name : {"F32", "F16", "BF16", "F64", "I8", "I16", "I32", "I64", "U8", "U32",
                           "Bool", "C64", "C128", "F8", ""}) {
    const std::uint32_t number = store->dtype_number(name);
    BOOST_TEST(store->dtype_text(number) == name);
    BOOST_TEST(store->dtype_number(name) == number);
  }
  BOOST_TEST(store->dtype_number("F32") == std::uint32_t{RLX_DTYPE_F32});
  BOOST_TEST(store->dtype_number("F8") >= RLX_FIRST_UNLISTED);
}

BOOST_AUTO_TEST_CASE(keeps_texts_where_they_are) {
  std::string text = "weight";
  const std::string_view kept = store->keep(text);
  for (int i = 0; i < 10'000; ++i) store->keep("something else " + std::to_string(i));
  text = "xxxxxx";
  BOOST_TEST(kept == "weight");
  BOOST_TEST(store->keep("").data() != nullptr);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(graph, fixture)

BOOST_AUTO_TEST_CASE(holds_nodes_by_position) {
  const auto x = input({2, 3});
  const auto y = add(R"("MatMul")", {x, x}, {2, 2}, RLX_DTYPE_F16);
  BOOST_TEST(g.size() == 2u);
  BOOST_TEST(y == 1u);
  BOOST_TEST(std::ranges::equal(g.inputs(y), ids{x, x}));
  BOOST_TEST(std::ranges::equal(g.dims(x), sizes{2, 3}));
  BOOST_TEST(g.shape(y).dtype == std::uint32_t{RLX_DTYPE_F16});
  BOOST_TEST(g.kind(y) == std::uint32_t{RLX_KIND_MatMul});
}

BOOST_AUTO_TEST_CASE(copies_shapes_and_operands_from_itself) {
  input({2, 3});
  add(R"("MatMul")", {0, 0}, {7, 8, 9});
  for (int i = 0; i < 1000; ++i) {
    // The spans point into the columns that grow meanwhile.
    g.add(g.op(1), g.inputs(1), g.shape(1));
  }
  BOOST_TEST(std::ranges::equal(g.dims(1001), sizes{7, 8, 9}));
  BOOST_TEST(std::ranges::equal(g.inputs(1001), ids{0, 0}));
}

BOOST_AUTO_TEST_CASE(tells_an_empty_name_from_none) {
  const auto op = rlx::read_op(*store, R"("MatMul")");
  g.add(op, {}, {});
  g.add(op, {}, {}, "");
  g.add(op, {}, {}, std::string_view{});
  BOOST_TEST(!g.name_of(0));
  BOOST_TEST(g.name_of(1).value() == "");
  BOOST_TEST(g.name_of(2).value() == "");
  g.set_name_of(1, std::nullopt);
  BOOST_TEST(!g.name_of(1));
}

BOOST_AUTO_TEST_CASE(tells_an_empty_origin_from_none) {
  BOOST_TEST(g.intern_origin({}) != rlx::no_origin);
  const rlx::origin from{3, "linear", std::nullopt};
  const auto id = g.intern_origin(from);
  BOOST_TEST(g.intern_origin(from) == id);
  BOOST_TEST((g.origin_at(id) == from));
}

BOOST_AUTO_TEST_CASE(refuses_a_rank_above_64) {
  input(sizes(64, 1));
  BOOST_CHECK_EXCEPTION(input(sizes(65, 1)), rlx::error, [](const rlx::error& e) {
    return std::string_view{e.what()} == "a shape has rank 65; at most 64 dims are supported";
  });
}

BOOST_AUTO_TEST_CASE(counts_elements_exactly_or_not_at_all) {
  const auto count = [](const sizes& dims, std::uint64_t dynamic = 0) {
    return rlx::element_count({dims, dynamic, RLX_DTYPE_F32});
  };
  constexpr auto largest = std::numeric_limits<std::uint64_t>::max();
  BOOST_TEST(count({}).value() == 1u);
  BOOST_TEST(count({2, 3, 4}).value() == 2u * 3 * 4);
  BOOST_TEST(count({5, 0}).value() == 0u);
  BOOST_TEST(count({largest}).value() == largest);
  BOOST_TEST(!count({largest, 2}));
  BOOST_TEST(!count({1ull << 40, 1ull << 40, 0}));  // left to right, as the rule counts
  BOOST_TEST(count({0, 1ull << 40, 1ull << 40}).value() == 0u);
  BOOST_TEST(!count({2, 3}, 0b10));
}

BOOST_AUTO_TEST_CASE(counts_bytes_exactly_or_not_at_all) {
  const auto bytes = [](const sizes& dims, std::uint32_t dtype) {
    return rlx::byte_size({dims, 0, dtype});
  };
  BOOST_TEST(bytes({2, 3}, RLX_DTYPE_F32).value() == 2u * 3 * 4);
  BOOST_TEST(bytes({3}, RLX_DTYPE_C128).value() == 3u * 16);
  BOOST_TEST(!bytes({3}, RLX_FIRST_UNLISTED));
  BOOST_TEST(!bytes({1ull << 62}, RLX_DTYPE_F32));
  BOOST_TEST(bytes({1ull << 62}, RLX_DTYPE_F16).value() == 1ull << 63);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(view, fixture)

BOOST_AUTO_TEST_CASE(finds_views_by_the_rule) {
  const auto x = input({8, 4});
  const auto is_view = [&](rlx::node_id id) { return rlx::find_view_step(g, id).has_value(); };
  BOOST_TEST(is_view(add(R"({"Reshape":{"new_shape":[32]}})", {x}, {32})));
  BOOST_TEST(is_view(add(R"({"Cast":{"to":"F32"}})", {x}, {8, 4})));
  BOOST_TEST(!is_view(add(R"({"Cast":{"to":"F16"}})", {x}, {8, 4}, RLX_DTYPE_F16)));
  BOOST_TEST(is_view(add(R"({"Narrow":{"axis":0,"start":2,"len":3}})", {x}, {3, 4})));
  BOOST_TEST(!is_view(add(R"({"Narrow":{"axis":1,"start":0,"len":2}})", {x}, {8, 2})));
  BOOST_TEST(!is_view(add(R"({"Transpose":{"perm":[1,0]}})", {x}, {4, 8})));
  BOOST_TEST(!is_view(add(R"({"Reshape":{"new_shape":[32]}})", {}, {32})));  // no operand
  // A form that nobody knows is no view.
  BOOST_TEST(!is_view(add(R"({"Narrow":{"axis":"0","start":2,"len":3}})", {x}, {3, 4})));
}

BOOST_AUTO_TEST_CASE(adds_offsets_along_a_chain_of_views) {
  const auto x = input({8, 4});
  const auto rows = add(R"({"Narrow":{"axis":0,"start":2,"len":6}})", {x}, {6, 4});
  const auto flat = add(R"({"Reshape":{"new_shape":[24]}})", {rows}, {24});
  const auto part = add(R"({"Narrow":{"axis":0,"start":5,"len":4}})", {flat}, {4});
  const rlx::lent_view lent{g};
  const rlx::graph_view v{lent.get()};
  BOOST_TEST(!rlx::find_defect(lent.get()));
  for (const auto id : {rows, flat, part}) BOOST_TEST(v.node(id).view_root == x);
  BOOST_TEST(v.info(rows).view_byte_offset == 2u * 4 * 4);
  BOOST_TEST(v.info(flat).view_byte_offset == 2u * 4 * 4);
  BOOST_TEST(v.info(part).view_byte_offset == 2u * 4 * 4 + 5 * 4);
}

BOOST_AUTO_TEST_CASE(does_not_know_offsets_behind_dynamic_dims) {
  const auto x = input({4, 0}, 0b10);
  const auto row =
      add(R"({"Narrow":{"axis":0,"start":1,"len":1}})", {x}, {1, 0}, RLX_DTYPE_F32, 0b10);
  const auto flat = add(R"({"Reshape":{"new_shape":[-1]}})", {row}, {0}, RLX_DTYPE_F32, 0b1);
  const rlx::lent_view lent{g};
  const rlx::graph_view v{lent.get()};
  BOOST_TEST(v.node(flat).view_root == x);
  BOOST_TEST(v.info(row).view_byte_offset == RLX_UNKNOWN);
  BOOST_TEST(v.info(flat).view_byte_offset == RLX_UNKNOWN);
  // A dynamic dim 0 hides nothing.
  const auto y = input({0, 4}, 0b01);
  const auto second = add(R"({"Narrow":{"axis":0,"start":1,"len":1}})", {y}, {1, 4});
  BOOST_TEST(rlx::find_view_step(g, second)->byte_offset == 4u * 4);
}

BOOST_AUTO_TEST_CASE(does_not_know_offsets_beyond_64_bits) {
  const auto x = input({4, 1ull << 40, 1ull << 40});
  const auto row = add(R"({"Narrow":{"axis":0,"start":1,"len":1}})", {x}, {1});
  BOOST_TEST(rlx::find_view_step(g, row)->byte_offset == RLX_UNKNOWN);
}

BOOST_AUTO_TEST_CASE(lends_the_columns_without_a_copy) {
  input({2, 3});
  add(R"({"Activation":"Relu"})", {0}, {2, 3});
  g.set_outputs({1});
  const rlx::lent_view lent{g};
  BOOST_TEST(lent.get().nodes == g.nodes().data());
  BOOST_TEST(lent.get().inputs == g.inputs(1).data());
  BOOST_TEST(lent.get().outputs == g.outputs().data());
  BOOST_TEST(lent.get().arena_bytes == RLX_UNKNOWN);
}

BOOST_AUTO_TEST_CASE(lends_cold_records) {
  const auto op = rlx::read_op(*store, R"({"Gather":{"axis":1}})");
  g.add(op, {}, {sizes{2}, 0, store->dtype_number("F8")}, "n",
        g.intern_origin({7, "label", std::nullopt}));
  const rlx::lent_view lent{g};
  const rlx::graph_view v{lent.get()};
  BOOST_TEST(rlx::text(v.info(0).kind_text) == "Gather");
  BOOST_TEST(rlx::text(v.info(0).dtype_text) == "F8");
  BOOST_TEST(rlx::text(v.info(0).name) == "n");
  BOOST_TEST(rlx::text(v.info(0).origin_label) == "label");
  BOOST_TEST(rlx::is_absent(v.info(0).origin_pass));
  BOOST_TEST(v.info(0).origin_hir == 7u);
  BOOST_TEST(v.info(0).slot_offset == RLX_UNKNOWN);
  BOOST_REQUIRE(v.attribute(0, "axis") != nullptr);
  BOOST_TEST(v.attribute(0, "axis")->value.u64 == 1u);
  BOOST_TEST(v.attribute(0, "other") == nullptr);
}

BOOST_AUTO_TEST_CASE(lends_nested_graphs_under_their_field) {
  const std::string body =
      R"({"name":"b","nodes":[{"id":0,"op":{"Input":{"name":"c"}},"inputs":[],)"
      R"("shape":{"dims":[],"dtype":"F32"},"name":null,"origin":null}],"outputs":[0]})";
  const auto x = input({});
  const auto scan = add(R"({"Scan":{"body":)" + body + R"(,"length":9}})", {x}, {});
  const rlx::lent_view lent{g};
  const rlx::graph_view v{lent.get()};
  BOOST_TEST(!rlx::find_defect(lent.get()));
  BOOST_REQUIRE_EQUAL(v.nested(scan).size(), 1u);
  BOOST_TEST(rlx::text(v.nested(scan)[0].role) == "body");
  BOOST_TEST(rlx::graph_view{*v.nested(scan)[0].graph}.name() == "b");
  BOOST_TEST(v.nested(x).empty());
}

BOOST_AUTO_TEST_SUITE_END()
