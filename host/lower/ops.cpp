#include "host/lower/ops.hpp"

#include <bit>
#include <charconv>

#include "host/emit/json.hpp"
#include "host/read/op.hpp"

namespace rlx {

namespace {

const rlx_attribute* find(const graph& g, node_id id, std::string_view name, std::uint32_t type) {
  const rlx_attribute* a = g.storage().attribute(g.op(id), name);
  return a != nullptr && a->type == type ? a : nullptr;
}

// An array attribute, where an empty one of another element type counts as well.
const rlx_attribute* find_array(const graph& g, node_id id, std::string_view name,
                                std::uint32_t type) {
  const rlx_attribute* a = g.storage().attribute(g.op(id), name);
  if (a == nullptr || (a->type & RLX_ATTRIBUTE_ARRAY) == 0) return nullptr;
  return a->count == 0 || a->type == (type | RLX_ATTRIBUTE_ARRAY) ? a : nullptr;
}

std::string object(std::string_view kind, const std::string& payload) {
  std::string json{"{\""};
  json += kind;
  json += "\":";
  json += payload;
  json += '}';
  return json;
}

std::string json_string(std::string_view s) {
  std::string json;
  append_json_string(json, s);
  return json;
}

}  // namespace

std::optional<std::string_view> text_attribute(const graph& g, node_id id, std::string_view name) {
  const rlx_attribute* a = find(g, id, name, RLX_ATTRIBUTE_TEXT);
  if (a == nullptr) return std::nullopt;
  return std::string_view{a->value.text.data, a->value.text.size};
}

std::optional<std::uint64_t> u64_attribute(const graph& g, node_id id, std::string_view name) {
  const rlx_attribute* a = find(g, id, name, RLX_ATTRIBUTE_U64);
  if (a == nullptr) return std::nullopt;
  return a->value.u64;
}

std::optional<std::int64_t> i64_attribute(const graph& g, node_id id, std::string_view name) {
  const rlx_attribute* a = find(g, id, name, RLX_ATTRIBUTE_I64);
  if (a == nullptr) return std::nullopt;
  return a->value.i64;
}

std::optional<std::span<const std::uint64_t>> u64s_attribute(const graph& g, node_id id,
                                                             std::string_view name) {
  const rlx_attribute* a = find_array(g, id, name, RLX_ATTRIBUTE_U64);
  if (a == nullptr) return std::nullopt;
  return std::span{a->value.u64s, static_cast<std::size_t>(a->count)};
}

std::optional<std::span<const std::int64_t>> i64s_attribute(const graph& g, node_id id,
                                                            std::string_view name) {
  const rlx_attribute* a = find_array(g, id, name, RLX_ATTRIBUTE_I64);
  if (a == nullptr) return std::nullopt;
  return std::span{a->value.i64s, static_cast<std::size_t>(a->count)};
}

std::string f32_text(const graph& g, node_id id, std::string_view name) {
  const rlx_attribute* a = find(g, id, name, RLX_ATTRIBUTE_F64);
  if (a == nullptr) return "null";
  char digits[32];
  const auto end =
      std::to_chars(digits, digits + sizeof digits, static_cast<float>(a->value.f64)).ptr;
  std::string text{digits, end};
  // to_chars writes 1e-05 and 1e+20; serde writes 1e-5 and 1e20.
  if (const auto e = text.find('e'); e != std::string::npos) {
    std::size_t digit = e + 1;
    if (text[digit] == '+') text.erase(digit, 1);
    if (text[digit] == '-') ++digit;
    while (text[digit] == '0' && digit + 1 < text.size()) text.erase(digit, 1);
  } else if (text.find('.') == std::string::npos) {
    text += ".0";
  }
  return text;
}

bool is_op(const graph& g, node_id id, std::uint32_t kind, std::string_view value) {
  return g.kind(id) == kind && text_attribute(g, id, "value") == value;
}

op_id concat_op(storage& s, std::uint64_t axis) {
  return read_op(s, object("Concat", "{\"axis\":" + std::to_string(axis) + "}"));
}

op_id narrow_op(storage& s, std::uint64_t axis, std::uint64_t start, std::uint64_t len) {
  return read_op(s, object("Narrow", "{\"axis\":" + std::to_string(axis) +
                                         ",\"start\":" + std::to_string(start) +
                                         ",\"len\":" + std::to_string(len) + "}"));
}

op_id fused_swiglu_op(storage& s, bool gate_first) {
  return read_op(s, object("FusedSwiGLU", std::string{"{\"cast_to\":null,\"gate_first\":"} +
                                              (gate_first ? "true}" : "false}")));
}

op_id activation_op(storage& s, std::string_view activation) {
  return read_op(s, object("Activation", json_string(activation)));
}

op_id binary_op(storage& s, std::string_view op) {
  return read_op(s, object("Binary", json_string(op)));
}

op_id compare_op(storage& s, std::string_view op) {
  return read_op(s, object("Compare", json_string(op)));
}

op_id cast_op(storage& s, std::string_view dtype) {
  return read_op(s, object("Cast", "{\"to\":" + json_string(dtype) + "}"));
}

op_id f32_constant_op(storage& s, float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  std::string data;
  for (int shift = 0; shift < 32; shift += 8) {
    if (shift != 0) data += ',';
    data += std::to_string((bits >> shift) & 0xff);
  }
  return read_op(s, object("Constant", "{\"data\":[" + data + "]}"));
}

}  // namespace rlx
