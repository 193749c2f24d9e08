// The need pass over a whole graph, and over the graphs nested in it.
#include <opscope/need.hpp>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "plugin/cost/need/evaluator.hpp"
#include "plugin/cost/need/flow.hpp"

namespace opscope {

struct need_scratch {
  need::evaluation_storage<interval> evaluation;
  need::flow<interval> flow;
};

namespace need {

namespace {

// The bytes that outputs with storage of their own take, each byte once.
template <class N>
N output_bytes(const evaluator<N>& e, const rlx::graph_view& g) {
  std::vector<std::uint32_t> ids{g.outputs().begin(), g.outputs().end()};
  std::sort(ids.begin(), ids.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto root_a = g.node(a).view_root;
    const auto root_b = g.node(b).view_root;
    return root_a != root_b ? root_a < root_b : a < b;
  });
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  N sum;
  for (std::size_t at = 0; at < ids.size();) {
    const std::uint32_t root = g.node(ids[at]).view_root;
    std::size_t end = at + 1;
    while (end < ids.size() && g.node(ids[end]).view_root == root) ++end;
    if ((e.flags(root) & leaf_flag) == 0) {
      if (end - at == 1) {
        sum += e.bytes(ids[at]);
      } else {
        // Views of one result: at least the largest, at most all of them or the whole of it.
        N least;
        N most;
        bool is_root_among = false;
        for (std::size_t i = at; i < end; ++i) {
          least = maximum(least, e.bytes(ids[i]));
          most += e.bytes(ids[i]);
          is_root_among = is_root_among || ids[i] == root;
        }
        const N capped = minimum(most, e.bytes(root));
        sum += is_root_among ? e.bytes(root) : from_to(least, capped.is_bounded() ? capped : most);
      }
    }
    at = end;
  }
  return sum;
}

__extension__ using u128 = unsigned __int128;

// What the nodes whose needs are bounded move under the rule; unknown where it is of one of them.
figure bytes_of_bounded(std::span<const node_cost> rule, const need_list& needs) {
  u128 sum = 0;
  for (std::uint32_t id = 0; id < rule.size(); ++id) {
    if (needs[id].is_leaf || !needs[id].is_bounded()) continue;
    const node_cost& c = rule[id];
    if ((c.unknown & (node_cost::read | node_cost::written)) != 0) return std::nullopt;
    sum += c.raw[0];
    sum += c.raw[1];
  }
  return (sum >> 64) == 0 ? figure{static_cast<std::uint64_t>(sum)} : std::nullopt;
}

// Sums of nodes the figures of which are exact and not too large, so that many fit 64 bits.
class exact_needs {
 public:
  // False where a figure is too large; the node is then to be added otherwise.
  bool add(const exact_need& n, bool is_invariant) {
    if (((n.read | n.written | n.work | n.int_ops) >> most_bits) != 0) return false;
    sums_[0] += n.read;
    sums_[1] += n.written;
    sums_[2] += n.weights;  // of read
    sums_[3] += n.work;
    sums_[4] += n.contraction;  // of work
    sums_[5] += n.int_ops;
    if (is_invariant) sums_[6] += n.read + n.written;
    if (++added_ == block) fold();
    return true;
  }
  void add_to(need_totals& t) {
    fold();
    interval* const totals[] = {&t.read,        &t.written, &t.weights,  &t.work,
                                &t.contraction, &t.int_ops, &t.invariant};
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const bool fits = (folded_[i] >> 64) == 0;
      *totals[i] +=
          fits ? interval{static_cast<std::uint64_t>(folded_[i])} : interval::at_least(UINT64_MAX);
    }
  }

 private:
  static constexpr unsigned most_bits = 53;
  static constexpr unsigned block = 1u << 10;  // of sums below 2^54
  void fold() {
    for (std::size_t i = 0; i < sums_.size(); ++i) folded_[i] += sums_[i];
    sums_ = {};
    added_ = 0;
  }
  std::array<std::uint64_t, 7> sums_{};
  std::array<u128, 7> folded_{};
  unsigned added_ = 0;
};

}  // namespace

template <class N>
body_need<N> evaluate_body(const rlx_graph_view& graph, const bindings& bound, unsigned depth) {
  const rlx::graph_view g{graph};
  evaluation_storage<N> storage;
  evaluator<N> e{g, bound, storage, depth};
  body_need<N> b;
  exact_need x;
  node_figures<N> f;
  for (std::uint32_t id = 0; id < g.size(); ++id) {
    const outcome o = e.evaluate(id, x, f);
    if (o == outcome::nothing) continue;
    if (o == outcome::exact) f = node_figures<N>::of(x);
    b.work += f.work;
    b.contraction += f.contraction;
    b.int_ops += f.int_ops;
  }
  flow<N> back;
  back.walk(e, [](std::uint32_t) {});
  for (std::uint32_t id = 0; id < g.size(); ++id) {
    const std::uint32_t kind = g.node(id).kind;
    if (!rlx::is_leaf_kind(kind)) continue;
    const N part = back.is_live(id) ? back.needed(e, id) : N{};
    if (kind == RLX_KIND_Input) {
      b.inputs.push_back(part);
      b.whole.push_back(back.is_live(id) && back.is_whole(id));
    } else {
      b.leaf_bytes += part;
    }
  }
  for (const beside<N>& a : e.apart()) b.leaf_bytes += back.as_needed(a.node, a.read);
  b.is_repeatable = e.is_repeatable();
  return b;
}

template body_need<interval> evaluate_body<interval>(const rlx_graph_view&, const bindings&,
                                                     unsigned);
template body_need<symbolic> evaluate_body<symbolic>(const rlx_graph_view&, const bindings&,
                                                     unsigned);

}  // namespace need

// Fills a graph_need; a class of its own to be its friend.
class need_pass {
 public:
  static void add(need_totals& t, const node_need& n) {
    t.read += n.read;
    t.written += n.written;
    t.weights += n.weights;
    t.work += n.work;
    t.contraction += n.contraction;
    t.int_ops += n.int_ops;
    if (n.is_invariant) t.invariant += n.bytes();
  }
  static node_need whole(const exact_need& x, bool is_invariant) {
    return {x.read, x.written, x.weights, x.work, x.contraction, x.int_ops, is_invariant};
  }
  static void run(const rlx::graph_view& graph, const need_options& options, graph_need& result) {
    if (!result.scratch_) result.scratch_ = std::make_unique<need_scratch>();
    result.graph_ = graph;
    result.unknown_.clear();
    result.totals_ = {};
    result.nodes_.clear();
    result.nodes_.reserve(graph.size());
    need_scratch& scratch = *result.scratch_;
    need_totals& t = result.totals_;
    const bool has_rule = options.rule != nullptr && options.rule->nodes().size() == graph.size();
    const need::known_sizes sizes = has_rule ? options.rule->tensors_ : need::known_sizes{};
    need::evaluator<interval> e{graph, options.bindings, scratch.evaluation, 0, sizes};
    // Most nodes are known exactly, and summed up apart.
    need::exact_needs exact;
    std::uint64_t bounded_nodes = 0;
    std::uint64_t counted_nodes = 0;
    exact_need x;
    need::node_figures<interval> f;
    for (std::uint32_t id = 0; id < graph.size(); ++id) {
      const need::outcome o = e.evaluate(id, x, f);
      const std::uint8_t flags = e.flags(id);
      const bool is_invariant = (flags & need::invariant_flag) != 0;
      bool is_bounded = true;
      if (o == need::outcome::exact) {
        result.nodes_.push_exact(x, is_invariant);
        if (!exact.add(x, is_invariant)) add(t, whole(x, is_invariant));
      } else if (o == need::outcome::nothing) {
        const bool is_leaf = (flags & need::leaf_flag) != 0;
        result.nodes_.push_nothing(is_invariant, is_leaf, !is_leaf);
        if (is_leaf) continue;
      } else {
        node_need n{f.read,        f.written, f.weights,    f.work,
                    f.contraction, f.int_ops, is_invariant, false};
        n.is_view = (flags & need::view_flag) != 0;
        result.nodes_.push_back(n);
        add(t, n);
        is_bounded = n.is_bounded();
        if (o == need::outcome::unknown) result.unknown_.push_back({id, e.reason()});
      }
      ++counted_nodes;
      bounded_nodes += is_bounded ? 1 : 0;
    }
    exact.add_to(t);
    t.unknown_nodes = counted_nodes - bounded_nodes;
    t.coverage = {bounded_nodes, counted_nodes, {}, {}};
    if (has_rule) {
      t.coverage.counted_rule_bytes = options.rule->totals().bytes;  // of leaves there are none
      t.coverage.rule_bytes = bounded_nodes == counted_nodes
                                  ? t.coverage.counted_rule_bytes
                                  : need::bytes_of_bounded(options.rule->nodes(), result.nodes_);
    }

    need::flow<interval>& back = scratch.flow;
    back.walk(e, [&](std::uint32_t id) {
      if (!back.is_live(id)) {
        result.nodes_.mark_dead(id);
      } else if ((e.flags(id) & need::leaf_flag) != 0) {
        (graph.node(id).kind == RLX_KIND_Input ? t.io_inputs : t.io_weights) += back.needed(e, id);
      }
    });
    t.io_outputs = need::output_bytes(e, graph);
    for (const need::beside<interval>& a : e.apart()) {
      t.io_weights += back.as_needed(a.node, a.read);
      // A row appended to a cache, a state carried on: it outlives the graph where its place does.
      const std::uint32_t root = graph.node(a.node).view_root;
      const bool is_intermediate = root != a.node && (e.flags(root) & need::leaf_flag) == 0;
      if (back.is_live(a.node) && !is_intermediate) t.io_outputs += a.written;
    }
    t.graph_io = t.io_inputs + t.io_weights + t.io_outputs;
  }
};

graph_need::graph_need() = default;
graph_need::graph_need(graph_need&&) noexcept = default;
graph_need& graph_need::operator=(graph_need&&) noexcept = default;
graph_need::~graph_need() = default;

void analyze_need(const rlx::graph_view& graph, const need_options& options, graph_need& result) {
  need_pass::run(graph, options, result);
}

graph_need analyze_need(const rlx::graph_view& graph, const need_options& options) {
  graph_need result;
  analyze_need(graph, options, result);
  return result;
}

std::vector<kind_need> graph_need::by_kind() const {
  std::vector<kind_need> kinds;
  if (!graph_) return kinds;
  std::vector<std::uint32_t> listed(rlx::kind_count + 1, UINT32_MAX);
  std::unordered_map<std::uint32_t, std::uint32_t> unlisted;
  for (std::uint32_t id = 0; id < nodes_.size(); ++id) {
    const std::uint32_t kind = graph_->node(id).kind;
    std::uint32_t& at =
        kind < listed.size() ? listed[kind] : unlisted.try_emplace(kind, UINT32_MAX).first->second;
    if (at == UINT32_MAX) {
      at = static_cast<std::uint32_t>(kinds.size());
      kinds.push_back({rlx::text(graph_->info(id).kind_text), 0, {}});
    }
    kind_need& k = kinds[at];
    const node_need n = nodes_[id];
    ++k.count;
    k.need.read += n.read;
    k.need.written += n.written;
    k.need.weights += n.weights;
    k.need.work += n.work;
    k.need.contraction += n.contraction;
    k.need.int_ops += n.int_ops;
  }
  std::stable_sort(kinds.begin(), kinds.end(), [](const kind_need& a, const kind_need& b) {
    const interval x = a.need.bytes();
    const interval y = b.need.bytes();
    if (x.lo() != y.lo()) return x.lo() > y.lo();
    return x.hi().value_or(UINT64_MAX) > y.hi().value_or(UINT64_MAX);
  });
  return kinds;
}

}  // namespace opscope
