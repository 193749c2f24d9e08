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
  const rlx_node& n = state_->nodes.at(id);
  std::optional<node_need> need = state_->needs.get(id);
  if (need) {
    need->is_leaf = rlx::is_leaf_kind(n.kind);
    need->is_view = n.view_root != id;
  }
  return need;
}

std::optional<node_expressions> recorded_graph::expressions(std::uint32_t id) const {
  const auto& all = state_->expressions;
  const auto at =
      std::lower_bound(all.begin(), all.end(), id,
                       [](const expression_entry& e, std::uint32_t i) { return e.id < i; });
  if (at == all.end() || at->id != id) return std::nullopt;
  node_expressions result;
  result.id = id;
  need_expression* const columns[need_columns] = {&result.read,        &result.written,
                                                  &result.weights,     &result.work,
                                                  &result.contraction, &result.int_ops};
  for (std::size_t c = 0; c < need_columns; ++c) {
    columns[c]->lo = rlx::text(state_->expression_texts[at->texts[2 * c]]);
    columns[c]->hi = rlx::text(state_->expression_texts[at->texts[2 * c + 1]]);
  }
  return result;
}

const recorded_graph& recorded_graph::nested(std::uint32_t id, std::size_t n) const {
  return state_->bodies.at(state_->infos.at(id).nested_begin + n);
}

void recorded_graph::set_figures(std::span<const node_cost> costs,
                                 std::span<const node_need> needs) {
  state_->costs.assign(costs.begin(), costs.end());
  need_store store;
  store.reserve(needs.size());
  for (const node_need& n : needs) {
    store.add(need_column::read, n.read);
    store.add(need_column::written, n.written);
    store.add(need_column::weights, n.weights);
    store.add(need_column::work, n.work);
    store.add(need_column::contraction, n.contraction);
    store.add(need_column::int_ops, n.int_ops);
    store.finish(true, n.is_invariant && !n.is_leaf);
  }
  state_->needs = std::move(store);
}

void need_store::finish(bool is_recorded, bool is_invariant) {
  open_.forms |= (is_recorded ? recorded : 0) | (is_invariant ? invariant : 0);
  entries_.push_back(open_);
  open_ = {static_cast<std::uint32_t>(ends_.size()), 0};
}

void need_store::take_back() {
  ends_.resize(open_.begin);
  open_.forms = 0;
}

std::optional<node_need> need_store::get(std::uint32_t id) const {
  const entry e = entries_.at(id);
  if ((e.forms & recorded) == 0) return std::nullopt;
  node_need n;
  n.is_invariant = (e.forms & invariant) != 0;
  const std::uint64_t* end = ends_.data() + e.begin;
  const auto take = [&](need_column c) {
    switch ((e.forms >> (2 * static_cast<unsigned>(c))) & 3) {
      case exact:
        return interval{*end++};
      case bounded:
        end += 2;
        return interval::between(end[-2], end[-1]);
      case unbounded:
        return interval::at_least(*end++);
      default:
        return interval{};
    }
  };
  n.read = take(need_column::read);
  n.written = take(need_column::written);
  n.weights = take(need_column::weights);
  n.work = take(need_column::work);
  n.contraction = take(need_column::contraction);
  n.int_ops = take(need_column::int_ops);
  return n;
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
