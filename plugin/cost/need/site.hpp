// A node as a formula sees it: shapes and attributes to read, figures to book. Starts out as
// "reads every operand whole, writes the output, does nothing"; a formula says what differs.
//
// N is the number a formula computes with: interval (figures) or symbolic (expressions).
#pragma once

#include <cstdint>
#include <optional>
#include <rlx/view.hpp>
#include <string_view>
#include <vector>

#include "plugin/cost/need/details.hpp"
#include "plugin/cost/need/shapes.hpp"

namespace opscope::need {

// What one pass over a nested graph needs, for the node that holds it.
template <class N>
struct body_need {
  N work;
  N contraction;
  N int_ops;
  N leaf_bytes;               // its own Params and Constants, once
  std::vector<N> inputs;      // of each Input in node order: the part that is needed, in bytes
  std::vector<bool> whole;    // input i is needed whole
  bool is_repeatable = true;  // no generator and no state inside
};

// Arithmetic of a dtype, for where work is booked.
enum class number_class : std::uint8_t { floating, integer, complex, unknown };
constexpr number_class class_of(std::uint32_t dtype) {
  switch (dtype) {
    case RLX_DTYPE_F32:
    case RLX_DTYPE_F16:
    case RLX_DTYPE_BF16:
    case RLX_DTYPE_F64:
      return number_class::floating;
    case RLX_DTYPE_C64:
    case RLX_DTYPE_C128:
      return number_class::complex;
    default:
      return rlx::dtype_bytes(dtype) ? number_class::integer : number_class::unknown;
  }
}

// What a formula says that reads each operand whole, writes the output and does `price` operations
// an element (of the output, or of operand 0), or a multiply-add an element of the output and of
// operand 0's last axis. Written down as data so that the usual node is counted without a call.
struct closed_form {
  enum class elements : std::uint8_t { none, of_output, of_operand, contraction };
  bool is_set = false;
  std::uint8_t least_operands = 0;
  elements per = elements::none;
  std::uint8_t price = 0;

  static constexpr closed_form moves(std::uint8_t least_operands) {
    return {true, least_operands, elements::none, 0};
  }
  static constexpr closed_form per_output(std::uint8_t least_operands, std::uint8_t price) {
    return {true, least_operands, elements::of_output, price};
  }
  static constexpr closed_form per_operand(std::uint8_t least_operands, std::uint8_t price) {
    return {true, least_operands, elements::of_operand, price};
  }
  static constexpr closed_form contraction(std::uint8_t least_operands) {
    return {true, least_operands, elements::contraction, 0};
  }
};

// Operand position of the output in shape questions.
inline constexpr unsigned out = ~0u;

template <class N>
class site {
 public:
  static constexpr unsigned max_tracked = 16;

  // Both must outlive the site.
  site(const shapes<N>& s, details_cache& d) : shapes_{s}, graph_{s.graph()}, cache_{d} {}

  void restart(std::uint32_t id) {
    id_ = id;
    node_ = &graph_.node(id);
    details_ = nullptr;
    bodies_ = nullptr;
    body_count_ = 0;
    tracked_ = 0;
    reason_ = nullptr;
    written_is_output_ = true;
    is_invariant_breaking_ = false;
    is_tail_uncertain_ = false;
    work_ = contraction_ = int_ops_ = extra_read_ = side_written_ = N{};
    read_limit_is_set_ = false;
  }
  void attach(const std::optional<body_need<N>>* bodies, std::size_t count) {
    bodies_ = bodies;
    body_count_ = count;
  }

  // ---- Shapes. i is an operand position or `out`; axis < 0 counts from the end. Asking for what
  // is not there makes the node unknown and returns an unknown number.

  std::uint32_t id() const { return id_; }
  std::uint32_t kind() const { return node_->kind; }
  unsigned operand_count() const { return node_->input_count; }
  bool has(unsigned i) const { return i < node_->input_count; }
  std::uint32_t operand_id(unsigned i) const { return graph_.inputs()[node_->inputs_begin + i]; }
  unsigned rank(unsigned i) {
    const rlx_node* n = find(i);
    return n == nullptr ? 0 : n->rank;
  }
  std::uint32_t dtype(unsigned i) {
    const rlx_node* n = find(i);
    return n == nullptr ? 0 : n->dtype;
  }
  N dim(unsigned i, std::int64_t axis) {
    const rlx_node* n = find(i);
    if (n == nullptr) return N::unknown();
    if (axis < 0) axis += n->rank;
    if (axis < 0 || axis >= n->rank) return missing();
    return shapes_.dim(*n, static_cast<unsigned>(axis));
  }
  // The product of dims first .. last-1 (negative: from the end; `last` defaults to the rank).
  N extent(unsigned i, std::int64_t first, std::int64_t last = INT64_MAX) {
    const rlx_node* n = find(i);
    if (n == nullptr) return N::unknown();
    if (first < 0) first += n->rank;
    if (last == INT64_MAX) last = n->rank;
    if (last < 0) last += n->rank;
    if (first < 0 || last > n->rank || first > last) return missing();
    N product{1};
    for (std::int64_t a = first; a < last; ++a) {
      product *= shapes_.dim(*n, static_cast<unsigned>(a));
    }
    return product;
  }
  N elements(unsigned i) {
    if (i == out) return shapes_.elements(id_);
    if (!has(i)) return missing();
    return shapes_.elements(operand_id(i));
  }
  // Bytes of one element; unknown for a dtype that is not listed.
  N width(unsigned i) {
    const auto w = rlx::dtype_bytes(dtype(i));
    return w ? N{*w} : N::unknown();
  }
  N bytes(unsigned i) {
    if (i == out) return shapes_.bytes(id_);
    if (!has(i)) return missing();
    return shapes_.bytes(operand_id(i));
  }

  // ---- Attributes.

  // Looked up only where a formula asks: most nodes need nothing but their hot record.
  const details& said() {
    if (details_ == nullptr) details_ = &cache_.of(id_);
    return *details_;
  }
  attribute_reader attributes() { return {node_->kind, &said().attributes}; }
  // An unsigned attribute that the formula cannot do without.
  N number(attr name) {
    const auto v = attributes().u64(name);
    return v ? N{*v} : missing();
  }
  std::uint64_t number_or(attr name, std::uint64_t otherwise) {
    return attributes().u64(name).value_or(otherwise);
  }
  bool flag(attr name) { return attributes().flag(name); }
  // A signed axis attribute as a position in operand i's shape; nothing where it is outside.
  std::optional<unsigned> axis(unsigned i) {
    const auto a = attributes().i64(attr::axis);
    const std::int64_t r = rank(i);
    if (!a || *a < -r || *a >= r) {
      missing();
      return std::nullopt;
    }
    return static_cast<unsigned>(*a < 0 ? *a + r : *a);
  }

  // The need of nested graph `role`, or null where there is none.
  const body_need<N>* body(std::string_view role) const {
    const auto nested = graph_.nested(id_);
    for (std::size_t i = 0; i < nested.size() && i < body_count_; ++i) {
      if (rlx::text(nested[i].role) == role && bodies_[i]) return &*bodies_[i];
    }
    return nullptr;
  }

  // ---- Booking.

  // Reads `needed` bytes of operand i in place of all of it. Beyond max_tracked operands only the
  // low end of the sum is given up.
  void reads(unsigned i, N needed) {
    if (!has(i)) {
      missing();
    } else if (i >= max_tracked) {
      is_tail_uncertain_ = true;
    } else {
      tracked_ |= 1u << i;
      reads_[i] = needed;
    }
  }
  void ignores(unsigned i) {
    if (has(i)) reads(i, N{});
  }
  // Some of operand i, as the data decides.
  void reads_up_to_all(unsigned i) {
    if (has(i)) reads(i, from_to(N{}, bytes(i)));
  }
  // What nested graphs read of their own leaves.
  void also_reads(N b) { extra_read_ += b; }
  // The sum of all reads is known better than operand by operand.
  void limits_reads(N lo_hi) {
    read_limit_ = lo_hi;
    read_limit_is_set_ = true;
  }
  void writes(N b) {
    written_ = b;
    written_is_output_ = false;
  }
  // Beside the output (a state operand that is overwritten).
  void also_writes(N b) {
    writes((written_is_output_ ? bytes(out) : written_) + b);
    side_written_ += b;
  }

  // `count` operations on numbers of that dtype; a complex one costs `complex_price`, 0: undefined.
  void operations(N count, std::uint32_t of_dtype, std::uint64_t complex_price = 0) {
    switch (class_of(of_dtype)) {
      case number_class::floating:
        work_ += count;
        break;
      case number_class::integer:
        int_ops_ += count;
        break;
      case number_class::complex:
        work_ += complex_price == 0 ? count * N::unknown() : count * N{complex_price};
        break;
      case number_class::unknown:
        work_ += count * N::unknown();
        int_ops_ += count * N::unknown();
        break;
    }
  }
  // Multiply-adds of a contraction: 2 operations each, 8 on complex numbers.
  void multiply_adds(N count, std::uint32_t of_dtype) {
    switch (class_of(of_dtype)) {
      case number_class::floating:
        contraction(N{2} * count);
        break;
      case number_class::complex:
        contraction(N{8} * count);
        break;
      case number_class::integer:
        int_ops_ += N{2} * count;
        break;
      case number_class::unknown:
        contraction(count * N::unknown());
        int_ops_ += count * N::unknown();
        break;
    }
  }
  // All that a closed form says; `complex_price` as in operations().
  void book(const closed_form& form, std::uint64_t complex_price = 0) {
    using enum closed_form::elements;
    if (form.least_operands != 0) dtype(form.least_operands - 1u);
    if (form.per == of_output) operations(N{form.price} * elements(out), dtype(0), complex_price);
    if (form.per == of_operand) operations(N{form.price} * elements(0), dtype(0), complex_price);
    if (form.per == contraction) multiply_adds(elements(out) * dim(0, -1), dtype(0));
  }
  void work(N w) { work_ += w; }  // floating-point
  void contraction(N w) {         // floating-point, in a sum of products
    work_ += w;
    contraction_ += w;
  }
  void integer(N w) { int_ops_ += w; }
  void nested(N times, const body_need<N>& b) {
    work_ += times * b.work;
    contraction_ += times * b.contraction;
    int_ops_ += times * b.int_ops;
  }
  void work_is(N w, N c, N i) {
    work_ = w;
    contraction_ = c;
    int_ops_ = i;
  }

  // The value does not depend on the operands alone (a generator, a state that is overwritten).
  void breaks_invariance() { is_invariant_breaking_ = true; }

  // Nothing honest can be said, and why; the text is constant.
  void give_up(const char* reason) {
    if (reason_ == nullptr) reason_ = reason;
  }
  N missing() {
    give_up("the operation does not have the form this version knows");
    return N::unknown();
  }

  // Operands i and j lie in the storage of one node.
  bool shares_storage(unsigned i, unsigned j) const {
    return has(i) && has(j) &&
           graph_.node(operand_id(i)).view_root == graph_.node(operand_id(j)).view_root;
  }
  // The plan puts the output where operand i lies.
  bool lies_over(unsigned i) const {
    if (!has(i)) return false;
    const std::uint32_t operand = operand_id(i);
    if (node_->view_root != id_ && node_->view_root == graph_.node(operand).view_root) return true;
    const rlx_node_info& mine = graph_.info(id_);
    const rlx_node_info& its = graph_.info(operand);
    return mine.slot_offset != RLX_UNKNOWN && mine.slot_offset == its.slot_offset &&
           mine.slot_bytes != RLX_UNKNOWN;
  }

  // ---- For the pass.

  const char* reason() const { return reason_; }
  bool is_tracked(unsigned i) const { return i < max_tracked && (tracked_ >> i & 1u) != 0; }
  bool tracks_any() const { return tracked_ != 0; }
  // Some operand beyond max_tracked is not read whole: their low ends are 0.
  bool is_tail_uncertain() const { return is_tail_uncertain_; }
  const N& tracked(unsigned i) const { return reads_[i]; }
  bool has_extra_reads() const { return read_limit_is_set_ || !extra_read_.is_zero(); }
  const N& extra_read() const { return extra_read_; }
  bool has_read_limit() const { return read_limit_is_set_; }
  const N& read_limit() const { return read_limit_; }
  bool is_invariance_broken() const { return is_invariant_breaking_; }
  N written() { return written_is_output_ ? bytes(out) : written_; }
  const N& side_written() const { return side_written_; }
  const N& booked_work() const { return work_; }
  const N& booked_contraction() const { return contraction_; }
  const N& booked_int_ops() const { return int_ops_; }

 private:
  const rlx_node* find(unsigned i) {
    if (i == out) return node_;
    if (!has(i)) {
      missing();
      return nullptr;
    }
    return &graph_.node(operand_id(i));
  }

  const shapes<N>& shapes_;
  const rlx::graph_view& graph_;
  std::uint32_t id_ = 0;
  const rlx_node* node_ = nullptr;
  details_cache& cache_;
  const details* details_ = nullptr;
  const std::optional<body_need<N>>* bodies_ = nullptr;
  std::size_t body_count_ = 0;
  std::uint32_t tracked_ = 0;
  bool written_is_output_ = true;
  bool is_invariant_breaking_ = false;
  bool is_tail_uncertain_ = false;
  bool read_limit_is_set_ = false;
  const char* reason_ = nullptr;
  N reads_[max_tracked];
  N extra_read_;
  N read_limit_;
  N written_;
  N side_written_;
  N work_;
  N contraction_;
  N int_ops_;
};

}  // namespace opscope::need
