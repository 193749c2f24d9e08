// Memory for the columns of large graphs: whole huge pages where the system has them, as taking a
// fresh column page by page costs more than filling it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace rlx {

// Throws std::bad_alloc. To be freed by free_large with the same size. From any thread.
void* allocate_large(std::size_t bytes);
void free_large(void* memory, std::size_t bytes) noexcept;

// Keeps freed large memory, up to that many bytes of the process, for the next of about the same
// size: the passes over a graph ask for the same columns again and again. 0, as at first, gives all
// of it back.
void keep_large(std::size_t bytes);
std::size_t kept_large_bytes();

template <class T>
struct column_allocator {
  using value_type = T;
  column_allocator() = default;
  template <class U>
  column_allocator(const column_allocator<U>&) noexcept {}
  T* allocate(std::size_t n) {
    static_assert(alignof(T) <= alignof(std::max_align_t));
    if (n > SIZE_MAX / sizeof(T)) throw std::bad_array_new_length{};
    return static_cast<T*>(allocate_large(n * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t n) noexcept { free_large(memory, n * sizeof(T)); }
  friend bool operator==(const column_allocator&, const column_allocator&) { return true; }
};

template <class T>
using column = std::vector<T, column_allocator<T>>;

}  // namespace rlx
