#define BOOST_TEST_MODULE need_interval
#include <opscope/interval.hpp>

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <limits>

using opscope::interval;
using opscope::truth;

namespace {
constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
}

BOOST_AUTO_TEST_SUITE(interval_arithmetic)

BOOST_AUTO_TEST_CASE(exact_numbers_stay_exact) {
  BOOST_TEST((interval{3} + interval{4}).exact().value() == 7u);
  BOOST_TEST((interval{3} * interval{4}).exact().value() == 12u);
  BOOST_TEST(minus(interval{7}, interval{4}).exact().value() == 3u);
  BOOST_TEST(floor_divide(interval{7}, interval{2}).exact().value() == 3u);
  BOOST_TEST(ceil_divide(interval{7}, interval{2}).exact().value() == 4u);
}

BOOST_AUTO_TEST_CASE(unbounded_is_a_state_and_not_a_number) {
  const interval u = interval::unknown();
  BOOST_TEST(!u.hi().has_value());
  BOOST_TEST(!u.is_exact());
  BOOST_TEST(!(u + interval{1}).is_bounded());
  BOOST_TEST((u + interval{1}).lo() == 1u);
  BOOST_TEST(!(u * interval{2}).is_bounded());
}

BOOST_AUTO_TEST_CASE(nothing_of_something_unbounded_is_nothing) {
  BOOST_TEST((interval::unknown() * interval{0}).exact().value() == 0u);
}

BOOST_AUTO_TEST_CASE(sum_beyond_64_bits_keeps_a_correct_low_end) {
  const interval s = interval{most - 1} + interval{2};
  BOOST_TEST(s.lo() == most);
  BOOST_TEST(!s.is_bounded());
  BOOST_TEST(!s.is_exact());
}

BOOST_AUTO_TEST_CASE(product_beyond_64_bits_is_unbounded) {
  const interval p = interval{std::uint64_t{1} << 40} * interval{std::uint64_t{1} << 40};
  BOOST_TEST(p.lo() == most);
  BOOST_TEST(!p.hi().has_value());
}

BOOST_AUTO_TEST_CASE(difference_never_goes_below_zero) {
  BOOST_TEST(minus(interval{2}, interval{5}).exact().value() == 0u);
  const interval d = minus(interval::between(4, 9), interval::between(1, 6));
  BOOST_TEST(d.lo() == 0u);
  BOOST_TEST(d.hi().value() == 8u);
}

BOOST_AUTO_TEST_CASE(division_by_what_may_be_zero_is_unbounded) {
  const interval q = floor_divide(interval{8}, interval::between(0, 4));
  BOOST_TEST(q.lo() == 2u);
  BOOST_TEST(!q.is_bounded());
}

BOOST_AUTO_TEST_CASE(comparison_of_overlapping_intervals_is_undecided) {
  BOOST_TEST((at_most(interval{3}, interval{3}) == truth::yes));
  BOOST_TEST((at_most(interval{4}, interval{3}) == truth::no));
  BOOST_TEST((at_most(interval::between(1, 4), interval{3}) == truth::undecided));
  BOOST_TEST((equal(interval{3}, interval{3}) == truth::yes));
  BOOST_TEST((equal(interval::between(1, 2), interval{3}) == truth::no));
  BOOST_TEST((equal(interval::between(1, 3), interval{3}) == truth::undecided));
}

BOOST_AUTO_TEST_CASE(results_contain_every_result_of_members) {
  for (std::uint64_t a = 0; a < 6; ++a) {
    for (std::uint64_t a2 = a; a2 < 6; ++a2) {
      for (std::uint64_t b = 0; b < 6; ++b) {
        for (std::uint64_t b2 = b; b2 < 6; ++b2) {
          const interval x = interval::between(a, a2);
          const interval y = interval::between(b, b2);
          for (std::uint64_t i = a; i <= a2; ++i) {
            for (std::uint64_t j = b; j <= b2; ++j) {
              BOOST_TEST_REQUIRE((x + y).contains(i + j));
              BOOST_TEST_REQUIRE((x * y).contains(i * j));
              BOOST_TEST_REQUIRE(minus(x, y).contains(i > j ? i - j : 0));
              BOOST_TEST_REQUIRE(minimum(x, y).contains(std::min(i, j)));
              BOOST_TEST_REQUIRE(maximum(x, y).contains(std::max(i, j)));
              BOOST_TEST_REQUIRE(interval::hull(x, y).contains(i));
              BOOST_TEST_REQUIRE(interval::hull(x, y).contains(j));
              if (j != 0) {
                BOOST_TEST_REQUIRE(floor_divide(x, y).contains(i / j));
                BOOST_TEST_REQUIRE(ceil_divide(x, y).contains((i + j - 1) / j));
              }
            }
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
