#include "plugin/ledger/read/recorded_graph.hpp"

#include <algorithm>

namespace opscope {

recorded_graph::recorded_graph() : state_{std::make_unique<state>()} { state_->lend(); }
recorded_graph::recorded_graph(recorded_graph&&) noexcept = default;
recorded_graph& recorded_graph::operator=(recorded_graph&&) noexcept = default;
recorded_graph::~recorded_graph() = default;

const rlx_graph_view& recorded_graph::raw() const { return state_->view; }
std::string_view recorded_graph::label(std::uint32_t id) const { return state_->labels.at(id); }
const node_cost& recorded_graph::cost(std::uint32_t id) const { return state_->costs.at(id); }

std::optional<node_need> recorded_graph::need(std::uint32_t id) const {
  const node_need n = state_->needs.at(id);
  return state_->needs.has(id) ? std::optional{n} : std::nullopt;
}

std::optional<node_expressions> recorded_graph::expressions(std::uint32_t id) const {
  const auto& all = state_->expressions;
  const auto at =
      std::lower_bound(all.begin(), all.end(), id,
                       [](const expression_entry& e, std::uint32_t i) { return e.id < i; });
  if (at == all.end() || at->id != id) return std::nullopt;
  node_expressions result;
  result.id = id;
  need_expression* const columns[need_column_count] = {&result.read,        &result.written,
                                                       &result.weights,     &result.work,
                                                       &result.contraction, &result.int_ops};
  for (std::size_t c = 0; c < need_column_count; ++c) {
    columns[c]->lo = rlx::text(state_->expression_texts[at->texts[2 * c]]);
    columns[c]->hi = rlx::text(state_->expression_texts[at->texts[2 * c + 1]]);
  }
  return result;
}

const recorded_graph& recorded_graph::nested(std::uint32_t id, std::size_t n) const {
  return state_->bodies.at(state_->infos.at(id).nested_begin + n);
}

void recorded_graph::set_figures(std::span<const node_cost> costs, const need_list& needs) {
  state_->costs.assign(costs.begin(), costs.end());
  state_->needs.clear();
  for (node_need n : needs) {
    n.is_invariant = n.is_invariant && !n.is_leaf;  // as it would be recorded
    n.is_dead = false;
    state_->needs.push_back(n);
  }
}

void graph_arrays::add_need(node_need* n) {
  if (n == nullptr) return needs.push_absent();
  n->is_leaf = rlx::is_leaf_kind(nodes.back().kind);
  n->is_view = nodes.back().view_root != nodes.size() - 1;
  needs.push_back(*n);
}

void graph_arrays::reserve(std::size_t node_count) {
  nodes.reserve(node_count);
  infos.reserve(node_count);
  costs.reserve(node_count);
  labels.reserve(node_count);
  needs.reserve(node_count);
}

void graph_arrays::lend() {
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
