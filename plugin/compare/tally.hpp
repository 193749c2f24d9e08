// Sums of nodes' measures, a sum a metric that nodes have. What is not known is counted apart, and
// never added up as if it were 0.
#pragma once

#include <cstdint>
#include <vector>

#include "plugin/compare/metrics.hpp"
#include "plugin/compare/side.hpp"

namespace opscope {

class amount {
 public:
  void add(const measure& m) {
    if (m.is_known()) {
      if (__builtin_add_overflow(low_, m.value(), &low_)) is_beyond_ = true;
      floors_ += m.is_floor() ? 1 : 0;
    } else {
      ++(m.is_missing() ? missing_ : unknown_);
    }
  }
  void add(const amount& a) {
    if (__builtin_add_overflow(low_, a.low_, &low_)) is_beyond_ = true;
    is_beyond_ |= a.is_beyond_;
    floors_ += a.floors_;
    unknown_ += a.unknown_;
    missing_ += a.missing_;
  }
  // Unknown where an addend is, or beyond 64 bits; missing where one is missing; of nothing 0.
  measure sum() const {
    if (missing_ != 0) return measure::missing();
    if (unknown_ != 0 || is_beyond_) return measure::unknown();
    return floors_ != 0 ? measure::floor(low_) : measure::known(low_);
  }
  // The addends that are known, beyond 64 bits at 2^64-1.
  std::uint64_t known_part() const { return is_beyond_ ? UINT64_MAX : low_; }
  friend bool operator==(const amount&, const amount&) = default;

 private:
  std::uint64_t low_ = 0;
  std::uint32_t floors_ = 0;  // addends; a graph has less than 2^32 nodes
  std::uint32_t unknown_ = 0;
  std::uint32_t missing_ = 0;
  bool is_beyond_ = false;  // 64 bits
};

class tally {
 public:
  tally() : amounts_(node_metrics().size()) {}
  void add_node(const graph_side& side, std::uint32_t id);
  void add(const tally& t);
  // `m` is one of node_metrics().
  const amount& of(metric_index m) const { return amounts_[*node_metric_place(m)]; }
  friend bool operator==(const tally&, const tally&) = default;

 private:
  std::vector<amount> amounts_;
};

// What a metric rose by. Nothing where neither side knows; from or to unknown is a change without
// a size, and so is one from a low end without a high end to a figure, or back.
struct change {
  measure before;
  measure after;
  bool is_any() const { return !(before == after); }
  // Both ends are known, or low ends of what has no high end: then the size is that of the low
  // ends.
  bool has_size() const {
    return before.is_known() && after.is_known() && before.is_floor() == after.is_floor();
  }
  // Neither end tells the whole: equal ends are not the same figure.
  bool is_open() const {
    const auto tells = [](const measure& m) { return m.is_known() && !m.is_floor(); };
    return !before.is_missing() && !after.is_missing() && !tells(before) && !tells(after);
  }
  bool is_growth() const { return has_size() && after.value() > before.value(); }
  std::uint64_t size() const {
    return after.value() > before.value() ? after.value() - before.value()
                                          : before.value() - after.value();
  }
  // Known before, and known no more.
  bool loses() const {
    return before.is_known() && (after.is_unknown() || (after.is_floor() && !before.is_floor()));
  }
};

// By how much is to be looked at first: what became unknown, then the largest change, growth before
// shrinkage.
bool is_worse(const change& a, const change& b);

}  // namespace opscope
