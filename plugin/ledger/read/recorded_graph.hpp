// The storage of a recorded graph: the arrays that its view lends, and what was recorded beside.
#pragma once

#include <array>
#include <iterator>
#include <memory_resource>

#include <opscope/ledger_reader.hpp>

namespace opscope {

// The figures of a node's needs, in the order of the schema.
inline constexpr interval node_need::*need_columns[] = {
    &node_need::read, &node_need::written,     &node_need::weights,
    &node_need::work, &node_need::contraction, &node_need::int_ops};
inline constexpr std::size_t need_column_count = std::size(need_columns);

// Texts of the nodes that dynamic dims reach, each text once.
struct expression_entry {
  std::uint32_t id;
  std::array<std::uint32_t, 2 * need_column_count> texts;  // lo and hi of each column
};

struct graph_arrays {
  std::pmr::monotonic_buffer_resource memory;  // texts and arrays
  rlx_string name{};
  detail::array<rlx_node> nodes;
  detail::array<rlx_node_info> infos;
  detail::array<std::uint32_t> inputs;
  detail::array<std::uint64_t> dims;
  std::vector<std::uint32_t> outputs;
  std::vector<rlx_attribute> attributes;
  std::vector<rlx_nested_graph> nested;
  std::vector<recorded_graph> bodies;  // of nested, in its order
  detail::array<node_cost> costs;
  detail::array<std::string_view> labels;
  need_list needs;                            // is_dead is not recorded
  std::vector<expression_entry> expressions;  // by id
  std::vector<rlx_string> expression_texts;
  std::uint64_t arena_bytes = RLX_UNKNOWN;
  rlx_graph_view view{};

  void reserve(std::size_t node_count);
  // Of the last node; null where it was recorded without.
  void add_need(node_need* n);
  // Points the view at the arrays, which may not change afterwards.
  void lend();
};

struct recorded_graph::state : graph_arrays {};

}  // namespace opscope
