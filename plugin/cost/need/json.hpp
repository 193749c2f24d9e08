// Reads attributes that travel as compact JSON: an enumeration whose variant carries numbers, and
// the lists of steps of regions. Not a JSON parser: it knows just these forms and refuses the rest,
// so that the plugin needs no library in the compiler's process.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace opscope::need {

class scanner {
 public:
  explicit scanner(std::string_view text) : rest_{text} {}

  bool is_at_end() const { return rest_.empty(); }
  bool is_next(char c) const { return !rest_.empty() && rest_.front() == c; }
  bool take(char c) {
    if (!is_next(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // A quoted name; none of those known here holds an escape.
  std::optional<std::string_view> take_name() {
    if (!take('"')) return std::nullopt;
    const std::size_t end = rest_.find('"');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view name = rest_.substr(0, end);
    if (name.find('\\') != std::string_view::npos) return std::nullopt;
    rest_.remove_prefix(end + 1);
    return name;
  }
  std::optional<std::uint64_t> take_number() {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{}) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  // A number with a sign or a fraction, whose value does not matter here.
  bool skip_number() {
    const std::size_t end = rest_.find_first_not_of("+-.0123456789eE");
    if (end == 0 || rest_.empty()) return false;
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end);
    return true;
  }

 private:
  std::string_view rest_;
};

// `Name` (a text attribute), `{"Name":7}` or `{"Name":{"field":7,..}}`.
struct variant {
  std::string_view name;
  std::optional<std::uint64_t> value;
  std::vector<std::pair<std::string_view, std::uint64_t>> fields;  // those with plain numbers

  std::optional<std::uint64_t> field(std::string_view of) const {
    for (const auto& [key, number] : fields) {
      if (key == of) return number;
    }
    return std::nullopt;
  }
};

// Nothing where `text` is of neither form.
inline std::optional<variant> read_variant(std::string_view text) {
  if (text.empty()) return std::nullopt;
  variant v;
  if (text.front() != '{') {
    v.name = text;
    return v;
  }
  scanner s{text};
  s.take('{');
  const auto name = s.take_name();
  if (!name || !s.take(':')) return std::nullopt;
  v.name = *name;
  if (s.take('{')) {
    while (!s.is_next('}')) {
      const auto key = s.take_name();
      if (!key || !s.take(':')) return std::nullopt;
      scanner number = s;
      const auto value = number.take_number();
      if (value && (number.is_next(',') || number.is_next('}'))) {
        v.fields.emplace_back(*key, *value);
        s = number;
      } else if (!s.skip_number()) {
        return std::nullopt;
      }
      if (!s.take(',') && !s.is_next('}')) return std::nullopt;
    }
    s.take('}');
  } else {
    v.value = s.take_number();
    if (!v.value) return std::nullopt;
  }
  if (!s.take('}') || !s.is_at_end()) return std::nullopt;
  return v;
}

}  // namespace opscope::need
