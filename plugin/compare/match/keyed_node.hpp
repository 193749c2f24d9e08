// Nodes sorted by a key, and the keys that two such lists share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace opscope::matching {

struct keyed_node {
  std::uint64_t key;
  std::uint32_t id;
  friend bool operator<(const keyed_node& x, const keyed_node& y) {
    return x.key != y.key ? x.key < y.key : x.id < y.id;
  }
};

using keyed_nodes = std::span<const keyed_node>;  // sorted

inline bool has_key(keyed_nodes nodes, std::uint64_t key) {
  const auto at = std::lower_bound(nodes.begin(), nodes.end(), keyed_node{key, 0});
  return at != nodes.end() && at->key == key;
}

// Calls f(nodes of a, nodes of b) for each key that both lists hold, in ascending order.
template <class F>
void for_each_shared_key(keyed_nodes in_a, keyed_nodes in_b, const F& f) {
  auto x = in_a.begin();
  auto y = in_b.begin();
  while (x != in_a.end() && y != in_b.end()) {
    if (x->key != y->key) {
      ++(x->key < y->key ? x : y);
      continue;
    }
    const auto is_other = [k = x->key](const keyed_node& n) { return n.key != k; };
    const auto x_end = std::find_if(x, in_a.end(), is_other);
    const auto y_end = std::find_if(y, in_b.end(), is_other);
    f(keyed_nodes{x, x_end}, keyed_nodes{y, y_end});
    x = x_end;
    y = y_end;
  }
}

}  // namespace opscope::matching
