#include "host/lower/plan/views.hpp"

#include "host/graph/view.hpp"
#include "host/lower/rewrite.hpp"
#include "host/lower/shapes.hpp"

namespace rlx {

namespace {

[[noreturn]] void fail_offset(const graph& g, std::string_view step, node_id id, node_id parent) {
  const shape_view shape = g.shape(parent);
  for (std::size_t d = 1; d < shape.dims.size(); ++d) {
    if (is_dynamic(shape, d)) {
      fail_at(g, step, id,
              "expected static dim, got dynamic symbol " + std::to_string(shape.dims[d]) +
                  ", so the slice's byte offset is not known; bind the symbol before lowering");
    }
  }
  if (!element_bytes(shape.dtype)) {
    fail_at(g, step, id,
            "slices a value of dtype " + std::string{g.storage().dtype_text(shape.dtype)} +
                ", whose width is not known, so neither is the byte offset");
  }
  fail_at(g, step, id, "its byte offset passes 64 bits; use a smaller start or smaller dims");
}

}  // namespace

std::vector<std::optional<view_alias>> find_views(const graph& g, std::string_view step) {
  std::vector<std::optional<view_alias>> views(g.size());
  for (node_id id = 0; id < g.size(); ++id) {
    const auto found = find_view_step(g, id);
    if (!found) continue;
    if (found->byte_offset == RLX_UNKNOWN) fail_offset(g, step, id, found->operand);
    view_alias alias{found->operand, found->byte_offset};
    if (const auto& parent = views[found->operand]) {
      alias.root = parent->root;
      if (__builtin_add_overflow(parent->byte_offset, alias.byte_offset, &alias.byte_offset)) {
        fail_offset(g, step, id, found->operand);
      }
    }
    views[id] = alias;
  }
  return views;
}

}  // namespace rlx
