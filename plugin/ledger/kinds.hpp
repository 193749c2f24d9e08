// What the table of plugin.h says about a kind's attributes, for those who compare or read them.
#pragma once

#include <rlx/plugin.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace opscope {

// One entry of a kind's `fields` text: `name:type` or `name:type=default`.
struct field_spec {
  std::string_view name;
  char type = 0;  // u i f b s e j g, or B for bytes
  bool is_array = false;
  std::optional<std::string_view> default_text;
};

// The table's name and fields of a listed kind; empty for another.
std::string_view kind_name(std::uint32_t kind);
std::string_view kind_fields(std::uint32_t kind);
std::string_view dtype_name(std::uint32_t dtype);
// The number of a kind or dtype of that name; nothing where the tables have none.
std::optional<std::uint32_t> find_kind(std::string_view name);
std::optional<std::uint32_t> find_dtype(std::string_view name);

// The entries of a `fields` text, in its order.
std::vector<field_spec> split_fields(std::string_view fields);
std::optional<field_spec> find_field(std::uint32_t kind, std::string_view attribute);

// The attribute is at the default that its kind's table entry names: it means the same as none.
bool is_at_default(std::uint32_t kind, const rlx_attribute& attribute);

}  // namespace opscope
