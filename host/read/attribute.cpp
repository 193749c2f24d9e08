#include "host/read/attribute.hpp"

#include <algorithm>
#include <vector>

#include "host/read/canonical.hpp"

namespace rlx::json {

namespace {

rlx_string lend(std::string_view s) { return {s.data(), s.size()}; }

// The length of a list of bytes (numbers 0..255), read off its text; nothing where it is another
// list. Constants are kept as this text, so that no number becomes an object.
std::optional<std::uint64_t> count_bytes(std::string_view list) {
  const char* p = list.data() + 1;
  const char* const end = list.data() + list.size() - 1;
  const auto skip_space = [&] {
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) ++p;
  };
  skip_space();
  if (p == end) return 0;
  std::uint64_t count = 0;
  while (true) {
    const char* const first = p;
    unsigned value = 0;
    while (p < end && p - first < 3 && *p >= '0' && *p <= '9') {
      value = value * 10 + static_cast<unsigned>(*p++ - '0');
    }
    if (p == first || value > 255 || (*first == '0' && p - first > 1)) return std::nullopt;
    ++count;
    if (p == end) return count;
    if (*p != ',') {
      skip_space();
      if (p == end) return count;
      if (*p != ',') return std::nullopt;
    }
    ++p;
    if (p < end && *p <= ' ') skip_space();
  }
}

template <class T>
const T* keep_array(storage& s, const std::vector<T>& values) {
  const std::span<T> copy = s.allocate<T>(std::max<std::size_t>(values.size(), 1));
  std::ranges::copy(values, copy.begin());
  return copy.data();
}

void set_array(storage& s, const std::vector<std::uint64_t>& v, rlx_attribute_type element,
               rlx_attribute& a) {
  a.type = element | RLX_ATTRIBUTE_ARRAY;
  a.count = v.size();
  a.value.u64s = keep_array(s, v);
}
void set_array(storage& s, const std::vector<std::int64_t>& v, rlx_attribute& a) {
  a.type = RLX_ATTRIBUTE_I64 | RLX_ATTRIBUTE_ARRAY;
  a.count = v.size();
  a.value.i64s = keep_array(s, v);
}
void set_array(storage& s, const std::vector<double>& v, rlx_attribute& a) {
  a.type = RLX_ATTRIBUTE_F64 | RLX_ATTRIBUTE_ARRAY;
  a.count = v.size();
  a.value.f64s = keep_array(s, v);
}
void set_array(storage& s, const std::vector<rlx_string>& v, rlx_attribute& a) {
  a.type = RLX_ATTRIBUTE_TEXT | RLX_ATTRIBUTE_ARRAY;
  a.count = v.size();
  a.value.texts = keep_array(s, v);
}

// Reads a list with `one`, which turns an element into a T or nothing.
template <class T, class F>
std::optional<std::vector<T>> read_list(context& c, od::array& list, F&& one) {
  std::vector<T> values;
  bool good = true;
  each_element(c, list, [&](od::value& e, std::uint64_t) {
    if (!good) return;
    const std::optional<T> value = one(e);
    if (value) {
      values.push_back(*value);
    } else {
      good = false;
    }
  });
  if (!good) return std::nullopt;
  return values;
}

std::optional<std::uint64_t> as_boolean(std::string_view t) {
  if (t == "true") return 1;
  if (t == "false") return 0;
  return std::nullopt;
}

std::optional<double> as_f64(std::string_view t) {
  const auto value = parse_f32(t);
  return value ? std::optional{static_cast<double>(*value)} : std::nullopt;
}

attribute_state read_typed_list(context& c, od::array& list, const place& at, field_type element,
                                rlx_attribute& a) {
  const auto scalar = [&](auto parse) {
    return [&c, parse](od::value& e) -> decltype(parse(std::string_view{})) {
      const od::json_type t = type(c, e);
      if (t == od::json_type::object || t == od::json_type::array) return std::nullopt;
      return parse(token(c, e));
    };
  };
  const auto set = [&](const auto& values, auto&&... more) {
    if (!values) return attribute_state::wrong_type;
    set_array(c.store, *values, more..., a);
    return attribute_state::present;
  };
  switch (element) {
    case field_type::u64:
      return set(read_list<std::uint64_t>(c, list, scalar(parse_u64)), RLX_ATTRIBUTE_U64);
    case field_type::i64:
      return set(read_list<std::int64_t>(c, list, scalar(parse_i64)));
    case field_type::f32:
      return set(read_list<double>(c, list, scalar(as_f64)));
    case field_type::boolean:
      return set(read_list<std::uint64_t>(c, list, scalar(as_boolean)), RLX_ATTRIBUTE_BOOL);
    case field_type::text:
      return set(read_list<rlx_string>(c, list, [&](od::value& e) -> std::optional<rlx_string> {
        if (type(c, e) != od::json_type::string) return std::nullopt;
        return lend(read_string(c, e, at));
      }));
    default:
      return attribute_state::wrong_type;
  }
}

void set_json(context& c, od::value& v, const place& at, unsigned depth, rlx_attribute& a) {
  a.type = RLX_ATTRIBUTE_JSON;
  a.value.text = lend(read_canonical(c, v, at, depth));
}

bool set_number(std::string_view t, field_type wanted, rlx_attribute& a) {
  if (wanted == field_type::u64) {
    const auto value = parse_u64(t);
    a.type = RLX_ATTRIBUTE_U64;
    a.value.u64 = value.value_or(0);
    return value.has_value();
  }
  const auto value = parse_i64(t);
  a.type = RLX_ATTRIBUTE_I64;
  a.value.i64 = value.value_or(0);
  return value.has_value();
}

// What a list is made of, by form.
struct list_form {
  bool u = true, i = true, f = true, b = true, s = true;
};

attribute_state read_list_by_form(context& c, od::value& v, const place& at, unsigned depth,
                                  rlx_attribute& a) {
  od::array array = read_array(c, v, at);
  list_form form;
  std::uint64_t count = 0;
  for (auto item : array) {
    od::value e;
    if (const auto error = std::move(item).get(e)) c.doc.fail(error);
    ++count;
    const od::json_type t = type(c, e);
    form.s = form.s && t == od::json_type::string;
    form.b = form.b && t == od::json_type::boolean;
    if (t == od::json_type::number && form.f) {
      const std::string_view text = token(c, e);
      form.u = form.u && parse_u64(text);
      form.i = form.i && parse_i64(text);
      form.f = form.f && parse_f32(text);
    } else {
      form.u = form.i = form.f = false;
    }
    if (!(form.u || form.i || form.f || form.b || form.s)) break;
  }
  if (count == 0) {
    a.type = RLX_ATTRIBUTE_JSON;
    a.value.text = lend("[]");
    return attribute_state::present;
  }
  if (const auto e = array.reset().error()) c.doc.fail(e);
  const field_type element = form.u   ? field_type::u64
                             : form.i ? field_type::i64
                             : form.f ? field_type::f32
                             : form.b ? field_type::boolean
                             : form.s ? field_type::text
                                      : field_type::json;
  if (element != field_type::json) return read_typed_list(c, array, at, element, a);
  a.type = RLX_ATTRIBUTE_JSON;
  a.value.text = lend(read_canonical(c, array, at, depth));
  return attribute_state::present;
}

}  // namespace

attribute_state read_attribute(context& c, od::value& v, const place& at, unsigned depth,
                               const field_spec& spec, rlx_attribute& a) {
  const od::json_type t = type(c, v);
  if (t == od::json_type::null) {
    check(c, v, at, depth);
    return attribute_state::absent;
  }
  constexpr auto wrong = attribute_state::wrong_type;
  if (spec.is_array) {
    if (t != od::json_type::array) return wrong;
    od::array array = read_array(c, v, at);
    return read_typed_list(c, array, at, spec.type, a);
  }
  switch (spec.type) {
    case field_type::u64:
    case field_type::i64:
      if (t != od::json_type::number || !set_number(token(c, v), spec.type, a)) return wrong;
      break;
    case field_type::f32: {
      if (t != od::json_type::number || !is_number(token(c, v))) return wrong;
      const auto value = as_f64(token(c, v));
      if (!value) return attribute_state::absent;
      a.type = RLX_ATTRIBUTE_F64;
      a.value.f64 = *value;
      break;
    }
    case field_type::boolean: {
      if (t != od::json_type::boolean) return wrong;
      check(c, v, at, depth);
      a.type = RLX_ATTRIBUTE_BOOL;
      a.value.u64 = *as_boolean(token(c, v));
      break;
    }
    case field_type::text:
    case field_type::text_or_json:
      if (t == od::json_type::string) {
        a.type = RLX_ATTRIBUTE_TEXT;
        a.value.text = lend(read_string(c, v, at));
        break;
      }
      if (spec.type == field_type::text) return wrong;
      set_json(c, v, at, depth, a);
      break;
    case field_type::json:
      set_json(c, v, at, depth, a);
      break;
    case field_type::bytes: {
      if (t != od::json_type::array) return wrong;
      od::array array = read_array(c, v, at);
      const auto count = count_bytes(raw_text(c, array));
      if (!count) return wrong;
      a.type = RLX_ATTRIBUTE_BYTES;
      a.value.u64 = *count;
      break;
    }
    case field_type::graph:
      return wrong;  // the caller reads these
  }
  return attribute_state::present;
}

attribute_state read_attribute_by_form(context& c, od::value& v, const place& at, unsigned depth,
                                       rlx_attribute& a) {
  switch (type(c, v)) {
    case od::json_type::null:
      check(c, v, at, depth);
      return attribute_state::absent;
    case od::json_type::boolean:
      return read_attribute(c, v, at, depth, {{}, field_type::boolean, false}, a);
    case od::json_type::string:
      return read_attribute(c, v, at, depth, {{}, field_type::text, false}, a);
    case od::json_type::number: {
      check(c, v, at, depth);
      const std::string_view t = token(c, v);
      const field_type type = parse_u64(t)   ? field_type::u64
                              : parse_i64(t) ? field_type::i64
                                             : field_type::f32;
      return read_attribute(c, v, at, depth, {{}, type, false}, a);
    }
    case od::json_type::array:
      return read_list_by_form(c, v, at, depth, a);
    default:
      set_json(c, v, at, depth, a);
      return attribute_state::present;
  }
}

}  // namespace rlx::json
