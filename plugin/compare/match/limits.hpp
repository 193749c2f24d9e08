// What keeps the stages n log n, whatever the graphs.
#pragma once

#include <cstddef>

namespace opscope::matching {

// A node that more nodes read than this is no place to search from.
inline constexpr std::size_t most_uses_searched = 64;
// A stage that goes on for as long as it finds pairs ends after so many times.
inline constexpr int most_rounds = 16;

}  // namespace opscope::matching
