// The passes of RLX 0.2.2. Each judges the graph it is given and returns the rebuilt one, or
// nothing where it leaves the graph as it is. Stamping origins is the pipeline's affair.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "host/graph/graph.hpp"

namespace rlx::rlx_0_2_2 {

struct pass_context {
  std::string_view name;  // of the pass, as stamped and as in messages
  // Elementwise regions stay within these (a target without limits has 2^32-1).
  std::uint32_t region_steps;
  std::uint32_t region_inputs;
  // Most nodes, operands and dims that the pass may add over the graph it is given.
  std::uint64_t growth_limit;
};

using pass_result = std::optional<graph>;

pass_result lower_control_flow(const graph& g, const pass_context& context);
pass_result lower_dot_general(const graph& g, const pass_context& context);
pass_result fuse_attention_block(const graph& g, const pass_context& context);
pass_result fuse_matmul_bias_act(const graph& g, const pass_context& context);
pass_result fuse_residual_ln(const graph& g, const pass_context& context);
pass_result fuse_residual_rms_norm(const graph& g, const pass_context& context);
pass_result fuse_rms_norm_reshape(const graph& g, const pass_context& context);
pass_result fuse_swiglu_dual_matmul(const graph& g, const pass_context& context);
pass_result fuse_shared_input_matmul(const graph& g, const pass_context& context);
pass_result fuse_swiglu(const graph& g, const pass_context& context);
pass_result mark_elementwise_regions(const graph& g, const pass_context& context);
pass_result unfuse_elementwise_regions(const graph& g, const pass_context& context);
pass_result dead_code_elimination(const graph& g, const pass_context& context);

// Not a pass of the list (nothing stamps what it makes): unfolds the regions beyond the limits.
pass_result clip_regions(const graph& g, const pass_context& context);

}  // namespace rlx::rlx_0_2_2
