#include "plugin/compare/operation.hpp"

#include <algorithm>

#include "plugin/ledger/hash.hpp"
#include "plugin/ledger/kinds.hpp"

namespace opscope {

namespace {

std::uint64_t kind_hash(std::uint32_t kind, const rlx_string& name) {
  return rlx::is_listed_kind(kind) ? kind : text_hash(rlx::text(name));
}
std::uint64_t dtype_hash(std::uint32_t dtype, const rlx_string& name) {
  return rlx::dtype_bytes(dtype) ? dtype : text_hash(rlx::text(name));
}

bool counts(const rlx_node& n, const rlx_attribute& a) {
  const bool is_leaf_name = rlx::is_leaf_kind(n.kind) && rlx::text(a.name) == "name";
  return !is_leaf_name && !is_at_default(n.kind, a);
}

constexpr bool is_text(rlx_attribute_type type) {
  return type == RLX_ATTRIBUTE_TEXT || type == RLX_ATTRIBUTE_JSON;
}

std::uint64_t value_hash(const rlx_attribute& a) {
  std::uint64_t h = mixed(a.type, a.count);
  if (is_text(a.type)) return mixed(h, text_hash(rlx::text(a.value.text)));
  if ((a.type & RLX_ATTRIBUTE_ARRAY) == 0) return mixed(h, a.value.u64);
  for (std::uint64_t i = 0; i < a.count; ++i) {
    if ((a.type & ~RLX_ATTRIBUTE_ARRAY) == RLX_ATTRIBUTE_TEXT) {
      h = mixed(h, text_hash(rlx::text(a.value.texts[i])));
    } else {
      h = mixed(h, a.value.u64s[i]);  // 64 bits of whatever type
    }
  }
  return h;
}

// Of a graph that is part of an operation: all its nodes with what they are computed from, and its
// outputs. Inputs count by their order, to which operands bind.
std::uint64_t nested_hash(const rlx::graph_view& g) {
  std::vector<std::uint64_t> up(g.size());
  std::uint64_t all = 0;
  std::uint64_t inputs = 0;
  for (std::uint32_t id = 0; id < g.size(); ++id) {
    const rlx_node& n = g.node(id);
    std::uint64_t h = operation_hash(g, id, character_hash(g, id));
    if (n.kind == RLX_KIND_Input) h = mixed(h, ++inputs);
    for (const std::uint32_t o : g.inputs(n)) h = mixed(h, up[o]);
    up[id] = h;
    all += mixed(h, 1);
  }
  for (const std::uint32_t o : g.outputs()) all = mixed(all, up[o]);
  return all;
}

std::uint64_t nested_graphs_hash(const rlx::graph_view& g, std::uint32_t id) {
  std::uint64_t h = 0;
  for (const rlx_nested_graph& nested : g.nested(id)) {
    h = mixed(h, text_hash(rlx::text(nested.role)));
    h = mixed(h, nested_hash(rlx::graph_view{*nested.graph}));
  }
  return h;
}

bool has_same_dims(const rlx::graph_view& a, const rlx_node& x, const rlx::graph_view& b,
                   const rlx_node& y) {
  if (x.rank != y.rank || x.dynamic_dims != y.dynamic_dims) return false;
  const auto dims_a = a.dims(x);
  const auto dims_b = b.dims(y);
  for (std::uint32_t d = 0; d < x.rank; ++d) {
    const bool is_dynamic = ((x.dynamic_dims >> d) & 1) != 0;
    if (!is_dynamic && dims_a[d] != dims_b[d]) return false;
  }
  return true;
}

struct attribute_value_hash {
  std::string_view name;
  std::uint64_t value;
};

std::vector<attribute_value_hash> sorted_attributes(const rlx::graph_view& g, std::uint32_t id) {
  std::vector<attribute_value_hash> all;
  for (const rlx_attribute& a : g.attributes(id)) {
    if (counts(g.node(id), a)) all.push_back({rlx::text(a.name), value_hash(a)});
  }
  std::ranges::sort(all, {}, &attribute_value_hash::name);
  return all;
}

}  // namespace

std::uint64_t text_hash(std::string_view text) { return hash_bytes(text).low; }

std::uint64_t character_hash(const rlx::graph_view& g, std::uint32_t id) {
  const rlx_node& n = g.node(id);
  const rlx_node_info& info = g.info(id);
  // In any order.
  std::uint64_t attributes = 0;
  for (const rlx_attribute& a : g.attributes(id)) {
    if (counts(n, a)) attributes += mixed(text_hash(rlx::text(a.name)), value_hash(a));
  }
  const std::uint64_t h = mixed(kind_hash(n.kind, info.kind_text), attributes);
  return info.nested_count == 0 ? h : mixed(h, nested_graphs_hash(g, id));
}

std::uint64_t operation_hash(const rlx::graph_view& g, std::uint32_t id, std::uint64_t character) {
  const rlx_node& n = g.node(id);
  std::uint64_t h = mixed(character, dtype_hash(n.dtype, g.info(id).dtype_text));
  h = mixed(h, n.rank);
  h = mixed(h, n.dynamic_dims);
  std::uint32_t d = 0;
  for (const std::uint64_t size : g.dims(n)) {
    h = mixed(h, ((n.dynamic_dims >> d++) & 1) != 0 ? 0 : size);
  }
  return h;
}

std::uint32_t find_differences(const rlx::graph_view& a, std::uint32_t id_a,
                               const rlx::graph_view& b, std::uint32_t id_b) {
  const rlx_node& x = a.node(id_a);
  const rlx_node& y = b.node(id_b);
  std::uint32_t found = 0;
  if (rlx::text(a.info(id_a).dtype_text) != rlx::text(b.info(id_b).dtype_text)) {
    found |= differs_in_dtype;
  }
  if (!has_same_dims(a, x, b, y)) found |= differs_in_shape;
  if (!changed_attributes(a, id_a, b, id_b).empty()) found |= differs_in_attributes;
  if (nested_graphs_hash(a, id_a) != nested_graphs_hash(b, id_b)) found |= differs_in_nested_graphs;
  return found;
}

std::vector<std::string> changed_attributes(const rlx::graph_view& a, std::uint32_t id_a,
                                            const rlx::graph_view& b, std::uint32_t id_b) {
  const auto x = sorted_attributes(a, id_a);
  const auto y = sorted_attributes(b, id_b);
  std::vector<std::string> names;
  auto i = x.begin();
  auto j = y.begin();
  while (i != x.end() || j != y.end()) {
    if (j == y.end() || (i != x.end() && i->name < j->name)) {
      names.emplace_back((i++)->name);
    } else if (i == x.end() || j->name < i->name) {
      names.emplace_back((j++)->name);
    } else {
      if (i->value != j->value) names.emplace_back(i->name);
      ++i;
      ++j;
    }
  }
  return names;
}

std::string shape_text(const rlx::graph_view& g, std::uint32_t id) {
  const rlx_node& n = g.node(id);
  std::string text{"["};
  std::uint32_t d = 0;
  for (const std::uint64_t size : g.dims(n)) {
    if (d != 0) text += ',';
    if (((n.dynamic_dims >> d++) & 1) != 0) text += '?';
    text += std::to_string(size);
  }
  return text + "]";
}

}  // namespace opscope
