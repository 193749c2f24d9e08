// Figures as texts in the symbols of dynamic dims.
#include <opscope/need.hpp>

#include <algorithm>

#include "plugin/cost/need/evaluator.hpp"

namespace opscope {

namespace {

need_expression to_text(const need::symbolic& v) {
  return {v.lo().text(), v.hi() ? v.hi()->text() : std::string{}};
}

bool has_symbols(const rlx::graph_view& g, const bindings& bound, const rlx_node& n) {
  if (n.dynamic_dims == 0) return false;
  const auto dims = g.dims(n);
  for (unsigned a = 0; a < n.rank; ++a) {
    if ((n.dynamic_dims >> a & 1) != 0 && !bound.find(dims[a])) return true;
  }
  return false;
}

}  // namespace

std::vector<node_expressions> express_need(const rlx::graph_view& graph, const bindings& bound) {
  std::vector<node_expressions> all;
  bool is_any = false;
  for (std::uint32_t id = 0; id < graph.size() && !is_any; ++id) {
    is_any = has_symbols(graph, bound, graph.node(id));
  }
  if (!is_any) return all;
  need::evaluation_storage<need::symbolic> storage;
  need::evaluator<need::symbolic> e{graph, bound, storage, 0};
  exact_need x;
  need::node_figures<need::symbolic> f;
  for (std::uint32_t id = 0; id < graph.size(); ++id) {
    const need::outcome o = e.evaluate(id, x, f);
    if (o == need::outcome::nothing) f = {};
    if (o == need::outcome::exact) f = need::node_figures<need::symbolic>::of(x);
    const rlx_node& n = graph.node(id);
    if (rlx::is_leaf_kind(n.kind)) continue;
    const auto inputs = graph.inputs(n);
    const bool is_reached = has_symbols(graph, bound, n) ||
                            std::any_of(inputs.begin(), inputs.end(), [&](std::uint32_t i) {
                              return has_symbols(graph, bound, graph.node(i));
                            });
    if (!is_reached) continue;
    all.push_back({id, to_text(f.read), to_text(f.written), to_text(f.weights), to_text(f.work),
                   to_text(f.contraction), to_text(f.int_ops)});
  }
  return all;
}

}  // namespace opscope
