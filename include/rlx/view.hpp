// A C++ reading of the graph view of plugin.h: checked once, then indexed by node id.
// Holds no storage: everything borrows from the rlx_graph_view, for as long as that lives.
#pragma once

#include <rlx/plugin.h>

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rlx {

// Text of the view; empty for an absent one as well (see is_absent).
inline std::string_view text(const rlx_string& s) {
  return s.data == nullptr ? std::string_view{} : std::string_view{s.data, s.size};
}
inline bool is_absent(const rlx_string& s) { return s.data == nullptr; }
inline rlx_string borrow(std::string_view s) {
  return {s.data() == nullptr ? "" : s.data(), s.size()};
}

// An array of contract structs whose elements may be longer than this build knows.
template <class T>
class strided {
 public:
  strided() = default;
  strided(const T* first, std::size_t count, std::size_t stride)
      : first_{reinterpret_cast<const std::byte*>(first)}, count_{count}, stride_{stride} {}
  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  const T& operator[](std::size_t i) const {
    assert(i < count_);
    return *reinterpret_cast<const T*>(first_ + i * stride_);
  }
  strided subspan(std::size_t begin, std::size_t count) const {
    assert(begin <= count_ && count <= count_ - begin);
    strided s;
    s.first_ = first_ + begin * stride_;
    s.count_ = count;
    s.stride_ = stride_;
    return s;
  }

  class iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = const T&;
    iterator() = default;
    iterator(const std::byte* at, std::size_t stride) : at_{at}, stride_{stride} {}
    reference operator*() const { return *reinterpret_cast<const T*>(at_); }
    pointer operator->() const { return reinterpret_cast<const T*>(at_); }
    iterator& operator++() {
      at_ += stride_;
      return *this;
    }
    iterator operator++(int) {
      iterator old = *this;
      ++*this;
      return old;
    }
    friend bool operator==(const iterator& a, const iterator& b) { return a.at_ == b.at_; }

   private:
    const std::byte* at_ = nullptr;
    std::size_t stride_ = 0;
  };
  iterator begin() const { return {first_, stride_}; }
  iterator end() const { return {first_ + count_ * stride_, stride_}; }

 private:
  const std::byte* first_ = nullptr;
  std::size_t count_ = 0;
  std::size_t stride_ = sizeof(T);
};

// Bytes of one element; nothing for a dtype outside RLX_DTYPES.
constexpr std::optional<std::uint64_t> dtype_bytes(std::uint32_t dtype) {
  switch (dtype) {
#define RLX_DTYPE_CASE(number, name, bytes) \
  case number:                              \
    return bytes;
    RLX_DTYPES(RLX_DTYPE_CASE)
#undef RLX_DTYPE_CASE
    default:
      return std::nullopt;
  }
}

// The number of listed kinds; listed kinds are 1 .. kind_count.
inline constexpr std::uint32_t kind_count = 0
#define RLX_KIND_ONE(number, name, fields) +1
    RLX_KINDS(RLX_KIND_ONE)
#undef RLX_KIND_ONE
    ;

constexpr bool is_listed_kind(std::uint32_t kind) { return kind >= 1 && kind <= kind_count; }

// Input, Param, Constant.
constexpr bool is_leaf_kind(std::uint32_t kind) {
  return kind == RLX_KIND_Input || kind == RLX_KIND_Param || kind == RLX_KIND_Constant;
}

class graph_view {
 public:
  // Throws nothing; `view` must outlive this.
  explicit graph_view(const rlx_graph_view& view)
      : view_{&view},
        nodes_{view.nodes, view.node_count, view.node_stride},
        infos_{view.infos, view.node_count, view.info_stride} {}

  std::string_view name() const { return text(view_->name); }
  std::uint32_t size() const { return static_cast<std::uint32_t>(view_->node_count); }
  const strided<rlx_node>& nodes() const { return nodes_; }
  const rlx_node& node(std::uint32_t id) const { return nodes_[id]; }
  const rlx_node_info& info(std::uint32_t id) const { return infos_[id]; }

  std::span<const std::uint32_t> inputs() const { return {view_->inputs, view_->input_count}; }
  std::span<const std::uint64_t> dims() const { return {view_->dims, view_->dim_count}; }
  std::span<const std::uint32_t> inputs(const rlx_node& n) const {
    return {view_->inputs + n.inputs_begin, n.input_count};
  }
  std::span<const std::uint64_t> dims(const rlx_node& n) const {
    return {view_->dims + n.dims_begin, n.rank};
  }
  std::span<const std::uint32_t> outputs() const { return {view_->outputs, view_->output_count}; }

  strided<rlx_attribute> attributes(std::uint32_t id) const {
    const rlx_node_info& i = info(id);
    return strided<rlx_attribute>{view_->attributes, view_->attribute_count,
                                  view_->attribute_stride}
        .subspan(i.attributes_begin, i.attribute_count);
  }
  // The attribute of that name, or null.
  const rlx_attribute* attribute(std::uint32_t id, std::string_view name) const {
    for (const rlx_attribute& a : attributes(id)) {
      if (text(a.name) == name) return &a;
    }
    return nullptr;
  }
  strided<rlx_nested_graph> nested(std::uint32_t id) const {
    const rlx_node_info& i = info(id);
    return strided<rlx_nested_graph>{view_->nested, view_->nested_count, view_->nested_stride}
        .subspan(i.nested_begin, i.nested_count);
  }
  std::optional<std::uint64_t> arena_bytes() const {
    if (view_->arena_bytes == RLX_UNKNOWN) return std::nullopt;
    return view_->arena_bytes;
  }
  bool is_view(std::uint32_t id) const { return node(id).view_root != id; }
  const rlx_graph_view& raw() const { return *view_; }

 private:
  const rlx_graph_view* view_;
  strided<rlx_node> nodes_;
  strided<rlx_node_info> infos_;
};

// What is wrong with the view's ranges and ids, as a sentence, or nothing. One pass over all
// nodes; afterwards every accessor above is in bounds. Nested graphs are checked too, down to
// RLX_MAX_GRAPH_DEPTH. A plugin calls it once a hook: hosts are checked, not trusted.
std::optional<std::string> find_defect(const rlx_graph_view& view, unsigned depth = 0);

namespace detail {
inline bool range_is_inside(std::uint64_t begin, std::uint64_t count, std::uint64_t size) {
  return begin <= size && count <= size - begin;
}
inline std::string defect_at(std::size_t node, const char* what) {
  return "node " + std::to_string(node) + ": " + what;
}
}  // namespace detail

inline std::optional<std::string> find_defect(const rlx_graph_view& v, unsigned depth) {
  using detail::defect_at;
  using detail::range_is_inside;
  if (v.struct_size < RLX_GRAPH_VIEW_SIZE_0_1) return "the graph view is shorter than version 0.1";
  if (depth > RLX_MAX_GRAPH_DEPTH) return "graphs are nested more than 64 deep";
  if (v.node_count > std::numeric_limits<std::uint32_t>::max()) return "more than 2^32-1 nodes";
  const auto bad_array = [](const void* data, std::size_t count, std::size_t stride,
                            std::size_t element) {
    return count != 0 && (data == nullptr || stride < element || stride % 8 != 0);
  };
  if (bad_array(v.nodes, v.node_count, v.node_stride, sizeof(rlx_node)) ||
      bad_array(v.infos, v.node_count, v.info_stride, sizeof(rlx_node_info)) ||
      bad_array(v.attributes, v.attribute_count, v.attribute_stride, sizeof(rlx_attribute)) ||
      bad_array(v.nested, v.nested_count, v.nested_stride, sizeof(rlx_nested_graph)) ||
      (v.inputs == nullptr && v.input_count != 0) || (v.dims == nullptr && v.dim_count != 0) ||
      (v.outputs == nullptr && v.output_count != 0)) {
    return "an array is missing or its stride is shorter than its element";
  }
  const graph_view g{v};
  for (std::uint32_t id = 0; id < g.size(); ++id) {
    const rlx_node& n = g.node(id);
    const rlx_node_info& i = g.info(id);
    if (n.rank > RLX_MAX_RANK) return defect_at(id, "the rank is above 64");
    if (!range_is_inside(n.dims_begin, n.rank, v.dim_count)) return defect_at(id, "dims range");
    if (!range_is_inside(n.inputs_begin, n.input_count, v.input_count)) {
      return defect_at(id, "operand range");
    }
    if (n.view_root > id) return defect_at(id, "the view root comes after the node");
    if (!range_is_inside(i.attributes_begin, i.attribute_count, v.attribute_count)) {
      return defect_at(id, "attribute range");
    }
    if (!range_is_inside(i.nested_begin, i.nested_count, v.nested_count)) {
      return defect_at(id, "nested graph range");
    }
    for (const std::uint32_t input : g.inputs(n)) {
      if (input >= id) return defect_at(id, "an operand does not come before it");
    }
    for (const rlx_nested_graph& nested : g.nested(id)) {
      if (nested.graph == nullptr) return defect_at(id, "a nested graph is missing");
      if (auto defect = find_defect(*nested.graph, depth + 1)) {
        return defect_at(id, "in its nested graph ") + std::string{text(nested.role)} + ": " +
               *defect;
      }
    }
  }
  for (const std::uint32_t output : g.outputs()) {
    if (output >= g.size()) return "an output is no node";
  }
  return std::nullopt;
}

}  // namespace rlx
