// Window counts against plain loops, over all small geometries.
#define BOOST_TEST_MODULE need_geometry
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <set>

#include "plugin/cost/need/geometry.hpp"

namespace {

using opscope::need::window;
using opscope::need::window_counts;

struct looped {
  std::uint64_t pairs = 0;
  std::set<std::int64_t> positions;
  std::set<std::uint64_t> taps;
  std::set<std::uint64_t> outputs;
};

looped loop_over(const window& w) {
  looped l;
  for (std::uint64_t o = 0; o < w.outputs; ++o) {
    for (std::uint64_t j = 0; j < w.taps; ++j) {
      const auto at = static_cast<std::int64_t>(o * w.stride + j * w.dilation) -
                      static_cast<std::int64_t>(w.padding);
      if (at < 0 || at >= static_cast<std::int64_t>(w.size)) continue;
      ++l.pairs;
      l.positions.insert(at);
      l.taps.insert(j);
      l.outputs.insert(o);
    }
  }
  return l;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(window_geometry)

BOOST_AUTO_TEST_CASE(counts_equal_plain_loops_over_all_small_windows) {
  std::uint64_t checked = 0;
  for (std::uint64_t size = 0; size <= 7; ++size) {
    for (std::uint64_t taps = 1; taps <= 5; ++taps) {
      for (std::uint64_t stride = 0; stride <= 4; ++stride) {
        for (std::uint64_t padding = 0; padding <= 4; ++padding) {
          for (std::uint64_t dilation = 0; dilation <= 4; ++dilation) {
            for (std::uint64_t outputs = 0; outputs <= 6; ++outputs) {
              const window w{size, taps, stride, padding, dilation, outputs};
              const window_counts c = opscope::need::count(w);
              const looped l = loop_over(w);
              BOOST_TEST_INFO("size " << size << " taps " << taps << " stride " << stride
                                      << " padding " << padding << " dilation " << dilation
                                      << " outputs " << outputs);
              BOOST_TEST_REQUIRE(c.pairs.exact().value() == l.pairs);
              BOOST_TEST_INFO("positions, " << size << ' ' << taps << ' ' << stride << ' '
                                            << padding << ' ' << dilation << ' ' << outputs);
              BOOST_TEST_REQUIRE(c.positions.exact().value() == l.positions.size());
              BOOST_TEST_INFO("taps, " << size << ' ' << taps << ' ' << stride << ' ' << padding
                                       << ' ' << dilation << ' ' << outputs);
              BOOST_TEST_REQUIRE(c.taps.exact().value() == l.taps.size());
              BOOST_TEST_INFO("outputs, " << size << ' ' << taps << ' ' << stride << ' ' << padding
                                          << ' ' << dilation << ' ' << outputs);
              BOOST_TEST_REQUIRE(c.outputs.exact().value() == l.outputs.size());
              ++checked;
            }
          }
        }
      }
    }
  }
  BOOST_TEST(checked == 8u * 5 * 5 * 5 * 5 * 7);
}

BOOST_AUTO_TEST_CASE(window_without_padding_hits_every_tap) {
  const window_counts c = opscope::need::count({20, 3, 1, 0, 1, 18});
  BOOST_TEST(c.pairs.exact().value() == 18u * 3);
  BOOST_TEST(c.positions.exact().value() == 20u);
}

BOOST_AUTO_TEST_CASE(large_axes_take_no_loop) {
  const std::uint64_t n = std::uint64_t{1} << 30;
  const window_counts c = opscope::need::count({n, 1000, 3, 0, 1, (n - 1000) / 3 + 1});
  BOOST_TEST(c.pairs.exact().value() == ((n - 1000) / 3 + 1) * 1000);
}

BOOST_AUTO_TEST_CASE(absurd_numbers_give_bounds) {
  const std::uint64_t n = UINT64_MAX;
  const window_counts c = opscope::need::count({n, n, n, n, n, n});
  BOOST_TEST(c.pairs.lo() == 0u);
  BOOST_TEST(!c.pairs.is_bounded());
}

BOOST_AUTO_TEST_SUITE_END()
