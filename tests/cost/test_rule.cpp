// The rule, node by node, where the golden vectors do not reach: expected values are arithmetic.
#define BOOST_TEST_MODULE rule
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <opscope/cost.hpp>
#include <random>

#include "tests/support/view_builder.hpp"

namespace opscope::test {
namespace {

constexpr std::uint64_t two_to(unsigned n) { return std::uint64_t{1} << n; }
constexpr std::uint64_t largest = UINT64_MAX;

std::string shown(const figure& f) { return f ? std::to_string(*f) : "unknown"; }

void check(const figure& actual, const figure& expected, const char* what) {
  BOOST_TEST(shown(actual) == shown(expected),
             what << ": " << shown(actual) << ", expected " << shown(expected));
}

struct expected_cost {
  figure read;
  figure written;
  figure weights;
  figure flops;
};

void check(const node_cost& cost, const expected_cost& expected) {
  check(cost.bytes_read(), expected.read, "bytes_read");
  check(cost.bytes_written(), expected.written, "bytes_written");
  check(cost.bytes_weights(), expected.weights, "bytes_weights");
  check(cost.flops(), expected.flops, "flops");
}

// The cost of the last node.
node_cost last(view_builder& b) {
  BOOST_REQUIRE(!rlx::find_defect(b.get()).has_value());
  const graph_cost g = analyze(b.view());
  return g.nodes().back();
}

totals totals_of(view_builder& b) { return analyze(b.view()).totals(); }

BOOST_AUTO_TEST_SUITE(node_bytes)

BOOST_AUTO_TEST_CASE(matmul_reads_both_operands_and_writes_the_output) {
  const std::uint64_t m = 64;
  const std::uint64_t k = 128;
  const std::uint64_t n = 32;
  view_builder b;
  const auto x = b.input("x", {m, k});
  const auto w = b.param("w", {k, n}, RLX_DTYPE_F16);
  b.node(RLX_KIND_MatMul, {x, w}, {m, n});
  check(last(b), {m * k * 4 + k * n * 2, m * n * 4, k * n * 2, 2 * m * n * k});
  check(totals_of(b).bytes, m * k * 4 + k * n * 2 + m * n * 4, "total");
}

BOOST_AUTO_TEST_CASE(an_operand_used_twice_counts_twice) {
  view_builder b;
  const auto w = b.param("w", {8});
  b.node(RLX_KIND_Binary, {w, w}, {8});
  check(last(b), {8 * 4 + 8 * 4, 8 * 4, 8 * 4 + 8 * 4, 8});
}

BOOST_AUTO_TEST_CASE(leaves_move_nothing) {
  view_builder b;
  b.input("x", {1024});
  b.param("w", {1024});
  b.constant({1024}, RLX_DTYPE_F32, 4096);
  const graph_cost g = analyze(b.view());
  for (const node_cost& leaf : g.nodes()) {
    check(leaf, {0, 0, 0, 0});
    BOOST_TEST(!leaf.intensity().has_value());
  }
  check(g.totals().bytes, 0, "total");
  BOOST_TEST(g.totals().intensity == 0.0);
  BOOST_TEST(g.totals().nodes == 3u);
}

BOOST_AUTO_TEST_CASE(a_leaf_with_operands_moves_nothing) {
  view_builder b;
  const auto x = b.input("x", {4});
  b.node(RLX_KIND_Param, {x}, {4});
  check(last(b), {0, 0, 0, 0});
}

BOOST_AUTO_TEST_CASE(constants_are_weights_and_inputs_are_not) {
  view_builder b;
  const auto x = b.input("x", {2});
  const auto w = b.param("w", {3});
  const auto c = b.constant({5});
  const auto y = b.node(RLX_KIND_Transpose, {w}, {3});  // no leaf, so no weight either
  b.node(RLX_KIND_Concat, {x, w, c, y}, {2 + 3 + 5 + 3});
  check(last(b), {4 * (2 + 3 + 5 + 3), 4 * (2 + 3 + 5 + 3), 4 * (3 + 5), 0});
}

BOOST_AUTO_TEST_CASE(every_dtype_has_its_width){
#define CHECK_WIDTH(number, name, width)           \
  {                                                \
    view_builder b;                                \
    const auto x = b.input("x", {7}, number);      \
    b.node(RLX_KIND_Activation, {x}, {7}, number); \
    check(last(b), {7 * width, 7 * width, 0, 7});  \
  }
    RLX_DTYPES(CHECK_WIDTH)
#undef CHECK_WIDTH
}

BOOST_AUTO_TEST_CASE(a_scalar_is_one_element) {
  view_builder b;
  const auto x = b.input("x", {});
  b.node(RLX_KIND_Activation, {x}, {});
  check(last(b), {4, 4, 0, 1});
}

BOOST_AUTO_TEST_CASE(a_dim_of_zero_makes_nothing_to_move) {
  view_builder b;
  const auto x = b.input("x", {0, 7});
  b.node(RLX_KIND_Activation, {x}, {0, 7});
  check(last(b), {0, 0, 0, 0});
  BOOST_TEST(totals_of(b).dynamic_nodes == 0u);
}

BOOST_AUTO_TEST_CASE(reads_elements_longer_than_its_own) {
  view_builder b;
  const auto x = b.input("x", {2, 3});
  const auto w = b.param("w", {3, 5});
  b.node(RLX_KIND_MatMul, {x, w}, {2, 5});
  b.stride_padding(24);
  check(last(b), {4 * (2 * 3 + 3 * 5), 4 * 2 * 5, 4 * 3 * 5, 2 * 2 * 5 * 3});
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(node_flops)

// FLOPs of a kind with operands of 2x3 and 3x5 elements and an output of 2x5.
figure flops_of(std::uint32_t kind) {
  view_builder b;
  const auto x = b.input("x", {2, 3});
  const auto w = b.param("w", {3, 5});
  b.node(kind, {x, w}, {2, 5});
  return last(b).flops();
}

BOOST_AUTO_TEST_CASE(five_kinds_contract_the_last_dim_of_operand_0) {
  for (const std::uint32_t kind : {RLX_KIND_MatMul, RLX_KIND_DequantMatMul, RLX_KIND_ScaledMatMul,
                                   RLX_KIND_ScaledGroupedMatMul, RLX_KIND_SynthMatMul}) {
    check(flops_of(kind), 2 * (2 * 5) * 3, "contraction");
  }
}

BOOST_AUTO_TEST_CASE(cumulative_ops_and_reduce_take_operand_0_once) {
  for (const std::uint32_t kind :
       {RLX_KIND_Reduce, RLX_KIND_Cumsum, RLX_KIND_CumProd, RLX_KIND_CumMax}) {
    check(flops_of(kind), 2 * 3, "operand 0");
  }
}

BOOST_AUTO_TEST_CASE(norms_and_softmax_take_operand_0_three_times) {
  for (const std::uint32_t kind : {RLX_KIND_LayerNorm, RLX_KIND_RmsNorm, RLX_KIND_Softmax}) {
    check(flops_of(kind), 3 * (2 * 3), "operand 0");
  }
}

BOOST_AUTO_TEST_CASE(activation_and_cast_take_the_output) {
  check(flops_of(RLX_KIND_Activation), 2 * 5, "output");
  check(flops_of(RLX_KIND_Cast), 2 * 5, "output");
}

BOOST_AUTO_TEST_CASE(a_cast_to_the_same_dtype_still_counts) {
  view_builder b;
  const auto x = b.input("x", {6});
  b.node(RLX_KIND_Cast, {x}, {6}, RLX_DTYPE_F32, {{"to", "F32"}});
  b.alias(1, x);
  check(last(b), {6 * 4, 6 * 4, 0, 6});
}

BOOST_AUTO_TEST_CASE(binary_and_compare_take_the_larger_of_output_and_operand_0) {
  for (const std::uint32_t kind : {RLX_KIND_Binary, RLX_KIND_Compare}) {
    check(flops_of(kind), 2 * 5, "output is larger");
    view_builder b;
    const auto x = b.input("x", {100});
    const auto y = b.input("y", {1000});
    b.node(kind, {x, y}, {10}, RLX_DTYPE_Bool);
    check(last(b).flops(), 100, "operand 0 is larger, operand 1 does not count");
  }
}

BOOST_AUTO_TEST_CASE(binary_takes_operand_0_when_the_output_is_dynamic) {
  view_builder b;
  const auto x = b.input("x", {100});
  const auto y = b.input("y", {symbol(0), 100});
  b.node(RLX_KIND_Binary, {x, y}, {symbol(0), 100});
  check(last(b), {100 * 4, 0, 0, 100});
}

BOOST_AUTO_TEST_CASE(slice_and_pad_only_move) {
  for (const std::uint32_t kind : {RLX_KIND_Slice, RLX_KIND_Pad}) {
    view_builder b;
    const auto x = b.input("x", {12});
    b.node(kind, {x}, {5});
    check(last(b), {12 * 4, 5 * 4, 0, 0});
  }
}

// The kinds that the rule gives work to; all others do 0 FLOPs.
BOOST_AUTO_TEST_CASE(every_other_kind_does_no_work) {
  const std::vector<std::uint32_t> counted{
      RLX_KIND_MatMul,      RLX_KIND_DequantMatMul, RLX_KIND_ScaledMatMul,
      RLX_KIND_SynthMatMul, RLX_KIND_Binary,        RLX_KIND_ScaledGroupedMatMul,
      RLX_KIND_Compare,     RLX_KIND_Activation,    RLX_KIND_Cast,
      RLX_KIND_Reduce,      RLX_KIND_Cumsum,        RLX_KIND_CumProd,
      RLX_KIND_CumMax,      RLX_KIND_LayerNorm,     RLX_KIND_RmsNorm,
      RLX_KIND_Softmax};
  for (std::uint32_t kind = 1; kind <= rlx::kind_count; ++kind) {
    const bool is_counted = std::ranges::count(counted, kind) != 0;
    BOOST_TEST((flops_of(kind) != figure{0}) == is_counted, "kind " << kind);
  }
}

BOOST_AUTO_TEST_CASE(an_unlisted_kind_moves_its_bytes_and_does_no_work) {
  view_builder b;
  const auto x = b.input("x", {9});
  b.node(b.unlisted_kind("NextYear"), {x}, {4});
  check(last(b), {9 * 4, 4 * 4, 0, 0});
}

BOOST_AUTO_TEST_CASE(a_listed_number_beyond_this_table_is_an_unknown_kind) {
  view_builder b;
  const auto x = b.input("x", {9});
  b.node(rlx::kind_count + 1, {x}, {4});
  check(last(b), {9 * 4, 4 * 4, 0, 0});
}

BOOST_AUTO_TEST_CASE(kinds_without_their_operands_do_what_is_left) {
  for (const std::uint32_t kind : {RLX_KIND_MatMul, RLX_KIND_Reduce, RLX_KIND_Softmax}) {
    view_builder b;
    b.node(kind, {}, {3});
    check(last(b), {0, 3 * 4, 0, 0});
  }
  view_builder b;
  b.node(RLX_KIND_Binary, {}, {3});
  check(last(b), {0, 3 * 4, 0, 3});
}

BOOST_AUTO_TEST_CASE(a_scalar_operand_0_contracts_nothing) {
  view_builder b;
  const auto x = b.input("x", {});
  b.node(RLX_KIND_MatMul, {x}, {3});
  check(last(b), {4, 3 * 4, 0, 0});
}

BOOST_AUTO_TEST_CASE(a_dynamic_contracted_dim_contracts_nothing) {
  view_builder b;
  const auto x = b.input("x", {2, symbol(1)});
  const auto w = b.param("w", {symbol(1), 5});
  b.node(RLX_KIND_MatMul, {x, w}, {2, 5});
  check(last(b), {0, 2 * 5 * 4, 0, 0});
}

BOOST_AUTO_TEST_CASE(a_static_last_dim_of_a_dynamic_operand_is_contracted) {
  view_builder b;
  const auto x = b.input("x", {symbol(1), 3});
  const auto w = b.param("w", {3, 5});
  b.node(RLX_KIND_MatMul, {x, w}, {2, 5});
  check(last(b), {3 * 5 * 4, 2 * 5 * 4, 3 * 5 * 4, 2 * (2 * 5) * 3});
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(what_is_not_known)

BOOST_AUTO_TEST_CASE(a_dynamic_shape_counts_as_nothing) {
  view_builder b;
  const auto x = b.input("x", {symbol(0), 16});
  const auto y = b.node(RLX_KIND_Activation, {x}, {symbol(0), 16});
  const auto w = b.param("w", {16, 8});
  b.node(RLX_KIND_MatMul, {y, w}, {symbol(0), 8});
  b.node(RLX_KIND_Transpose, {w}, {8, 16});
  const graph_cost g = analyze(b.view());
  check(g.nodes()[1], {0, 0, 0, 0});
  check(g.nodes()[3], {16 * 8 * 4, 0, 16 * 8 * 4, 0});
  // The leaf x is not counted, the Transpose has nothing dynamic.
  BOOST_TEST(g.totals().dynamic_nodes == 2u);
  BOOST_TEST(g.totals().unknown_nodes == 0u);
  BOOST_TEST(g.totals().overflow_nodes == 0u);
}

BOOST_AUTO_TEST_CASE(an_element_count_beyond_64_bits_counts_like_a_dynamic_shape) {
  view_builder b;
  const auto x = b.input("x", {two_to(40), two_to(40), 0});
  b.node(RLX_KIND_Activation, {x}, {8});
  const graph_cost g = analyze(b.view());
  check(g.nodes()[1], {0, 8 * 4, 0, 8});
  BOOST_TEST(g.totals().dynamic_nodes == 1u);
  BOOST_TEST(g.totals().overflow_nodes == 0u);
}

BOOST_AUTO_TEST_CASE(the_product_of_dims_is_formed_from_left_to_right) {
  view_builder b;
  const auto x = b.input("x", {0, two_to(40), two_to(40)});
  b.node(RLX_KIND_Activation, {x}, {8});
  check(last(b), {0, 8 * 4, 0, 8});
  BOOST_TEST(totals_of(b).dynamic_nodes == 0u);
}

BOOST_AUTO_TEST_CASE(the_largest_tensor_that_fits_is_exact) {
  view_builder b;
  const auto x = b.param("x", {largest}, RLX_DTYPE_U8);
  b.node(RLX_KIND_Reduce, {x}, {}, RLX_DTYPE_U8);
  const graph_cost g = analyze(b.view());
  check(g.nodes()[1], {largest, 1, largest, largest});
  check(g.nodes()[1].bytes(), std::nullopt, "read and written together leave 64 bits");
  BOOST_TEST(!g.nodes()[1].intensity().has_value());
  BOOST_TEST(g.totals().overflow_nodes == 1u);
  check(g.totals().bytes_read, largest, "total read");
  check(g.totals().bytes, std::nullopt, "total");
  BOOST_TEST(g.totals().intensity == 0.0);
}

BOOST_AUTO_TEST_CASE(bytes_beyond_64_bits_are_unknown) {
  view_builder b;
  const auto x = b.input("x", {two_to(62)});  // elements fit, 2^62 * 4 bytes do not
  const auto w = b.param("w", {3});
  b.node(RLX_KIND_Concat, {x, w}, {8});
  const graph_cost g = analyze(b.view());
  check(g.nodes()[2], {std::nullopt, 8 * 4, 3 * 4, 0});
  check(g.totals().bytes, std::nullopt, "total");
  check(g.totals().bytes_read, std::nullopt, "total read");
  check(g.totals().bytes_written, 8 * 4, "total written");
  check(g.totals().bytes_weights, 3 * 4, "total weights");
  BOOST_TEST(g.totals().overflow_nodes == 1u);
  BOOST_TEST(g.totals().dynamic_nodes == 0u);
}

BOOST_AUTO_TEST_CASE(a_sum_of_operands_beyond_64_bits_is_unknown) {
  view_builder b;
  const auto x = b.param("x", {two_to(63)}, RLX_DTYPE_U8);
  b.node(RLX_KIND_Concat, {x, x}, {8});
  check(last(b), {std::nullopt, 8 * 4, std::nullopt, 0});
  BOOST_TEST(totals_of(b).overflow_nodes == 1u);
}

BOOST_AUTO_TEST_CASE(a_sum_of_nodes_beyond_64_bits_is_unknown_in_the_total_only) {
  view_builder b;
  const auto x = b.input("x", {two_to(63)}, RLX_DTYPE_U8);
  b.node(RLX_KIND_Reduce, {x}, {}, RLX_DTYPE_U8);
  b.node(RLX_KIND_Reduce, {x}, {}, RLX_DTYPE_U8);
  const graph_cost g = analyze(b.view());
  check(g.nodes()[2], {two_to(63), 1, 0, two_to(63)});
  check(g.totals().bytes_read, std::nullopt, "total read");
  check(g.totals().flops, std::nullopt, "total flops");
  check(g.totals().bytes_written, 2, "total written");
  BOOST_TEST(g.totals().overflow_nodes == 0u);
}

BOOST_AUTO_TEST_CASE(flops_are_formed_in_128_bits) {
  // 2 * out * k: out = 2^30, so 2 * 2^30 * (2^33 - 1) is the last that fits.
  const auto flops = [](std::uint64_t k) {
    view_builder b;
    const auto x = b.input("x", {1, k}, RLX_DTYPE_U8);
    b.node(RLX_KIND_MatMul, {x}, {two_to(30)}, RLX_DTYPE_U8);
    BOOST_TEST(totals_of(b).overflow_nodes == (k < two_to(33) ? 0u : 1u));
    return last(b).flops();
  };
  check(flops(two_to(33) - 1), 2 * two_to(30) * (two_to(33) - 1), "fits");
  check(flops(two_to(33)), std::nullopt, "2^64");
  // 2 * out alone leaves 64 bits.
  view_builder b;
  const auto x = b.input("x", {1}, RLX_DTYPE_U8);
  b.node(RLX_KIND_MatMul, {x}, {two_to(63)}, RLX_DTYPE_U8);
  check(last(b), {1, two_to(63), 0, std::nullopt});
  view_builder none;
  const auto y = none.input("x", {0}, RLX_DTYPE_U8);
  none.node(RLX_KIND_MatMul, {y}, {two_to(63)}, RLX_DTYPE_U8);
  check(last(none), {0, two_to(63), 0, 0});
}

BOOST_AUTO_TEST_CASE(three_passes_beyond_64_bits_are_unknown) {
  view_builder b;
  const auto x = b.input("x", {largest / 3 + 1}, RLX_DTYPE_U8);
  b.node(RLX_KIND_Softmax, {x}, {1}, RLX_DTYPE_U8);
  check(last(b), {largest / 3 + 1, 1, 0, std::nullopt});
  view_builder fits;
  const auto y = fits.input("x", {largest / 3}, RLX_DTYPE_U8);
  fits.node(RLX_KIND_Softmax, {y}, {1}, RLX_DTYPE_U8);
  check(last(fits), {largest / 3, 1, 0, largest / 3 * 3});
}

BOOST_AUTO_TEST_CASE(a_dtype_of_unknown_width_makes_bytes_unknown_and_leaves_flops) {
  view_builder b;
  const auto f8 = b.unlisted_dtype("F8E4M3");
  const auto x = b.input("x", {2, 3}, f8);
  const auto w = b.param("w", {3, 5});
  b.node(RLX_KIND_MatMul, {x, w}, {2, 5});
  const graph_cost g = analyze(b.view());
  check(g.nodes()[2], {std::nullopt, 2 * 5 * 4, 3 * 5 * 4, 2 * (2 * 5) * 3});
  BOOST_TEST(g.totals().unknown_nodes == 1u);
  BOOST_TEST(g.totals().overflow_nodes == 0u);
  check(g.totals().bytes, std::nullopt, "total");
  check(g.totals().flops, 2 * (2 * 5) * 3, "total flops");
  view_builder output;
  output.node(RLX_KIND_Activation, {output.param("w", {3})}, {3}, output.unlisted_dtype("F4"));
  check(last(output), {3 * 4, std::nullopt, 3 * 4, 3});
  view_builder weight;
  weight.node(RLX_KIND_Activation, {weight.param("w", {3}, weight.unlisted_dtype("F4"))}, {3});
  check(last(weight), {std::nullopt, 3 * 4, std::nullopt, 3});
}

BOOST_AUTO_TEST_CASE(a_dtype_number_beyond_this_table_has_no_width) {
  view_builder b;
  b.node(RLX_KIND_Activation, {b.input("x", {3}, 14)}, {3});
  check(last(b), {std::nullopt, 3 * 4, 0, 3});
  view_builder zero;
  zero.node(RLX_KIND_Activation, {zero.input("x", {3}, 0)}, {3});
  check(last(zero), {std::nullopt, 3 * 4, 0, 3});
}

BOOST_AUTO_TEST_CASE(a_dynamic_shape_of_unknown_width_is_both) {
  view_builder b;
  const auto x = b.input("x", {symbol(0)}, b.unlisted_dtype("F8E4M3"));
  b.node(RLX_KIND_Activation, {x}, {4});
  check(last(b), {std::nullopt, 4 * 4, 0, 4});
  BOOST_TEST(totals_of(b).dynamic_nodes == 1u);
  BOOST_TEST(totals_of(b).unknown_nodes == 1u);
}

BOOST_AUTO_TEST_CASE(a_node_with_very_many_operands_is_summed_exactly) {
  view_builder b;
  const auto x = b.param("x", {two_to(47)}, RLX_DTYPE_U8);
  const std::size_t fan_in = std::size_t{1} << 16;
  b.node(RLX_KIND_Concat, id_list(fan_in, x), {8});
  check(last(b), {fan_in * two_to(47), 8 * 4, fan_in * two_to(47), 0});
  view_builder more;
  const auto y = more.param("x", {two_to(47)}, RLX_DTYPE_U8);
  more.node(RLX_KIND_Concat, id_list(2 * fan_in, y), {8});
  check(last(more), {std::nullopt, 8 * 4, std::nullopt, 0});
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(whole_graphs)

// The rule once more, one node at a time and in 128 bits throughout, as the text defines it.
class plain_rule {
 public:
  __extension__ using u128 = unsigned __int128;
  explicit plain_rule(const rlx::graph_view& g) : g_{g} {}

  figure elements(std::uint32_t id) const {
    const rlx_node& n = g_.node(id);
    u128 product = 1;
    for (std::uint32_t d = 0; d < n.rank; ++d) {
      if (((n.dynamic_dims >> d) & 1) != 0) return std::nullopt;
      product *= g_.dims(n)[d];
      if (product > largest) return std::nullopt;
    }
    return static_cast<std::uint64_t>(product);
  }
  expected_cost of(std::uint32_t id) const {
    const rlx_node& n = g_.node(id);
    if (rlx::is_leaf_kind(n.kind)) return {0, 0, 0, 0};
    expected_cost e{0, bytes(id), 0, std::nullopt};
    for (const std::uint32_t input : g_.inputs(n)) {
      e.read = checked_add(e.read, bytes(input));
      const std::uint32_t kind = g_.node(input).kind;
      if (kind == RLX_KIND_Param || kind == RLX_KIND_Constant) {
        e.weights = checked_add(e.weights, bytes(input));
      }
    }
    const u128 out = elements(id).value_or(0);
    const u128 first = n.input_count == 0 ? 0 : elements(g_.inputs(n)[0]).value_or(0);
    u128 work = 0;
    const auto text = rlx::text(g_.info(id).kind_text);
    if (text == "MatMul") {
      const rlx_node& a = g_.node(g_.inputs(n)[0]);
      const bool has_k = a.rank != 0 && ((a.dynamic_dims >> (a.rank - 1)) & 1) == 0;
      work = has_k ? 2 * out * g_.dims(a)[a.rank - 1] : 0;  // the test's sizes keep it in 128 bits
    } else if (text == "Binary") {
      work = std::max(out, first);
    } else if (text == "Activation") {
      work = out;
    } else if (text == "Reduce") {
      work = first;
    } else if (text == "Softmax") {
      work = 3 * first;
    }
    if (work <= largest) e.flops = static_cast<std::uint64_t>(work);
    return e;
  }

 private:
  figure bytes(std::uint32_t id) const {
    const auto width = rlx::dtype_bytes(g_.node(id).dtype);
    if (!width) return std::nullopt;
    const u128 size = u128{elements(id).value_or(0)} * *width;
    if (size > largest) return std::nullopt;
    return static_cast<std::uint64_t>(size);
  }
  rlx::graph_view g_;
};

void build_random(view_builder& b, unsigned seed) {
  std::mt19937_64 random{seed};
  const auto below = [&](std::uint64_t n) { return random() % n; };
  const std::vector<std::uint32_t> kinds{RLX_KIND_Input,    RLX_KIND_Param,
                                         RLX_KIND_Constant, RLX_KIND_MatMul,
                                         RLX_KIND_Binary,   RLX_KIND_Activation,
                                         RLX_KIND_Reduce,   RLX_KIND_Softmax,
                                         RLX_KIND_Gather,   b.unlisted_kind("NextYear")};
  const std::size_t count = 1 + below(60);
  while (b.size() < count) {
    std::uint32_t kind = kinds[below(kinds.size())];
    if (b.size() == 0) kind = RLX_KIND_Input;
    id_list operands;
    if (!rlx::is_leaf_kind(kind)) {
      for (std::uint64_t i = 1 + below(4); i != 0; --i) {
        operands.push_back(static_cast<std::uint32_t>(below(b.size())));
      }
    }
    dim_list shape;
    for (std::uint64_t rank = below(5); rank != 0; --rank) {
      switch (below(12)) {
        case 0:
          shape.push_back(symbol(below(3)));
          break;
        case 1:
          shape.push_back(0);
          break;
        case 2:
          shape.push_back(two_to(static_cast<unsigned>(below(63))));
          break;
        default:
          shape.push_back(1 + below(5000));
      }
    }
    const std::uint32_t dtype =
        below(16) == 0 ? b.unlisted_dtype("F8") : static_cast<std::uint32_t>(1 + below(13));
    b.node(kind, operands, shape, dtype);
  }
}

BOOST_DATA_TEST_CASE(random_graphs_agree_with_the_plain_rule, boost::unit_test::data::xrange(400u),
                     seed) {
  view_builder b;
  build_random(b, seed);
  BOOST_REQUIRE(!rlx::find_defect(b.get()).has_value());
  const rlx::graph_view view = b.view();
  const plain_rule plain{view};
  const graph_cost g = analyze(view);
  BOOST_REQUIRE(g.nodes().size() == view.size());
  expected_cost sum{0, 0, 0, 0};
  for (const node_cost& cost : g.nodes()) {
    const expected_cost e = plain.of(cost.id);
    check(cost, e);
    sum = {checked_add(sum.read, e.read), checked_add(sum.written, e.written),
           checked_add(sum.weights, e.weights), checked_add(sum.flops, e.flops)};
  }
  check(g.totals().bytes_read, sum.read, "total read");
  check(g.totals().bytes_written, sum.written, "total written");
  check(g.totals().bytes_weights, sum.weights, "total weights");
  check(g.totals().flops, sum.flops, "total flops");
}

BOOST_AUTO_TEST_CASE(storage_used_again_holds_nothing_of_the_graph_before) {
  graph_cost reused;
  for (unsigned seed = 0; seed < 50; ++seed) {
    view_builder b;
    build_random(b, seed);
    const rlx::graph_view view = b.view();
    analyze(view, reused);
    const graph_cost fresh = analyze(view);
    BOOST_REQUIRE(reused.nodes().size() == fresh.nodes().size());
    for (std::size_t i = 0; i < fresh.nodes().size(); ++i) {
      const node_cost& f = fresh.nodes()[i];
      check(reused.nodes()[i], {f.bytes_read(), f.bytes_written(), f.bytes_weights(), f.flops()});
    }
    BOOST_TEST(reused.totals().dynamic_nodes == fresh.totals().dynamic_nodes);
    BOOST_TEST(reused.totals().intensity == fresh.totals().intensity);
    BOOST_TEST(reused.report(5) == fresh.report(5));
  }
}

BOOST_AUTO_TEST_CASE(an_empty_graph_costs_nothing) {
  view_builder b;
  const graph_cost g = analyze(b.view());
  BOOST_TEST(g.nodes().empty());
  BOOST_TEST(g.by_kind().empty());
  BOOST_TEST(g.top_by_bytes(5).empty());
  check(g.totals().bytes, 0, "total");
  const roofline split = g.roofline_split(10);
  check(split.memory_bound, 0, "memory");
  check(split.compute_bound, 0, "compute");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace opscope::test
