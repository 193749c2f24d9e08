// Reads the tables of plugin.h; holds none of its own.
#include "plugin/ledger/kinds.hpp"

#include <charconv>
#include <rlx/view.hpp>

namespace opscope {

std::string_view kind_name(std::uint32_t kind) {
  switch (kind) {
#define OPSCOPE_KIND_NAME(number, name, fields) \
  case number:                                  \
    return #name;
    RLX_KINDS(OPSCOPE_KIND_NAME)
#undef OPSCOPE_KIND_NAME
    default:
      return {};
  }
}

std::string_view kind_fields(std::uint32_t kind) {
  switch (kind) {
#define OPSCOPE_KIND_FIELDS(number, name, fields) \
  case number:                                    \
    return fields;
    RLX_KINDS(OPSCOPE_KIND_FIELDS)
#undef OPSCOPE_KIND_FIELDS
    default:
      return {};
  }
}

std::string_view dtype_name(std::uint32_t dtype) {
  switch (dtype) {
#define OPSCOPE_DTYPE_NAME(number, name, bytes) \
  case number:                                  \
    return #name;
    RLX_DTYPES(OPSCOPE_DTYPE_NAME)
#undef OPSCOPE_DTYPE_NAME
    default:
      return {};
  }
}

std::optional<std::uint32_t> find_kind(std::string_view name) {
  for (std::uint32_t kind = 1; kind <= rlx::kind_count; ++kind) {
    if (kind_name(kind) == name) return kind;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> find_dtype(std::string_view name) {
#define OPSCOPE_DTYPE_NUMBER(number, text, bytes) \
  if (name == #text) return number;
  RLX_DTYPES(OPSCOPE_DTYPE_NUMBER)
#undef OPSCOPE_DTYPE_NUMBER
  return std::nullopt;
}

std::optional<field_spec> find_field(std::uint32_t kind, std::string_view attribute) {
  std::string_view rest = kind_fields(kind);
  while (!rest.empty()) {
    const std::size_t space = rest.find(' ');
    std::string_view entry = rest.substr(0, space);
    rest.remove_prefix(space == std::string_view::npos ? rest.size() : space + 1);
    const std::size_t colon = entry.find(':');
    if (colon == std::string_view::npos || entry.substr(0, colon) != attribute) continue;
    field_spec spec;
    spec.name = entry.substr(0, colon);
    std::string_view type = entry.substr(colon + 1);
    if (const std::size_t equals = type.find('='); equals != std::string_view::npos) {
      spec.default_text = type.substr(equals + 1);
      type = type.substr(0, equals);
    }
    spec.type = type == "bytes" ? 'B' : type.front();
    spec.is_array = type.back() == '*';
    return spec;
  }
  return std::nullopt;
}

bool is_at_default(std::uint32_t kind, const rlx_attribute& attribute) {
  if (kind_fields(kind).find('=') == std::string_view::npos) return false;
  const std::optional<field_spec> spec = find_field(kind, rlx::text(attribute.name));
  if (!spec || !spec->default_text) return false;
  const std::string_view wanted = *spec->default_text;
  const auto number = [&]<class T>(T value) {
    T parsed{};
    const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), parsed);
    return error == std::errc{} && end == wanted.data() + wanted.size() && parsed == value;
  };
  switch (attribute.type) {
    case RLX_ATTRIBUTE_U64:
      return number(attribute.value.u64);
    case RLX_ATTRIBUTE_I64:
      return number(attribute.value.i64);
    case RLX_ATTRIBUTE_F64:
      return number(attribute.value.f64);
    case RLX_ATTRIBUTE_BOOL:
      return wanted == (attribute.value.u64 != 0 ? "true" : "false");
    case RLX_ATTRIBUTE_TEXT:
      return rlx::text(attribute.value.text) == wanted;
    default:
      return false;
  }
}

}  // namespace opscope
