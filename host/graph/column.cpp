#include "host/graph/column.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <vector>

namespace rlx {

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

constexpr bool is_large(std::size_t bytes) { return bytes >= huge_page; }

// Whole huge pages, in steps of at most an eighth, so that columns of about one size are of one
// size. Memory that nobody touches is not taken.
constexpr std::size_t rounded(std::size_t bytes) {
  const std::size_t step = std::max(huge_page, std::bit_floor(bytes) / 8);
  return (bytes + step - 1) / step * step;
}

class kept_blocks {
 public:
  // Null where there is none of that size.
  void* take(std::size_t size) {
    const std::lock_guard lock{mutex_};
    const auto at = std::ranges::find(blocks_, size, &block::size);
    if (at == blocks_.end()) return nullptr;
    void* const memory = at->memory;
    total_ -= size;
    *at = blocks_.back();
    blocks_.pop_back();
    return memory;
  }
  bool keep(void* memory, std::size_t size) noexcept {
    const std::lock_guard lock{mutex_};
    if (size > limit_ - std::min(limit_, total_) || blocks_.size() == blocks_.capacity()) {
      return false;
    }
    blocks_.push_back({memory, size});
    total_ += size;
    return true;
  }
  void set_limit(std::size_t bytes) {
    const std::lock_guard lock{mutex_};
    limit_ = bytes;
    if (bytes != 0) blocks_.reserve(most_blocks);
    while (total_ > limit_) {
      std::free(blocks_.back().memory);
      total_ -= blocks_.back().size;
      blocks_.pop_back();
    }
  }
  std::size_t total() {
    const std::lock_guard lock{mutex_};
    return total_;
  }

 private:
  static constexpr std::size_t most_blocks = 64;
  struct block {
    void* memory;
    std::size_t size;
  };
  std::mutex mutex_;
  std::vector<block> blocks_;  // never beyond its capacity, so that keep() cannot throw
  std::size_t total_ = 0;
  std::size_t limit_ = 0;
};

// Outlives every column, also static ones.
kept_blocks& kept() {
  static kept_blocks& all = *new kept_blocks;
  return all;
}

}  // namespace

void* allocate_large(std::size_t bytes) {
  if (!is_large(bytes)) return ::operator new(bytes);
  if (bytes > SIZE_MAX / 2) throw std::bad_alloc{};
  const std::size_t size = rounded(bytes);
  if (void* const before = kept().take(size)) return before;
  void* const memory = std::aligned_alloc(huge_page, size);
  if (memory == nullptr) throw std::bad_alloc{};
  // Where the system has none the pages are small ones: slower, and right all the same.
  static_cast<void>(::madvise(memory, size, MADV_HUGEPAGE));
  return memory;
}

void free_large(void* memory, std::size_t bytes) noexcept {
  if (!is_large(bytes)) {
    ::operator delete(memory);
  } else if (!kept().keep(memory, rounded(bytes))) {
    std::free(memory);
  }
}

void keep_large(std::size_t bytes) { kept().set_limit(bytes); }
std::size_t kept_large_bytes() { return kept().total(); }

}  // namespace rlx
