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

namespace {

field_spec parse_field(std::string_view entry) {
  field_spec spec;
  const std::size_t colon = entry.find(':');
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

// Calls take(entry) for each until it returns true.
template <class Take>
void for_each_entry(std::string_view fields, Take take) {
  while (!fields.empty()) {
    const std::size_t space = fields.find(' ');
    const std::string_view entry = fields.substr(0, space);
    fields.remove_prefix(space == std::string_view::npos ? fields.size() : space + 1);
    if (entry.find(':') != std::string_view::npos && take(entry)) return;
  }
}

}  // namespace

std::vector<field_spec> split_fields(std::string_view fields) {
  std::vector<field_spec> all;
  for_each_entry(fields, [&](std::string_view entry) {
    all.push_back(parse_field(entry));
    return false;
  });
  return all;
}

std::optional<field_spec> find_field(std::uint32_t kind, std::string_view attribute) {
  std::optional<field_spec> found;
  for_each_entry(kind_fields(kind), [&](std::string_view entry) {
    if (entry.substr(0, entry.find(':')) == attribute) found = parse_field(entry);
    return found.has_value();
  });
  return found;
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
