#include "host/graph/op_fields.hpp"

#include <charconv>

#include "host/emit/json.hpp"
#include "host/error.hpp"

namespace rlx {

namespace {

[[noreturn]] void refuse(std::string_view name, const char* what) {
  throw error{"the field \"" + std::string{name} + "\" is not " + what};
}

}  // namespace

const rlx_attribute& op_fields::at(std::string_view name) const {
  const rlx_attribute* a = find(name);
  if (a == nullptr) {
    throw error{"the field \"" + std::string{name} + "\" is missing or null"};
  }
  return *a;
}

std::uint64_t op_fields::u64(std::string_view name) const {
  const rlx_attribute& a = at(name);
  if (a.type == RLX_ATTRIBUTE_U64) return a.value.u64;
  if (a.type == RLX_ATTRIBUTE_I64 && a.value.i64 >= 0)
    return static_cast<std::uint64_t>(a.value.i64);
  refuse(name, "an unsigned integer");
}

std::int64_t op_fields::i64(std::string_view name) const {
  const rlx_attribute& a = at(name);
  if (a.type == RLX_ATTRIBUTE_I64) return a.value.i64;
  if (a.type == RLX_ATTRIBUTE_U64 && a.value.u64 <= INT64_MAX) {
    return static_cast<std::int64_t>(a.value.u64);
  }
  refuse(name, "a 64-bit integer");
}

bool op_fields::flag(std::string_view name) const {
  const rlx_attribute& a = at(name);
  if (a.type != RLX_ATTRIBUTE_BOOL) refuse(name, "true or false");
  return a.value.u64 != 0;
}

bool op_fields::flag_or(std::string_view name, bool otherwise) const {
  return has(name) ? flag(name) : otherwise;
}

float op_fields::f32(std::string_view name) const {
  const rlx_attribute& a = at(name);
  switch (a.type) {
    case RLX_ATTRIBUTE_F64:
      return static_cast<float>(a.value.f64);
    case RLX_ATTRIBUTE_U64:
      return static_cast<float>(a.value.u64);
    case RLX_ATTRIBUTE_I64:
      return static_cast<float>(a.value.i64);
    default:
      refuse(name, "a number");
  }
}

std::optional<std::string_view> op_fields::text(std::string_view name) const {
  const rlx_attribute* a = find(name);
  if (a == nullptr) return std::nullopt;
  if (a->type != RLX_ATTRIBUTE_TEXT) refuse(name, "a name");
  return view_of(a->value.text);
}

std::string op_fields::json(std::string_view name) const {
  const rlx_attribute& a = at(name);
  if (a.type == RLX_ATTRIBUTE_JSON) return std::string{view_of(a.value.text)};
  if (a.type != RLX_ATTRIBUTE_TEXT) refuse(name, "an enumeration's value");
  std::string quoted;
  append_json_string(quoted, view_of(a.value.text));
  return quoted;
}

mask_field op_fields::mask(std::string_view name) const {
  using enum mask_kind;
  const rlx_attribute& a = at(name);
  if (a.type != RLX_ATTRIBUTE_TEXT && a.type != RLX_ATTRIBUTE_JSON) refuse(name, "a mask");
  const std::string_view value = view_of(a.value.text);
  if (a.type == RLX_ATTRIBUTE_JSON) {
    const auto window = number_in(value, "SlidingWindow");
    return window ? mask_field{sliding_window, *window} : mask_field{unknown};
  }
  if (value == "None") return {none};
  if (value == "Causal") return {causal};
  if (value == "Custom") return {custom};
  if (value == "Bias") return {bias};
  return {unknown};
}

std::optional<std::uint64_t> number_in(std::string_view json, std::string_view key) {
  const std::string quoted = '"' + std::string{key} + "\":";
  const std::size_t at = json.find(quoted);
  if (at == std::string_view::npos) return std::nullopt;
  std::uint64_t value = 0;
  const char* const first = json.data() + at + quoted.size();
  const char* const last = json.data() + json.size();
  const auto [end, status] = std::from_chars(first, last, value);
  if (status != std::errc{} || end == last || (*end != '}' && *end != ',')) return std::nullopt;
  return value;
}

}  // namespace rlx
