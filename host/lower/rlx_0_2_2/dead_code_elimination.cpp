// Keeps what the outputs need, in order. Unused inputs and parameters go too.
#include <algorithm>
#include <vector>

#include "host/lower/rewrite.hpp"
#include "host/lower/rlx_0_2_2/passes.hpp"
#include "host/lower/users.hpp"

namespace rlx::rlx_0_2_2 {

pass_result dead_code_elimination(const graph& g, const pass_context& context) {
  std::vector<bool> needed = output_mask(g);
  for (node_id id = g.size(); id-- > 0;) {
    if (!needed[id]) continue;
    for (const node_id operand : g.inputs(id)) needed[operand] = true;
  }
  if (std::ranges::find(needed, false) == needed.end()) return std::nullopt;
  rewrite walk{g, context.name, keeping::names_and_origins};
  for (node_id id = 0; id < g.size(); ++id) {
    if (needed[id]) walk.copy(id);
  }
  return walk.finish();
}

}  // namespace rlx::rlx_0_2_2
