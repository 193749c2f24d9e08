#include "host/lower/plan/lifetimes.hpp"

#include <algorithm>

#include "host/lower/ops.hpp"

namespace rlx {

std::vector<lifetime> find_lifetimes(const graph& g,
                                     const std::vector<std::optional<view_alias>>& views) {
  std::vector<lifetime> lifetimes(g.size());
  const auto owner = [&views](node_id id) { return views[id] ? views[id]->root : id; };
  for (node_id id = 0; id < g.size(); ++id) {
    lifetimes[id] = {id, id};
    for (const node_id operand : g.inputs(id)) {
      lifetime& read = lifetimes[owner(operand)];
      read.death = std::max(read.death, id);
    }
  }
  for (const node_id output : g.outputs()) lifetimes[owner(output)].death = g.size();
  for (node_id id = 0; id < g.size(); ++id) {
    if (is_leaf(g.kind(id))) lifetimes[id] = {0, g.size()};
  }
  return lifetimes;
}

}  // namespace rlx
