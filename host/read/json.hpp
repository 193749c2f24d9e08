// The reader's strict face of simdjson's On-Demand parser: every value that is visited is checked
// whole, every failure says where. Stage 1 of the parser has checked UTF-8 and the characters
// inside strings; the rest of the grammar is checked here, since On-Demand itself skips unchecked
// what nobody asks for. Internal to host/read.
#pragma once

#include <simdjson.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "host/error.hpp"
#include "host/graph/storage.hpp"
#include "host/read/place.hpp"

namespace rlx::json {

namespace od = simdjson::ondemand;

inline constexpr unsigned max_depth = 1024;  // of JSON values in values
inline constexpr std::uint64_t max_bytes = 0xffffffff - 64;

// A text with the parser's padding behind it, as one block.
struct buffer {
  std::shared_ptr<char[]> data;
  std::size_t size = 0;
  std::string_view text() const { return {data.get(), size}; }
};
// Room for n bytes, the padding zeroed. Throws rlx::error where n is beyond the reader's limit or
// the memory is not there.
buffer make_buffer(std::uint64_t n);

// Thrown when an operation is written with white space between its tokens: the text is to be
// checked and compacted as a whole and read again, so that operations can be kept as slices of it.
struct not_compact : error {
  not_compact() : error{"module: white space between the tokens of an operation, leave it out"} {}
};
// Without the white space; `text` must be padded and known to be JSON (else tokens would merge).
buffer compact(std::string_view text);

// One text being read. `text` must be padded and stay where it is while the storage lives.
class document {
 public:
  // Throws rlx::error for text that is no JSON.
  explicit document(std::string_view text);
  // The outermost value, which must be an object. May be called again to start over.
  od::object root();
  // The same for an outermost list: calls f(value) for its elements.
  template <class F>
  void each_root_element(F&& f);
  // To be called when the outermost value has been read: nothing may follow it.
  void expect_end();

  std::string_view text() const { return text_; }
  // The parser's complaint as an rlx::error that names the byte, line and column.
  [[noreturn]] void fail(simdjson::error_code code);
  [[noreturn]] void fail_at(const char* position, const std::string& what) const;

 private:
  std::string_view text_;
  od::parser parser_;
  od::document document_;
};

// What the reader met and did not know: see module::notes.
class note_book {
 public:
  // Notes `where: what` once for each `subject`, up to a limit.
  void note(const place& at, std::string_view subject, const std::string& what);
  std::vector<std::string> take() && { return std::move(notes_); }

 private:
  std::vector<std::string> notes_;
  std::unordered_set<std::string> subjects_;
};

// What a reader function needs to know about its surroundings.
struct context {
  document& doc;
  rlx::storage& store;
  note_book& notes;
};

// ---- scalars

// The token's exact text, without the white space behind it. Steps over it where it is a string
// (left unread, On-Demand would take a string before a colon for a key).
std::string_view token(context& c, od::value& v);
od::json_type type(context& c, od::value& v);
// What a value is, for messages: `a text`, `-3`, `an object`.
std::string describe(context& c, od::value& v);

bool is_null(std::string_view token);
// A JSON number, strictly.
bool is_number(std::string_view token);
// Digits only (no sign, no leading zero), and within 64 bits.
std::optional<std::uint64_t> parse_u64(std::string_view token);
// The same with a leading minus allowed (but not -0).
std::optional<std::int64_t> parse_i64(std::string_view token);
// Any JSON number, correctly rounded to f32; below its range ±0, above it nothing.
std::optional<float> parse_f32(std::string_view token);

// The text of a string token (quotes included): a slice of the input, or where it has escapes a
// copy in the storage. Nothing where an escape is wrong.
std::optional<std::string_view> unescape(rlx::storage& s, std::string_view token);

std::uint64_t read_u64(context& c, od::value& v, const place& at);
std::uint32_t read_u32(context& c, od::value& v, const place& at);
std::string_view read_string(context& c, od::value& v, const place& at);
std::optional<std::string_view> read_optional_string(context& c, od::value& v, const place& at);
// Throws unless `v` is well-formed JSON; `depth` is that of v.
void check(context& c, od::value v, const place& at, unsigned depth);

// ---- containers

// Calls f(value, index) for every element.
template <class F>
void each_element(context& c, od::array& array, F&& f);
template <class F>
void each_element(context& c, od::value& v, const place& at, F&& f);
od::array read_array(context& c, od::value& v, const place& at);
// Calls f(key, value) for every member; the key as it stands between its quotes where it has no
// escape, else unescaped.
template <class F>
void each_member(context& c, od::object& o, F&& f);
od::object read_object(context& c, od::value& v, const place& at);
// The text of the array or object `v`, consumed but only its brackets counted, not checked.
template <class Container>
std::string_view raw_text(context& c, Container& container);

// Reads an object with the members `names` in any order: calls f(index into names, value) once for
// each that is there. Unknown members are checked and left; a repeated one is refused. Returns a
// mask of the members seen.
template <std::size_t N, class F>
std::uint32_t read_members(context& c, od::object& o, const place& at,
                           const std::array<std::string_view, N>& names, unsigned depth, F&& f);
// Throws unless all members of `required` (a mask) are in `seen`.
template <std::size_t N>
void require(std::uint32_t seen, std::uint32_t required,
             const std::array<std::string_view, N>& names, const place& at);

// ---- implementation of the templates

inline bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
std::string_view key_text(context& c, od::field& field);
[[noreturn]] void fail_not(context& c, od::value& v, const place& at, const char* wanted);
[[noreturn]] void fail_twice(const place& at, std::string_view name);
[[noreturn]] void fail_missing(const place& at, std::string_view name);

template <class F>
void document::each_root_element(F&& f) {
  od::array array;
  if (const auto e = document_.get_array().get(array)) fail(e);
  for (auto item : array) {
    od::value element;
    if (const auto e = std::move(item).get(element)) fail(e);
    f(element);
  }
}

template <class F>
void each_element(context& c, od::value& v, const place& at, F&& f) {
  od::array array = read_array(c, v, at);
  each_element(c, array, f);
}

template <class F>
void each_element(context& c, od::array& array, F&& f) {
  std::uint64_t index = 0;
  for (auto item : array) {
    od::value element;
    if (const auto e = std::move(item).get(element)) c.doc.fail(e);
    f(element, index++);
  }
}

template <class F>
void each_member(context& c, od::object& o, F&& f) {
  for (auto item : o) {
    od::field field;
    if (const auto e = std::move(item).get(field)) c.doc.fail(e);
    const std::string_view key = key_text(c, field);
    f(key, field.value());
  }
}

template <class Container>
std::string_view raw_text(context& c, Container& container) {
  std::string_view raw;
  if (const auto e = container.raw_json().get(raw)) c.doc.fail(e);
  while (!raw.empty() && is_space(raw.back())) raw.remove_suffix(1);
  if (raw.empty() || (raw.back() != '}' && raw.back() != ']')) c.doc.fail(simdjson::TAPE_ERROR);
  return raw;
}

template <std::size_t N, class F>
std::uint32_t read_members(context& c, od::object& o, const place& at,
                           const std::array<std::string_view, N>& names, unsigned depth, F&& f) {
  static_assert(N < 32);
  std::uint32_t seen = 0;
  std::size_t next = 0;  // RLX writes the members in this order
  std::unordered_set<std::string_view> unknown;
  each_member(c, o, [&](std::string_view key, od::value& v) {
    std::size_t i = next;
    if (i >= N || names[i] != key) {
      for (i = 0; i < N && names[i] != key; ++i) {
      }
    }
    if (i == N) {
      if (!unknown.insert(key).second) fail_twice(at, key);
      check(c, v, place::member(at, key), depth + 1);
      c.notes.note(at, key, "the member " + quoted(key) + " is not known here and left out");
      return;
    }
    if ((seen >> i & 1) != 0) fail_twice(at, key);
    seen |= 1u << i;
    next = i + 1;
    f(i, v);
  });
  return seen;
}

template <std::size_t N>
void require(std::uint32_t seen, std::uint32_t required,
             const std::array<std::string_view, N>& names, const place& at) {
  const std::uint32_t missing = required & ~seen;
  if (missing == 0) return;
  fail_missing(at, names[static_cast<std::size_t>(__builtin_ctz(missing))]);
}

}  // namespace rlx::json
