#include "plugin/ledger/memory.hpp"

#include <algorithm>
#include <vector>

namespace opscope {

memory_figures measure_memory(const rlx::graph_view& g) {
  memory_figures m;
  for (std::uint32_t id = 0; id < g.size(); ++id) m.views += g.is_view(id) ? 1 : 0;
  m.arena_bytes = g.arena_bytes();
  if (!m.arena_bytes) return m;

  const std::uint32_t end = g.size();
  std::vector<std::uint32_t> last_use(g.size());
  const auto use = [&](std::uint32_t id, std::uint32_t step) {
    std::uint32_t& last = last_use[g.node(id).view_root];
    last = std::max(last, step);
  };
  for (std::uint32_t id = 0; id < g.size(); ++id) {
    use(id, rlx::is_leaf_kind(g.node(id).kind) ? end : id);
    for (const std::uint32_t input : g.inputs(g.node(id))) use(input, id);
  }
  for (const std::uint32_t output : g.outputs()) use(output, end);

  const auto owned_bytes = [&](std::uint32_t id) {
    const std::uint64_t bytes = g.info(id).slot_bytes;
    return g.is_view(id) || bytes == RLX_UNKNOWN ? std::uint64_t{0} : bytes;
  };
  std::vector<std::uint64_t> freed_after(g.size());  // no sum of live slots passes unshared_bytes
  figure unshared = 0;
  for (std::uint32_t id = 0; id < g.size(); ++id) {
    unshared = checked_add(unshared, owned_bytes(id));
  }
  m.unshared_bytes = unshared;
  if (!unshared) return m;
  std::uint64_t live = 0;
  for (std::uint32_t id = 0; id < g.size(); ++id) {
    if (rlx::is_leaf_kind(g.node(id).kind)) live += owned_bytes(id);
    if (last_use[id] < end) freed_after[last_use[id]] += owned_bytes(id);
  }
  std::uint64_t peak = live;
  for (std::uint32_t id = 0; id < g.size(); ++id) {
    if (!rlx::is_leaf_kind(g.node(id).kind)) live += owned_bytes(id);
    peak = std::max(peak, live);
    live -= freed_after[id];
  }
  m.peak_live_bytes = peak;
  return m;
}

}  // namespace opscope
