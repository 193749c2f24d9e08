// Reads the fields of one operation by name and type, from its attributes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "host/graph/storage.hpp"

namespace rlx {

// A mask kind in its serde form, under whichever field it stands.
enum class mask_kind { none, causal, sliding_window, custom, bias, unknown };
struct mask_field {
  mask_kind kind;
  std::uint64_t window = 0;  // sliding_window only
};

// Readers without a default throw rlx::error, naming the field, where it is missing or of another
// type; with one, null and missing give the default. Valid as long as the storage.
class op_fields {
 public:
  op_fields(const storage& s, op_id op) : storage_{&s}, op_{op} {}

  std::string_view kind() const { return storage_->op(op_).kind_text; }
  bool has(std::string_view name) const { return find(name) != nullptr; }
  std::uint64_t u64(std::string_view name) const;
  std::int64_t i64(std::string_view name) const;
  bool flag(std::string_view name) const;
  bool flag_or(std::string_view name, bool otherwise) const;
  // Fields are f32 in the compiler; null (which stands for a value that was not finite) is refused.
  float f32(std::string_view name) const;
  std::optional<std::string_view> text(std::string_view name) const;
  // A value that is an enum, in its serde form: `"Causal"`, `{"SlidingWindow":4}`.
  std::string json(std::string_view name) const;
  mask_field mask(std::string_view name) const;

  const rlx_attribute* find(std::string_view name) const { return storage_->attribute(op_, name); }
  // Throws where the field is missing.
  const rlx_attribute& at(std::string_view name) const;

 private:
  const storage* storage_;
  op_id op_;
};

inline std::string_view view_of(const rlx_string& s) { return {s.data, s.size}; }

// The number under that key in a small compact JSON object, `{"Int8Block":{"block_size":32}}`.
std::optional<std::uint64_t> number_in(std::string_view json, std::string_view key);

}  // namespace rlx
