#include "host/lower/plan/address_index.hpp"

#include <bit>

namespace rlx {

bool range_union::insert(address_range r) {
  const auto first =
      std::ranges::lower_bound(ranges_, r.begin, {}, [](const address_range& o) { return o.end; });
  if (first != ranges_.end() && first->begin <= r.begin && first->end >= r.end) return false;
  auto last = first;
  while (last != ranges_.end() && last->begin <= r.end) {
    r.begin = std::min(r.begin, last->begin);
    r.end = std::max(r.end, last->end);
    ++last;
  }
  if (first == last) {
    ranges_.insert(first, r);
  } else {
    *first = r;
    ranges_.erase(first + 1, last);
  }
  return true;
}

short_lived_slots::short_lived_slots(std::uint32_t steps)
    : by_birth_(steps), leaves_{std::bit_ceil(steps / std::size_t{window} + 1)} {
  tree_.resize(2 * leaves_);
}

void short_lived_slots::insert(lifetime when, address_range where) {
  by_birth_[when.birth] = {where, when.death, true};
  // A union that covers the range already is inside all unions above it.
  for (std::size_t i = leaves_ + when.birth / window; i != 0 && tree_[i].insert(where); i /= 2) {
  }
}

void short_lived_slots::append_births(std::uint64_t first, std::uint64_t last, lifetime when,
                                      std::vector<address_range>& out) const {
  for (std::uint64_t birth = first; birth < last; ++birth) {
    const entry& e = by_birth_[birth];
    if (e.used && e.death >= when.birth) out.push_back(e.where);
  }
}

void short_lived_slots::append_blockers(lifetime when, std::vector<address_range>& out) const {
  // Older births than these are dead at when.birth; those inside `when` all overlap it.
  const std::uint64_t first = when.birth < window ? 0 : when.birth - (window - 1);
  const std::uint64_t last =
      std::min<std::uint64_t>(by_birth_.size(), std::uint64_t{when.death} + 1);
  std::uint64_t first_block = when.birth / window + 1;
  std::uint64_t last_block = last / window;
  if (last_block <= first_block + 1) {
    append_births(first, last, when, out);
    return;
  }
  append_births(first, first_block * window, when, out);
  append_births(last_block * window, last, when, out);
  const auto append_union = [&](std::size_t i) {
    const auto ranges = tree_[i].ranges();
    out.insert(out.end(), ranges.begin(), ranges.end());
  };
  std::size_t low = leaves_ + first_block;
  std::size_t high = leaves_ + last_block;
  for (; low < high; low /= 2, high /= 2) {
    if (low % 2 == 1) append_union(low++);
    if (high % 2 == 1) append_union(--high);
  }
}

void long_lived_slots::chunk::summarize() {
  end = entries.front().where.end;
  first_birth = last_birth = entries.front().when.birth;
  first_death = last_death = entries.front().when.death;
  is_solid = true;
  for (const entry& e : entries) {
    is_solid = is_solid && e.where.begin <= end;
    end = std::max(end, e.where.end);
    first_birth = std::min(first_birth, e.when.birth);
    last_birth = std::max(last_birth, e.when.birth);
    first_death = std::min(first_death, e.when.death);
    last_death = std::max(last_death, e.when.death);
  }
}

void long_lived_slots::insert(lifetime when, address_range where) {
  const auto begin_of = [](const chunk& c) { return c.entries.front().where.begin; };
  auto at = std::ranges::upper_bound(chunks_, where.begin, {}, begin_of);
  if (at != chunks_.begin()) {
    --at;
  } else if (at == chunks_.end()) {
    at = chunks_.insert(at, chunk{});
  }
  // Slots that live through everything lie one behind the other: they are one range.
  const auto lives_through = [this](lifetime l) { return l.birth == 0 && l.death == steps_; };
  auto& entries = at->entries;
  if (!entries.empty() && lives_through(when) && lives_through(entries.back().when) &&
      entries.back().where.end == where.begin) {
    entries.back().where.end = where.end;
  } else {
    const auto position = std::ranges::upper_bound(entries, where.begin, {},
                                                   [](const entry& e) { return e.where.begin; });
    entries.insert(position, {where, when});
  }
  if (entries.size() > chunk_capacity) {
    chunk upper;
    const auto middle = entries.begin() + static_cast<std::ptrdiff_t>(chunk_capacity / 2);
    upper.entries.assign(middle, entries.end());
    entries.erase(middle, entries.end());
    upper.summarize();
    at->summarize();
    chunks_.insert(at + 1, std::move(upper));
  } else {
    at->summarize();
  }
}

std::uint64_t long_lived_slots::walk::advance(std::uint64_t start) {
  for (; chunk_ < slots_.chunks_.size(); ++chunk_, entry_ = 0) {
    const chunk& c = slots_.chunks_[chunk_];
    if (entry_ == 0) {
      if (c.entries.front().where.begin >= start + size_) return start;
      if (c.first_birth > when_.death || c.last_death < when_.birth) continue;
      if (c.is_solid && c.last_birth <= when_.death && c.first_death >= when_.birth) {
        start = std::max(start, c.end);
        continue;
      }
    }
    for (; entry_ < c.entries.size(); ++entry_) {
      const entry& e = c.entries[entry_];
      if (e.where.begin >= start + size_) return start;
      if (e.when.overlaps(when_)) start = std::max(start, e.where.end);
    }
  }
  return start;
}

}  // namespace rlx
