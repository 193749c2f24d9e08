#include "host/graph/column.hpp"

#include <sys/mman.h>

#include <cstdlib>

namespace rlx {

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

constexpr bool is_large(std::size_t bytes) { return bytes >= huge_page; }

}  // namespace

void* allocate_large(std::size_t bytes) {
  if (!is_large(bytes)) return ::operator new(bytes);
  if (bytes > SIZE_MAX - huge_page) throw std::bad_alloc{};
  const std::size_t whole = (bytes + huge_page - 1) / huge_page * huge_page;
  void* const memory = std::aligned_alloc(huge_page, whole);
  if (memory == nullptr) throw std::bad_alloc{};
  // Where the system has none the pages are small ones: slower, and right all the same.
  static_cast<void>(::madvise(memory, whole, MADV_HUGEPAGE));
  return memory;
}

void free_large(void* memory, std::size_t bytes) noexcept {
  if (is_large(bytes)) {
    std::free(memory);
  } else {
    ::operator delete(memory);
  }
}

}  // namespace rlx
