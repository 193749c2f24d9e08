#include "host/read/json.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <new>

#include "host/error.hpp"
#include "host/graph/column.hpp"

namespace rlx::json {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The length of the well-formed UTF-8 sequence at the start of `s`, or 0.
std::size_t utf8_length(std::string_view s) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char first = at(0);
  if (first < 0x80) return 1;
  const std::size_t n = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || s.size() < n) return 0;
  for (std::size_t i = 1; i < n; ++i) {
    if ((at(i) & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (first == 0xe0 && at(1) < 0xa0) || (first == 0xf0 && at(1) < 0x90);
  const bool surrogate = first == 0xed && at(1) > 0x9f;
  const bool beyond = first == 0xf4 && at(1) > 0x8f;
  return overlong || surrogate || beyond ? 0 : n;
}

std::size_t find_bad_utf8(std::string_view s) {
  std::size_t i = 0;
  while (i < s.size()) {
    const std::size_t n = utf8_length(s.substr(i));
    if (n == 0) break;
    i += n;
  }
  return i;
}

// The first control character inside a string.
std::size_t find_control_character(std::string_view s) {
  bool in_string = false;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '"') {
      in_string = !in_string;
    } else if (in_string && s[i] == '\\') {
      ++i;
    } else if (in_string && static_cast<unsigned char>(s[i]) < 0x20) {
      return i;
    }
  }
  return s.size();
}

// Where the decimal point of a number's first significant digit lies: the e of d.ddd * 10^e.
// Nothing for zero. Saturates.
std::optional<std::int64_t> decimal_exponent(std::string_view number) {
  std::int64_t exponent = -1;
  std::int64_t before_point = 0;
  std::int64_t leading_zeros = 0;
  bool point = false;
  bool significant = false;
  std::size_t i = number.front() == '-' ? 1 : 0;
  for (; i < number.size() && number[i] != 'e' && number[i] != 'E'; ++i) {
    if (number[i] == '.') {
      point = true;
      continue;
    }
    significant = significant || number[i] != '0';
    if (!point && significant) ++before_point;
    if (point && !significant) ++leading_zeros;
  }
  if (!significant) return std::nullopt;
  exponent = before_point > 0 ? before_point - 1 : -leading_zeros - 1;
  if (i < number.size()) {
    ++i;
    if (number[i] == '+') ++i;
    std::int64_t written = 0;
    const auto r = std::from_chars(number.data() + i, number.data() + number.size(), written);
    constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max() / 2;
    if (r.ec != std::errc{}) written = number[i] == '-' ? -huge : huge;
    written = std::clamp(written, -huge, huge);
    exponent += written;
  }
  return exponent;
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6);
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

std::optional<std::uint32_t> parse_hex4(std::string_view s) {
  if (s.size() < 4) return std::nullopt;
  std::uint32_t code = 0;
  const auto r = std::from_chars(s.data(), s.data() + 4, code, 16);
  if (r.ec != std::errc{} || r.ptr != s.data() + 4 || s[0] == '-') return std::nullopt;
  return code;
}

// Takes one `\uXXXX`, or a pair of them, off the front of `s` (which starts at the u).
bool append_unicode_escape(std::string& out, std::string_view& s) {
  const auto code = parse_hex4(s.substr(1));
  if (!code) return false;
  s.remove_prefix(5);
  if (*code >= 0xdc00 && *code < 0xe000) return false;
  if (*code < 0xd800 || *code >= 0xe000) {
    append_utf8(out, *code);
    return true;
  }
  if (!s.starts_with("\\u")) return false;
  const auto low = parse_hex4(s.substr(2));
  if (!low || *low < 0xdc00 || *low >= 0xe000) return false;
  s.remove_prefix(6);
  append_utf8(out, 0x10000 + ((*code - 0xd800) << 10) + (*low - 0xdc00));
  return true;
}

bool append_unescaped(std::string& out, std::string_view s) {
  while (!s.empty()) {
    const std::size_t plain = std::min(s.find('\\'), s.size());
    out += s.substr(0, plain);
    s.remove_prefix(plain);
    if (s.empty()) break;
    s.remove_prefix(1);
    if (s.empty()) return false;
    if (s.front() == 'u') {
      if (!append_unicode_escape(out, s)) return false;
      continue;
    }
    constexpr std::string_view escapes = "\"\\/bfnrt";
    constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    const std::size_t i = escapes.find(s.front());
    if (i == std::string_view::npos) return false;
    out += meanings[i];
    s.remove_prefix(1);
  }
  return true;
}

// The closing quote of the string whose content starts at `p` (stage 1 has found one).
const char* find_quote(const char* p, const char* end) {
  while (true) {
    const void* quote = std::memchr(p, '"', static_cast<std::size_t>(end - p));
    if (quote == nullptr) return end;
    const char* q = static_cast<const char*>(quote);
    std::size_t backslashes = 0;
    while (q - backslashes > p && q[-1 - static_cast<std::ptrdiff_t>(backslashes)] == '\\') {
      ++backslashes;
    }
    if (backslashes % 2 == 0) return q;
    p = q + 1;
  }
}

constexpr const char* corrupt = ", the file is damaged or no RLX JSON: write it again";

}  // namespace

buffer make_buffer(std::uint64_t n) {
  if (n > max_bytes) {
    throw error{"module: " + std::to_string(n) +
                " bytes are more than the 4 GiB that one JSON module may have, split the module"};
  }
  try {
    const auto size = static_cast<std::size_t>(n);
    const std::size_t padded = size + simdjson::SIMDJSON_PADDING;
    const auto free = [padded](char* memory) { free_large(memory, padded); };
    buffer b{std::shared_ptr<char[]>{static_cast<char*>(allocate_large(padded)), free}, size};
    std::memset(b.data.get() + size, 0, simdjson::SIMDJSON_PADDING);
    return b;
  } catch (const std::bad_alloc&) {
    throw error{"module: no memory for its " + std::to_string(n) + " bytes, free some and repeat"};
  }
}

buffer compact(std::string_view text) {
  buffer b = make_buffer(text.size());
  std::size_t size = 0;
  if (simdjson::minify(text.data(), text.size(), b.data.get(), size) != simdjson::SUCCESS) {
    throw error{"module: cannot be compacted, write it without white space"};
  }
  std::memset(b.data.get() + size, 0, b.size - size + simdjson::SIMDJSON_PADDING);
  b.size = size;
  return b;
}

document::document(std::string_view text) : text_{text} {
  const simdjson::padded_string_view padded{text.data(), text.size(),
                                            text.size() + simdjson::SIMDJSON_PADDING};
  // Twice our limit, so that ours is the one that is met (the parser only asserts its own).
  if (const auto e = parser_.allocate(text.size(), 2 * max_depth)) fail(e);
  if (const auto e = parser_.iterate(padded).get(document_)) fail(e);
}

od::object document::root() {
  document_.rewind();
  od::json_type t{};
  if (document_.type().get(t) != simdjson::SUCCESS || t != od::json_type::object) {
    fail_at(text_.data() + std::min(text_.find_first_not_of(" \t\r\n"), text_.size()),
            "no JSON object, give a module as RLX writes it (HIR, MIR or LIR JSON)");
  }
  od::object o;
  if (const auto e = document_.get_object().get(o)) fail(e);
  return o;
}

void document::expect_end() {
  const char* position = text_.data();
  if (document_.current_location().get(position) == simdjson::OUT_OF_BOUNDS) return;
  fail_at(position, std::string{"text after the module's end"} + corrupt);
}

void document::fail(simdjson::error_code code) {
  switch (code) {
    case simdjson::EMPTY:
      throw error{
          "module: the text is empty, give a module as RLX writes it (HIR, MIR or LIR JSON)"};
    case simdjson::UTF8_ERROR:
      fail_at(text_.data() + find_bad_utf8(text_), std::string{"not UTF-8"} + corrupt);
    case simdjson::UNESCAPED_CHARS:
      fail_at(text_.data() + find_control_character(text_),
              "a raw control character inside a string, write it as \\u00XX");
    case simdjson::UNCLOSED_STRING:
      throw error{"module: the text ends inside a string, the file is cut short: write it again"};
    case simdjson::CAPACITY:
      make_buffer(std::numeric_limits<std::uint64_t>::max());
      break;
    case simdjson::MEMALLOC:
      throw error{"module: no memory to parse its " + std::to_string(text_.size()) +
                  " bytes, free some and repeat"};
    case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
      throw error{"module: the text ends too early, the file is cut short: write it again"};
    default:
      break;
  }
  const char* position = text_.data() + text_.size();
  if (document_.current_location().get(position) != simdjson::SUCCESS) {
    position = text_.data() + text_.size();
  }
  if (position >= text_.data() + text_.size()) {
    throw error{"module: the text ends too early, the file is cut short: write it again"};
  }
  fail_at(position, std::string{"not valid JSON here"} + corrupt);
}

void document::fail_at(const char* position, const std::string& what) const {
  const auto offset = std::min(
      static_cast<std::size_t>(std::max<std::ptrdiff_t>(position - text_.data(), 0)), text_.size());
  const std::string_view before = text_.substr(0, offset);
  const auto line = 1 + std::ranges::count(before, '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  throw error{"byte " + std::to_string(offset) + " (line " + std::to_string(line) + ", column " +
              std::to_string(offset - line_start + 1) + "): " + what};
}

void note_book::note(const place& at, std::string_view subject, const std::string& what) {
  constexpr std::size_t most = 16;
  if (notes_.size() >= most) return;
  if (subjects_.insert(std::string{subject.substr(0, 200)}).second) {
    notes_.push_back(at.text() + ": " + what);
  }
}

std::string_view token(context& c, od::value& v) {
  std::string_view raw = v.raw_json_token();
  if (raw.front() == '"') {
    od::raw_json_string unused;
    if (const auto e = v.get_raw_json_string().get(unused)) c.doc.fail(e);
  }
  while (raw.size() > 1 && is_space(raw.back())) raw.remove_suffix(1);
  return raw;
}

od::json_type type(context& c, od::value& v) {
  od::json_type t{};
  if (const auto e = v.type().get(t)) {
    c.doc.fail_at(v.raw_json_token().data(), std::string{"not valid JSON here"} + corrupt);
    (void)e;
  }
  return t;
}

std::string describe(context& c, od::value& v) {
  switch (type(c, v)) {
    case od::json_type::object:
      return "an object";
    case od::json_type::array:
      return "a list";
    default: {
      const std::string_view t = token(c, v);
      return t.front() == '"' ? quoted(t.substr(1, t.size() - 2))
                              : std::string{t.substr(0, 40)} + (t.size() > 40 ? "..." : "");
    }
  }
}

bool is_null(std::string_view token) { return token == "null"; }

bool is_number(std::string_view t) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t first = i;
    while (i < t.size() && is_digit(t[i])) ++i;
    return i - first;
  };
  if (i < t.size() && t[i] == '-') ++i;
  const std::size_t first = i;
  const std::size_t whole = digits();
  if (whole == 0 || (whole > 1 && t[first] == '0')) return false;
  if (i < t.size() && t[i] == '.') {
    ++i;
    if (digits() == 0) return false;
  }
  if (i < t.size() && (t[i] == 'e' || t[i] == 'E')) {
    ++i;
    if (i < t.size() && (t[i] == '+' || t[i] == '-')) ++i;
    if (digits() == 0) return false;
  }
  return i == t.size();
}

std::optional<std::uint64_t> parse_u64(std::string_view t) {
  if (t.empty() || t.size() > 20 || (t.size() > 1 && t[0] == '0')) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : t) {
    if (!is_digit(c) || __builtin_mul_overflow(value, 10u, &value) ||
        __builtin_add_overflow(value, static_cast<std::uint64_t>(c - '0'), &value)) {
      return std::nullopt;
    }
  }
  return value;
}

std::optional<std::int64_t> parse_i64(std::string_view t) {
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const bool negative = t.starts_with('-');
  const auto magnitude = parse_u64(negative ? t.substr(1) : t);
  if (!magnitude || (negative && *magnitude == 0)) return std::nullopt;
  if (*magnitude > largest + (negative ? 1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(negative ? 0 - *magnitude : *magnitude);
}

std::optional<float> parse_f32(std::string_view t) {
  if (!is_number(t)) return std::nullopt;
  float value = 0;
  const auto r = std::from_chars(t.data(), t.data() + t.size(), value);
  if (r.ec == std::errc::result_out_of_range) {
    const auto exponent = decimal_exponent(t);
    if (exponent && *exponent > 0) return std::nullopt;
    return t.front() == '-' ? -0.0f : 0.0f;
  }
  if (r.ec != std::errc{} || r.ptr != t.data() + t.size()) return std::nullopt;
  if (value - value != 0) return std::nullopt;  // rounded to infinity
  return value;
}

std::optional<std::string_view> unescape(rlx::storage& s, std::string_view t) {
  if (t.size() < 2 || t.front() != '"' || t.back() != '"') return std::nullopt;
  const std::string_view raw = t.substr(1, t.size() - 2);
  if (std::memchr(raw.data(), '\\', raw.size()) == nullptr) return raw;
  std::string text;
  if (!append_unescaped(text, raw)) return std::nullopt;
  return s.keep(text);
}

std::string_view key_text(context& c, od::field& field) {
  const char* const first = field.key().raw();
  const char* const quote = find_quote(first, c.doc.text().data() + c.doc.text().size());
  const std::string_view whole{first - 1, static_cast<std::size_t>(quote - first) + 2};
  const auto text = unescape(c.store, whole);
  if (!text) c.doc.fail_at(first, std::string{"a wrong escape in a member's name"} + corrupt);
  return *text;
}

void fail_not(context& c, od::value& v, const place& at, const char* wanted) {
  at.fail(describe(c, v) + " is not " + wanted + ", write one there");
}

void fail_twice(const place& at, std::string_view name) {
  at.fail("the member " + quoted(name) + " occurs twice, leave one of them out");
}

void fail_missing(const place& at, std::string_view name) {
  at.fail("the member " + quoted(name) + " is missing, add it as RLX writes it");
}

od::object read_object(context& c, od::value& v, const place& at) {
  if (type(c, v) != od::json_type::object) fail_not(c, v, at, "an object");
  od::object o;
  if (const auto e = v.get_object().get(o)) c.doc.fail(e);
  return o;
}

od::array read_array(context& c, od::value& v, const place& at) {
  if (type(c, v) != od::json_type::array) fail_not(c, v, at, "a list");
  od::array array;
  if (const auto e = v.get_array().get(array)) c.doc.fail(e);
  return array;
}

std::uint64_t read_u64(context& c, od::value& v, const place& at) {
  if (type(c, v) == od::json_type::number) {
    if (const auto value = parse_u64(token(c, v))) return *value;
  }
  fail_not(c, v, at, "an unsigned 64-bit integer");
}

std::uint32_t read_u32(context& c, od::value& v, const place& at) {
  if (type(c, v) == od::json_type::number) {
    const auto value = parse_u64(token(c, v));
    if (value && *value <= std::numeric_limits<std::uint32_t>::max()) {
      return static_cast<std::uint32_t>(*value);
    }
  }
  fail_not(c, v, at, "an unsigned 32-bit integer");
}

std::string_view read_string(context& c, od::value& v, const place& at) {
  if (type(c, v) != od::json_type::string) fail_not(c, v, at, "a text");
  const std::string_view t = token(c, v);
  const auto text = unescape(c.store, t);
  if (!text) {
    c.doc.fail_at(t.data(), at.text() + " has a wrong escape" + corrupt);
  }
  return *text;
}

std::optional<std::string_view> read_optional_string(context& c, od::value& v, const place& at) {
  if (type(c, v) == od::json_type::null && is_null(token(c, v))) return std::nullopt;
  if (type(c, v) != od::json_type::string) fail_not(c, v, at, "a text or null");
  return read_string(c, v, at);
}

void check(context& c, od::value v, const place& at, unsigned depth) {
  if (depth > max_depth) {
    at.fail("JSON nested more than " + std::to_string(max_depth) +
            " deep, which is beyond this reader's limit: flatten it");
  }
  switch (type(c, v)) {
    case od::json_type::object: {
      od::object o = read_object(c, v, at);
      each_member(c, o, [&](std::string_view, od::value& m) { check(c, m, at, depth + 1); });
      break;
    }
    case od::json_type::array:
      each_element(c, v, at, [&](od::value& e, std::uint64_t) { check(c, e, at, depth + 1); });
      break;
    case od::json_type::string:
      read_string(c, v, at);
      break;
    case od::json_type::number: {
      const std::string_view t = token(c, v);
      if (!is_number(t)) c.doc.fail_at(t.data(), std::string{"not a JSON number"} + corrupt);
      break;
    }
    default: {
      const std::string_view t = token(c, v);
      if (t != "null" && t != "true" && t != "false") {
        c.doc.fail_at(t.data(), std::string{"not valid JSON here"} + corrupt);
      }
    }
  }
}

}  // namespace rlx::json
