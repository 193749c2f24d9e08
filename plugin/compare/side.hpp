// One side of a comparison of two graphs: a graph with its labels and figures, borrowed from
// whoever holds them.
#pragma once

#include <optional>
#include <rlx/view.hpp>
#include <span>
#include <string_view>
#include <vector>

#include <opscope/ledger_reader.hpp>

#include "plugin/compare/metrics.hpp"

namespace opscope {

class graph_side {
 public:
  // A graph as it was recorded, with the figures and labels that were.
  explicit graph_side(const recorded_graph& g);
  // A graph costed here; the view must be sound.
  graph_side(const rlx::graph_view& g, std::span<const node_cost> rule, const need_list& needs,
             std::vector<std::string_view> labels);

  const rlx::graph_view& graph() const { return graph_; }
  std::uint32_t size() const { return graph_.size(); }
  const rlx_node& node(std::uint32_t id) const { return graph_.node(id); }
  std::span<const std::uint32_t> operands(std::uint32_t id) const {
    return graph_.inputs(graph_.node(id));
  }
  bool is_leaf(std::uint32_t id) const { return rlx::is_leaf_kind(node(id).kind); }
  std::string_view kind(std::uint32_t id) const { return rlx::text(graph_.info(id).kind_text); }
  std::string_view label(std::uint32_t id) const {
    return recorded_ != nullptr ? recorded_->label(id) : labels_[id];
  }
  // The name that an Input or a Param is bound by; empty for others.
  std::string_view leaf_name(std::uint32_t id) const;
  const node_cost& cost(std::uint32_t id) const {
    return recorded_ != nullptr ? recorded_->cost(id) : rule_[id];
  }
  std::optional<node_need> need(std::uint32_t id) const;

 private:
  rlx::graph_view graph_;
  const recorded_graph* recorded_ = nullptr;
  std::span<const node_cost> rule_;
  const need_list* needs_ = nullptr;
  std::vector<std::string_view> labels_;
};

}  // namespace opscope
