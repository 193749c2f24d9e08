// What the fingerprint keeps and what changes it; and its frozen values.
#define BOOST_TEST_MODULE fingerprint
#include <boost/test/unit_test.hpp>
#include <opscope/ledger.hpp>
#include <random>
#include <set>

#include "plugin/ledger/short_hash.hpp"
#include "tests/ledger/random_graph.hpp"

namespace opscope::test {
namespace {

std::string print_of(const plain_graph& g, std::uint64_t names = 0) {
  view_builder b{"graph" + std::to_string(names)};
  build(b, g, names);
  BOOST_REQUIRE(!rlx::find_defect(b.get()));
  return fingerprint(b.view());
}
std::string print_of(view_builder& b) {
  BOOST_REQUIRE(!rlx::find_defect(b.get()));
  return fingerprint(b.view());
}

// One random change of one thing; the same graph again where the choice allows none.
plain_graph changed(plain_graph g, random_source& random) {
  const std::uint32_t id = random.below(g.nodes.size());
  plain_node& n = g.nodes[id];
  switch (random.below(8)) {
    case 0:
      n.kind = n.kind == RLX_KIND_Softmax ? RLX_KIND_MatMul : RLX_KIND_Softmax;
      break;
    case 1:
      n.dtype = n.dtype == RLX_DTYPE_I8 ? RLX_DTYPE_F32 : RLX_DTYPE_I8;
      break;
    case 2:
      if (!n.shape.empty()) n.shape[random.below(n.shape.size())] = 5 + random.below(3);
      break;
    case 3:
      n.shape.push_back(random.chance(50) ? symbol(random.below(3)) : dim{1});
      break;
    case 4:
      if (!n.shape.empty()) n.shape[random.below(n.shape.size())] = symbol(random.below(4));
      break;
    case 5:
      if (n.attributes.empty()) {
        n.attributes.emplace_back("a", random.below(3));
      } else {
        n.attributes.back().second += 1;
      }
      break;
    case 6:
      if (!n.operands.empty()) n.operands[random.below(n.operands.size())] = random.below(id);
      break;
    default:
      if (g.outputs.empty()) {
        g.outputs.push_back(id);
      } else {
        g.outputs[random.below(g.outputs.size())] = id;
      }
      break;
  }
  return g;
}

BOOST_AUTO_TEST_SUITE(fingerprints)

BOOST_AUTO_TEST_CASE(have_a_prefix_and_32_digits) {
  view_builder b{"g"};
  const std::string print = print_of(b);
  BOOST_TEST(print.size() == 4u + 32u);
  BOOST_TEST(print.starts_with("fp1:"));
  BOOST_TEST(print.find_first_not_of("0123456789abcdef", 4) == std::string::npos);
}

BOOST_AUTO_TEST_CASE(survive_renumbering_renaming_and_other_symbols) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    random_source random{seed};
    const plain_graph g = random_graph(random, {.nodes = 1 + seed % 60});
    const std::string print = print_of(g);
    for (int i = 0; i < 3; ++i) {
      const plain_graph other = renumbered(with_other_symbols(g), random);
      BOOST_REQUIRE_MESSAGE(print_of(other, random.next()) == print, "seed " << seed);
    }
  }
}

// Both directions at once: the fingerprints are equal exactly where a search finds a renumbering.
BOOST_AUTO_TEST_CASE(change_with_every_change_that_makes_another_graph) {
  std::size_t other_graphs = 0;
  for (std::uint64_t seed = 0; seed < 4'000; ++seed) {
    random_source random{seed};
    const plain_graph g =
        random_graph(random, {.nodes = 2 + seed % 9, .dynamic_percent = 30, .nested_percent = 0});
    const plain_graph h = renumbered(changed(g, random), random);
    const bool same = is_same_graph(g, h);
    other_graphs += same ? 0 : 1;
    BOOST_REQUIRE_MESSAGE((print_of(g) == print_of(h)) == same, "seed " << seed);
  }
  BOOST_TEST(other_graphs > 3'000u);
}

BOOST_AUTO_TEST_CASE(change_with_two_changes_as_well) {
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    random_source random{seed ^ 0xABCDEF};
    const plain_graph g =
        random_graph(random, {.nodes = 2 + seed % 7, .dynamic_percent = 20, .nested_percent = 0});
    const plain_graph h = renumbered(changed(changed(g, random), random), random);
    BOOST_REQUIRE_MESSAGE((print_of(g) == print_of(h)) == is_same_graph(g, h), "seed " << seed);
  }
}

BOOST_AUTO_TEST_CASE(change_with_a_change_in_a_nested_graph) {
  std::size_t tried = 0;
  for (std::uint64_t seed = 0; tried < 300; ++seed) {
    random_source random{seed};
    const plain_graph g =
        random_graph(random, {.nodes = 10, .dynamic_percent = 0, .nested_percent = 60});
    plain_graph h = g;
    for (plain_node& n : h.nodes) {
      if (!n.body) continue;
      const plain_graph body = changed(*n.body, random);
      // Inputs of a body are told apart by their order, so only trust what changes a multiset.
      if (is_same_graph(*n.body, body)) break;
      n.body = std::make_shared<plain_graph>(body);
      ++tried;
      BOOST_REQUIRE_MESSAGE(print_of(g) != print_of(h), "seed " << seed);
      break;
    }
  }
}

BOOST_AUTO_TEST_CASE(tell_a_shared_subgraph_from_two_equal_ones) {
  view_builder shared{"g"};
  view_builder doubled{"g"};
  for (view_builder* b : {&shared, &doubled}) {
    const bool twice = b == &doubled;
    const auto x = b->input("x", {4, 4});
    const auto first = b->node(RLX_KIND_MatMul, {x, x}, {4, 4});
    const auto second = twice ? b->node(RLX_KIND_MatMul, {x, x}, {4, 4}) : first;
    if (!twice) b->node(RLX_KIND_MatMul, {x, x}, {4, 4});  // as many nodes, one of them unused
    const auto p = b->node(RLX_KIND_Activation, {first}, {4, 4});
    const auto q = b->node(RLX_KIND_Activation, {second}, {4, 4});
    b->outputs({p, q});
  }
  BOOST_TEST(print_of(shared) != print_of(doubled));
}

BOOST_AUTO_TEST_CASE(tell_which_of_two_equal_leaves_feeds_what) {
  // h(f(p), g(p)), h(f(q), g(q)) against h(f(p), g(q)), h(f(q), g(p)).
  view_builder straight{"g"};
  view_builder crossed{"g"};
  for (view_builder* b : {&straight, &crossed}) {
    const auto p = b->param("p", {4});
    const auto q = b->param("q", {4});
    const auto fp = b->node(RLX_KIND_Softmax, {p}, {4});
    const auto fq = b->node(RLX_KIND_Softmax, {q}, {4});
    const auto gp = b->node(RLX_KIND_Activation, {p}, {4});
    const auto gq = b->node(RLX_KIND_Activation, {q}, {4});
    const bool cross = b == &crossed;
    const auto h1 = b->node(RLX_KIND_Binary, {fp, cross ? gq : gp}, {4});
    const auto h2 = b->node(RLX_KIND_Binary, {fq, cross ? gp : gq}, {4});
    b->outputs({h1, h2});
  }
  BOOST_TEST(print_of(straight) != print_of(crossed));
}

// Sums of equal leaves are the edges of a graph on the leaves. A path of three beside one of one
// and two paths of two have the same nodes, users and operand slots; one changed edge lies between.
BOOST_AUTO_TEST_CASE(tell_paths_of_equal_nodes_apart) {
  const auto print = [](std::initializer_list<std::pair<std::uint32_t, std::uint32_t>> edges) {
    view_builder b{"g"};
    std::vector<std::uint32_t> leaves;
    for (int i = 0; i < 6; ++i) leaves.push_back(b.input("x", {4}));
    for (const auto& [from, to] : edges) {
      b.node(RLX_KIND_Binary, {leaves[from], leaves[to]}, {4});
    }
    return print_of(b);
  };
  BOOST_TEST(print({{0, 1}, {1, 2}, {2, 3}, {4, 5}}) != print({{0, 1}, {1, 2}, {5, 3}, {4, 5}}));
  BOOST_TEST(print({{0, 1}, {1, 2}, {5, 3}, {4, 5}}) == print({{4, 5}, {5, 3}, {0, 1}, {1, 2}}));
}

BOOST_AUTO_TEST_CASE(count_unused_nodes) {
  view_builder b{"g"};
  b.outputs({b.input("x", {4})});
  const std::string before = print_of(b);
  b.input("unused", {4});
  const std::string one = print_of(b);
  b.input("unused too", {4});
  const std::string two = print_of(b);
  BOOST_TEST(before != one);
  BOOST_TEST(one != two);
}

BOOST_AUTO_TEST_CASE(depend_on_the_order_of_outputs_and_operands) {
  const auto print = [](bool swap_outputs, bool swap_operands, bool repeat) {
    view_builder b{"g"};
    const auto x = b.input("x", {4});
    const auto y = b.input("y", {8});
    const auto n = swap_operands ? b.node(RLX_KIND_Concat, {y, x}, {12})
                                 : b.node(RLX_KIND_Concat, {x, y}, {12});
    id_list outputs = swap_outputs ? id_list{x, n} : id_list{n, x};
    if (repeat) outputs.push_back(n);
    b.outputs(outputs);
    return print_of(b);
  };
  const std::set<std::string> all{print(false, false, false), print(true, false, false),
                                  print(false, true, false), print(true, true, false),
                                  print(false, false, true)};
  BOOST_TEST(all.size() == 5u);
}

BOOST_AUTO_TEST_CASE(tell_apart_which_dims_are_the_same_symbol) {
  const auto print = [](std::uint64_t a, std::uint64_t b_, std::uint64_t c) {
    view_builder b{"g"};
    const auto x = b.input("x", {symbol(a), symbol(b_)});
    b.outputs({b.node(RLX_KIND_Softmax, {x}, {symbol(c), 4})});
    return print_of(b);
  };
  BOOST_TEST(print(0, 1, 0) == print(5, 3, 5));
  BOOST_TEST(print(0, 1, 0) != print(0, 1, 1));
  BOOST_TEST(print(0, 1, 0) != print(0, 0, 0));
  BOOST_TEST(print(0, 1, 0) != print(0, 1, 2));
}

BOOST_AUTO_TEST_CASE(share_symbols_with_nested_graphs) {
  const auto print = [](std::uint64_t outer, std::uint64_t inner) {
    view_builder b{"g"};
    const auto x = b.input("x", {symbol(outer)});
    const auto loop = b.node(RLX_KIND_Scan, {x}, {symbol(outer)});
    view_builder& body = b.nested(loop, "body");
    body.outputs({body.input("y", {symbol(inner)})});
    b.outputs({loop});
    return print_of(b);
  };
  BOOST_TEST(print(0, 0) == print(3, 3));
  BOOST_TEST(print(0, 1) == print(3, 2));
  BOOST_TEST(print(0, 0) != print(0, 1));
}

BOOST_AUTO_TEST_CASE(bind_the_inputs_of_a_nested_graph_by_their_order) {
  const auto print = [](bool swap) {
    view_builder b{"g"};
    const auto x = b.input("x", {4});
    const auto y = b.input("y", {4});
    const auto loop = b.node(RLX_KIND_Scan, {x, y}, {4});
    view_builder& body = b.nested(loop, "body");
    const auto p = body.input("p", {4});
    const auto q = body.input("q", {4});
    body.outputs(
        {swap ? body.node(RLX_KIND_Binary, {q, p}, {4}) : body.node(RLX_KIND_Binary, {p, q}, {4})});
    b.outputs({loop});
    return print_of(b);
  };
  BOOST_TEST(print(false) != print(true));
}

std::string print_with(std::uint32_t kind, attribute_list attributes) {
  view_builder b{"g"};
  const auto x = b.input("x", {4});
  b.outputs({b.node(kind, {x}, {4}, RLX_DTYPE_F32, std::move(attributes))});
  return print_of(b);
}

BOOST_AUTO_TEST_CASE(leave_out_attributes_at_their_default) {
  const auto rope = [](attribute_list more) {
    attribute_list all{{"head_dim", 64u}, {"n_rot", 64u}};
    all.insert(all.end(), more.begin(), more.end());
    return print_with(RLX_KIND_Rope, all);
  };
  BOOST_TEST(rope({}) == rope({{"style", "NeoX"}}));
  BOOST_TEST(rope({}) != rope({{"style", "Interleaved"}}));
  BOOST_TEST(rope({}) != rope({{"other", "NeoX"}}));
  BOOST_TEST(print_with(RLX_KIND_ScatterAdd, {}) ==
             print_with(RLX_KIND_ScatterAdd, {{"axis", 0u}}));
  BOOST_TEST(print_with(RLX_KIND_ScatterAdd, {}) == print_with(RLX_KIND_ScatterAdd, {{"axis", 0}}));
  BOOST_TEST(print_with(RLX_KIND_ScatterAdd, {}) !=
             print_with(RLX_KIND_ScatterAdd, {{"axis", 1u}}));
  BOOST_TEST(print_with(RLX_KIND_GatedDeltaNet, {}) ==
             print_with(RLX_KIND_GatedDeltaNet, {{"gate_per_channel", false}}));
  BOOST_TEST(print_with(RLX_KIND_GatedDeltaNet, {}) !=
             print_with(RLX_KIND_GatedDeltaNet, {{"gate_per_channel", true}}));
  BOOST_TEST(print_with(RLX_KIND_Gather, {}) != print_with(RLX_KIND_Gather, {{"axis", 0u}}));
}

BOOST_AUTO_TEST_CASE(take_attributes_in_any_order_and_integers_by_value) {
  const auto print = [](attribute_list a) { return print_with(RLX_KIND_Conv, std::move(a)); };
  BOOST_TEST(print({{"a", 1u}, {"b", 2u}}) == print({{"b", 2u}, {"a", 1u}}));
  BOOST_TEST(print({{"a", 1u}, {"b", 2u}}) != print({{"a", 2u}, {"b", 1u}}));
  BOOST_TEST(print({{"a", 1u}}) == print({{"a", 1}}));
  BOOST_TEST(print({{"a", UINT64_MAX}}) != print({{"a", -1}}));
  BOOST_TEST(print({{"a", u64s({1, 2})}}) == print({{"a", i64s({1, 2})}}));
  BOOST_TEST(print({{"a", u64s({1, 2})}}) != print({{"a", u64s({2, 1})}}));
  BOOST_TEST(print({{"a", u64s({1, 2})}}) != print({{"a", u64s({1})}}));
  BOOST_TEST(print({{"a", u64s({1})}}) != print({{"a", 1u}}));
}

BOOST_AUTO_TEST_CASE(tell_values_of_different_types_apart) {
  const std::vector<attribute_value> values{1u,
                                            2u,
                                            -1,
                                            1.0,
                                            -0.0,
                                            0.0,
                                            0.1,
                                            static_cast<double>(0.1f),
                                            true,
                                            false,
                                            "1",
                                            "true",
                                            "",
                                            bytes(1),
                                            bytes(2),
                                            json("1"),
                                            json("{\"a\":1}"),
                                            u64s({}),
                                            u64s({0}),
                                            f64s({1.0}),
                                            bools({true}),
                                            texts({"1"}),
                                            texts({"1", ""}),
                                            texts({"", "1"})};
  std::set<std::string> all;
  for (const attribute_value& v : values) all.insert(print_with(RLX_KIND_Conv, {{"a", v}}));
  BOOST_TEST(all.size() == values.size());
}

BOOST_AUTO_TEST_CASE(take_constants_by_length_only_and_leaf_names_not_at_all) {
  const auto print = [](std::string_view name, std::uint64_t payload) {
    view_builder b{"g"};
    const auto x = b.input(name, {4});
    const auto w = b.param(name, {4});
    const auto c = b.constant({4}, RLX_DTYPE_F32, payload);
    b.outputs({b.node(RLX_KIND_Concat, {x, w, c}, {12})});
    return print_of(b);
  };
  BOOST_TEST(print("x", 16) == print("y", 16));
  BOOST_TEST(print("x", 16) != print("x", 17));
}

BOOST_AUTO_TEST_CASE(take_the_name_of_a_custom_operation) {
  BOOST_TEST(print_with(RLX_KIND_Custom, {{"name", "f"}}) !=
             print_with(RLX_KIND_Custom, {{"name", "g"}}));
}

BOOST_AUTO_TEST_CASE(take_kinds_and_dtypes_outside_the_tables_by_their_text) {
  const auto print = [](std::initializer_list<const char*> first, std::string_view kind,
                        std::string_view dtype) {
    view_builder b{"g"};
    for (const char* other : first) {  // shifts the numbers given to the texts
      b.unlisted_kind(other);
      b.unlisted_dtype(other);
    }
    const auto x = b.input("x", {4}, b.unlisted_dtype(dtype));
    b.outputs({b.node(b.unlisted_kind(kind), {x}, {4}, b.unlisted_dtype(dtype))});
    return print_of(b);
  };
  BOOST_TEST(print({}, "Later", "F8") == print({"p", "q"}, "Later", "F8"));
  BOOST_TEST(print({}, "Later", "F8") != print({}, "Latest", "F8"));
  BOOST_TEST(print({}, "Later", "F8") != print({}, "Later", "F7"));
}

BOOST_AUTO_TEST_CASE(ignore_the_plan_views_and_longer_records) {
  const auto fill = [](view_builder& b) {
    const auto x = b.input("x", {4});
    b.outputs({b.node(RLX_KIND_Reshape, {x}, {2, 2})});
  };
  view_builder bare{"g"};
  view_builder planned{"g"};
  fill(bare);
  fill(planned);
  planned.alias(1, 0).slot(0, 0, 16).slot(1, 0, 16).arena(16).stride_padding(24);
  BOOST_TEST(print_of(bare) == print_of(planned));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(short_hashes)

BOOST_AUTO_TEST_CASE(are_those_of_the_library) {
  std::mt19937_64 random{1};
  const auto append = [](std::string& text, const auto& value) {
    text.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (int i = 0; i < 10'000; ++i) {
    const hash128 a{random(), random()};
    const hash128 b{i % 2 == 0 ? random() : 0, random() >> (i % 64)};
    const auto tag = static_cast<std::uint8_t>(random());
    const auto number = static_cast<std::uint32_t>(random());
    std::string numbered;
    append(numbered, tag);
    append(numbered, number);
    append(numbered, a.low);
    append(numbered, a.high);
    BOOST_REQUIRE(hash_short(tag, number, a) == hash_bytes(numbered));
    std::string paired;
    append(paired, tag);
    for (const hash128& h : {a, b}) {
      append(paired, h.low);
      append(paired, h.high);
    }
    BOOST_REQUIRE(hash_short(tag, a, b) == hash_bytes(paired));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace opscope::test
