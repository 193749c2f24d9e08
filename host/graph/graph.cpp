#include "host/graph/graph.hpp"

#include <algorithm>
#include <limits>

#include "host/error.hpp"
#include "host/graph/view.hpp"

namespace rlx {

namespace {

constexpr std::size_t max_entries = std::numeric_limits<std::uint32_t>::max();

[[noreturn, gnu::noinline]] void fail_too_many(const char* what) {
  throw error{std::string{"the graph has more than 2^32-1 "} + what +
              ", which is more than this format holds; split the module"};
}

inline std::uint32_t append_range(std::size_t size, std::size_t more, const char* what) {
  if (more > max_entries - size) [[unlikely]]
    fail_too_many(what);
  return static_cast<std::uint32_t>(size);
}

}  // namespace

graph::graph(std::shared_ptr<rlx::storage> storage, std::string_view name)
    : shared_{std::move(storage)}, storage_{shared_.get()}, name_{name} {}
graph::graph(rlx::storage& storage, std::string_view name) : storage_{&storage}, name_{name} {}
graph::graph(graph&&) noexcept = default;
graph& graph::operator=(graph&&) noexcept = default;
graph::~graph() = default;

void graph::reserve(std::size_t nodes, std::size_t inputs, std::size_t dims) {
  nodes_.reserve(nodes);
  ops_.reserve(nodes);
  names_.reserve(nodes);
  origins_.reserve(nodes);
  origin_table_.reserve(nodes + 1);
  inputs_.reserve(inputs);
  dims_.reserve(dims);
}

node_id graph::add(op_id op, std::span<const node_id> inputs, const shape_view& shape,
                   std::optional<std::string_view> name, origin_id origin) {
  if (shape.dims.size() > RLX_MAX_RANK) {
    throw error{"a shape has rank " + std::to_string(shape.dims.size()) +
                "; at most 64 dims are supported"};
  }
  const node_id id = append_range(nodes_.size(), 1, "nodes");
  rlx_node n{};
  n.kind = storage_->op(op).kind;
  n.dtype = shape.dtype;
  n.dims_begin = append_range(dims_.size(), shape.dims.size(), "dims");
  n.rank = static_cast<std::uint32_t>(shape.dims.size());
  n.inputs_begin = append_range(inputs_.size(), inputs.size(), "operands");
  n.input_count = static_cast<std::uint32_t>(inputs.size());
  n.view_root = id;
  n.dynamic_dims = shape.dynamic_dims;
  // Shapes and operands are often copied from this very graph: grow first, then read them.
  const auto append = [](auto& column, auto values) {
    using value = typename std::decay_t<decltype(column)>::value_type;
    const value* const begin = column.data();
    const bool inside = values.data() >= begin && values.data() < begin + column.size();
    const std::size_t offset = inside ? static_cast<std::size_t>(values.data() - begin) : 0;
    const std::size_t old = column.size();
    column.resize(old + values.size());
    const value* from = inside ? column.data() + offset : values.data();
    std::copy_n(from, values.size(), column.data() + old);
  };
  append(dims_, shape.dims);
  append(inputs_, inputs);
  nodes_.push_back(n);
  ops_.push_back(op);
  names_.push_back(name ? (name->data() == nullptr ? std::string_view{"", 0} : *name)
                        : std::string_view{});
  origins_.push_back(origin);
  if (const auto step = find_view_step(*this, id)) {
    nodes_[id].view_root = nodes_[step->operand].view_root;
  }
  return id;
}

void graph::set_name_of(node_id id, std::optional<std::string_view> name) {
  names_[id] =
      name ? (name->data() == nullptr ? std::string_view{"", 0} : *name) : std::string_view{};
}

origin_id graph::intern_origin(const origin& o) {
  // Neighbours share their origin, so the last few are looked at before a new one is made.
  constexpr std::size_t window = 4;
  const std::size_t first = origin_table_.size() > window ? origin_table_.size() - window : 1;
  for (std::size_t i = origin_table_.size(); i-- > first;) {
    if (origin_table_[i] == o) return static_cast<origin_id>(i);
  }
  origin_table_.push_back(o);
  return static_cast<origin_id>(origin_table_.size() - 1);
}

std::optional<std::uint64_t> element_bytes(std::uint32_t dtype) {
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

std::optional<std::uint64_t> element_count(const shape_view& shape) {
  if (shape.dynamic_dims != 0) return std::nullopt;
  std::uint64_t product = 1;
  for (const std::uint64_t dim : shape.dims) {
    if (__builtin_mul_overflow(product, dim, &product)) return std::nullopt;
  }
  return product;
}

std::optional<std::uint64_t> byte_size(const shape_view& shape) {
  const auto elements = element_count(shape);
  const auto width = element_bytes(shape.dtype);
  std::uint64_t bytes = 0;
  if (!elements || !width || __builtin_mul_overflow(*elements, *width, &bytes)) {
    return std::nullopt;
  }
  return bytes;
}

}  // namespace rlx
