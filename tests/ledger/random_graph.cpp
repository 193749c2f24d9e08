#include "tests/ledger/random_graph.hpp"

#include <algorithm>
#include <map>

namespace opscope::test {

namespace {

bool is_leaf(std::uint32_t kind) { return rlx::is_leaf_kind(kind); }

dim_list random_shape(random_source& random, const graph_shape& options) {
  dim_list shape;
  const std::uint32_t rank = random.below(4);
  for (std::uint32_t d = 0; d < rank; ++d) {
    if (random.chance(options.dynamic_percent)) {
      shape.push_back(symbol(random.below(3)));
    } else {
      shape.push_back(1 + random.below(4));
    }
  }
  return shape;
}

}  // namespace

plain_graph random_graph(random_source& random, const graph_shape& options) {
  constexpr std::uint32_t leaves[] = {RLX_KIND_Input, RLX_KIND_Param, RLX_KIND_Param,
                                      RLX_KIND_Constant};
  constexpr std::uint32_t kinds[] = {RLX_KIND_MatMul, RLX_KIND_Binary, RLX_KIND_Binary,
                                     RLX_KIND_Activation, RLX_KIND_Concat};
  constexpr std::uint32_t dtypes[] = {RLX_DTYPE_F32, RLX_DTYPE_F32, RLX_DTYPE_F16};
  plain_graph g;
  for (std::uint32_t id = 0; id < options.nodes; ++id) {
    plain_node n;
    const bool leaf = id == 0 || random.chance(30);
    n.kind = leaf ? leaves[random.below(std::size(leaves))] : kinds[random.below(std::size(kinds))];
    n.dtype = dtypes[random.below(std::size(dtypes))];
    n.shape = random_shape(random, options);
    if (!leaf) {
      const std::uint32_t count = 1 + random.below(3);
      for (std::uint32_t i = 0; i < count; ++i) n.operands.push_back(random.below(id));
      for (const char* name : {"a", "b"}) {
        if (random.chance(25)) n.attributes.emplace_back(name, random.below(3));
      }
      if (random.chance(options.nested_percent)) {
        n.kind = RLX_KIND_Scan;
        graph_shape inner = options;
        inner.nodes = 1 + options.nodes / 2;
        inner.nested_percent = options.nested_percent / 2;
        n.body = std::make_shared<plain_graph>(random_graph(random, inner));
      }
    }
    g.nodes.push_back(std::move(n));
  }
  const std::uint32_t outputs = random.below(3);
  for (std::uint32_t i = 0; i < outputs; ++i) g.outputs.push_back(random.below(g.nodes.size()));
  return g;
}

plain_graph renumbered(const plain_graph& g, random_source& random, bool keep_inputs) {
  constexpr std::uint32_t unplaced = UINT32_MAX;
  std::vector<std::uint32_t> place(g.nodes.size(), unplaced);
  plain_graph result;
  while (result.nodes.size() < g.nodes.size()) {
    std::vector<std::uint32_t> ready;
    bool has_earlier_input = false;
    for (std::uint32_t id = 0; id < g.nodes.size(); ++id) {
      if (place[id] != unplaced) continue;
      const plain_node& n = g.nodes[id];
      const bool is_input = n.kind == RLX_KIND_Input;
      const bool waits = keep_inputs && is_input && has_earlier_input;
      has_earlier_input |= is_input;
      if (waits) continue;
      if (std::all_of(n.operands.begin(), n.operands.end(),
                      [&](std::uint32_t o) { return place[o] != unplaced; })) {
        ready.push_back(id);
      }
    }
    const std::uint32_t chosen = ready[random.below(ready.size())];
    place[chosen] = static_cast<std::uint32_t>(result.nodes.size());
    plain_node n = g.nodes[chosen];
    for (std::uint32_t& o : n.operands) o = place[o];
    if (n.body) n.body = std::make_shared<plain_graph>(renumbered(*n.body, random, true));
    result.nodes.push_back(std::move(n));
  }
  for (const std::uint32_t o : g.outputs) result.outputs.push_back(place[o]);
  return result;
}

plain_graph with_other_symbols(const plain_graph& g) {
  plain_graph result = g;
  for (plain_node& n : result.nodes) {
    for (dim& d : n.shape) {
      if (d.is_dynamic) d.value = 1'000 - 7 * d.value;
    }
    if (n.body) n.body = std::make_shared<plain_graph>(with_other_symbols(*n.body));
  }
  return result;
}

void build(view_builder& b, const plain_graph& g, std::uint64_t names) {
  random_source random{names};
  for (const plain_node& n : g.nodes) {
    attribute_list attributes;
    for (const auto& [name, value] : n.attributes) attributes.push_back({name, value});
    const std::string name = "n" + std::to_string(random.next());
    if (n.kind == RLX_KIND_Constant) attributes.push_back({"data", bytes(4)});
    if (is_leaf(n.kind) && n.kind != RLX_KIND_Constant) attributes.push_back({"name", name});
    const std::uint32_t id = b.node(n.kind, n.operands, n.shape, n.dtype, attributes);
    if (random.chance(50)) b.name(id, name);
    if (random.chance(50)) b.origin(id, name, "pass", random.below(9));
    if (n.body) build(b.nested(id, "body"), *n.body, random.next());
  }
  b.outputs(g.outputs);
}

namespace {

bool is_equal(const plain_graph& a, const plain_graph& b);

bool is_equal_apart_from_place(const plain_node& a, const plain_node& b) {
  const auto same_dim = [](const dim& x, const dim& y) {
    return x.is_dynamic == y.is_dynamic && (x.is_dynamic || x.value == y.value);
  };
  return a.kind == b.kind && a.dtype == b.dtype && a.attributes == b.attributes &&
         a.operands.size() == b.operands.size() && a.shape.size() == b.shape.size() &&
         std::equal(a.shape.begin(), a.shape.end(), b.shape.begin(), same_dim) &&
         (a.body == b.body || (a.body && b.body && is_equal(*a.body, *b.body)));
}

bool is_equal(const plain_graph& a, const plain_graph& b) {
  if (a.nodes.size() != b.nodes.size() || a.outputs != b.outputs) return false;
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    if (!is_equal_apart_from_place(a.nodes[i], b.nodes[i])) return false;
    if (a.nodes[i].operands != b.nodes[i].operands) return false;
    for (std::size_t d = 0; d < a.nodes[i].shape.size(); ++d) {
      if (a.nodes[i].shape[d].value != b.nodes[i].shape[d].value) return false;
    }
  }
  return true;
}

class matcher {
 public:
  matcher(const plain_graph& a, const plain_graph& b) : a_{a}, b_{b} {
    place_.resize(a.nodes.size());
    taken_.resize(b.nodes.size());
  }
  bool match(std::uint32_t id = 0) {
    if (id == a_.nodes.size()) return outputs_match();
    const plain_node& n = a_.nodes[id];
    for (std::uint32_t other = 0; other < b_.nodes.size(); ++other) {
      const plain_node& m = b_.nodes[other];
      if (taken_[other] || !is_equal_apart_from_place(n, m)) continue;
      bool fits = true;
      for (std::size_t i = 0; i < n.operands.size(); ++i) {
        fits &= place_[n.operands[i]] == m.operands[i];
      }
      const auto forward = forward_;
      const auto backward = backward_;
      for (std::size_t d = 0; fits && d < n.shape.size(); ++d) {
        if (!n.shape[d].is_dynamic) continue;
        const std::uint64_t x = n.shape[d].value;
        const std::uint64_t y = m.shape[d].value;
        fits = forward_.try_emplace(x, y).first->second == y &&
               backward_.try_emplace(y, x).first->second == x;
      }
      if (fits) {
        place_[id] = other;
        taken_[other] = true;
        if (match(id + 1)) return true;
        taken_[other] = false;
      }
      forward_ = forward;
      backward_ = backward;
    }
    return false;
  }

 private:
  bool outputs_match() const {
    for (std::size_t i = 0; i < a_.outputs.size(); ++i) {
      if (place_[a_.outputs[i]] != b_.outputs[i]) return false;
    }
    return true;
  }
  const plain_graph& a_;
  const plain_graph& b_;
  std::vector<std::uint32_t> place_;
  std::vector<bool> taken_;
  std::map<std::uint64_t, std::uint64_t> forward_;
  std::map<std::uint64_t, std::uint64_t> backward_;
};

}  // namespace

bool is_same_graph(const plain_graph& a, const plain_graph& b) {
  if (a.nodes.size() != b.nodes.size() || a.outputs.size() != b.outputs.size()) return false;
  return matcher{a, b}.match();
}

}  // namespace opscope::test
