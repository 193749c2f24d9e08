// The storage of a recorded graph.
#pragma once

#include <memory_resource>

#include <opscope/ledger_reader.hpp>

namespace opscope {

struct recorded_graph::state {
  std::pmr::monotonic_buffer_resource memory;  // texts and arrays
  rlx_string name{};
  std::vector<rlx_node> nodes;
  std::vector<rlx_node_info> infos;
  std::vector<std::uint32_t> inputs;
  std::vector<std::uint64_t> dims;
  std::vector<std::uint32_t> outputs;
  std::vector<rlx_attribute> attributes;
  std::vector<rlx_nested_graph> nested;
  std::vector<recorded_graph> bodies;  // of nested, in its order
  std::vector<node_cost> costs;
  std::vector<std::string_view> labels;
  std::uint64_t arena_bytes = RLX_UNKNOWN;
  rlx_graph_view view{};

  // Points the view at the arrays, which may not change afterwards.
  void lend();
};

}  // namespace opscope
