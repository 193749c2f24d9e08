// The plugin's one line a graph, and the units it is written in.
#define BOOST_TEST_MODULE summary
#include <boost/test/unit_test.hpp>
#include <opscope/report.hpp>
#include <opscope/units.hpp>

#include "tests/support/view_builder.hpp"

namespace opscope::test {
namespace {

BOOST_AUTO_TEST_SUITE(units)

BOOST_AUTO_TEST_CASE(bytes_are_binary) {
  BOOST_TEST(binary_bytes(0) == "0 B");
  BOOST_TEST(binary_bytes(1023) == "1023 B");
  BOOST_TEST(binary_bytes(1024) == "1.00 KiB");
  BOOST_TEST(binary_bytes(3 * 512 * 1024 * 1024ull) == "1.50 GiB");
  BOOST_TEST(binary_bytes(UINT64_MAX) == "16.00 EiB");
  BOOST_TEST(binary_bytes(figure{}) == "unknown bytes");
}

BOOST_AUTO_TEST_CASE(a_value_that_rounds_up_to_a_unit_is_shown_in_it) {
  BOOST_TEST(binary_bytes(1024 * 1024 - 4) == "1.00 MiB");     // 1023.996 KiB
  BOOST_TEST(binary_bytes(1024 * 1024 - 6) == "1023.99 KiB");  // 1023.994 KiB
  BOOST_TEST(decimal_count(999'996) == "1.00 M");
  BOOST_TEST(decimal_count(999'994) == "999.99 K");
}

BOOST_AUTO_TEST_CASE(counts_are_decimal_and_carry_their_unit) {
  BOOST_TEST(decimal_count(0) == "0");
  BOOST_TEST(decimal_count(7, "FLOP") == "7 FLOP");
  BOOST_TEST(decimal_count(1000) == "1.00 K");
  BOOST_TEST(decimal_count(2'500'000'000, "FLOP") == "2.50 GFLOP");
  BOOST_TEST(decimal_count(UINT64_MAX, "FLOP") == "18.45 EFLOP");
  BOOST_TEST(decimal_count(figure{}, "FLOP") == "unknown FLOP");
  BOOST_TEST(decimal_count(figure{}) == "unknown");
}

BOOST_AUTO_TEST_CASE(names_stay_on_one_line) {
  BOOST_TEST(shown_name("a\nb\t\\\x1b[31m\x7f") == "a\\nb\\t\\\\\\x1b[31m\\x7f");
  BOOST_TEST(shown_name("\xC3\xBC") == "\xC3\xBC");
  // Controls of the reading order and the second row of controls; a dash and an arrow stay.
  BOOST_TEST(shown_name("a\xE2\x80\xAE"
                        "b") == "a\\xe2\\x80\\xaeb");
  BOOST_TEST(shown_name("\xC2\x9B"
                        "1m\xEF\xBB\xBF") == "\\xc2\\x9b1m\\xef\\xbb\\xbf");
  BOOST_TEST(shown_name("\xE2\x80\x94\xE2\x86\x92") == "\xE2\x80\x94\xE2\x86\x92");
  BOOST_TEST(shown_name("abc", 3) == "abc");
  BOOST_TEST(shown_name("abcd", 3) == "abc...");
  BOOST_TEST(shown_name("ab\xC3\xBC", 3) == "ab...");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(line)

std::string summary(view_builder& b, std::optional<double> ridge = std::nullopt) {
  const rlx::graph_view view = b.view();
  return summary_line({view.name(), "cpu"}, analyze(view), ridge);
}

BOOST_AUTO_TEST_CASE(says_what_the_rule_counts) {
  view_builder b{"mm"};
  const auto x = b.input("x", {64, 128});
  const auto w = b.param("w", {128, 32});
  b.node(RLX_KIND_MatMul, {x, w}, {64, 32});
  const std::string line =
      "mm [cpu]: 3 nodes, 56.00 KiB as rlx-opscope 0.2.18 counts (28.6% weights), 524.29 KFLOP, "
      "9.14 FLOP/B";
  BOOST_TEST(summary(b) == line);
  BOOST_TEST(summary(b, 9.0) ==
             line + "; ridge 9.00 FLOP/B: 0 B memory-bound, 56.00 KiB compute-bound");
}

BOOST_AUTO_TEST_CASE(of_an_empty_graph_has_no_share) {
  view_builder b{""};
  BOOST_TEST(summary(b) ==
             "(unnamed graph) [cpu]: 0 nodes, 0 B as rlx-opscope 0.2.18 counts, 0 FLOP, "
             "0.00 FLOP/B");
}

BOOST_AUTO_TEST_CASE(names_what_is_dynamic_beyond_or_unknown) {
  view_builder b{"odd\nname"};
  const auto x = b.input("x", {symbol(0)});
  b.node(RLX_KIND_Activation, {x}, {symbol(0)});
  b.node(RLX_KIND_Activation, {x}, {symbol(0)});
  const auto y = b.input("y", {4}, b.unlisted_dtype("F8"));
  b.node(RLX_KIND_Reduce, {y}, {});
  const auto z = b.input("z", {std::uint64_t{1} << 63});
  b.node(RLX_KIND_Concat, {z}, {1});
  BOOST_TEST(summary(b) ==
             "odd\\nname [cpu]: 7 nodes, unknown bytes as rlx-opscope 0.2.18 counts, 4 FLOP, "
             "unknown FLOP/B; 2 nodes with a dynamic size, counted as 0; 1 node beyond 64 bits; "
             "1 node with a dtype of unknown width");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace opscope::test
