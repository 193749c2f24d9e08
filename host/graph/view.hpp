// Lends a host graph to plugins: the flat view of plugin.h over the graph's own columns.
#pragma once

#include <rlx/plugin.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "host/graph/graph.hpp"
#include "host/graph/plan.hpp"

namespace rlx {

// A node that has no storage of its own, by the rule of RLX 0.2.2: every Reshape, a Cast to the
// operand's own dtype, a Narrow on axis 0. The byte offset is relative to operand 0's storage;
// RLX_UNKNOWN where a dynamic dim or the arithmetic hides it.
struct view_step {
  node_id operand;
  std::uint64_t byte_offset;
};
std::optional<view_step> find_view_step(const graph& g, node_id id);

// Owns the cold records and the resolved view roots; borrows everything else from the graph and
// the plan, which must outlive it and stay unchanged. Where a plan is given its aliases and slots
// are shown; without one, roots follow the rule above and slots are unknown.
class lent_view {
 public:
  explicit lent_view(const graph& g, const buffer_plan* plan = nullptr);
  lent_view(const lent_view&) = delete;
  lent_view& operator=(const lent_view&) = delete;
  ~lent_view();
  const rlx_graph_view& get() const { return view_; }

 private:
  rlx_graph_view view_{};
  column<rlx_node> nodes_;
  column<rlx_node_info> infos_;
  std::vector<rlx_nested_graph> nested_;
  std::deque<std::unique_ptr<lent_view>> bodies_;
};

}  // namespace rlx
