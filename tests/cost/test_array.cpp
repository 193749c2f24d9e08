// The memory of large arrays, which is kept for the next graph when it is freed.
#define BOOST_TEST_MODULE array
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <cstring>
#include <new>
#include <opscope/cost.hpp>
#include <thread>
#include <vector>

namespace {

using opscope::detail::allocate_array;
using opscope::detail::free_array;

constexpr std::size_t mib = std::size_t{1} << 20;

// Writes all of it, so that memory that is shared or too short is noticed.
struct filled {
  filled(std::size_t bytes, unsigned char with)
      : size{bytes}, value{with}, memory{static_cast<unsigned char*>(allocate_array(bytes))} {
    std::memset(memory, value, size);
  }
  filled(filled&& other) noexcept : size{other.size}, value{other.value}, memory{other.memory} {
    other.memory = nullptr;
  }
  ~filled() {
    if (memory != nullptr) free_array(memory, size);
  }
  bool is_intact() const { return memory[0] == value && memory[size - 1] == value; }
  std::size_t size;
  unsigned char value;
  unsigned char* memory;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(memory_of_arrays)

BOOST_AUTO_TEST_CASE(no_two_arrays_share_any) {
  for (unsigned round = 0; round < 3; ++round) {
    std::vector<filled> all;
    unsigned char next = 1;
    // More arrays, and more memory, than are kept.
    for (const std::size_t bytes : {8 * std::size_t{1}, mib, 2 * mib - 1, 2 * mib, 2 * mib + 1,
                                    3 * mib, 17 * mib, 33 * mib}) {
      for (int copies = 0; copies < 5; ++copies) all.emplace_back(bytes, next++);
    }
    for (const filled& f : all) BOOST_TEST(f.is_intact());
  }
}

BOOST_AUTO_TEST_CASE(large_ones_begin_at_a_huge_page) {
  for (const std::size_t bytes : {2 * mib, 5 * mib, 40 * mib}) {
    const filled f{bytes, 1};
    BOOST_TEST(reinterpret_cast<std::uintptr_t>(f.memory) % (2 * mib) == 0u);
  }
}

BOOST_AUTO_TEST_CASE(a_freed_one_serves_the_next_of_about_its_size) {
  void* const first = allocate_array(40 * mib);
  free_array(first, 40 * mib);
  void* const next = allocate_array(40 * mib - 4096);
  BOOST_TEST(next == first);
  free_array(next, 40 * mib - 4096);
}

BOOST_AUTO_TEST_CASE(a_size_beyond_all_memory_is_refused) {
  BOOST_CHECK_THROW(static_cast<void>(allocate_array(SIZE_MAX)), std::bad_alloc);
  BOOST_CHECK_THROW(static_cast<void>(allocate_array(SIZE_MAX / 2)), std::bad_alloc);
  BOOST_CHECK_THROW(
      static_cast<void>(opscope::detail::array_allocator<std::uint64_t>{}.allocate(SIZE_MAX)),
      std::bad_alloc);
}

BOOST_AUTO_TEST_CASE(threads_may_take_and_free_at_once) {
  std::vector<std::thread> threads;
  std::vector<int> damaged(4, 0);
  for (unsigned t = 0; t < damaged.size(); ++t) {
    threads.emplace_back([t, &damaged] {
      for (unsigned i = 0; i < 30; ++i) {
        const filled f{(2 + i % 3) * mib, static_cast<unsigned char>(1 + t)};
        if (!f.is_intact()) ++damaged[t];
      }
    });
  }
  for (std::thread& t : threads) t.join();
  for (const int d : damaged) BOOST_TEST(d == 0);
}

BOOST_AUTO_TEST_SUITE_END()
