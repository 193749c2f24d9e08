// Whether two views show the same graph, attribute for attribute.
#pragma once

#include <rlx/view.hpp>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace rlx_test {

inline bool same_text(const rlx_string& a, const rlx_string& b) {
  return rlx::is_absent(a) == rlx::is_absent(b) && rlx::text(a) == rlx::text(b);
}

inline bool same_attribute(const rlx_attribute& a, const rlx_attribute& b) {
  if (!same_text(a.name, b.name) || a.type != b.type || a.count != b.count) return false;
  switch (a.type) {
    case RLX_ATTRIBUTE_TEXT:
    case RLX_ATTRIBUTE_JSON:
      return same_text(a.value.text, b.value.text);
    case RLX_ATTRIBUTE_TEXT | RLX_ATTRIBUTE_ARRAY:
      return std::equal(a.value.texts, a.value.texts + a.count, b.value.texts, same_text);
    default:
      break;
  }
  if ((a.type & RLX_ATTRIBUTE_ARRAY) == 0) return a.value.u64 == b.value.u64;
  return a.count == 0 || std::memcmp(a.value.u64s, b.value.u64s, a.count * 8) == 0;
}

inline bool same_view(const rlx_graph_view& left, const rlx_graph_view& right) {
  const rlx::graph_view a{left}, b{right};
  if (a.name() != b.name() || a.size() != b.size() ||
      !std::ranges::equal(a.outputs(), b.outputs()) || left.arena_bytes != right.arena_bytes) {
    return false;
  }
  for (std::uint32_t id = 0; id < a.size(); ++id) {
    const rlx_node& n = a.node(id);
    const rlx_node& m = b.node(id);
    const rlx_node_info& i = a.info(id);
    const rlx_node_info& j = b.info(id);
    const auto one = a.attributes(id), two = b.attributes(id);
    const bool same =
        n.kind == m.kind && n.dtype == m.dtype && n.view_root == m.view_root &&
        n.dynamic_dims == m.dynamic_dims && std::ranges::equal(a.dims(n), b.dims(m)) &&
        std::ranges::equal(a.inputs(n), b.inputs(m)) && same_text(i.kind_text, j.kind_text) &&
        same_text(i.dtype_text, j.dtype_text) && same_text(i.name, j.name) &&
        same_text(i.origin_label, j.origin_label) && same_text(i.origin_pass, j.origin_pass) &&
        i.origin_hir == j.origin_hir && i.view_byte_offset == j.view_byte_offset &&
        i.slot_offset == j.slot_offset && i.slot_bytes == j.slot_bytes &&
        one.size() == two.size() &&
        std::equal(one.begin(), one.end(), two.begin(), same_attribute) &&
        a.nested(id).size() == b.nested(id).size();
    if (!same) return false;
    for (std::size_t k = 0; k < a.nested(id).size(); ++k) {
      const rlx_nested_graph& x = a.nested(id)[k];
      const rlx_nested_graph& y = b.nested(id)[k];
      if (!same_text(x.role, y.role) || !same_view(*x.graph, *y.graph)) return false;
    }
  }
  return true;
}

}  // namespace rlx_test
