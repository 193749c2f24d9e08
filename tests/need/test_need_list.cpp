#define BOOST_TEST_MODULE need_list
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <opscope/node_need.hpp>
#include <stdexcept>
#include <vector>

using opscope::exact_need;
using opscope::interval;
using opscope::need_list;
using opscope::node_need;

namespace {

bool are_equal(const node_need& a, const node_need& b) {
  return a.read == b.read && a.written == b.written && a.weights == b.weights && a.work == b.work &&
         a.contraction == b.contraction && a.int_ops == b.int_ops &&
         a.is_invariant == b.is_invariant && a.is_leaf == b.is_leaf && a.is_view == b.is_view &&
         a.is_dead == b.is_dead;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(list_of_needs)

BOOST_AUTO_TEST_CASE(keeps_every_kind_of_end_and_flag) {
  std::vector<interval> figures;
  const std::uint64_t ends[] = {0, 1, 5, INT64_MAX, UINT64_MAX - 1};
  for (const std::uint64_t lo : ends) {
    figures.push_back(interval::at_least(lo));
    for (const std::uint64_t hi : ends) {
      if (lo <= hi) figures.push_back(interval::between(lo, hi));
    }
  }
  std::vector<node_need> wanted;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const auto at = [&](std::size_t c) { return figures[(i + c) % figures.size()]; };
    node_need n{at(0), at(1), at(2), at(3), at(4), at(5)};
    n.is_invariant = i % 2 == 1;
    n.is_leaf = i % 3 == 1;
    n.is_view = i % 5 == 1;
    n.is_dead = i % 7 == 1;
    wanted.push_back(n);
  }
  need_list list;
  for (unsigned round = 0; round < 2; ++round) {
    for (const node_need& n : wanted) list.push_back(n);
    BOOST_REQUIRE(list.size() == wanted.size());
    std::size_t id = 0;
    for (const node_need n : list) {
      BOOST_TEST(are_equal(n, wanted[id]), "node " << id);
      BOOST_TEST(list.has(static_cast<std::uint32_t>(id)));
      ++id;
    }
    BOOST_TEST(id == wanted.size());
    list.clear();
    BOOST_TEST(list.empty());
  }
}

BOOST_AUTO_TEST_CASE(keeps_exact_needs_as_others) {
  need_list exact;
  need_list others;
  // Every choice of figures that are 0, many times, so that the memory grows.
  for (unsigned i = 0; i < 64 * 100; ++i) {
    const auto figure = [&](unsigned c) {
      return (i >> c & 1) == 0 ? 0 : std::uint64_t{i} << (8 * c) | 1;
    };
    const exact_need x{figure(0), figure(1), figure(2), figure(3), figure(4), figure(5)};
    exact.push_exact(x, i % 3 == 0);
    node_need n{x.read, x.written, x.weights, x.work, x.contraction, x.int_ops};
    n.is_invariant = i % 3 == 0;
    others.push_back(n);
  }
  BOOST_REQUIRE(exact.size() == others.size());
  for (std::uint32_t i = 0; i < exact.size(); ++i) {
    BOOST_TEST(are_equal(exact[i], others[i]), "node " << i);
  }
  BOOST_TEST(exact.held_bytes() == others.held_bytes());
}

BOOST_AUTO_TEST_CASE(tells_nothing_needed_from_nothing_recorded) {
  need_list list;
  list.push_nothing(true, true, false);
  list.push_absent();
  list.push_nothing(false, false, true);
  BOOST_TEST(list.has(0));
  BOOST_TEST(!list.has(1));
  BOOST_TEST(list.has(2));
  BOOST_TEST(list[0].read.is_zero());
  BOOST_TEST((list[0].is_leaf && list[0].is_invariant && !list[0].is_view));
  BOOST_TEST((!list[2].is_leaf && !list[2].is_invariant && list[2].is_view));
  list.mark_dead(2);
  BOOST_TEST((list[2].is_dead && !list[0].is_dead));
  BOOST_TEST(list.held_bytes() == 3u * 8);
  BOOST_CHECK_THROW(list.at(3), std::out_of_range);
}

BOOST_AUTO_TEST_SUITE_END()
