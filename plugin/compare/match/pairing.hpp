// The state of matching two graphs, a and b: which nodes are pairs by now, which are free, and
// which pairs are fresh. Pairs free nodes by equal keys.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "plugin/compare/context.hpp"
#include "plugin/compare/match/keyed_node.hpp"
#include "plugin/compare/match/matching.hpp"

namespace opscope::matching {

inline constexpr std::uint32_t none = node_matching::none;

// Which of the nodes of one key are pairs: where each side has one of them; where both have as
// many, in the order of their ids; or as many as there are.
enum class policy { unique, in_order, in_order_as_far_as_they_go };

inline constexpr auto any_pair = [](std::uint32_t, std::uint32_t) { return true; };

class pairing {
 public:
  pairing(const node_context& a, const node_context& b);

  const node_context& a() const { return a_; }
  const node_context& b() const { return b_; }
  std::uint32_t b_of(std::uint32_t a) const { return to_.new_of[a]; }  // none where a is free
  bool is_free_a(std::uint32_t a) const { return to_.new_of[a] == none; }
  bool is_free_b(std::uint32_t b) const { return to_.base_of[b] == none; }
  std::size_t free_count() const { return free_a_; }  // of a
  bool is_done() const { return free_a_ == 0 || free_b_ == 0; }
  // With a as base and b as new.
  const node_matching& matching() const { return to_; }
  node_matching take_matching() { return std::move(to_); }

  void match(std::uint32_t a, std::uint32_t b) {
    to_.new_of[a] = b;
    to_.base_of[b] = a;
    --free_a_;
    --free_b_;
    fresh_.push_back(a);
  }
  void unmatch(std::uint32_t a);

  // a of a pair whose neighbours were not looked at yet, the latest first; none where all were.
  std::uint32_t take_fresh() {
    if (fresh_.empty()) return none;
    const std::uint32_t a = fresh_.back();
    fresh_.pop_back();
    return a;
  }
  void make_fresh(std::uint32_t a) { fresh_.push_back(a); }
  void clear_fresh() { fresh_.clear(); }

  // Free nodes with key(context, id), sorted.
  template <class Key>
  void collect_a(const Key& key, std::vector<keyed_node>& nodes) const {
    collect(a_, to_.new_of, key, nodes);
  }
  template <class Key>
  void collect_b(const Key& key, std::vector<keyed_node>& nodes) const {
    collect(b_, to_.base_of, key, nodes);
  }

  // Pairs free nodes of one key; true where there were any. accept(a, b) has the last word. Key 0
  // is no key.
  template <class Key, class Accept>
  bool pair(const Key& key, policy p, const Accept& accept) {
    if (is_done()) return false;
    keyed_a_.reserve(free_a_);
    keyed_b_.reserve(free_b_);
    collect_a(key, keyed_a_);
    collect_b(key, keyed_b_);
    return pair_lists(keyed_a_, keyed_b_, p, accept);
  }
  template <class Key>
  bool pair(const Key& key, policy p) {
    return pair(key, p, any_pair);
  }
  template <class Accept>
  bool pair_lists(keyed_nodes in_a, keyed_nodes in_b, policy p, const Accept& accept) {
    const std::size_t before = free_a_;
    for_each_shared_key(in_a, in_b, [&](keyed_nodes x, keyed_nodes y) {
      const bool fits = p == policy::unique     ? x.size() == 1 && y.size() == 1
                        : p == policy::in_order ? x.size() == y.size()
                                                : true;
      if (!fits || x.front().key == 0) return;
      for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
        if (accept(x[i].id, y[i].id)) match(x[i].id, y[i].id);
      }
    });
    return free_a_ != before;
  }

 private:
  template <class Key>
  static void collect(const node_context& c, const std::vector<std::uint32_t>& to, const Key& key,
                      std::vector<keyed_node>& nodes) {
    nodes.clear();
    for (std::uint32_t id = 0; id < c.size(); ++id) {
      if (to[id] == none) nodes.push_back({key(c, id), id});
    }
    std::sort(nodes.begin(), nodes.end());
  }

  const node_context& a_;
  const node_context& b_;
  node_matching to_;
  std::size_t free_a_;
  std::size_t free_b_;
  std::vector<std::uint32_t> fresh_;
  std::vector<keyed_node> keyed_a_;
  std::vector<keyed_node> keyed_b_;
};

}  // namespace opscope::matching
