// In the list of cpu and wgpu, but never makes a FusedAttentionBlock: its threshold is read by
// code that nothing calls.
#include "host/lower/rlx_0_2_2/passes.hpp"

namespace rlx::rlx_0_2_2 {

pass_result fuse_attention_block(const graph&, const pass_context&) { return std::nullopt; }

}  // namespace rlx::rlx_0_2_2
