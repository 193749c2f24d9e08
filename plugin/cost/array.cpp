#include <sys/mman.h>

#include <cstdlib>
#include <new>
#include <opscope/cost.hpp>

namespace opscope::detail {

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

constexpr bool is_large(std::size_t bytes) { return bytes >= huge_page; }

}  // namespace

void* allocate_array(std::size_t bytes) {
  if (!is_large(bytes)) return ::operator new(bytes);
  if (bytes > SIZE_MAX - huge_page) throw std::bad_alloc{};
  const std::size_t whole = (bytes + huge_page - 1) / huge_page * huge_page;
  void* const array = std::aligned_alloc(huge_page, whole);
  if (array == nullptr) throw std::bad_alloc{};
  // Where the system has none the pages are small ones: slower, and right all the same.
  static_cast<void>(::madvise(array, whole, MADV_HUGEPAGE));
  return array;
}

void free_array(void* array, std::size_t bytes) noexcept {
  if (is_large(bytes)) {
    std::free(array);
  } else {
    ::operator delete(array);
  }
}

}  // namespace opscope::detail
