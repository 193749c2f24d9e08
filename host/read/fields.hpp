// The field types of the operation kinds, as the table RLX_KINDS of plugin.h writes them down.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace rlx {

enum class field_type : std::uint8_t {
  u64,
  i64,
  f32,
  boolean,
  text,
  text_or_json,
  json,
  bytes,
  graph
};

struct field_spec {
  std::string_view name;
  field_type type;
  bool is_array;
};

// The fields of a listed kind in declaration order; empty for others.
std::span<const field_spec> fields_of(std::uint32_t kind);

}  // namespace rlx
