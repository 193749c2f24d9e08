// Labels: a handle of a node that survives lowering, which drops names, made from the names of the
// parameters that the node or its nearest operand reads.
//
// Input, Param: its name. Else from the largest parameter it reads, through invariant nodes, as
// `layer.q_proj`, several as `layer.{q,k,v}_proj`. Else the layer path of the nearest labelled
// operand and the kind, `layer.Attention`. Else the node's own name; else its kind.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <rlx/view.hpp>
#include <string>
#include <string_view>
#include <vector>

#include <opscope/cost.hpp>

namespace opscope {

// `path`, or `path.kind` where kind is not empty. Borrowed from the view and the table.
struct label {
  std::string_view path;
  std::string_view kind;
  std::string text() const;
};

class label_table {
 public:
  // Linear in nodes and operands. The view must be sound and outlive the table; nested graphs have
  // tables of their own.
  explicit label_table(const rlx::graph_view& graph);
  const label& operator[](std::uint32_t id) const { return labels_[id]; }

 private:
  friend class labeller;
  std::pmr::monotonic_buffer_resource texts_;
  detail::array<label> labels_;
};

// `model.layers.*.mlp` for `model.layers.3.mlp`: components that are numbers become `*`.
std::string folded_label(std::string_view label);

}  // namespace opscope
