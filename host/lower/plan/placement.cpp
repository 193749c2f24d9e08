#include "host/lower/plan/placement.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "host/lower/plan/address_index.hpp"
#include "host/lower/rewrite.hpp"

namespace rlx {

namespace {

class placer {
 public:
  explicit placer(std::uint32_t steps) : steps_{steps}, short_lived_{steps}, long_lived_{steps} {}

  // Places a slot of `size` units and returns its first one.
  std::uint64_t place(const placement_request& request, std::uint64_t size) {
    const lifetime when = request.lifetime;
    // A slot starts at 0 or at the end of another, so there is no hole that nobody ever uses: what
    // lives through everything comes after everything.
    const bool lives_through = when.birth == 0 && when.death == steps_;
    const std::uint64_t begin = lives_through ? top_ : lowest_fit(when, size);
    const address_range where{begin, begin + size};
    top_ = std::max(top_, where.end);
    if (when.birth == request.node && when.death - when.birth < short_lived_slots::window) {
      short_lived_.insert(when, where);
    } else {
      long_lived_.insert(when, where);
    }
    return begin;
  }

 private:
  std::uint64_t lowest_fit(lifetime when, std::uint64_t size) {
    blockers_.clear();
    short_lived_.append_blockers(when, blockers_);
    std::ranges::sort(blockers_, {}, &address_range::begin);
    long_lived_slots::walk walk{long_lived_, when, size};
    std::size_t next = 0;
    std::uint64_t start = 0;
    // Both sides only push upward, until neither does.
    for (;;) {
      for (; next < blockers_.size() && blockers_[next].begin < start + size; ++next) {
        start = std::max(start, blockers_[next].end);
      }
      const std::uint64_t pushed = walk.advance(start);
      if (pushed == start) return start;
      start = pushed;
    }
  }

  std::uint32_t steps_;
  std::uint64_t top_ = 0;
  short_lived_slots short_lived_;
  long_lived_slots long_lived_;
  std::vector<address_range> blockers_;  // scratch of lowest_fit
};

}  // namespace

placement place_slots(const graph& g, std::span<const placement_request> requests,
                      std::uint64_t alignment) {
  std::vector<std::uint32_t> order(requests.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::uint32_t i) { return requests[i].bytes; });
  placer work{g.size()};
  placement made;
  made.offsets.resize(requests.size());
  for (const std::uint32_t i : order) {
    const placement_request& request = requests[i];
    const std::uint64_t size = request.bytes / alignment + (request.bytes % alignment != 0 ? 1 : 0);
    const std::uint64_t begin = work.place(request, size);
    std::uint64_t offset = 0;
    std::uint64_t end = 0;
    if (__builtin_mul_overflow(begin, alignment, &offset) ||
        __builtin_add_overflow(offset, request.bytes, &end)) {
      fail_at(g, "plan_buffers", request.node,
              "its slot would end beyond 64 bits of arena, so no buffer can be planned; use "
              "smaller dims");
    }
    made.offsets[i] = offset;
    made.arena_bytes = std::max(made.arena_bytes, end);
  }
  return made;
}

}  // namespace rlx
