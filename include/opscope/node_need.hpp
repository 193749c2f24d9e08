// What one node needs, and the needs of many nodes in few bytes. need.hpp says what is meant by
// each figure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <stdexcept>

#include <opscope/cost.hpp>
#include <opscope/interval.hpp>

namespace opscope {

// One node. A leaf needs nothing; its bytes are booked where they are read.
struct node_need {
  interval read;         // bytes of operands
  interval written;      // bytes of the result, and of operands that are overwritten
  interval weights;      // of read: from Params and Constants, also through views, casts, concats
  interval work;         // floating-point operations of the canonical algorithm
  interval contraction;  // of work: in sums of products (matmul, attention, convolution)
  interval int_ops;      // integer and boolean operations
  bool is_invariant = false;  // computed only from Params and Constants: could be done once
  bool is_leaf = false;
  bool is_view = false;  // lies in another node's storage
  bool is_dead = false;  // no output depends on it

  interval bytes() const { return read + written; }
  bool is_bounded() const {
    return read.is_bounded() && written.is_bounded() && work.is_bounded() && int_ops.is_bounded();
  }
};

// A need all figures of which are known, and below 2^64-1.
struct exact_need {
  std::uint64_t read = 0;
  std::uint64_t written = 0;
  std::uint64_t weights = 0;
  std::uint64_t work = 0;
  std::uint64_t contraction = 0;
  std::uint64_t int_ops = 0;
};

// The needs of nodes by id, in few bytes: 8 a node, 8 a figure that is exact and not 0, 8 or 16 one
// that is not exact. Elements are made when they are asked for. Reading is safe from any thread
// while nobody writes.
class need_list {
 public:
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  // False where the place was filled by push_absent(): nothing was recorded of that node.
  bool has(std::uint32_t id) const { return (entries_[id] & absent_bit) == 0; }
  node_need operator[](std::uint32_t id) const;
  node_need at(std::uint32_t id) const {
    if (id >= size()) throw std::out_of_range{"need_list: no such node"};
    return (*this)[id];
  }

  // Of the memory, what holds figures.
  std::size_t held_bytes() const { return 8 * (entries_.size() + used_); }

  class iterator;
  iterator begin() const;
  iterator end() const;

  // Keeps the memory.
  void clear() {
    entries_.clear();
    used_ = 0;
  }
  void reserve(std::size_t nodes) { entries_.reserve(nodes); }
  // These append one node. Strong guarantee; std::bad_alloc, and std::length_error beyond 2^40
  // ends.
  void push_back(const node_need& n);
  void push_absent() { entries_.push_back(used_ | absent_bit); }
  // One that is neither leaf nor view.
  void push_exact(const exact_need& n, bool is_invariant) {
    make_room();
    std::uint64_t* end = ends_.data() + used_;
    std::uint64_t entry = used_ | (is_invariant ? invariant_bit : 0);
    // Without a branch, which a graph's mix of kinds would make hard to predict.
    const auto put = [&](unsigned column, std::uint64_t value) {
      const std::uint64_t is_there = value != 0;
      *end = value;
      end += is_there;
      entry |= is_there << (forms_shift + 2 * column);
    };
    put(0, n.read);
    put(1, n.written);
    put(2, n.weights);
    put(3, n.work);
    put(4, n.contraction);
    put(5, n.int_ops);
    entries_.push_back(entry);
    used_ = static_cast<std::uint64_t>(end - ends_.data());
  }
  // A node that needs nothing.
  void push_nothing(bool is_invariant, bool is_leaf, bool is_view) {
    entries_.push_back(used_ | (is_invariant ? invariant_bit : 0) | (is_leaf ? leaf_bit : 0) |
                       (is_view ? view_bit : 0));
  }
  void mark_dead(std::uint32_t id) { entries_[id] |= dead_bit; }

 private:
  // An entry: where the node's ends begin, then two bits a figure, then flags.
  static constexpr std::size_t columns = 6;
  enum form : std::uint64_t { zero, exact, bounded, unbounded };
  static constexpr unsigned forms_shift = 40;
  static constexpr std::uint64_t begin_mask = (std::uint64_t{1} << forms_shift) - 1;
  static constexpr unsigned flags_shift = forms_shift + 2 * columns;
  static constexpr std::uint64_t invariant_bit = std::uint64_t{1} << flags_shift;
  static constexpr std::uint64_t leaf_bit = invariant_bit << 1;
  static constexpr std::uint64_t view_bit = invariant_bit << 2;
  static constexpr std::uint64_t dead_bit = invariant_bit << 3;
  static constexpr std::uint64_t absent_bit = invariant_bit << 4;

  void make_room() {
    if (ends_.size() - used_ < 2 * columns) [[unlikely]]
      grow();
  }
  void grow();

  detail::array<std::uint64_t> entries_;
  detail::array<std::uint64_t> ends_;  // of which used_ are written
  std::uint64_t used_ = 0;
};

inline node_need need_list::operator[](std::uint32_t id) const {
  const std::uint64_t entry = entries_[id];
  const std::uint64_t* end = ends_.data() + (entry & begin_mask);
  node_need n;
  std::uint64_t forms = entry >> forms_shift;
  for (interval* const column :
       {&n.read, &n.written, &n.weights, &n.work, &n.contraction, &n.int_ops}) {
    switch (forms & 3) {
      case exact:
        *column = interval{*end++};
        break;
      case bounded:
        *column = interval::between(end[0], end[1]);
        end += 2;
        break;
      case unbounded:
        *column = interval::at_least(*end++);
        break;
      default:
        break;
    }
    forms >>= 2;
  }
  n.is_invariant = (entry & invariant_bit) != 0;
  n.is_leaf = (entry & leaf_bit) != 0;
  n.is_view = (entry & view_bit) != 0;
  n.is_dead = (entry & dead_bit) != 0;
  return n;
}

class need_list::iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = node_need;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = node_need;

  iterator() = default;
  iterator(const need_list& list, std::uint32_t id) : list_{&list}, id_{id} {}
  node_need operator*() const { return (*list_)[id_]; }
  iterator& operator++() {
    ++id_;
    return *this;
  }
  iterator operator++(int) {
    const iterator before = *this;
    ++id_;
    return before;
  }
  friend bool operator==(const iterator& a, const iterator& b) { return a.id_ == b.id_; }

 private:
  const need_list* list_ = nullptr;
  std::uint32_t id_ = 0;
};

inline need_list::iterator need_list::begin() const { return {*this, 0}; }
inline need_list::iterator need_list::end() const {
  return {*this, static_cast<std::uint32_t>(size())};
}

}  // namespace opscope
