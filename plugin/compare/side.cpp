#include "plugin/compare/side.hpp"

namespace opscope {

graph_side::graph_side(const recorded_graph& g) : graph_{g.view()}, recorded_{&g} {}

graph_side::graph_side(const rlx::graph_view& g, std::span<const node_cost> rule,
                       const need_list& needs, std::vector<std::string_view> labels)
    : graph_{g}, rule_{rule}, needs_{&needs}, labels_{std::move(labels)} {}

std::string_view graph_side::leaf_name(std::uint32_t id) const {
  const std::uint32_t kind = node(id).kind;
  if (kind != RLX_KIND_Input && kind != RLX_KIND_Param) return {};
  const rlx_attribute* name = graph_.attribute(id, "name");
  if (name != nullptr && name->type == RLX_ATTRIBUTE_TEXT) return rlx::text(name->value.text);
  return rlx::text(graph_.info(id).name);
}

std::optional<node_need> graph_side::need(std::uint32_t id) const {
  return recorded_ != nullptr ? recorded_->need(id) : (*needs_)[id];
}

}  // namespace opscope
