// Builds the serde form of an operation that lowering makes, field by field in RLX's declaration
// order, in the spelling of the real compiler (so that equal operations have equal text).
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace rlx {

// The shortest decimal that restores the f32, as RLX's writer spells it (`1.0`, `1e-12`); `null`
// where it is not finite.
void append_f32_json(std::string& out, float value);

class op_json {
 public:
  // kind is a plain identifier.
  explicit op_json(std::string_view kind) : text_{"{\""} { (text_ += kind) += "\":{"; }

  op_json& null(std::string_view name) { return raw(name, "null"); }
  op_json& flag(std::string_view name, bool value) { return raw(name, value ? "true" : "false"); }
  op_json& f32(std::string_view name, float value) {
    append_f32_json(open(name), value);
    return *this;
  }
  op_json& number(std::string_view name, std::integral auto value) {
    return raw(name, std::to_string(value));
  }
  op_json& numbers(std::string_view name, std::span<const std::int64_t> values) {
    std::string& out = open(name) += '[';
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i != 0) out += ',';
      out += std::to_string(values[i]);
    }
    out += ']';
    return *this;
  }
  // `json` is one JSON value.
  op_json& raw(std::string_view name, std::string_view json) {
    open(name) += json;
    return *this;
  }
  // The whole; the builder is used up.
  std::string finish() { return std::move(text_ += "}}"); }

 private:
  std::string& open(std::string_view name) {
    if (text_.back() != '{') text_ += ',';
    text_ += '"';
    text_ += name;
    return text_ += "\":";
  }
  std::string text_;
};

}  // namespace rlx
