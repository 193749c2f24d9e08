#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <mutex>
#include <new>
#include <opscope/cost.hpp>

namespace opscope::detail {

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

constexpr bool is_large(std::size_t bytes) { return bytes >= huge_page; }

// Whole huge pages, in steps of at most an eighth, so that arrays of about one size are of one
// size. Memory that nobody touches is not taken.
constexpr std::size_t rounded(std::size_t bytes) {
  const std::size_t step = std::max(huge_page, std::bit_floor(bytes) / 8);
  return (bytes + step - 1) / step * step;
}

void* map_huge(std::size_t size) {
  // One huge page more than asked for, cut off at both ends to begin at a huge page.
  const std::size_t whole = size + huge_page;
  void* const mapped =
      ::mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc{};
  auto* const first = static_cast<std::byte*>(mapped);
  const auto misplaced = reinterpret_cast<std::uintptr_t>(first) % huge_page;
  const std::size_t before = misplaced == 0 ? 0 : huge_page - misplaced;
  if (before != 0) ::munmap(first, before);
  ::munmap(first + before + size, huge_page - before);
  // Where the system has none the pages are small ones: slower, and right all the same.
  static_cast<void>(::madvise(first + before, size, MADV_HUGEPAGE));
  return first + before;
}

// What was freed last, for the next graph: a few arrays, and not much memory.
class kept_arrays {
 public:
  void* take(std::size_t size) {
    const std::lock_guard lock{mutex_};
    for (kept& k : kept_) {
      if (k.size == size) {
        k.size = 0;
        total_ -= size;
        return k.memory;
      }
    }
    return nullptr;
  }
  bool keep(void* memory, std::size_t size) noexcept {
    const std::lock_guard lock{mutex_};
    if (size > most_bytes - total_) return false;
    for (kept& k : kept_) {
      if (k.size == 0) {
        k = {memory, size};
        total_ += size;
        return true;
      }
    }
    return false;
  }

 private:
  struct kept {
    void* memory = nullptr;
    std::size_t size = 0;  // 0: nothing is kept here
  };
  static constexpr std::size_t most_bytes = std::size_t{256} << 20;
  std::mutex mutex_;
  std::array<kept, 16> kept_{};
  std::size_t total_ = 0;
};

// Never destroyed: outlives every array, also static ones.
kept_arrays& kept() {
  static kept_arrays& all = *new kept_arrays;
  return all;
}

}  // namespace

void* allocate_array(std::size_t bytes) {
  if (!is_large(bytes)) return ::operator new(bytes);
  if (bytes > SIZE_MAX / 2) throw std::bad_alloc{};
  const std::size_t size = rounded(bytes);
  void* const before = kept().take(size);
  return before != nullptr ? before : map_huge(size);
}

void free_array(void* array, std::size_t bytes) noexcept {
  if (!is_large(bytes)) {
    ::operator delete(array);
  } else if (const std::size_t size = rounded(bytes); !kept().keep(array, size)) {
    ::munmap(array, size);
  }
}

}  // namespace opscope::detail
