#include "plugin/cost/need/geometry.hpp"

#include <algorithm>
#include <numeric>

namespace opscope::need {

namespace {

__extension__ using wide = __int128;

// Sum over 0 <= i < n of floor((a*i + b) / m), for a, b >= 0 and m > 0, by Euclid's descent.
wide floor_sum(wide n, wide m, wide a, wide b) {
  wide sum = 0;
  while (n > 0) {
    sum += (n - 1) * n / 2 * (a / m);
    a %= m;
    sum += n * (b / m);
    b %= m;
    const wide top = a * n + b;
    if (top < m) break;
    n = top / m;
    b = top % m;
    std::swap(m, a);
  }
  return sum;
}

// Pairs 0 <= o < outputs, 0 <= j < taps with o*stride + j*dilation <= limit.
wide pairs_at_most(wide limit, wide outputs, wide taps, wide stride, wide dilation) {
  if (limit < 0 || outputs <= 0 || taps <= 0) return 0;
  if (stride == 0 && dilation == 0) return outputs * taps;
  if (stride == 0) return outputs * std::min(taps, limit / dilation + 1);
  if (dilation == 0) return taps * std::min(outputs, limit / stride + 1);
  const wide used = std::min(taps, limit / dilation + 1);
  // Taps up to `whole` are within the limit at every output.
  const wide slack = limit - (outputs - 1) * stride;
  const wide whole = slack < 0 ? 0 : std::min(used, slack / dilation + 1);
  const wide rest = used - whole;
  if (rest <= 0) return outputs * whole;
  // For the others the count at tap j is floor((limit - j*dilation)/stride) + 1; taken from the
  // last tap down, so that all terms stay positive.
  const wide last = limit - (used - 1) * dilation;
  return outputs * whole + floor_sum(rest, stride, dilation, last) + rest;
}

// Pairs with low <= o*stride + j*dilation <= high.
wide pairs_between(wide low, wide high, wide outputs, wide taps, wide stride, wide dilation) {
  if (high < low) return 0;
  return pairs_at_most(high, outputs, taps, stride, dilation) -
         pairs_at_most(low - 1, outputs, taps, stride, dilation);
}

// Numbers 0 <= j < taps for which some 0 <= o < outputs gives low <= o*stride + j*dilation <= high.
std::optional<wide> used_taps(wide low, wide high, wide outputs, wide taps, wide stride,
                              wide dilation) {
  if (high < low || outputs <= 0 || taps <= 0) return 0;
  if (stride == 0) outputs = 1;
  if (stride <= high - low + 1) {
    // The axis is at least as long as a step: a tap between the extremes always finds an output.
    const wide top = high;
    const wide bottom = low - (outputs - 1) * stride;
    if (top < 0) return 0;
    if (dilation == 0) return bottom <= 0 ? taps : wide{0};
    const wide last = std::min(taps - 1, top / dilation);
    const wide first = bottom <= 0 ? 0 : (bottom + dilation - 1) / dilation;
    return std::max(wide{0}, last - first + 1);
  }
  constexpr wide most = 1 << 16;  // an axis shorter than its stride, with a huge kernel: give up
  if (taps > most) return std::nullopt;
  wide used = 0;
  for (wide j = 0; j < taps; ++j) {
    const wide at_least = low - j * dilation;
    const wide first = at_least <= 0 ? 0 : (at_least + stride - 1) / stride;
    const wide at_most = high - j * dilation;
    if (at_most >= 0 && first <= std::min(outputs - 1, at_most / stride)) ++used;
  }
  return used;
}

interval exactly(wide v) { return interval{static_cast<std::uint64_t>(v)}; }

}  // namespace

window_counts count(const window& w) {
  constexpr std::uint64_t most = std::uint64_t{1} << 40;
  const interval all = interval{w.outputs} * interval{w.taps};
  if (w.size == 0 || w.taps == 0 || w.outputs == 0) return {};
  if (std::max({w.size, w.taps, w.stride, w.padding, w.dilation, w.outputs}) > most ||
      !all.is_bounded()) {
    return {from_to(interval{}, all), from_to(interval{}, minimum(all, interval{w.size})),
            from_to(interval{}, interval{w.taps}), from_to(interval{}, interval{w.outputs})};
  }
  const wide low = static_cast<wide>(w.padding);
  const wide high = low + static_cast<wide>(w.size) - 1;
  const wide outputs = static_cast<wide>(w.outputs);
  const wide taps = static_cast<wide>(w.taps);
  const wide s = static_cast<wide>(w.stride);
  const wide d = static_cast<wide>(w.dilation);

  window_counts c;
  c.pairs = exactly(pairs_between(low, high, outputs, taps, s, d));

  // Distinct positions: of all pairs at one position count the one with the smallest tap. With
  // s = g*s', d = g*d' the pairs of a position differ by (+d', -s'), so the one counted has
  // j < s' or no room for a larger o.
  if (s == 0 || d == 0) {
    const wide steps = s == 0 ? taps : outputs;
    const wide step = s == 0 ? d : s;
    c.positions = step == 0 ? exactly(low == 0 ? 1 : 0)
                            : exactly(pairs_between(low, high, steps, 1, step, 0));
  } else {
    const wide g = static_cast<wide>(std::gcd(w.stride, w.dilation));
    const wide s1 = s / g;
    const wide d1 = d / g;
    wide distinct = pairs_between(low, high, outputs, std::min(taps, s1), s, d);
    if (taps > s1) {
      const wide first = std::max(wide{0}, outputs - d1);
      const wide shift = first * s + s1 * d;
      distinct += pairs_between(low - shift, high - shift, outputs - first, taps - s1, s, d);
    }
    c.positions = exactly(distinct);
  }

  const auto used = used_taps(low, high, outputs, taps, s, d);
  c.taps = used ? exactly(*used) : from_to(interval{}, interval{w.taps});
  const auto reached = used_taps(low, high, taps, outputs, d, s);
  c.outputs = reached ? exactly(*reached) : from_to(interval{}, interval{w.outputs});
  return c;
}

}  // namespace opscope::need
