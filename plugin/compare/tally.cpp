#include "plugin/compare/tally.hpp"

namespace opscope {

void tally::add_node(const graph_side& side, std::uint32_t id) {
  const std::optional<node_need> need = side.need(id);
  const node_figures figures{&side.cost(id), need ? &*need : nullptr, side.is_leaf(id)};
  std::size_t place = 0;
  for (const metric_index m : node_metrics()) amounts_[place++].add(metrics()[m].of_node(figures));
}

void tally::add(const tally& t) {
  for (std::size_t i = 0; i < amounts_.size(); ++i) amounts_[i].add(t.amounts_[i]);
}

bool is_worse(const change& a, const change& b) {
  if (a.loses() != b.loses()) return a.loses();
  const std::uint64_t size_a = a.has_size() ? a.size() : 0;
  const std::uint64_t size_b = b.has_size() ? b.size() : 0;
  if (size_a != size_b) return size_a > size_b;
  return a.is_growth() && !b.is_growth();
}

}  // namespace opscope
