// What is made of the rule's figures: order, groups, split, and the crate's text to the letter.
#define BOOST_TEST_MODULE rule_report
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <opscope/cost.hpp>

#include "tests/support/view_builder.hpp"

namespace opscope::test {
namespace {

std::vector<std::uint32_t> ids(const std::vector<const node_cost*>& nodes) {
  std::vector<std::uint32_t> list;
  for (const node_cost* n : nodes) list.push_back(n->id);
  return list;
}

template <class T>
bool has(const std::string& text, const T& part) {
  return text.find(part) != std::string::npos;
}

// Activations of the given element counts, each over its own input; their ids are 1, 3, 5, ..
void add_activations(view_builder& b, const std::vector<std::uint64_t>& counts,
                     std::uint32_t dtype = RLX_DTYPE_F32) {
  for (const std::uint64_t n : counts) {
    b.node(RLX_KIND_Activation, {b.input("x", {n}, dtype)}, {n}, dtype);
  }
}

BOOST_AUTO_TEST_SUITE(top_by_bytes)

BOOST_AUTO_TEST_CASE(is_descending_and_stable_and_leaves_out_what_moves_nothing) {
  view_builder b;
  add_activations(b, {10, 30, 0, 20, 30, 10});
  const graph_cost g = analyze(b.view());
  BOOST_TEST(ids(g.top_by_bytes(100)) == (std::vector<std::uint32_t>{3, 9, 7, 1, 11}),
             boost::test_tools::per_element());
  BOOST_TEST(ids(g.top_by_bytes(2)) == (std::vector<std::uint32_t>{3, 9}),
             boost::test_tools::per_element());
  BOOST_TEST(ids(g.top_by_bytes(4)) == (std::vector<std::uint32_t>{3, 9, 7, 1}),
             boost::test_tools::per_element());
  BOOST_TEST(g.top_by_bytes(0).empty());
  BOOST_TEST(g.top_by_bytes(std::numeric_limits<std::size_t>::max()).size() == 5u);
}

BOOST_AUTO_TEST_CASE(puts_the_unknown_first) {
  view_builder b;
  add_activations(b, {10});
  add_activations(b, {1}, b.unlisted_dtype("F8"));
  add_activations(b, {1000});
  add_activations(b, {1}, b.unlisted_dtype("F8"));
  const graph_cost g = analyze(b.view());
  BOOST_TEST(ids(g.top_by_bytes(3)) == (std::vector<std::uint32_t>{3, 7, 5}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(by_kind)

std::vector<std::string> kinds(const graph_cost& g) {
  std::vector<std::string> list;
  for (const kind_cost& k : g.by_kind()) list.emplace_back(k.kind);
  return list;
}

BOOST_AUTO_TEST_CASE(is_descending_from_first_seen_order_and_keeps_the_empty) {
  view_builder b;
  const auto x = b.input("x", {8});
  const auto w = b.param("w", {8});
  b.node(RLX_KIND_Transpose, {x}, {8});
  b.node(RLX_KIND_Activation, {x}, {8});
  b.node(RLX_KIND_Activation, {w}, {8});
  b.node(RLX_KIND_Reverse, {x}, {8});
  const graph_cost g = analyze(b.view());
  BOOST_TEST(kinds(g) ==
                 (std::vector<std::string>{"Activation", "Transpose", "Reverse", "Input", "Param"}),
             boost::test_tools::per_element());
  const kind_cost activation = g.by_kind()[0];
  BOOST_TEST(activation.count == 2u);
  BOOST_TEST(activation.bytes.value() == 2u * (8 * 4 + 8 * 4));
  BOOST_TEST(activation.flops.value() == 2u * 8);
  BOOST_TEST(g.by_kind()[3].count == 1u);
  BOOST_TEST(g.by_kind()[3].bytes.value() == 0u);
}

BOOST_AUTO_TEST_CASE(groups_unlisted_kinds_by_their_text) {
  view_builder b;
  const auto x = b.input("x", {8});
  b.node(b.unlisted_kind("Later"), {x}, {8});
  b.node(RLX_KIND_MatMul, {x}, {1});
  b.node(b.unlisted_kind("Other"), {x}, {800});
  b.node(b.unlisted_kind("Later"), {x}, {8});
  // A listed kind that came in a form the host did not know, before and after the usual one.
  b.node(b.unlisted_kind("MatMul"), {x}, {1});
  b.node(b.unlisted_kind("Softmax"), {x}, {1});
  b.node(RLX_KIND_Softmax, {x}, {1});
  // A kind of a newer table than this build's.
  b.raw_info(b.node(rlx::kind_count + 1, {x}, {4})).kind_text = {"Newer", 5};
  const graph_cost g = analyze(b.view());
  BOOST_TEST(kinds(g) == (std::vector<std::string>{"Other", "Later", "MatMul", "Softmax", "Newer",
                                                   "Input"}),
             boost::test_tools::per_element());
  BOOST_TEST(g.by_kind()[1].count == 2u);
  BOOST_TEST(g.by_kind()[2].count == 2u);
  BOOST_TEST(g.by_kind()[3].count == 2u);
}

BOOST_AUTO_TEST_CASE(a_kind_with_an_unknown_node_is_unknown_and_first) {
  view_builder b;
  add_activations(b, {1000});
  const auto x = b.input("y", {2}, b.unlisted_dtype("F8"));
  b.node(RLX_KIND_Softmax, {x}, {2});
  b.node(RLX_KIND_Softmax, {b.input("z", {2})}, {2});
  const graph_cost g = analyze(b.view());
  BOOST_TEST(g.by_kind()[0].kind == "Softmax");
  BOOST_TEST(!g.by_kind()[0].bytes.has_value());
  BOOST_TEST(g.by_kind()[0].flops.value() == 3u * 2 + 3u * 2);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(roofline_split)

BOOST_AUTO_TEST_CASE(puts_the_ridge_itself_to_compute) {
  view_builder b;
  // 2 * out * k over bytes: (2 * 16 * 24) / (4 * (24 + 24 + 16 * 9)) is 1 FLOP per byte.
  const auto x = b.input("x", {24});
  const auto y = b.input("y", {24 + 16 * 8});
  b.node(RLX_KIND_MatMul, {x, y}, {16});
  const graph_cost g = analyze(b.view());
  const std::uint64_t bytes = 4 * (24 + 24 + 16 * 9);
  BOOST_REQUIRE(g.nodes()[2].bytes().value() == bytes);
  BOOST_REQUIRE(g.nodes()[2].intensity().value() == 1.0);
  BOOST_TEST(g.roofline_split(1.0).compute_bound.value() == bytes);
  BOOST_TEST(g.roofline_split(1.0).memory_bound.value() == 0u);
  const double above = std::nextafter(1.0, 2.0);
  BOOST_TEST(g.roofline_split(above).compute_bound.value() == 0u);
  BOOST_TEST(g.roofline_split(above).memory_bound.value() == bytes);
}

BOOST_AUTO_TEST_CASE(leaves_out_nodes_without_intensity) {
  view_builder b;
  add_activations(b, {0, 8});
  BOOST_TEST(analyze(b.view()).roofline_split(0.0).compute_bound.value() == 8u * 4 + 8 * 4);
}

BOOST_AUTO_TEST_CASE(is_unknown_where_a_node_cannot_be_put) {
  view_builder b;
  add_activations(b, {8});
  add_activations(b, {8}, b.unlisted_dtype("F8"));
  const roofline split = analyze(b.view()).roofline_split(1.0);
  BOOST_TEST(!split.memory_bound.has_value());
  BOOST_TEST(!split.compute_bound.has_value());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(units)

BOOST_AUTO_TEST_CASE(bytes_are_base_1024) {
  BOOST_TEST(human_bytes(0) == "0 B");
  BOOST_TEST(human_bytes(1023) == "1023 B");
  BOOST_TEST(human_bytes(1024) == "1.00 KB");
  BOOST_TEST(human_bytes(1536) == "1.50 KB");
  BOOST_TEST(human_bytes(std::uint64_t{1} << 40) == "1.00 TB");
  BOOST_TEST(human_bytes(std::uint64_t{1} << 50) == "1024.00 TB");
  BOOST_TEST(human_bytes(UINT64_MAX) == "16777216.00 TB");
}

BOOST_AUTO_TEST_CASE(just_below_a_unit_does_not_carry_into_it) {
  BOOST_TEST(human_bytes(1024 * 1024 - 4) == "1024.00 KB");  // 1023.996 KB
}

BOOST_AUTO_TEST_CASE(decimals_are_rounded_half_even_on_the_exact_value) {
  // k * 1024 / 8 bytes are k eighths of a KB, exact in binary: ties go to the even digit.
  BOOST_TEST(human_bytes(1024 + 1024 / 8) == "1.12 KB");      // 1.125
  BOOST_TEST(human_bytes(1024 + 1024 * 3 / 8) == "1.38 KB");  // 1.375
  BOOST_TEST(human_bytes(1024 + 1024 * 5 / 8) == "1.62 KB");  // 1.625
  BOOST_TEST(human_count(1005) == "1.00 K");                  // 1.00499999999999989..
  BOOST_TEST(human_count(1015) == "1.01 K");                  // 1.01499999999999990..
  BOOST_TEST(human_count(1125) == "1.12 K");                  // exact, to even
}

BOOST_AUTO_TEST_CASE(counts_are_base_1000) {
  BOOST_TEST(human_count(0) == "0");
  BOOST_TEST(human_count(999) == "999");
  BOOST_TEST(human_count(1000) == "1.00 K");
  BOOST_TEST(human_count(1'500'000'000) == "1.50 G");
  BOOST_TEST(human_count(1'000'000'000'000) == "1.00 T");
  BOOST_TEST(human_count(UINT64_MAX) == "18446744.07 T");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(report)

BOOST_AUTO_TEST_CASE(of_an_empty_graph_has_its_headings) {
  view_builder b;
  BOOST_TEST(analyze(b.view()).report(5) ==
             "bytes moved (lower bound): 0 B   flops: 0   intensity: 0.00 flop/byte\n"
             "\ntop 5 nodes by traffic:\n"
             "\nby op kind:\n");
}

BOOST_AUTO_TEST_CASE(shows_names_shares_and_rows) {
  view_builder b;
  const auto x = b.input("x", {64, 128});
  const auto w = b.param("w", {128, 32});
  const auto y = b.node(RLX_KIND_MatMul, {x, w}, {64, 32});
  b.name(y, "head [0]");
  // 4 * (64 * 128 + 128 * 32 + 64 * 32) = 57344 bytes = 56 KB, 16 KB of it weights;
  // 2 * 64 * 32 * 128 = 524288 FLOPs.
  BOOST_TEST(analyze(b.view()).report(1) ==
             "bytes moved (lower bound): 56.00 KB   flops: 524.29 K   intensity: 9.14 flop/byte\n"
             "  of which weights/constants: 16.00 KB (28.6%)\n"
             "\ntop 1 nodes by traffic:\n"
             "    56.00 KB      9.14 f/B  MatMul [head [0]]\n"
             "\nby op kind:\n"
             "    56.00 KB      9.14 f/B  MatMul\n");
}

BOOST_AUTO_TEST_CASE(an_empty_name_still_has_its_brackets) {
  view_builder b;
  const auto y = b.node(RLX_KIND_Activation, {b.input("x", {4})}, {4});
  b.name(y, "");
  BOOST_TEST(has(analyze(b.view()).report(1), "  Activation []\n"));
}

BOOST_AUTO_TEST_CASE(takes_n_kinds_before_it_leaves_out_the_empty_ones) {
  view_builder b;
  b.input("x", {8});
  b.param("w", {8});
  b.node(RLX_KIND_Activation, {0}, {8});
  b.node(RLX_KIND_Transpose, {1}, {8});
  const graph_cost g = analyze(b.view());
  const std::string two = g.report(2);
  BOOST_TEST(has(two, "top 2 nodes"));
  BOOST_TEST(has(two, "f/B  Activation\n        64 B      0.00 f/B  Transpose\n"));
  BOOST_TEST(g.report(4).substr(g.report(4).find("by op")) == two.substr(two.find("by op")));
  const std::string none = g.report(0);
  BOOST_TEST(none.substr(none.find("\n\n")) == "\n\ntop 0 nodes by traffic:\n\nby op kind:\n");
  BOOST_TEST(has(g.report(UINT64_MAX), "top 18446744073709551615 nodes by traffic:"));
}

BOOST_AUTO_TEST_CASE(the_share_is_multiplied_by_100_before_it_is_divided) {
  view_builder b;
  // Weights 23 of 200 bytes: 100 * 23 / 200 is 11.5 exactly, 23 / 200 * 100 is a little more.
  const auto w = b.param("w", {23}, RLX_DTYPE_U8);
  b.node(RLX_KIND_Concat, {w, b.input("x", {100}, RLX_DTYPE_U8)}, {77}, RLX_DTYPE_U8);
  BOOST_TEST(has(analyze(b.view()).report(1), "weights/constants: 23 B (11.5%)\n"));
}

BOOST_AUTO_TEST_CASE(an_unknown_figure_is_called_so) {
  view_builder b;
  const auto x = b.input("x", {2, 3}, b.unlisted_dtype("F8"));
  const auto w = b.param("w", {3, 5});
  b.node(RLX_KIND_MatMul, {x, w}, {2, 5});
  BOOST_TEST(analyze(b.view()).report(1) ==
             "bytes moved (lower bound): unknown   flops: 60   intensity: unknown flop/byte\n"
             "  of which weights/constants: 60 B (unknown)\n"
             "\ntop 1 nodes by traffic:\n"
             "     unknown   unknown f/B  MatMul\n"
             "\nby op kind:\n"
             "     unknown   unknown f/B  MatMul\n");
  view_builder flops;
  const auto y = flops.input("y", {std::uint64_t{1} << 40}, RLX_DTYPE_U8);
  flops.node(RLX_KIND_MatMul, {y}, {std::uint64_t{1} << 40}, RLX_DTYPE_U8);
  BOOST_TEST(has(analyze(flops.view()).report(1), "2.00 TB   flops: unknown   intensity: unknown"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace opscope::test
