// The host's graph: columns in node order, made for a million nodes. The hot columns are the
// arrays that the plugin contract lends out as they are; the cold records are built on demand.
#pragma once

#include <rlx/plugin.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "host/graph/column.hpp"
#include "host/graph/storage.hpp"

namespace rlx {

using node_id = std::uint32_t;

// A declared output shape. Dim d is dynamic where bit d of dynamic_dims is set; dims[d] then is
// its symbol.
struct shape_view {
  std::span<const std::uint64_t> dims;
  std::uint64_t dynamic_dims = 0;
  std::uint32_t dtype = 0;
};

// Where a node came from. Interned per graph: index 0 is "no origin" (null in JSON).
struct origin {
  std::optional<std::uint32_t> hir;
  std::optional<std::string_view> label;
  std::optional<std::string_view> pass;
  friend bool operator==(const origin&, const origin&) = default;
};
using origin_id = std::uint32_t;
inline constexpr origin_id no_origin = 0;

class graph {
 public:
  explicit graph(std::shared_ptr<rlx::storage> storage, std::string_view name = "");
  // For graphs nested in an operation, which the storage itself owns.
  graph(rlx::storage& storage, std::string_view name);
  graph(graph&&) noexcept;
  graph& operator=(graph&&) noexcept;
  ~graph();

  rlx::storage& storage() const { return *storage_; }
  // Null for a nested graph.
  const std::shared_ptr<rlx::storage>& shared_storage() const { return shared_; }

  std::string_view name() const { return name_; }
  void set_name(std::string_view name) { name_ = name; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  void reserve(std::size_t nodes, std::size_t inputs, std::size_t dims);

  // Appends a node; its id is its position. Throws rlx::error for rank > RLX_MAX_RANK and where an
  // array would pass 2^32 entries. Operands are not checked here (the reader and the passes do).
  node_id add(op_id op, std::span<const node_id> inputs, const shape_view& shape,
              std::optional<std::string_view> name = std::nullopt, origin_id origin = no_origin);

  const rlx_node& node(node_id id) const { return nodes_[id]; }
  std::span<const rlx_node> nodes() const { return nodes_; }
  std::span<const node_id> inputs(node_id id) const {
    return {inputs_.data() + nodes_[id].inputs_begin, nodes_[id].input_count};
  }
  std::span<const std::uint64_t> dims(node_id id) const {
    return {dims_.data() + nodes_[id].dims_begin, nodes_[id].rank};
  }
  shape_view shape(node_id id) const {
    return {dims(id), nodes_[id].dynamic_dims, nodes_[id].dtype};
  }
  std::uint32_t kind(node_id id) const { return nodes_[id].kind; }
  op_id op(node_id id) const { return ops_[id]; }
  const operation& operation_of(node_id id) const { return storage_->op(ops_[id]); }

  std::optional<std::string_view> name_of(node_id id) const {
    return names_[id].data() == nullptr ? std::nullopt : std::optional{names_[id]};
  }
  void set_name_of(node_id id, std::optional<std::string_view> name);
  origin_id origin_of(node_id id) const { return origins_[id]; }
  const origin& origin_at(origin_id id) const { return origin_table_[id]; }
  origin_id intern_origin(const origin& o);
  void set_origin_of(node_id id, origin_id o) { origins_[id] = o; }

  std::span<const node_id> outputs() const { return outputs_; }
  void set_outputs(std::vector<node_id> outputs) { outputs_ = std::move(outputs); }

 private:
  friend class lent_view;
  std::shared_ptr<rlx::storage> shared_;
  rlx::storage* storage_;
  std::string_view name_;
  column<rlx_node> nodes_;
  column<op_id> ops_;
  column<std::string_view> names_;
  column<origin_id> origins_;
  column<node_id> inputs_;
  column<std::uint64_t> dims_;
  std::vector<node_id> outputs_;
  column<origin> origin_table_{origin{}};
};

// Bytes of one element; nothing for a dtype outside RLX_DTYPES.
std::optional<std::uint64_t> element_bytes(std::uint32_t dtype);
// The product of all dims (1 for rank 0), left to right; nothing where a dim is dynamic or the
// product leaves 64 bits on the way.
std::optional<std::uint64_t> element_count(const shape_view& shape);
// element_count times the dtype's width, nothing where either is unknown or it leaves 64 bits.
std::optional<std::uint64_t> byte_size(const shape_view& shape);

}  // namespace rlx
