// A small formatter that fills the templates of op_text_table.hpp with an operation's fields.
#include "host/emit/op_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "host/emit/op_text_table.hpp"
#include "host/graph/op_fields.hpp"
#include "host/graph/quant_scheme.hpp"

namespace rlx {

namespace {

// ---- values

// The shortest digits of a positive f32 and the place of its point behind the first of them.
struct decimal {
  std::array<char, 16> digits;
  std::size_t count = 0;
  int exponent = 0;
};

decimal shortest(float magnitude) {
  std::array<char, 32> text;
  const auto [end, status] = std::to_chars(text.data(), text.data() + text.size(), magnitude,
                                           std::chars_format::scientific);
  static_cast<void>(status);  // `d.dddddddde-dd` is at most 14 characters
  decimal d{};
  const char* p = text.data();
  for (; p != end && *p != 'e'; ++p) {
    if (*p != '.') d.digits[d.count++] = *p;
  }
  if (p != end) std::from_chars(p[1] == '+' ? p + 2 : p + 1, end, d.exponent);
  return d;
}

// `Fixed`; `{"SlidingWindow":4}` as `SlidingWindow(4)`; `{"EMA":{"decay":0.99}}` as
// `EMA { decay: 0.99 }`, Rust's debug form, in which attributes hold their numbers already. Other
// JSON as it is.
std::string debug_text(std::string_view json) {
  const auto whole = [&] { return std::string{json}; };
  if (!json.starts_with("{\"") || !json.ends_with('}')) return whole();
  const std::size_t colon = json.find("\":", 2);
  if (colon == std::string_view::npos) return whole();
  const std::string variant{json.substr(2, colon - 2)};
  std::string_view value = json.substr(colon + 2, json.size() - colon - 3);
  if (!value.starts_with('{')) return variant + '(' + std::string{value} + ')';
  if (!value.starts_with("{\"")) return whole();
  value = value.substr(1, value.size() - 2);
  std::string text = variant + " { ";
  for (bool first = true; !value.empty(); first = false) {
    const std::size_t end = value.find("\":");
    if (value.front() != '"' || end == std::string_view::npos) return whole();
    const std::size_t comma = std::min(value.find(',', end), value.size());
    if (!first) text += ", ";
    (text += value.substr(1, end - 1)) += ": ";
    text += value.substr(end + 2, comma - end - 2);
    value.remove_prefix(std::min(comma + 1, value.size()));
  }
  return text + " }";
}

void append_hex(std::string& out, std::uint64_t value) {
  std::array<char, 16> text;
  const auto [end, status] = std::to_chars(text.data(), text.data() + text.size(), value, 16);
  static_cast<void>(status);
  (out += "0x").append(text.data(), end);
}

std::string lower_case(std::string_view s) {
  std::string text{s};
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

// Elements of a compact JSON array.
std::size_t json_array_size(std::string_view json) {
  if (json.size() <= 2) return 0;
  std::size_t count = 1;
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_text) {
      if (c == '\\') ++i;
      if (c == '"') in_text = false;
    } else if (c == '"') {
      in_text = true;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 1) {
      ++count;
    }
  }
  return count;
}

std::string format_text(std::string_view json) {
  const auto exponent = number_in(json, "exp_bits");
  const auto mantissa = number_in(json, "mant_bits");
  if (!exponent || !mantissa) return std::string{json};
  return 'f' + std::to_string(1 + *exponent + *mantissa) + 'e' + std::to_string(*exponent) + 'm' +
         std::to_string(*mantissa);
}

std::string layout_text(std::string_view json) {
  if (const auto block = number_in(json, "block")) return "mx_e8m0/" + std::to_string(*block);
  if (const auto group = number_in(json, "group")) return "nvfp4/" + std::to_string(*group);
  return std::string{json};
}

std::string codebook_text(std::string_view json) {
  const auto entries = number_in(json, "num_entries");
  const auto width = number_in(json, "entry_dim");
  if (!entries || !width) return std::string{json};
  return "codebook:" + std::to_string(*entries) + "\u00d7" + std::to_string(*width);
}

void append_value(std::string& out, const rlx_attribute& a, std::string_view separator = ", ") {
  const auto list = [&](const auto* values, auto&& append) {
    out += '[';
    for (std::uint64_t i = 0; i < a.count; ++i) {
      if (i != 0) out += separator;
      append(values[i]);
    }
    out += ']';
  };
  const auto number = [&](auto value) { out += std::to_string(value); };
  const auto flag = [&](std::uint64_t value) { out += value != 0 ? "true" : "false"; };
  const auto real = [&](double value) { append_f32_text(out, static_cast<float>(value)); };
  const auto text = [&](const rlx_string& value) { out += view_of(value); };
  switch (a.type) {
    case RLX_ATTRIBUTE_U64:
    case RLX_ATTRIBUTE_BYTES:
      return number(a.value.u64);
    case RLX_ATTRIBUTE_I64:
      return number(a.value.i64);
    case RLX_ATTRIBUTE_F64:
      return real(a.value.f64);
    case RLX_ATTRIBUTE_BOOL:
      return flag(a.value.u64);
    case RLX_ATTRIBUTE_TEXT:
    case RLX_ATTRIBUTE_JSON:
      return text(a.value.text);
    case RLX_ATTRIBUTE_ARRAY | RLX_ATTRIBUTE_U64:
      return list(a.value.u64s, number);
    case RLX_ATTRIBUTE_ARRAY | RLX_ATTRIBUTE_I64:
      return list(a.value.i64s, number);
    case RLX_ATTRIBUTE_ARRAY | RLX_ATTRIBUTE_F64:
      return list(a.value.f64s, real);
    case RLX_ATTRIBUTE_ARRAY | RLX_ATTRIBUTE_BOOL:
      return list(a.value.u64s, flag);
    case RLX_ATTRIBUTE_ARRAY | RLX_ATTRIBUTE_TEXT:
      return list(a.value.texts, text);
    default:
      out += '?';
  }
}

bool is_text(const rlx_attribute& a) {
  return a.type == RLX_ATTRIBUTE_TEXT || a.type == RLX_ATTRIBUTE_JSON;
}

// `nomask`, `causal`, `sw=W`, `bias`, `custom`; other masks as they are written.
std::string mask_word(const op_fields& fields, std::string_view field, const rlx_attribute& a) {
  using enum mask_kind;
  if (!is_text(a)) return "?";
  const mask_field mask = fields.mask(field);
  switch (mask.kind) {
    case none:
      return "nomask";
    case causal:
      return "causal";
    case sliding_window:
      return "sw=" + std::to_string(mask.window);
    case custom:
      return "custom";
    case bias:
      return "bias";
    case unknown:
      break;
  }
  return std::string{view_of(a.value.text)};
}

// Per tensor the one scale, per channel how many there are.
std::string quantized_text(const op_fields& fields) {
  const rlx_attribute* const axis = fields.find("axis");
  const rlx_attribute* const scales = fields.find("scales");
  const bool has_scales =
      scales != nullptr && scales->type == (RLX_ATTRIBUTE_ARRAY | RLX_ATTRIBUTE_F64);
  std::string text;
  if (axis != nullptr) {
    append_value(text += "axis=", *axis);
    return text + ",nch=" + std::to_string(has_scales ? scales->count : 0);
  }
  text = "s=";
  if (has_scales && scales->count > 0) {
    append_f32_text(text, static_cast<float>(scales->value.f64s[0]));
  } else {
    text += '?';
  }
  return text;
}

// The value in the form named; nothing where the form leaves it out.
std::optional<std::string> formed(const op_fields& fields, std::string_view field,
                                  std::string_view form, const rlx_attribute& a) {
  std::string text;
  const auto words = is_text(a) ? view_of(a.value.text) : std::string_view{};
  if (form.empty()) {
    append_value(text, a);
  } else if (form == "tight") {
    append_value(text, a, ",");
  } else if (form == "lower") {
    text = lower_case(words);
  } else if (form == "count") {
    text = std::to_string(json_array_size(words));
  } else if (form == "hex" || form == "nonzero_hex") {
    if (a.type != RLX_ATTRIBUTE_U64) return "?";
    if (form == "nonzero_hex" && a.value.u64 == 0) return std::nullopt;
    append_hex(text, a.value.u64);
  } else if (form == "positive") {
    if (a.type != RLX_ATTRIBUTE_U64) return "?";
    if (a.value.u64 == 0) return std::nullopt;
    append_value(text, a);
  } else if (form == "below_one") {
    if (a.type != RLX_ATTRIBUTE_F64 || a.value.f64 >= 1) return std::nullopt;
    append_value(text, a);
  } else if (form == "mask") {
    // Alone of all masks Custom has no word here.
    text = mask_word(fields, field, a);
    if (text == "custom") return std::nullopt;
  } else if (form == "mask_word") {
    text = mask_word(fields, field, a);
  } else if (form == "debug") {
    text = debug_text(words);
  } else if (form == "spaced") {
    for (const char c : words) (text += c) += c == ',' ? " " : "";
  } else if (form == "prologue") {
    if (words == "None") return std::nullopt;
    text = words == "ResizeNearest2x" ? "resize2x" : std::string{words};
  } else if (form == "scheme") {
    const auto scheme = find_quant_scheme(
        a.type == RLX_ATTRIBUTE_JSON ? std::string{words} : '"' + std::string{words} + '"');
    text = scheme ? scheme->text : std::string{words};
  } else if (form == "format") {
    text = a.type == RLX_ATTRIBUTE_JSON ? format_text(words) : lower_case(words);
  } else if (form == "layout") {
    text = words == "PerTensor" ? "per_tensor" : layout_text(words);
  } else if (form == "codebook") {
    text = codebook_text(words);
  }
  return text;
}

// ---- templates

class filler {
 public:
  filler(std::string& out, const storage& s, op_id op) : out_{out}, storage_{s}, op_{op} {}

  void fill(std::string_view text) {
    while (!text.empty()) {
      const std::size_t open = std::min(text.find('{'), text.size());
      out_ += text.substr(0, open);
      text.remove_prefix(open);
      if (text.empty()) return;
      const std::size_t close = text.find('}');
      fill_hole(text.substr(1, close - 1));
      text.remove_prefix(close + 1);
    }
  }

 private:
  static std::string_view cut(std::string_view& rest, char at) {
    const std::size_t end = std::min(rest.find(at), rest.size());
    const std::string_view head = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return head;
  }

  void fill_hole(std::string_view hole) {
    if (hole.find('?') != std::string_view::npos) {
      const std::string_view field = cut(hole, '?');
      const std::string_view yes = cut(hole, ':');
      const rlx_attribute* const a = fields_.find(field);
      const bool set = a != nullptr && a->type == RLX_ATTRIBUTE_BOOL && a->value.u64 != 0;
      out_ += set ? yes : hole;
      return;
    }
    const bool optional = hole.find('|') != std::string_view::npos;
    std::string_view head = cut(hole, '|');
    const std::string_view before = cut(hole, '|');
    const std::string_view field = cut(head, '/');
    if (head == "body") {
      if (has_body(field)) out_ += before;
      return;
    }
    if (head == "quantized") {
      out_ += quantized_text(fields_);
      return;
    }
    const rlx_attribute* const a = fields_.find(field);
    const auto value = a != nullptr ? formed(fields_, field, head, *a) : std::nullopt;
    if (!optional) {
      out_ += value.value_or("?");
    } else if (value) {
      ((out_ += before) += *value) += hole;
    }
  }

  bool has_body(std::string_view role) const {
    const operation& op = storage_.op(op_);
    const auto* const first = storage_.nested().data() + op.nested_begin;
    return std::any_of(first, first + op.nested_count,
                       [&](const nested_graph& n) { return n.role == role; });
  }

  std::string& out_;
  const storage& storage_;
  op_id op_;
  op_fields fields_{storage_, op_};
};

void append_from(std::span<const text_template> table, std::string& out, const storage& s,
                 op_id op) {
  const std::string_view kind = s.op(op).kind_text;
  const auto found =
      std::ranges::find_if(table, [&](const text_template& t) { return t.kind == kind; });
  if (found == table.end()) {
    out += kind;
  } else {
    filler{out, s, op}.fill(found->text);
  }
}

}  // namespace

void append_f32_text(std::string& out, float value) {
  if (std::isnan(value)) {
    out += "NaN";
    return;
  }
  if (std::signbit(value)) out += '-';
  const float magnitude = std::fabs(value);
  if (std::isinf(magnitude)) {
    out += "inf";
    return;
  }
  const decimal d = shortest(magnitude);
  const std::string_view digits{d.digits.data(), d.count};
  if (d.exponent < 0) {
    out += "0.";
    out.append(static_cast<std::size_t>(-d.exponent - 1), '0');
    out += digits;
    return;
  }
  const auto whole = static_cast<std::size_t>(d.exponent) + 1;
  out += digits.substr(0, whole);
  if (whole > digits.size()) out.append(whole - digits.size(), '0');
  if (whole < digits.size()) (out += '.') += digits.substr(whole);
}

void append_op_text(std::string& out, const storage& s, op_id op) {
  append_from(mir_texts, out, s, op);
}

void append_block_text(std::string& out, const storage& s, op_id op) {
  const std::string_view kind = s.op(op).kind_text;
  if (kind == "Input" || kind == "Param") return append_op_text(out, s, op);
  append_from(block_texts, out, s, op);
}

}  // namespace rlx
