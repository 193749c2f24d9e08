#include "plugin/ledger/read/recorded_graph.hpp"

namespace opscope {

recorded_graph::recorded_graph() : state_{std::make_unique<state>()} { state_->lend(); }
recorded_graph::recorded_graph(recorded_graph&&) noexcept = default;
recorded_graph& recorded_graph::operator=(recorded_graph&&) noexcept = default;
recorded_graph::~recorded_graph() = default;

const rlx_graph_view& recorded_graph::raw() const { return state_->view; }
std::string_view recorded_graph::label(std::uint32_t id) const { return state_->labels.at(id); }
const node_cost& recorded_graph::cost(std::uint32_t id) const { return state_->costs.at(id); }
const recorded_graph& recorded_graph::nested(std::uint32_t id, std::size_t n) const {
  return state_->bodies.at(state_->infos.at(id).nested_begin + n);
}

void recorded_graph::state::lend() {
  for (std::size_t i = 0; i < nested.size(); ++i) nested[i].graph = &bodies[i].raw();
  view = {};
  view.struct_size = sizeof view;
  view.name = name;
  view.nodes = nodes.data();
  view.node_count = nodes.size();
  view.node_stride = sizeof(rlx_node);
  view.infos = infos.data();
  view.info_stride = sizeof(rlx_node_info);
  view.inputs = inputs.data();
  view.input_count = inputs.size();
  view.dims = dims.data();
  view.dim_count = dims.size();
  view.outputs = outputs.data();
  view.output_count = outputs.size();
  view.attributes = attributes.data();
  view.attribute_count = attributes.size();
  view.attribute_stride = sizeof(rlx_attribute);
  view.nested = nested.data();
  view.nested_count = nested.size();
  view.nested_stride = sizeof(rlx_nested_graph);
  view.arena_bytes = arena_bytes;
}

}  // namespace opscope
