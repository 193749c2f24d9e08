#include "host/lower/rlx_0_2_2/stamp.hpp"

#include <optional>

namespace rlx::rlx_0_2_2 {

bool needs_stamp(const graph& g) {
  for (node_id id = 0; id < g.size(); ++id) {
    if (g.origin_of(id) == no_origin) return true;
  }
  return false;
}

void stamp_origins(graph& g, std::string_view pass) {
  // Of most nodes nothing is known but the pass; their origin is made once.
  std::optional<origin_id> plain;
  for (node_id id = 0; id < g.size(); ++id) {
    if (g.origin_of(id) != no_origin) continue;
    origin made{std::nullopt, std::nullopt, pass};
    for (const node_id operand : g.inputs(id)) {
      const origin& from = g.origin_at(g.origin_of(operand));
      if (!made.hir) made.hir = from.hir;
      if (!made.label) made.label = from.label ? from.label : g.name_of(operand);
      if (made.hir && made.label) break;
    }
    if (made.hir || made.label) {
      g.set_origin_of(id, g.intern_origin(made));
    } else {
      if (!plain) plain = g.intern_origin(made);
      g.set_origin_of(id, *plain);
    }
  }
}

}  // namespace rlx::rlx_0_2_2
