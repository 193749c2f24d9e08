// The placement of slots against the rule it must follow, tried slot by slot in the plainest way.
#define BOOST_TEST_MODULE lower_placement
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numeric>
#include <random>

#include "host/error.hpp"
#include "host/lower/plan/address_index.hpp"
#include "host/lower/plan/placement.hpp"
#include "tests/lower/support.hpp"

using namespace rlx;

namespace {

constexpr std::uint64_t alignment = 64;

// A graph of n nodes, which the placer needs for its node count and for messages.
graph nodes(std::uint32_t n) {
  lower_test::graph_builder b;
  for (std::uint32_t i = 0; i < n; ++i) b.input("x", {1});
  return b.build();
}

// The rule: largest first, each at the lowest multiple of the alignment that meets nothing placed.
placement brute_force(std::span<const placement_request> requests) {
  std::vector<std::size_t> order(requests.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    if (requests[a].bytes != requests[b].bytes) return requests[a].bytes > requests[b].bytes;
    return requests[a].node < requests[b].node;
  });
  placement made;
  made.offsets.resize(requests.size());
  std::vector<std::size_t> placed;
  for (const std::size_t i : order) {
    const placement_request& r = requests[i];
    std::vector<std::uint64_t> candidates{0};
    for (const std::size_t p : placed) {
      const std::uint64_t end = made.offsets[p] + requests[p].bytes;
      candidates.push_back((end + alignment - 1) / alignment * alignment);
    }
    std::ranges::sort(candidates);
    const auto fits = [&](std::uint64_t offset) {
      return std::ranges::none_of(placed, [&](std::size_t p) {
        return requests[p].lifetime.birth <= r.lifetime.death &&
               requests[p].lifetime.death >= r.lifetime.birth &&
               offset < made.offsets[p] + requests[p].bytes && made.offsets[p] < offset + r.bytes;
      });
    };
    made.offsets[i] = *std::ranges::find_if(candidates, fits);
    made.arena_bytes = std::max(made.arena_bytes, made.offsets[i] + r.bytes);
    placed.push_back(i);
  }
  return made;
}

struct shape_of_life {
  std::uint32_t steps;
  unsigned pinned_percent;
  unsigned to_end_percent;
  std::uint32_t longest;  // life of the others
  std::uint64_t sizes;    // distinct ones
};

std::vector<placement_request> random_requests(std::mt19937& random, const shape_of_life& s) {
  std::vector<placement_request> requests;
  for (std::uint32_t node = 0; node < s.steps; ++node) {
    const std::uint64_t bytes = random() % s.sizes * (random() % 3 == 0 ? 1 : 64) + 1;
    lifetime life{node, std::min(node + static_cast<std::uint32_t>(random() % s.longest), s.steps)};
    const auto draw = static_cast<unsigned>(random() % 100);
    if (draw < s.pinned_percent) {
      life = {0, s.steps};
    } else if (draw < s.pinned_percent + s.to_end_percent) {
      life.death = s.steps;
    }
    if (random() % 8 != 0) requests.push_back({node, bytes, life});
  }
  return requests;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(placement_of_slots)

BOOST_AUTO_TEST_CASE(equals_the_plain_rule_on_random_lifetimes) {
  std::mt19937 random{20261201};
  const shape_of_life shapes[] = {
      {40, 30, 10, 5, 20},   {130, 40, 0, 4, 3},    {400, 20, 5, 10, 50},    {400, 0, 0, 300, 200},
      {300, 0, 100, 1, 400}, {400, 30, 40, 100, 5}, {400, 10, 10, 400, 900}, {300, 0, 30, 300, 2},
      {450, 5, 5, 70, 1000}, {300, 50, 50, 1, 300}, {450, 0, 2, 130, 90},    {300, 0, 0, 1, 10},
  };
  std::size_t compared = 0;
  for (const shape_of_life& shape : shapes) {
    const graph g = nodes(shape.steps);
    for (int round = 0; round < 3; ++round) {
      const auto requests = random_requests(random, shape);
      const placement expected = brute_force(requests);
      const placement got = place_slots(g, requests, alignment);
      BOOST_TEST(got.offsets == expected.offsets, "steps " << shape.steps << " round " << round);
      BOOST_TEST(got.arena_bytes == expected.arena_bytes);
      compared += requests.size();
    }
  }
  BOOST_TEST(compared > 9000U);
}

BOOST_AUTO_TEST_CASE(places_no_two_living_slots_on_one_byte) {
  std::mt19937 random{7};
  const shape_of_life shape{500, 10, 10, 120, 100};
  const graph g = nodes(shape.steps);
  const auto requests = random_requests(random, shape);
  const placement made = place_slots(g, requests, alignment);
  std::uint64_t end = 0;
  for (std::size_t a = 0; a < requests.size(); ++a) {
    BOOST_TEST(made.offsets[a] % alignment == 0U);
    end = std::max(end, made.offsets[a] + requests[a].bytes);
    for (std::size_t b = a + 1; b < requests.size(); ++b) {
      const bool apart = made.offsets[a] + requests[a].bytes <= made.offsets[b] ||
                         made.offsets[b] + requests[b].bytes <= made.offsets[a];
      if (!apart && requests[a].lifetime.overlaps(requests[b].lifetime)) {
        BOOST_ERROR("slots of nodes " << requests[a].node << " and " << requests[b].node);
      }
    }
  }
  BOOST_TEST(made.arena_bytes == end);
}

BOOST_AUTO_TEST_CASE(gives_nothing_for_nothing) {
  const placement made = place_slots(nodes(0), {}, alignment);
  BOOST_TEST(made.offsets.empty());
  BOOST_TEST(made.arena_bytes == 0U);
}

BOOST_AUTO_TEST_CASE(does_not_round_the_arena) {
  const placement_request requests[] = {{0, 65, {0, 2}}, {1, 3, {1, 2}}};
  const placement made = place_slots(nodes(2), requests, alignment);
  BOOST_TEST(made.offsets[1] == 128U);
  BOOST_TEST(made.arena_bytes == 128U + 3U);
}

BOOST_AUTO_TEST_CASE(lets_touching_lifetimes_meet) {
  // Closed intervals: one that ends at the step where another begins is in its way.
  const placement_request requests[] = {{0, 64, {0, 1}}, {1, 64, {1, 2}}, {2, 64, {2, 3}}};
  const placement made = place_slots(nodes(3), requests, alignment);
  BOOST_TEST(made.offsets[0] == 0U);
  BOOST_TEST(made.offsets[1] == 64U);
  BOOST_TEST(made.offsets[2] == 0U);
}

BOOST_AUTO_TEST_CASE(refuses_an_arena_beyond_64_bits) {
  const std::uint64_t half = std::uint64_t{1} << 63;
  const placement_request fitting[] = {{0, half, {0, 2}}, {1, half - 1, {0, 2}}};
  BOOST_TEST(place_slots(nodes(2), fitting, alignment).arena_bytes == UINT64_MAX);
  const placement_request beyond[] = {{0, half, {0, 2}}, {1, half, {0, 2}}};
  BOOST_CHECK_EXCEPTION(place_slots(nodes(2), beyond, alignment), error, [](const error& e) {
    return std::string{e.what()} ==
           "module \"g\": pass plan_buffers: node 1 (Input): its slot would end beyond 64 bits of "
           "arena, so no buffer can be planned; use smaller dims";
  });
}

BOOST_AUTO_TEST_CASE(range_union_merges_what_touches_and_tells_what_was_covered) {
  range_union u;
  BOOST_TEST(u.insert({10, 20}));
  BOOST_TEST(u.insert({30, 40}));
  BOOST_TEST(!u.insert({12, 20}));
  BOOST_TEST(u.ranges().size() == 2U);
  BOOST_TEST(u.insert({20, 30}));
  BOOST_REQUIRE(u.ranges().size() == 1U);
  BOOST_TEST(u.ranges()[0].begin == 10U);
  BOOST_TEST(u.ranges()[0].end == 40U);
  BOOST_TEST(u.insert({0, 5}));
  BOOST_TEST(u.insert({50, 60}));
  BOOST_TEST(u.insert({4, 55}));
  BOOST_REQUIRE(u.ranges().size() == 1U);
  BOOST_TEST(u.ranges()[0].begin == 0U);
  BOOST_TEST(u.ranges()[0].end == 60U);
}

BOOST_AUTO_TEST_SUITE_END()
