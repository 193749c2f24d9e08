// What the graphs of one module share: texts, operations, attributes. Append-only, so that text
// and arrays handed out stay where they are until the storage dies. One module is built by one
// thread; afterwards reading is free.
#pragma once

#include <rlx/plugin.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "host/graph/column.hpp"

namespace rlx {

class graph;

// Index of an operation in its storage.
using op_id = std::uint32_t;

// An operation: what a node does, without its operands and shape. Nodes share equal operations
// (graphs hold thousands of the same `{"Binary":"Add"}`), except those with nested graphs and the
// Inputs and Params, of which each has another name.
struct operation {
  std::uint32_t kind;          // RLX_KIND_*, or >= RLX_FIRST_UNLISTED
  std::string_view kind_text;  // the serde variant name
  // RLX's serde form, compact, keys in the order read: `"MatMul"` or `{"Gather":{"axis":0}}`.
  // A constant's payload is the slice of the input it came from.
  std::string_view json;
  std::uint32_t attributes_begin;  // into storage::attributes()
  std::uint32_t attribute_count;
  std::uint32_t nested_begin;  // into storage::nested()
  std::uint32_t nested_count;
};

struct nested_graph {
  std::string_view role;
  std::unique_ptr<graph> body;
};

// A hash of texts fit for hostile ones as much as any fast one is, and quick on long payloads.
struct text_hash {
  std::size_t operator()(std::string_view s) const noexcept;
};

class storage {
 public:
  storage();
  ~storage();
  storage(const storage&) = delete;
  storage& operator=(const storage&) = delete;

  // A copy of `s` that lives as long as the storage. Never null, also for an empty text.
  std::string_view keep(std::string_view s);
  // An uninitialised array of n T that lives as long as the storage.
  template <class T>
  std::span<T> allocate(std::size_t n) {
    return {static_cast<T*>(memory_.allocate(n * sizeof(T), alignof(T))), n};
  }
  // Makes the storage own `text` (the file read), so that slices of it may be kept uncopied.
  std::string_view adopt(std::shared_ptr<const void> owner, std::string_view text);

  // Numbers for kinds and dtypes outside the tables of plugin.h, from RLX_FIRST_UNLISTED up.
  std::uint32_t kind_number(std::string_view kind_text);
  // The same for a text that stands in the table: an operation of that name in a form nobody knows.
  std::uint32_t unlisted_kind_number(std::string_view kind_text);
  std::uint32_t dtype_number(std::string_view dtype_text);
  std::string_view dtype_text(std::uint32_t dtype) const;

  // ops
  const operation& op(op_id id) const { return ops_[id]; }
  op_id add_op(const operation& op);
  // The operation interned under that key before, or no_op. Keys must live as long as the storage.
  static constexpr op_id no_op = UINT32_MAX;
  op_id find_op(std::string_view key) const;
  void intern_op(std::string_view key, op_id id);

  column<rlx_attribute>& attributes() { return attributes_; }
  const column<rlx_attribute>& attributes() const { return attributes_; }
  std::vector<nested_graph>& nested() { return nested_; }
  const std::vector<nested_graph>& nested() const { return nested_; }

  // The attribute of that name, or null. Valid until the next operation is added.
  const rlx_attribute* attribute(op_id id, std::string_view name) const;

 private:
  std::pmr::monotonic_buffer_resource memory_;
  std::vector<std::shared_ptr<const void>> owners_;
  column<operation> ops_;
  std::unordered_map<std::string_view, op_id, text_hash> interned_;
  column<rlx_attribute> attributes_;
  std::vector<nested_graph> nested_;
  std::unordered_map<std::string_view, std::uint32_t> unlisted_kinds_;
  std::unordered_map<std::string_view, std::uint32_t> unlisted_dtypes_;
  std::vector<std::string_view> dtype_texts_;
};

}  // namespace rlx
