// Which addresses are taken when, for the placer. Addresses are counted in units of the arena's
// alignment, so that every slot starts and ends on one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "host/lower/plan/lifetimes.hpp"

namespace rlx {

struct address_range {
  std::uint64_t begin;
  std::uint64_t end;
};

// Ranges sorted, disjoint and not touching.
class range_union {
 public:
  // False where the range was covered already.
  bool insert(address_range r);
  std::span<const address_range> ranges() const { return ranges_; }

 private:
  std::vector<address_range> ranges_;
};

// Slots with a lifetime of less than `window` steps, found by their birth, which no two share.
class short_lived_slots {
 public:
  static constexpr std::uint32_t window = 64;

  explicit short_lived_slots(std::uint32_t steps);
  void insert(lifetime when, address_range where);
  // Appends the ranges taken during `when`, unsorted.
  void append_blockers(lifetime when, std::vector<address_range>& out) const;

 private:
  struct entry {
    address_range where;
    std::uint32_t death;
    bool used = false;
  };
  void append_births(std::uint64_t first, std::uint64_t last, lifetime when,
                     std::vector<address_range>& out) const;

  std::vector<entry> by_birth_;
  // A binary tree over blocks of `window` births, root at 1: the union of all below.
  std::size_t leaves_ = 1;
  std::vector<range_union> tree_;
};

// Slots that live longer, by address.
class long_lived_slots {
 public:
  // `steps` is the node count: a slot alive from 0 to it conflicts with every other.
  explicit long_lived_slots(std::uint32_t steps) : steps_{steps} {}
  void insert(lifetime when, address_range where);

  // Walks upward over what is in the way of a slot of `size` units alive during `when`.
  class walk {
   public:
    walk(const long_lived_slots& slots, lifetime when, std::uint64_t size)
        : slots_{slots}, when_{when}, size_{size} {}
    // The lowest start from `start` on that meets none of the slots. Starts must not fall.
    std::uint64_t advance(std::uint64_t start);

   private:
    const long_lived_slots& slots_;
    lifetime when_;
    std::uint64_t size_;
    std::size_t chunk_ = 0;
    std::size_t entry_ = 0;
  };

 private:
  struct entry {
    address_range where;
    lifetime when;
  };
  // Entries by ascending begin, and what is true of all of them.
  struct chunk {
    std::vector<entry> entries;
    std::uint64_t end = 0;
    std::uint32_t first_birth = 0, last_birth = 0;
    std::uint32_t first_death = 0, last_death = 0;
    bool is_solid = true;  // no address between the first begin and `end` is free of all
    void summarize();
  };
  static constexpr std::size_t chunk_capacity = 128;

  std::uint32_t steps_;
  std::vector<chunk> chunks_;
};

}  // namespace rlx
