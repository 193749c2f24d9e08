// The fusion report: what the passes fused, and what they looked at and left.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/graph/graph.hpp"

namespace rlx {

struct missed_fusion {
  std::string_view pattern;  // matmul_bias_act, shared_input_matmul, swiglu
  node_id node;              // in the final graph
  std::string context;
  std::string reason;
  std::string_view hint;  // may be empty
};

struct fusion_report {
  std::uint64_t nodes_before = 0;
  std::uint64_t nodes_after = 0;
  std::uint64_t matmuls_before = 0;
  std::uint64_t matmuls_after = 0;
  std::uint64_t fused_matmul_bias_act = 0;
  std::uint64_t fused_swiglu = 0;
  std::uint64_t elementwise_regions = 0;
  std::vector<missed_fusion> missed;

  // The compiler's text, ending in a newline.
  std::string text() const;
};

// Compares the graph as given with the final one. Missed patterns are those of the final graph, in
// the compiler's order; groups of matmuls, which it reports in hash order, come by first member.
fusion_report report_fusion(const graph& before, const graph& after);

}  // namespace rlx
