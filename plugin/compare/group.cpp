#include "plugin/compare/group.hpp"

#include <algorithm>
#include <numeric>

#include "plugin/compare/operation.hpp"

namespace opscope {

namespace {

constexpr std::uint32_t none = node_matching::none;
// A weight that more nodes read belongs to no group.
constexpr std::size_t most_readers_of_own_weight = 4;

// The part of a label up to its first number, as a hash: `model.layers.3`. 0 where it has none.
std::uint64_t layer_hash(std::string_view label) {
  std::size_t begin = 0;
  while (begin < label.size()) {
    const std::size_t end = std::min(label.find('.', begin), label.size());
    const std::string_view part = label.substr(begin, end - begin);
    if (!part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos) {
      return text_hash(label.substr(0, end)) | 1;
    }
    begin = end + 1;
  }
  return 0;
}

class disjoint_sets {
 public:
  explicit disjoint_sets(std::size_t n) : parent_(n) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }
  std::uint32_t find(std::uint32_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  // The smaller number stands for the set.
  void join(std::uint32_t x, std::uint32_t y) {
    x = find(x);
    y = find(y);
    parent_[std::max(x, y)] = std::min(x, y);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

class grouper {
 public:
  grouper(const node_context& base, const node_context& next, const node_matching& m)
      : base_{base}, next_{next}, m_{m}, sets_{std::size_t{base.size()} + next.size()} {}

  std::vector<node_group> run() {
    join_readers(base_, m_.new_of, 0);
    join_readers(next_, m_.base_of, base_.size());
    join_by_users();
    join_by_outputs();
    join_by_weights();
    return collect();
  }

 private:
  std::uint32_t of_new(std::uint32_t id) const { return base_.size() + id; }

  // Whoever reads a node without counterpart, and has none either, is with it, inside one layer.
  void join_readers(const node_context& c, const std::vector<std::uint32_t>& to,
                    std::uint32_t offset) {
    for (std::uint32_t id = 0; id < c.size(); ++id) {
      if (to[id] != none) continue;
      const std::uint64_t layer = layer_hash(c.side().label(id));
      for (const std::uint32_t o : c.side().operands(id)) {
        if (to[o] != none) continue;
        if (c.side().is_leaf(o) && c.uses(o).size() > 1) continue;
        const std::uint64_t other = layer_hash(c.side().label(o));
        if (layer != 0 && other != 0 && layer != other) continue;
        sets_.join(offset + id, offset + o);
      }
    }
  }

  // What a node read before, and what its counterpart reads in that place now.
  void join_by_users() {
    for (std::uint32_t a = 0; a < base_.size(); ++a) {
      const std::uint32_t b = m_.new_of[a];
      if (b == none) continue;
      const auto in_a = base_.side().operands(a);
      const auto in_b = next_.side().operands(b);
      for (std::size_t slot = 0; slot < std::min(in_a.size(), in_b.size()); ++slot) {
        join_if_free(in_a[slot], in_b[slot]);
      }
    }
  }
  void join_by_outputs() {
    const auto out_a = base_.side().graph().outputs();
    const auto out_b = next_.side().graph().outputs();
    for (std::size_t i = 0; i < std::min(out_a.size(), out_b.size()); ++i) {
      join_if_free(out_a[i], out_b[i]);
    }
  }
  void join_if_free(std::uint32_t a, std::uint32_t b) {
    if (m_.new_of[a] == none && m_.base_of[b] == none) sets_.join(a, of_new(b));
  }

  // Groups that are on one side only, and read a weight of their own that a group on the other side
  // reads.
  void join_by_weights() {
    const std::size_t all = std::size_t{base_.size()} + next_.size();
    std::vector<bool> has_base(all);
    std::vector<bool> has_new(all);
    for (std::uint32_t a = 0; a < base_.size(); ++a) {
      if (m_.new_of[a] == none) has_base[sets_.find(a)] = true;
    }
    for (std::uint32_t b = 0; b < next_.size(); ++b) {
      if (m_.base_of[b] == none) has_new[sets_.find(of_new(b))] = true;
    }
    for (std::uint32_t a = 0; a < base_.size(); ++a) {
      const std::uint32_t b = m_.new_of[a];
      if (b == none || base_.side().node(a).kind != RLX_KIND_Param) continue;
      if (base_.uses(a).size() > most_readers_of_own_weight ||
          next_.uses(b).size() > most_readers_of_own_weight) {
        continue;
      }
      for (const node_use& x : base_.uses(a)) {
        if (m_.new_of[x.user] != none) continue;
        for (const node_use& y : next_.uses(b)) {
          if (m_.base_of[y.user] != none) continue;
          const std::uint32_t s = sets_.find(x.user);
          const std::uint32_t t = sets_.find(of_new(y.user));
          if (s == t || has_new[s] || has_base[t]) continue;
          sets_.join(s, t);
          has_base[sets_.find(s)] = has_new[sets_.find(s)] = true;
        }
      }
    }
  }

  std::vector<node_group> collect() {
    std::vector<node_group> groups;
    std::vector<std::uint32_t> place(std::size_t{base_.size()} + next_.size(), none);
    const auto group_at = [&](std::uint32_t x) -> node_group& {
      std::uint32_t& at = place[sets_.find(x)];
      if (at == none) {
        at = static_cast<std::uint32_t>(groups.size());
        groups.emplace_back();
      }
      return groups[at];
    };
    for (std::uint32_t a = 0; a < base_.size(); ++a) {
      if (m_.new_of[a] == none) group_at(a).base.push_back(a);
    }
    for (std::uint32_t b = 0; b < next_.size(); ++b) {
      if (m_.base_of[b] == none) group_at(of_new(b)).next.push_back(b);
    }
    return groups;
  }

  const node_context& base_;
  const node_context& next_;
  const node_matching& m_;
  disjoint_sets sets_;
};

}  // namespace

std::vector<node_group> group_unmatched(const node_context& base, const node_context& next,
                                        const node_matching& matching) {
  return grouper{base, next, matching}.run();
}

}  // namespace opscope
