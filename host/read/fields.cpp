#include "host/read/fields.hpp"

#include <rlx/plugin.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace rlx {

namespace {

struct kind_fields {
  std::vector<field_spec> all;
  std::vector<std::uint32_t> begin;  // by kind number; one more at the end
};

field_spec parse_field(std::string_view word) {
  const std::size_t colon = word.find(':');
  if (colon == std::string_view::npos) throw std::logic_error{"RLX_KINDS: " + std::string{word}};
  field_spec spec{word.substr(0, colon), {}, false};
  std::string_view type = word.substr(colon + 1);
  type = type.substr(0, type.find('='));  // a default means the same as no attribute
  if (type.ends_with('*')) {
    spec.is_array = true;
    type.remove_suffix(1);
  }
  struct {
    std::string_view letter;
    field_type type;
  } constexpr letters[] = {
      {"u", field_type::u64},     {"i", field_type::i64},       {"f", field_type::f32},
      {"b", field_type::boolean}, {"s", field_type::text},      {"e", field_type::text_or_json},
      {"j", field_type::json},    {"bytes", field_type::bytes}, {"g", field_type::graph}};
  for (const auto& l : letters) {
    if (l.letter != type) continue;
    spec.type = l.type;
    return spec;
  }
  throw std::logic_error{"RLX_KINDS: " + std::string{word}};
}

kind_fields parse_table() {
  constexpr std::string_view texts[] = {"",
#define RLX_KIND_FIELDS(number, name, fields) fields,
                                        RLX_KINDS(RLX_KIND_FIELDS)
#undef RLX_KIND_FIELDS
  };
  kind_fields table;
  for (std::string_view text : texts) {
    table.begin.push_back(static_cast<std::uint32_t>(table.all.size()));
    while (!text.empty()) {
      const std::size_t space = text.find(' ');
      table.all.push_back(parse_field(text.substr(0, space)));
      text = space == std::string_view::npos ? "" : text.substr(space + 1);
    }
  }
  table.begin.push_back(static_cast<std::uint32_t>(table.all.size()));
  return table;
}

}  // namespace

std::span<const field_spec> fields_of(std::uint32_t kind) {
  static const kind_fields table = parse_table();
  if (kind + 1 >= table.begin.size()) return {};
  return std::span{table.all}.subspan(table.begin[kind], table.begin[kind + 1] - table.begin[kind]);
}

}  // namespace rlx
