// Windows over one axis: how many (output, tap) pairs fall on real input, how many input positions
// and how many taps are ever used. Closed forms: no loop as long as an axis.
#pragma once

#include <cstdint>
#include <optional>

#include <opscope/interval.hpp>

namespace opscope::need {

// A window of `taps` at `outputs` places: output o, tap j sits at o*stride + j*dilation - padding
// of an axis of `size`. A transposed convolution is the same with the roles of input (outputs) and
// output (size) exchanged.
struct window {
  std::uint64_t size;
  std::uint64_t taps;
  std::uint64_t stride;
  std::uint64_t padding;
  std::uint64_t dilation;
  std::uint64_t outputs;
};

struct window_counts {
  interval pairs;      // (output, tap) that hit the axis
  interval positions;  // distinct positions of the axis hit
  interval taps;       // distinct taps that hit the axis at some output
  interval outputs;    // distinct outputs some tap of which hits the axis
};

// Exact, except where a number passes 2^40: then bounds. stride 0 and dilation 0 are allowed.
window_counts count(const window& w);

}  // namespace opscope::need
