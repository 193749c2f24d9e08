// What is asked of a graph's costs afterwards: the heaviest nodes, the kinds, the roofline split.
#include <algorithm>
#include <array>
#include <opscope/cost.hpp>
#include <unordered_map>

namespace opscope {

namespace {

constexpr std::uint32_t no_group = UINT32_MAX;

// Groups numbered in first-seen order. A listed kind is found by its number; any other by its
// text, which may also be the text of a listed one (an operation in a form the host did not know).
class kind_groups {
 public:
  explicit kind_groups(const rlx::graph_view& graph) : graph_{graph} { listed_.fill(no_group); }

  kind_cost& of(std::uint32_t id) {
    const std::uint32_t kind = graph_.node(id).kind;
    if (!rlx::is_listed_kind(kind)) return unlisted(id);
    std::uint32_t& group = listed_[kind];
    if (group == no_group) {
      group = by_text_.empty() ? add(id) : find_or_add(id);
    }
    return groups_[group];
  }
  std::vector<kind_cost> take() { return std::move(groups_); }

 private:
  kind_cost& unlisted(std::uint32_t id) {
    if (by_text_.empty()) {
      for (std::uint32_t group = 0; group < groups_.size(); ++group) {
        by_text_.emplace(groups_[group].kind, group);
      }
    }
    return groups_[find_or_add(id)];
  }
  std::uint32_t find_or_add(std::uint32_t id) {
    const auto next = static_cast<std::uint32_t>(groups_.size());
    const auto [at, is_new] = by_text_.try_emplace(rlx::text(graph_.info(id).kind_text), next);
    return is_new ? add(id) : at->second;
  }
  std::uint32_t add(std::uint32_t id) {
    groups_.push_back({rlx::text(graph_.info(id).kind_text), 0, 0, 0});
    return static_cast<std::uint32_t>(groups_.size() - 1);
  }

  const rlx::graph_view& graph_;
  std::vector<kind_cost> groups_;
  std::array<std::uint32_t, rlx::kind_count + 1> listed_;
  std::unordered_map<std::string_view, std::uint32_t> by_text_;  // empty until an unlisted kind
};

// Descending, unknown first.
bool is_heavier(const figure& a, const figure& b) {
  if (!a || !b) return !a && b;
  return *a > *b;
}

}  // namespace

std::optional<double> node_cost::intensity() const {
  const figure moved = bytes();
  const figure work_done = flops();
  if (!moved || !work_done || *moved == 0) return std::nullopt;
  return static_cast<double>(*work_done) / static_cast<double>(*moved);
}

std::vector<const node_cost*> graph_cost::top_by_bytes(std::size_t n) const {
  struct entry {
    figure bytes;
    const node_cost* node;
    // Equal bytes keep the graph's order, as a stable sort would.
    bool comes_before(const entry& other) const {
      if (is_heavier(bytes, other.bytes)) return true;
      return !is_heavier(other.bytes, bytes) && node < other.node;
    }
  };
  const auto before = [](const entry& a, const entry& b) { return a.comes_before(b); };
  std::vector<entry> heap;  // its front is the lightest that is still in
  if (n == 0) return {};
  heap.reserve(std::min(n, nodes_.size()));
  for (const node_cost& node : nodes_) {
    const entry e{node.bytes(), &node};
    if (e.bytes == figure{0}) continue;
    if (heap.size() < n) {
      heap.push_back(e);
      std::push_heap(heap.begin(), heap.end(), before);
    } else if (e.comes_before(heap.front())) {
      std::pop_heap(heap.begin(), heap.end(), before);
      heap.back() = e;
      std::push_heap(heap.begin(), heap.end(), before);
    }
  }
  std::sort_heap(heap.begin(), heap.end(), before);
  std::vector<const node_cost*> top;
  top.reserve(heap.size());
  for (const entry& e : heap) top.push_back(e.node);
  return top;
}

std::vector<kind_cost> graph_cost::by_kind() const {
  if (!graph_) return {};
  kind_groups groups{*graph_};
  for (const node_cost& node : nodes_) {
    kind_cost& group = groups.of(node.id);
    ++group.count;
    group.bytes = checked_add(group.bytes, node.bytes());
    group.flops = checked_add(group.flops, node.flops());
  }
  std::vector<kind_cost> kinds = groups.take();
  std::stable_sort(kinds.begin(), kinds.end(), [](const kind_cost& a, const kind_cost& b) {
    return is_heavier(a.bytes, b.bytes);
  });
  return kinds;
}

roofline graph_cost::roofline_split(double ridge_flops_per_byte) const {
  roofline split{0, 0};
  for (const node_cost& node : nodes_) {
    const figure bytes = node.bytes();
    if (bytes == figure{0}) continue;
    const auto intensity = node.intensity();
    if (!intensity) return {};  // it moves something, and nobody knows on which side
    figure& side = *intensity >= ridge_flops_per_byte ? split.compute_bound : split.memory_bound;
    side = checked_add(side, bytes);
  }
  return split;
}

}  // namespace opscope
