// Which node of one graph is which node of the other.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace opscope {

struct node_matching {
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> new_of;   // a base node each
  std::vector<std::uint32_t> base_of;  // a new node each
};

}  // namespace opscope
