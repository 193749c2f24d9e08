// The memory of columns, and what of it is kept for the next.
#define BOOST_TEST_MODULE column
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <cstring>
#include <new>

#include "host/graph/column.hpp"

// A sanitizer is to let pass what is asked for below on purpose.
#ifdef __SANITIZE_ADDRESS__
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
#endif
#ifdef __SANITIZE_THREAD__
extern "C" const char* __tsan_default_options() { return "allocator_may_return_null=1"; }
#endif

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

struct keeping {
  explicit keeping(std::size_t bytes) { rlx::keep_large(bytes); }
  ~keeping() { rlx::keep_large(0); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(columns)

BOOST_AUTO_TEST_CASE(hold_what_is_put_in_at_every_size) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, mib / 8, mib, 3 * mib}) {
    rlx::column<std::uint64_t> c;
    for (std::size_t i = 0; i < n; ++i) c.push_back(i * i);
    std::uint64_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) wrong += c[i] == i * i ? 0 : 1;
    BOOST_TEST(wrong == 0u);
  }
}

BOOST_AUTO_TEST_CASE(large_ones_start_on_a_huge_page) {
  rlx::column<char> c(5 * mib);
  BOOST_TEST(reinterpret_cast<std::uintptr_t>(c.data()) % (2 * mib) == 0u);
}

BOOST_AUTO_TEST_CASE(a_size_beyond_all_memory_is_refused) {
  BOOST_CHECK_THROW(static_cast<void>(rlx::allocate_large(SIZE_MAX)), std::bad_alloc);
  BOOST_CHECK_THROW(static_cast<void>(rlx::allocate_large(SIZE_MAX / 2)), std::bad_alloc);
  BOOST_CHECK_THROW(static_cast<void>(rlx::column_allocator<std::uint64_t>{}.allocate(SIZE_MAX)),
                    std::bad_alloc);
}

BOOST_AUTO_TEST_CASE(nothing_is_kept_unless_asked) {
  rlx::free_large(rlx::allocate_large(5 * mib), 5 * mib);
  BOOST_TEST(rlx::kept_large_bytes() == 0u);
}

BOOST_AUTO_TEST_CASE(a_freed_block_is_the_next_of_about_its_size) {
  const keeping some{64 * mib};
  void* const first = rlx::allocate_large(33 * mib);
  std::memset(first, 7, 33 * mib);
  rlx::free_large(first, 33 * mib);
  BOOST_TEST(rlx::kept_large_bytes() == 36 * mib);  // in steps of 32/8
  void* const other = rlx::allocate_large(45 * mib);
  BOOST_TEST(other != first);
  void* const again = rlx::allocate_large(35 * mib);
  BOOST_TEST(again == first);
  BOOST_TEST(rlx::kept_large_bytes() == 0u);
  std::memset(again, 7, 35 * mib);  // all of it is there
  rlx::free_large(other, 45 * mib);
  rlx::free_large(again, 35 * mib);
}

BOOST_AUTO_TEST_CASE(no_more_is_kept_than_asked) {
  const keeping some{10 * mib};
  void* blocks[3];
  for (void*& b : blocks) b = rlx::allocate_large(4 * mib);
  for (void* b : blocks) rlx::free_large(b, 4 * mib);
  BOOST_TEST(rlx::kept_large_bytes() == 8 * mib);
  rlx::free_large(rlx::allocate_large(11 * mib), 11 * mib);
  BOOST_TEST(rlx::kept_large_bytes() == 8 * mib);
  rlx::keep_large(5 * mib);
  BOOST_TEST(rlx::kept_large_bytes() == 4 * mib);
  rlx::keep_large(0);
  BOOST_TEST(rlx::kept_large_bytes() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
