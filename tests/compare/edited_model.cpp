#include "tests/compare/edited_model.hpp"

#include <algorithm>
#include <set>

namespace opscope::test {

namespace {

constexpr std::uint64_t batch = 4;

class model_maker {
 public:
  explicit model_maker(random_source& random) : random_{random} {}

  model make(std::size_t layers) {
    m_.width_sizes = {32};
    std::uint64_t x = add(RLX_KIND_Input, {}, {0}, "", "x");
    for (std::size_t i = 0; i < layers; ++i) x = layer(i, x);
    const std::uint64_t w = param("head.weight", {0, 0});
    m_.outputs.push_back(add(RLX_KIND_MatMul, {x, w}, {0}));
    return std::move(m_);
  }

 private:
  std::uint64_t add(std::uint32_t kind, std::vector<std::uint64_t> operands,
                    std::vector<std::uint32_t> widths, std::string value = "",
                    std::string name = "") {
    m_.nodes.push_back({m_.next_identity, kind, RLX_DTYPE_F32, std::move(widths),
                        std::move(operands), std::move(value), std::move(name)});
    return m_.next_identity++;
  }
  std::uint64_t param(std::string name, std::vector<std::uint32_t> widths) {
    return add(RLX_KIND_Param, {}, std::move(widths), "", std::move(name));
  }
  std::uint64_t unary(std::uint64_t x, std::uint32_t width) {
    constexpr const char* values[] = {"Relu", "Silu", "Tanh", "Exp"};
    if (random_.chance(25)) return add(RLX_KIND_Softmax, {x}, {width});
    return add(RLX_KIND_Activation, {x}, {width}, values[random_.below(std::size(values))]);
  }

  std::uint64_t layer(std::size_t number, std::uint64_t x) {
    const std::string path = "layers." + std::to_string(number) + ".";
    const auto width = static_cast<std::uint32_t>(m_.width_sizes.size());
    m_.width_sizes.push_back(64 + 8 * random_.below(4));
    const std::uint64_t h = add(RLX_KIND_RmsNorm, {x, param(path + "norm.weight", {0})}, {0});
    std::vector<std::uint64_t> inner;
    const std::uint32_t projections = 1 + random_.below(3);
    for (std::uint32_t p = 0; p < projections; ++p) {
      const std::uint64_t w = param(path + "up" + std::to_string(p) + ".weight", {0, width});
      inner.push_back(add(RLX_KIND_MatMul, {h, w}, {width}));
    }
    const std::uint32_t more = 1 + random_.below(5);
    for (std::uint32_t i = 0; i < more; ++i) {
      const std::uint64_t a = inner[random_.below(inner.size())];
      const std::uint64_t b = inner[random_.below(inner.size())];
      inner.push_back(random_.chance(40) ? add(RLX_KIND_Binary, {a, b}, {width},
                                               random_.chance(50) ? "Add" : "Mul")
                                         : unary(a, width));
    }
    // All of it is used.
    std::uint64_t all = inner.back();
    for (const std::uint64_t n : inner) {
      if (n != inner.back() && !is_used(n)) all = add(RLX_KIND_Binary, {all, n}, {width}, "Mul");
    }
    const std::uint64_t down = param(path + "down.weight", {width, 0});
    const std::uint64_t y = add(RLX_KIND_MatMul, {all, down}, {0});
    if (random_.chance(20)) m_.outputs.push_back(unary(y, 0));
    return add(RLX_KIND_Binary, {x, y}, {0}, "Add");
  }
  bool is_used(std::uint64_t identity) const {
    return std::ranges::any_of(m_.nodes, [&](const model_node& n) {
      return std::ranges::find(n.operands, identity) != n.operands.end();
    });
  }

  random_source& random_;
  model m_;
};

class editor {
 public:
  editor(model& m, random_source& random, std::map<std::uint64_t, bool>& touched)
      : m_{m}, random_{random}, touched_{touched} {}

  bool make(model_edit e) {
    switch (e) {
      case model_edit::insert:
        return insert();
      case model_edit::remove:
        return remove();
      case model_edit::fuse:
        return fuse();
      case model_edit::rename:
        return rename();
      case model_edit::renumber:
        return renumber();
      case model_edit::reshape:
        return reshape();
      case model_edit::retype:
        return retype();
    }
    return false;
  }

 private:
  model_node& node(std::uint64_t identity) {
    return *std::ranges::find(m_.nodes, identity, &model_node::identity);
  }
  std::vector<model_node*> users(std::uint64_t identity) {
    std::vector<model_node*> all;
    for (model_node& n : m_.nodes) {
      if (std::ranges::find(n.operands, identity) != n.operands.end()) all.push_back(&n);
    }
    return all;
  }
  static bool is_like(const model_node& a, const model_node& b) {
    return a.kind == b.kind && a.value == b.value;
  }
  bool is_output(std::uint64_t identity) const {
    return std::ranges::find(m_.outputs, identity) != m_.outputs.end();
  }
  // The node, what it reads, what reads it and what these read.
  std::set<std::uint64_t> surroundings(std::uint64_t identity) {
    std::set<std::uint64_t> all{identity};
    const model_node& n = node(identity);
    all.insert(n.operands.begin(), n.operands.end());
    for (const model_node* u : users(identity)) {
      all.insert(u->identity);
      all.insert(u->operands.begin(), u->operands.end());
    }
    return all;
  }
  bool take(const std::set<std::uint64_t>& identities) {
    for (const std::uint64_t i : identities) {
      if (touched_.count(i) != 0) return false;
    }
    for (const std::uint64_t i : identities) touched_[i] = true;
    return true;
  }
  // Tries nodes in a random order.
  template <class Try>
  bool somewhere(const Try& try_it) {
    std::vector<std::uint64_t> order;
    for (const model_node& n : m_.nodes) order.push_back(n.identity);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_.below(i)]);
    return std::ranges::any_of(order, try_it);
  }

  // Between a node and all its users.
  bool insert() {
    return somewhere([&](std::uint64_t x) {
      const model_node& n = node(x);
      if (rlx::is_leaf_kind(n.kind) || is_output(x) || !take(surroundings(x))) return false;
      model_node made{m_.next_identity++, RLX_KIND_Cast, n.dtype, n.widths, {x}, "", ""};
      for (model_node* u : users(x)) {
        std::ranges::replace(u->operands, x, made.identity);
      }
      touched_[made.identity] = true;
      const auto at = std::ranges::find(m_.nodes, x, &model_node::identity);
      m_.nodes.insert(at + 1, std::move(made));
      return true;
    });
  }
  // A node of one operand, whose users then read that.
  bool remove() {
    return somewhere([&](std::uint64_t x) {
      const model_node n = node(x);
      // Of two equal nodes in a row nobody can say which one went.
      if (n.operands.size() != 1 || is_output(x) || is_like(n, node(n.operands[0])) ||
          std::ranges::any_of(users(x), [&](const model_node* u) { return is_like(n, *u); })) {
        return false;
      }
      std::set<std::uint64_t> near = surroundings(x);
      near.merge(surroundings(n.operands[0]));
      if (!take(near)) return false;
      for (model_node* u : users(x)) std::ranges::replace(u->operands, x, n.operands[0]);
      std::erase_if(m_.nodes, [&](const model_node& k) { return k.identity == x; });
      return true;
    });
  }
  // A node and the only one that reads it become one.
  bool fuse() {
    return somewhere([&](std::uint64_t x) {
      const model_node first = node(x);
      if (rlx::is_leaf_kind(first.kind) || is_output(x) || users(x).size() != 1) return false;
      const model_node second = *users(x)[0];
      std::set<std::uint64_t> near = surroundings(x);
      near.merge(surroundings(second.identity));
      if (!take(near)) return false;
      model_node made{m_.next_identity++, 0, second.dtype, second.widths, first.operands, "", ""};
      made.kind = RLX_FIRST_UNLISTED;  // FusedPair
      for (const std::uint64_t o : second.operands) {
        if (o != x) made.operands.push_back(o);
      }
      for (model_node* u : users(second.identity)) {
        std::ranges::replace(u->operands, second.identity, made.identity);
      }
      std::ranges::replace(m_.outputs, second.identity, made.identity);
      touched_[made.identity] = true;
      node(second.identity) = std::move(made);
      std::erase_if(m_.nodes, [&](const model_node& k) { return k.identity == x; });
      return true;
    });
  }
  bool rename() {
    const std::uint64_t which = random_.below(10);
    for (model_node& n : m_.nodes) {
      const bool is_chosen = which == 0 || n.identity % 10 == which;
      if (is_chosen && !n.name.empty()) n.name = "p" + std::to_string(random_.next() % 100'000);
    }
    return true;
  }
  bool renumber() {
    std::vector<model_node> placed;
    std::set<std::uint64_t> done;
    while (placed.size() < m_.nodes.size()) {
      std::vector<const model_node*> ready;
      for (const model_node& n : m_.nodes) {
        if (done.count(n.identity) != 0) continue;
        if (std::ranges::all_of(n.operands, [&](std::uint64_t o) { return done.count(o) != 0; })) {
          ready.push_back(&n);
        }
      }
      const model_node& chosen = *ready[random_.below(ready.size())];
      done.insert(chosen.identity);
      placed.push_back(chosen);
    }
    m_.nodes = std::move(placed);
    return true;
  }
  // A layer gets another width.
  bool reshape() {
    if (m_.width_sizes.size() < 2) return false;
    const std::uint32_t width = 1 + random_.below(m_.width_sizes.size() - 1);
    std::set<std::uint64_t> layer;
    for (const model_node& n : m_.nodes) {
      if (std::ranges::find(n.widths, width) == n.widths.end()) continue;
      layer.merge(surroundings(n.identity));
    }
    if (!take(layer)) return false;
    m_.width_sizes[width] += 128;
    return true;
  }
  bool retype() {
    return somewhere([&](std::uint64_t x) {
      model_node& n = node(x);
      if (n.kind == RLX_KIND_Input || !take(surroundings(x))) return false;
      n.dtype = RLX_DTYPE_F16;
      return true;
    });
  }

  model& m_;
  random_source& random_;
  std::map<std::uint64_t, bool>& touched_;
};

}  // namespace

model random_model(random_source& random, std::size_t layers) {
  return model_maker{random}.make(layers);
}

bool make_edit(model& m, model_edit e, random_source& random,
               std::map<std::uint64_t, bool>& touched) {
  return editor{m, random, touched}.make(e);
}

built_model::built_model(const model& m) : builder_{"model"} {
  std::map<std::uint64_t, std::uint32_t> ids;
  const std::uint32_t fused = builder_.unlisted_kind("FusedPair");
  for (const model_node& n : m.nodes) {
    dim_list shape;
    if (n.kind != RLX_KIND_Param) shape.push_back(batch);
    for (const std::uint32_t w : n.widths) shape.push_back(m.width_sizes[w]);
    id_list operands;
    for (const std::uint64_t o : n.operands) operands.push_back(ids.at(o));
    attribute_list attributes;
    if (!n.value.empty()) attributes.push_back({"value", n.value});
    if (!n.name.empty()) attributes.push_back({"name", n.name});
    const std::uint32_t id = builder_.node(n.kind == RLX_FIRST_UNLISTED ? fused : n.kind, operands,
                                           shape, n.dtype, std::move(attributes));
    ids[n.identity] = id;
    identities_.push_back(n.identity);
  }
  id_list outputs;
  for (const std::uint64_t o : m.outputs) outputs.push_back(ids.at(o));
  builder_.outputs(std::move(outputs));
  const rlx::graph_view view = builder_.view();
  rule_ = analyze(view);
  need_ = analyze_need(view);
  const label_table table{view};
  std::vector<std::string_view> labels;
  for (std::uint32_t id = 0; id < view.size(); ++id) labels_.push_back(table[id].text());
  labels.assign(labels_.begin(), labels_.end());
  side_ = std::make_unique<graph_side>(view, rule_.nodes(), need_.nodes(), std::move(labels));
}

node_matching true_matching(const built_model& base, const built_model& next) {
  node_matching m;
  m.new_of.assign(base.size(), node_matching::none);
  m.base_of.assign(next.size(), node_matching::none);
  std::map<std::uint64_t, std::uint32_t> there;
  for (std::uint32_t b = 0; b < next.size(); ++b) there[next.identity(b)] = b;
  for (std::uint32_t a = 0; a < base.size(); ++a) {
    const auto at = there.find(base.identity(a));
    if (at == there.end()) continue;
    m.new_of[a] = at->second;
    m.base_of[at->second] = a;
  }
  return m;
}

}  // namespace opscope::test
