#include "plugin/cost/need/attributes.hpp"

namespace opscope::need {

namespace {

constexpr std::array<std::string_view, attr_count> attr_names{
#define OPSCOPE_NEED_ATTRIBUTE(name) std::string_view{#name},
    OPSCOPE_NEED_ATTRIBUTES(OPSCOPE_NEED_ATTRIBUTE)
#undef OPSCOPE_NEED_ATTRIBUTE
};

// The `fields` texts of RLX_KINDS, by kind.
constexpr std::array<std::string_view, rlx::kind_count + 1> field_texts{
    std::string_view{},
#define OPSCOPE_NEED_FIELDS(number, name, fields) std::string_view{fields},
    RLX_KINDS(OPSCOPE_NEED_FIELDS)
#undef OPSCOPE_NEED_FIELDS
};

// Takes the next `name` of a fields text (`name:type name:type=default ..`).
constexpr std::string_view take_name(std::string_view& rest) {
  const std::size_t end = rest.find(' ');
  const std::string_view field = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  return field.substr(0, field.find(':'));
}

using positions = std::array<std::uint8_t, attr_count>;

constexpr std::array<positions, rlx::kind_count + 1> make_positions() {
  std::array<positions, rlx::kind_count + 1> all{};
  for (std::size_t kind = 0; kind < all.size(); ++kind) {
    for (std::uint8_t& p : all[kind]) p = no_field;
    std::string_view rest = field_texts[kind];
    for (std::uint8_t at = 0; !rest.empty(); ++at) {
      const std::string_view name = take_name(rest);
      for (std::size_t a = 0; a < attr_count; ++a) {
        if (attr_names[a] == name) all[kind][a] = at;
      }
    }
  }
  return all;
}

constexpr bool fields_fit() {
  for (std::string_view rest : field_texts) {
    std::size_t n = 0;
    while (!rest.empty()) {
      take_name(rest);
      ++n;
    }
    if (n > max_fields) return false;
  }
  return true;
}
static_assert(fields_fit(), "max_fields is too small for a kind of RLX_KINDS");

}  // namespace

constexpr std::array<positions, rlx::kind_count + 1> position_table = make_positions();

resolved_attributes resolve(std::uint32_t kind, const rlx::strided<rlx_attribute>& attributes) {
  resolved_attributes r;
  r.kind = kind;
  r.count = static_cast<std::uint32_t>(attributes.size());
  if (kind > rlx::kind_count) return r;
  // Hosts write attributes in declaration order, so that one walk over the fields finds most.
  std::string_view rest = field_texts[kind];
  std::uint8_t at = 0;
  for (const rlx_attribute& a : attributes) {
    const std::string_view name = rlx::text(a.name);
    bool started_over = false;
    while (true) {
      if (rest.empty()) {
        if (started_over) break;
        started_over = true;
        rest = field_texts[kind];
        at = 0;
        if (rest.empty()) break;
      }
      const std::string_view field = take_name(rest);
      const std::uint8_t here = at++;
      if (field == name) {
        r.fields[here] = &a;
        break;
      }
    }
  }
  return r;
}

std::optional<double> attribute_reader::f64(attr name) const {
  const rlx_attribute* a = find(name);
  if (a == nullptr) return std::nullopt;
  if (a->type == RLX_ATTRIBUTE_F64) return a->value.f64;
  if (a->type == RLX_ATTRIBUTE_U64) return static_cast<double>(a->value.u64);
  if (a->type == RLX_ATTRIBUTE_I64) return static_cast<double>(a->value.i64);
  return std::nullopt;
}

bool attribute_reader::flag(attr name) const {
  const rlx_attribute* a = find(name);
  return a != nullptr && a->type == RLX_ATTRIBUTE_BOOL && a->value.u64 != 0;
}

std::string_view attribute_reader::text(attr name) const {
  const rlx_attribute* a = find(name);
  if (a == nullptr || (a->type != RLX_ATTRIBUTE_TEXT && a->type != RLX_ATTRIBUTE_JSON)) return {};
  return rlx::text(a->value.text);
}

std::optional<std::uint64_t> attribute_reader::element(attr name, std::size_t i) const {
  const rlx_attribute* a = find(name);
  if (a == nullptr) return std::nullopt;
  if (a->type == (RLX_ATTRIBUTE_U64 | RLX_ATTRIBUTE_ARRAY) && i < a->count) {
    return a->value.u64s[i];
  }
  if (a->type == (RLX_ATTRIBUTE_I64 | RLX_ATTRIBUTE_ARRAY) && i < a->count &&
      a->value.i64s[i] >= 0) {
    return static_cast<std::uint64_t>(a->value.i64s[i]);
  }
  return i == 0 ? u64(name) : std::nullopt;
}

std::size_t attribute_reader::array_size(attr name) const {
  const rlx_attribute* a = find(name);
  if (a == nullptr) return 0;
  return (a->type & RLX_ATTRIBUTE_ARRAY) != 0 ? a->count : 1;
}

}  // namespace opscope::need
