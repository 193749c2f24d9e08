// Reading operations by attribute, and making the operations that passes emit.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "host/graph/graph.hpp"

namespace rlx {

// Attributes of a node's operation; nothing where it has none of that name and type. Texts and
// arrays live as long as the storage.
std::optional<std::string_view> text_attribute(const graph& g, node_id id, std::string_view name);
std::optional<std::uint64_t> u64_attribute(const graph& g, node_id id, std::string_view name);
std::optional<std::int64_t> i64_attribute(const graph& g, node_id id, std::string_view name);
// An array of unsigned numbers; an empty array is found whatever the type of its elements.
std::optional<std::span<const std::uint64_t>> u64s_attribute(const graph& g, node_id id,
                                                             std::string_view name);
std::optional<std::span<const std::int64_t>> i64s_attribute(const graph& g, node_id id,
                                                            std::string_view name);
// An f32 as the compiler would write it: shortest digits, a fraction or an exponent always there;
// "null" where the attribute is absent (its value was not finite).
std::string f32_text(const graph& g, node_id id, std::string_view name);

// True for the operation `kind` with that `value`, such as Binary, Add.
bool is_op(const graph& g, node_id id, std::uint32_t kind, std::string_view value);
inline bool is_leaf(std::uint32_t kind) {
  return kind == RLX_KIND_Input || kind == RLX_KIND_Param || kind == RLX_KIND_Constant;
}

// Operations in serde form, interned.
op_id concat_op(storage& s, std::uint64_t axis);
op_id narrow_op(storage& s, std::uint64_t axis, std::uint64_t start, std::uint64_t len);
op_id fused_swiglu_op(storage& s, bool gate_first);
op_id activation_op(storage& s, std::string_view activation);
op_id binary_op(storage& s, std::string_view op);
op_id compare_op(storage& s, std::string_view op);
op_id cast_op(storage& s, std::string_view dtype);
op_id f32_constant_op(storage& s, float value);

}  // namespace rlx
