// The storage of a recorded graph: the arrays that its view lends, and what was recorded beside.
#pragma once

#include <array>
#include <memory_resource>

#include <opscope/ledger_reader.hpp>

namespace opscope {

// The columns of a node's needs, in the order of the schema.
enum class need_column : unsigned { read, written, weights, work, contraction, int_ops };
inline constexpr std::size_t need_columns = 6;

// Needs in few bytes: a form of two bits a column, and the ends that are neither 0 nor unbounded
// nor equal to another. 8 bytes a node, and 8 an end.
class need_store {
 public:
  // One node after the other: its columns in order, then finish().
  void add(need_column c, const interval& i) {
    if (i.is_zero()) return;
    const std::uint32_t form = !i.is_bounded() ? unbounded : i.is_exact() ? exact : bounded;
    ends_.push_back(i.lo());
    if (form == bounded) ends_.push_back(*i.hi());
    open_.forms |= form << (2 * static_cast<unsigned>(c));
  }
  void finish(bool is_recorded, bool is_invariant);
  // Forgets the columns of a node that was not finished.
  void take_back();
  void reserve(std::size_t nodes) { entries_.reserve(nodes); }
  bool has_room() const { return ends_.size() < std::uint32_t{1} << 31; }
  // Nothing where the node was recorded without. Leaf and view are not known here.
  std::optional<node_need> get(std::uint32_t id) const;

 private:
  enum column_form : std::uint32_t { zero, exact, bounded, unbounded };
  struct entry {
    std::uint32_t begin = 0;  // in ends_
    std::uint32_t forms = 0;
  };
  static constexpr std::uint32_t recorded = 1u << 30;
  static constexpr std::uint32_t invariant = 1u << 31;
  detail::array<entry> entries_;
  detail::array<std::uint64_t> ends_;
  entry open_;
};

// Texts of the nodes that dynamic dims reach, each text once.
struct expression_entry {
  std::uint32_t id;
  std::array<std::uint32_t, 2 * need_columns> texts;  // lo and hi of each column
};

struct graph_arrays {
  std::pmr::monotonic_buffer_resource memory;  // texts and arrays
  rlx_string name{};
  detail::array<rlx_node> nodes;
  detail::array<rlx_node_info> infos;
  detail::array<std::uint32_t> inputs;
  detail::array<std::uint64_t> dims;
  std::vector<std::uint32_t> outputs;
  std::vector<rlx_attribute> attributes;
  std::vector<rlx_nested_graph> nested;
  std::vector<recorded_graph> bodies;  // of nested, in its order
  detail::array<node_cost> costs;
  detail::array<std::string_view> labels;
  need_store needs;
  std::vector<expression_entry> expressions;  // by id
  std::vector<rlx_string> expression_texts;
  std::uint64_t arena_bytes = RLX_UNKNOWN;
  rlx_graph_view view{};

  void reserve(std::size_t node_count);
  // Points the view at the arrays, which may not change afterwards.
  void lend();
};

struct recorded_graph::state : graph_arrays {};

}  // namespace opscope
