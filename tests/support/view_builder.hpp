// Builds a flat graph view in a test, without a host: owns every array and text that the view
// lends. Adds what it is told, also what is wrong (hostile views are tested too); checks nothing.
#pragma once

#include <rlx/view.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace opscope::test {

// A static size, or the symbol of a dynamic one: shapes read as `{symbol(0), 16}`.
struct dim {
  std::uint64_t value = 0;
  bool is_dynamic = false;
  template <std::integral T>
  dim(T size) : value{static_cast<std::uint64_t>(size)} {}
  dim(std::uint64_t v, bool dynamic) : value{v}, is_dynamic{dynamic} {}
};
inline dim symbol(std::uint64_t s) { return {s, true}; }

// The value of an attribute. `true` is bool, 1u and 1ull unsigned, 1 and -1 signed, 1.0 a float,
// "text" a text; bytes(n), json("..") and the array makers say themselves what they are.
class attribute_value {
 public:
  rlx_attribute_type type = 0;
  std::uint64_t bits = 0;
  std::string text;
  std::vector<std::uint64_t> words;  // arrays of numbers, by bits
  std::vector<std::string> texts;

  attribute_value(bool b) : type{RLX_ATTRIBUTE_BOOL}, bits{b ? 1u : 0u} {}
  template <std::unsigned_integral T>
  attribute_value(T v) : type{RLX_ATTRIBUTE_U64}, bits{v} {}
  template <std::signed_integral T>
  attribute_value(T v)
      : type{RLX_ATTRIBUTE_I64}, bits{static_cast<std::uint64_t>(std::int64_t{v})} {}
  attribute_value(double v) : type{RLX_ATTRIBUTE_F64}, bits{std::bit_cast<std::uint64_t>(v)} {}
  attribute_value(float v) : attribute_value{double{v}} {}
  attribute_value(const char* s) : type{RLX_ATTRIBUTE_TEXT}, text{s} {}
  attribute_value(std::string s) : type{RLX_ATTRIBUTE_TEXT}, text{std::move(s)} {}
  attribute_value(std::string_view s) : type{RLX_ATTRIBUTE_TEXT}, text{s} {}

  static attribute_value of_type(rlx_attribute_type type) {
    attribute_value v{false};
    v.type = type;
    return v;
  }
};
inline attribute_value bytes(std::uint64_t length) {
  attribute_value v = attribute_value::of_type(RLX_ATTRIBUTE_BYTES);
  v.bits = length;
  return v;
}
inline attribute_value json(std::string_view compact) {
  attribute_value v = attribute_value::of_type(RLX_ATTRIBUTE_JSON);
  v.text = compact;
  return v;
}
inline attribute_value u64s(std::vector<std::uint64_t> values) {
  attribute_value v = attribute_value::of_type(RLX_ATTRIBUTE_U64 + RLX_ATTRIBUTE_ARRAY);
  v.words = std::move(values);
  return v;
}
inline attribute_value i64s(const std::vector<std::int64_t>& values) {
  attribute_value v = attribute_value::of_type(RLX_ATTRIBUTE_I64 + RLX_ATTRIBUTE_ARRAY);
  for (const std::int64_t x : values) v.words.push_back(static_cast<std::uint64_t>(x));
  return v;
}
inline attribute_value f64s(const std::vector<double>& values) {
  attribute_value v = attribute_value::of_type(RLX_ATTRIBUTE_F64 + RLX_ATTRIBUTE_ARRAY);
  for (const double x : values) v.words.push_back(std::bit_cast<std::uint64_t>(x));
  return v;
}
inline attribute_value bools(const std::vector<bool>& values) {
  attribute_value v = attribute_value::of_type(RLX_ATTRIBUTE_BOOL + RLX_ATTRIBUTE_ARRAY);
  for (const bool x : values) v.words.push_back(x ? 1 : 0);
  return v;
}
inline attribute_value texts(std::vector<std::string> values) {
  attribute_value v = attribute_value::of_type(RLX_ATTRIBUTE_TEXT + RLX_ATTRIBUTE_ARRAY);
  v.texts = std::move(values);
  return v;
}

struct named_value {
  std::string name;
  attribute_value value;
};
using attribute_list = std::vector<named_value>;
using dim_list = std::vector<dim>;
using id_list = std::vector<std::uint32_t>;

class view_builder {
 public:
  using node_id = std::uint32_t;

  explicit view_builder(std::string_view graph_name = "g")
      : numbers_{std::make_shared<unlisted_numbers>()}, name_{keep(graph_name)} {}
  view_builder(const view_builder&) = delete;
  view_builder& operator=(const view_builder&) = delete;

  // ---- Nodes: each returns the new node's id, its position.

  node_id input(std::string_view name, const dim_list& shape, std::uint32_t dtype = RLX_DTYPE_F32) {
    return leaf(RLX_KIND_Input, name, shape, dtype);
  }
  node_id param(std::string_view name, const dim_list& shape, std::uint32_t dtype = RLX_DTYPE_F32) {
    return leaf(RLX_KIND_Param, name, shape, dtype);
  }
  node_id constant(const dim_list& shape, std::uint32_t dtype = RLX_DTYPE_F32,
                   std::uint64_t payload_bytes = 0) {
    return node(RLX_KIND_Constant, {}, shape, dtype, {{"data", bytes(payload_bytes)}});
  }
  node_id node(std::uint32_t kind, const id_list& operands, const dim_list& shape,
               std::uint32_t dtype = RLX_DTYPE_F32, attribute_list attributes = {}) {
    rlx_node n{};
    const auto id = static_cast<node_id>(nodes_.size());
    n.kind = kind;
    n.dtype = dtype;
    n.dims_begin = static_cast<std::uint32_t>(dims_.size());
    n.rank = static_cast<std::uint32_t>(shape.size());
    n.inputs_begin = static_cast<std::uint32_t>(inputs_.size());
    n.input_count = static_cast<std::uint32_t>(operands.size());
    n.view_root = id;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      dims_.push_back(shape[d].value);
      if (shape[d].is_dynamic && d < RLX_MAX_RANK) n.dynamic_dims |= std::uint64_t{1} << d;
    }
    inputs_.insert(inputs_.end(), operands.begin(), operands.end());
    rlx_node_info info{};
    info.kind_text = kind_text(kind);
    info.dtype_text = dtype_text(dtype);
    info.origin_hir = RLX_UNKNOWN;
    info.slot_offset = RLX_UNKNOWN;
    info.slot_bytes = RLX_UNKNOWN;
    nodes_.push_back(n);
    infos_.push_back(info);
    if (!attributes.empty()) attributes_[id] = std::move(attributes);
    return id;
  }
  // Numbers for kinds and dtypes outside the tables, the same for the same text, nested ones too.
  std::uint32_t unlisted_kind(std::string_view kind_name) {
    return numbers_->kinds.number(kind_name);
  }
  std::uint32_t unlisted_dtype(std::string_view dtype_name) {
    return numbers_->dtypes.number(dtype_name);
  }

  // ---- Cold facts about a node that is there.

  view_builder& name(node_id id, std::string_view node_name) {
    infos_[id].name = keep(node_name);
    return *this;
  }
  view_builder& attribute(node_id id, std::string_view attribute_name, attribute_value value) {
    attributes_[id].push_back({std::string{attribute_name}, std::move(value)});
    return *this;
  }
  view_builder& origin(node_id id, std::optional<std::string_view> label,
                       std::optional<std::string_view> pass = std::nullopt,
                       std::uint64_t hir = RLX_UNKNOWN) {
    infos_[id].origin_label = label ? keep(*label) : rlx_string{nullptr, 0};
    infos_[id].origin_pass = pass ? keep(*pass) : rlx_string{nullptr, 0};
    infos_[id].origin_hir = hir;
    return *this;
  }
  // `id` lies in the storage of `parent` (or of whatever parent itself lies in).
  view_builder& alias(node_id id, node_id parent, std::uint64_t byte_offset = 0) {
    nodes_[id].view_root = nodes_[parent].view_root;
    const std::uint64_t before = infos_[parent].view_byte_offset;
    infos_[id].view_byte_offset =
        before == RLX_UNKNOWN || byte_offset == RLX_UNKNOWN ? RLX_UNKNOWN : before + byte_offset;
    return *this;
  }
  view_builder& slot(node_id id, std::uint64_t offset, std::uint64_t size_bytes) {
    infos_[id].slot_offset = offset;
    infos_[id].slot_bytes = size_bytes;
    return *this;
  }
  // A graph that is a field of `id`'s operation; fill it before get().
  view_builder& nested(node_id id, std::string_view role) {
    bodies_[id].push_back({std::string{role}, std::make_unique<view_builder>(numbers_)});
    return *bodies_[id].back().body;
  }

  // ---- The graph.

  view_builder& outputs(id_list ids) {
    outputs_ = std::move(ids);
    return *this;
  }
  view_builder& arena(std::uint64_t size_bytes) {
    arena_bytes_ = size_bytes;
    return *this;
  }
  // Lends nodes and cold records with elements longer by that many bytes (a multiple of 8), as a
  // newer host would; the added bytes are garbage.
  view_builder& stride_padding(std::size_t size_bytes) {
    padding_ = size_bytes;
    return *this;
  }

  // The records themselves, to break them.
  rlx_node& raw_node(node_id id) { return nodes_[id]; }
  rlx_node_info& raw_info(node_id id) { return infos_[id]; }
  std::vector<std::uint32_t>& raw_inputs() { return inputs_; }

  std::size_t size() const { return nodes_.size(); }
  void reserve(std::size_t nodes) {
    nodes_.reserve(nodes);
    infos_.reserve(nodes);
  }

  // The view, valid until this builder changes or dies. Flattens attributes and nested graphs
  // anew, so everything said before the call is in it.
  const rlx_graph_view& get() {
    flatten();
    view_ = {};
    view_.struct_size = sizeof(rlx_graph_view);
    view_.name = name_;
    view_.nodes = lend(nodes_, padded_nodes_, view_.node_stride);
    view_.node_count = nodes_.size();
    view_.infos = lend(infos_, padded_infos_, view_.info_stride);
    view_.inputs = inputs_.data();
    view_.input_count = inputs_.size();
    view_.dims = dims_.data();
    view_.dim_count = dims_.size();
    view_.outputs = outputs_.data();
    view_.output_count = outputs_.size();
    view_.attributes = flat_attributes_.data();
    view_.attribute_count = flat_attributes_.size();
    view_.attribute_stride = sizeof(rlx_attribute);
    view_.nested = flat_nested_.data();
    view_.nested_count = flat_nested_.size();
    view_.nested_stride = sizeof(rlx_nested_graph);
    view_.arena_bytes = arena_bytes_;
    return view_;
  }
  rlx::graph_view view() { return rlx::graph_view{get()}; }

  struct unlisted_numbers {
    struct table {
      std::vector<std::string> names;
      std::uint32_t number(std::string_view name) {
        std::size_t i = 0;
        while (i < names.size() && names[i] != name) ++i;
        if (i == names.size()) names.emplace_back(name);
        return RLX_FIRST_UNLISTED + static_cast<std::uint32_t>(i);
      }
      std::string_view text(std::uint32_t number) const {
        const std::uint32_t i = number - RLX_FIRST_UNLISTED;
        return number >= RLX_FIRST_UNLISTED && i < names.size() ? std::string_view{names[i]} : "?";
      }
    };
    table kinds;
    table dtypes;
  };
  // For nested graphs, which share the numbers of the outermost.
  explicit view_builder(std::shared_ptr<unlisted_numbers> numbers)
      : numbers_{std::move(numbers)}, name_{keep("")} {}

 private:
  struct nested_body {
    std::string role;
    std::unique_ptr<view_builder> body;
  };

  node_id leaf(std::uint32_t kind, std::string_view leaf_name, const dim_list& shape,
               std::uint32_t dtype) {
    const node_id id = node(kind, {}, shape, dtype, {{"name", std::string{leaf_name}}});
    name(id, leaf_name);
    return id;
  }
  rlx_string keep(std::string_view s) {
    texts_.emplace_back(s);
    return {texts_.back().data(), texts_.back().size()};
  }
  rlx_string kind_text(std::uint32_t kind) {
    switch (kind) {
#define RLX_KIND_TEXT(number, text, fields) \
  case number:                              \
    return {#text, sizeof(#text) - 1};
      RLX_KINDS(RLX_KIND_TEXT)
#undef RLX_KIND_TEXT
      default:
        return keep(numbers_->kinds.text(kind));
    }
  }
  rlx_string dtype_text(std::uint32_t dtype) {
    switch (dtype) {
#define RLX_DTYPE_TEXT(number, text, width) \
  case number:                              \
    return {#text, sizeof(#text) - 1};
      RLX_DTYPES(RLX_DTYPE_TEXT)
#undef RLX_DTYPE_TEXT
      default:
        return keep(numbers_->dtypes.text(dtype));
    }
  }

  static rlx_string borrow(const std::string& s) { return {s.data(), s.size()}; }

  rlx_attribute flat(const named_value& a) {
    rlx_attribute f{};
    f.name = borrow(a.name);
    f.type = a.value.type;
    f.count = 1;
    f.value.u64 = a.value.bits;
    if (f.type == RLX_ATTRIBUTE_TEXT || f.type == RLX_ATTRIBUTE_JSON) {
      f.value.text = borrow(a.value.text);
    } else if (f.type == RLX_ATTRIBUTE_TEXT + RLX_ATTRIBUTE_ARRAY) {
      std::vector<rlx_string>& strings = text_arrays_.emplace_back();
      for (const std::string& s : a.value.texts) strings.push_back(borrow(s));
      f.count = strings.size();
      f.value.texts = strings.data();
    } else if (f.type == RLX_ATTRIBUTE_F64 + RLX_ATTRIBUTE_ARRAY) {
      std::vector<double>& doubles = double_arrays_.emplace_back();
      for (const std::uint64_t w : a.value.words) doubles.push_back(std::bit_cast<double>(w));
      f.count = doubles.size();
      f.value.f64s = doubles.data();
    } else if (f.type == RLX_ATTRIBUTE_I64 + RLX_ATTRIBUTE_ARRAY) {
      std::vector<std::int64_t>& integers = integer_arrays_.emplace_back();
      for (const std::uint64_t w : a.value.words) integers.push_back(static_cast<std::int64_t>(w));
      f.count = integers.size();
      f.value.i64s = integers.data();
    } else if ((f.type & RLX_ATTRIBUTE_ARRAY) != 0) {
      f.count = a.value.words.size();
      f.value.u64s = a.value.words.data();
    }
    return f;
  }

  void flatten() {
    flat_attributes_.clear();
    flat_nested_.clear();
    text_arrays_.clear();
    double_arrays_.clear();
    integer_arrays_.clear();
    for (auto& [id, list] : attributes_) {
      infos_[id].attributes_begin = static_cast<std::uint32_t>(flat_attributes_.size());
      infos_[id].attribute_count = static_cast<std::uint32_t>(list.size());
      for (const named_value& a : list) flat_attributes_.push_back(flat(a));
    }
    for (auto& [id, list] : bodies_) {
      infos_[id].nested_begin = static_cast<std::uint32_t>(flat_nested_.size());
      infos_[id].nested_count = static_cast<std::uint32_t>(list.size());
      for (const nested_body& b : list) flat_nested_.push_back({borrow(b.role), &b.body->get()});
    }
  }

  template <class T>
  const T* lend(const std::vector<T>& records, std::vector<std::uint64_t>& padded,
                std::size_t& stride) const {
    stride = sizeof(T) + padding_;
    if (padding_ == 0) return records.data();
    padded.assign(records.size() * stride / 8, 0xA5A5A5A5A5A5A5A5u);
    for (std::size_t i = 0; i < records.size(); ++i) {
      std::memcpy(padded.data() + i * stride / 8, &records[i], sizeof(T));
    }
    return reinterpret_cast<const T*>(padded.data());
  }

  std::shared_ptr<unlisted_numbers> numbers_;
  std::deque<std::string> texts_;
  rlx_string name_;
  std::vector<rlx_node> nodes_;
  std::vector<rlx_node_info> infos_;
  std::vector<std::uint32_t> inputs_;
  std::vector<std::uint64_t> dims_;
  std::vector<std::uint32_t> outputs_;
  std::unordered_map<node_id, attribute_list> attributes_;
  std::unordered_map<node_id, std::vector<nested_body>> bodies_;
  std::uint64_t arena_bytes_ = RLX_UNKNOWN;
  std::size_t padding_ = 0;

  std::vector<rlx_attribute> flat_attributes_;
  std::vector<rlx_nested_graph> flat_nested_;
  std::deque<std::vector<rlx_string>> text_arrays_;
  std::deque<std::vector<double>> double_arrays_;
  std::deque<std::vector<std::int64_t>> integer_arrays_;
  std::vector<std::uint64_t> padded_nodes_;
  std::vector<std::uint64_t> padded_infos_;
  rlx_graph_view view_{};
};

}  // namespace opscope::test
