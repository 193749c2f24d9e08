// The rule: bytes and FLOPs per node as rlx-opscope 0.2.18 counts them, exact to the last digit
// where that crate's 64-bit sums do not wrap, and unknown where they would.
//
// Its assumption: each node alone, perfect reuse inside it, none across nodes. Pure functions of a
// graph view that rlx::find_defect found whole; no files, clocks or environment. Nested graphs are
// not entered (the crate does not).
#pragma once

#include <rlx/view.hpp>

#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <opscope/figure.hpp>

namespace opscope {

// The crate whose rule this is; written into every ledger beside the figures.
inline constexpr std::string_view rule_version = "rlx-opscope 0.2.18";

// One node under the rule. 40 bytes; a figure is unknown where its bit in `unknown` is set.
class node_cost {
 public:
  enum column : std::uint32_t { read = 1, written = 2, weights = 4, work = 8 };

  std::uint32_t id = 0;
  std::uint32_t unknown = 0;  // mask of columns
  std::uint64_t raw[4] = {};  // in the order of the columns; 0 where unknown

  figure bytes_read() const { return at(0, read); }        // operand edges, each streamed once
  figure bytes_written() const { return at(1, written); }  // the output, once
  figure bytes_weights() const { return at(2, weights); }  // of bytes_read: Params and Constants
  figure flops() const { return at(3, work); }
  figure bytes() const { return checked_add(bytes_read(), bytes_written()); }
  // FLOP per byte; empty where the node moves nothing or a figure is unknown.
  std::optional<double> intensity() const;

 private:
  figure at(int i, column c) const { return (unknown & c) != 0 ? figure{} : figure{raw[i]}; }
};

struct kind_cost {
  std::string_view kind;  // borrowed from the graph view
  std::uint64_t count;    // nodes of that kind
  figure bytes;
  figure flops;
};

struct totals {
  std::uint64_t nodes = 0;
  figure bytes = 0;
  figure bytes_read = 0;
  figure bytes_written = 0;
  figure bytes_weights = 0;
  figure flops = 0;
  double intensity = 0.0;  // FLOP per byte; 0 where nothing moves or a figure is unknown
  // Non-leaves with an operand or output whose element count is taken as 0: a dim is dynamic, or
  // the product of the dims leaves 64 bits on the way.
  std::uint64_t dynamic_nodes = 0;
  std::uint64_t overflow_nodes = 0;  // nodes with a figure (bytes too) beyond 64 bits
  std::uint64_t unknown_nodes = 0;   // non-leaves that touch a dtype of unknown width
};

struct roofline {
  figure memory_bound;   // bytes of nodes below the ridge point
  figure compute_bound;  // bytes of nodes at or above it
};

namespace detail {
// Memory for the arrays of a large graph: in huge pages where the system has them, as taking a
// fresh array page by page costs more than counting into it. Throws std::bad_alloc.
void* allocate_array(std::size_t bytes);
void free_array(void* array, std::size_t bytes) noexcept;

// Leaves elements uninitialised on resize(): the pass writes each of them.
template <class T>
struct array_allocator {
  using value_type = T;
  array_allocator() = default;
  template <class U>
  array_allocator(const array_allocator<U>&) noexcept {}
  T* allocate(std::size_t n) {
    if (n > SIZE_MAX / sizeof(T)) throw std::bad_array_new_length{};
    return static_cast<T*>(allocate_array(n * sizeof(T)));
  }
  void deallocate(T* array, std::size_t n) noexcept { free_array(array, n * sizeof(T)); }
  template <class U>
  void construct(U*) noexcept {}
  template <class U, class... Args>
  void construct(U* at, Args&&... args) {
    ::new (static_cast<void*>(at)) U(static_cast<Args&&>(args)...);
  }
  friend bool operator==(const array_allocator&, const array_allocator&) { return true; }
};
template <class T>
using array = std::vector<T, array_allocator<T>>;
}  // namespace detail

// The costs of one graph. Borrows the view and its arrays: they must outlive it.
class graph_cost {
 public:
  std::span<const node_cost> nodes() const { return nodes_; }
  const opscope::totals& totals() const { return totals_; }

  // The n nodes that move most, stable descending, none that moves nothing. Nodes of unknown bytes
  // come first, in graph order: nobody can say that they are smaller. O(nodes * log n).
  std::vector<const node_cost*> top_by_bytes(std::size_t n) const;
  // Stable descending by bytes from first-seen order; kinds of 0 bytes too. Unknown bytes first.
  std::vector<kind_cost> by_kind() const;
  // The crate's text, to the letter. An unknown figure prints as "unknown".
  std::string report(std::size_t top) const;
  // Where a node's side cannot be told, for an unknown figure, both sums are unknown.
  roofline roofline_split(double ridge_flops_per_byte) const;

 private:
  friend class rule_pass;
  friend class need_pass;  // takes the tensors' sizes over
  std::optional<rlx::graph_view> graph_;
  detail::array<node_cost> nodes_;
  detail::array<std::uint64_t> tensors_;  // the passes' own (tensor_word), kept for the next graph
  opscope::totals totals_;
};

graph_cost analyze(const rlx::graph_view& graph);
// The same into storage that is used again: no allocation once it has grown.
void analyze(const rlx::graph_view& graph, graph_cost& result);

// `1.50 GB`: base 1024, two decimals from KB up, as the crate prints (rule text only).
std::string human_bytes(std::uint64_t bytes);
// `1.50 G`: base 1000.
std::string human_count(std::uint64_t count);

}  // namespace opscope
