#include "plugin/ledger/read/attributes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <rlx/view.hpp>

#include "plugin/ledger/kinds.hpp"
#include "plugin/ledger/read/graph_parser.hpp"

namespace opscope {

namespace {

template <class T>
T* allocate(std::pmr::memory_resource& memory, std::size_t count) {
  return static_cast<T*>(memory.allocate(count * sizeof(T), alignof(T)));
}

bool looks_like_json(const rlx_string& s) {
  return s.size != 0 && (s.data[0] == '{' || s.data[0] == '[');
}

double as_real(rlx_attribute_type type, std::uint64_t bits) {
  switch (type) {
    case RLX_ATTRIBUTE_U64:
      return static_cast<double>(bits);
    case RLX_ATTRIBUTE_I64:
      return static_cast<double>(static_cast<std::int64_t>(bits));
    case RLX_ATTRIBUTE_F64:
      return std::bit_cast<double>(bits);
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

// The table's fields of each kind, split once.
std::span<const field_spec> fields_of(std::uint32_t kind) {
  static const std::vector<std::vector<field_spec>> all = [] {
    std::vector<std::vector<field_spec>> kinds(rlx::kind_count + 1);
    for (std::uint32_t k = 1; k <= rlx::kind_count; ++k) kinds[k] = split_fields(kind_fields(k));
    return kinds;
  }();
  return kind < all.size() ? all[kind] : std::span<const field_spec>{};
}

}  // namespace

rlx_string attribute_builder::keep(std::pmr::memory_resource& memory, std::string_view text) {
  if (text.empty()) return {"", 0};
  char* const copy = allocate<char>(memory, text.size());
  std::memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
}

rlx_string attribute_builder::intern(std::pmr::memory_resource& memory, std::string_view text) {
  if (const auto at = interned_.find(text); at != interned_.end()) return at->second;
  const rlx_string kept = keep(memory, text);
  interned_.emplace(rlx::text(kept), kept);
  return kept;
}

rlx_attribute attribute_builder::scalar(const rlx_string& name, const element& e) {
  rlx_attribute a{};
  a.name = name;
  a.count = 1;
  a.type = e.type;
  if (e.type == RLX_ATTRIBUTE_TEXT) {
    a.value.text = e.text;
    if (looks_like_json(e.text)) a.type = RLX_ATTRIBUTE_JSON;
  } else if (e.type == 0) {  // a float that was not finite
    a.type = RLX_ATTRIBUTE_F64;
    a.value.f64 = as_real(0, 0);
  } else {
    a.value.u64 = e.bits;
  }
  return a;
}

rlx_attribute attribute_builder::array(const rlx_string& name, std::span<const element> elements,
                                       std::pmr::memory_resource& memory) {
  rlx_attribute a{};
  a.name = name;
  bool has[5] = {};  // null, integer, float, bool, text
  bool is_signed = false;
  for (const element& e : elements) {
    has[0] |= e.type == 0;
    has[1] |= e.type == RLX_ATTRIBUTE_U64 || e.type == RLX_ATTRIBUTE_I64;
    has[2] |= e.type == RLX_ATTRIBUTE_F64;
    has[3] |= e.type == RLX_ATTRIBUTE_BOOL;
    has[4] |= e.type == RLX_ATTRIBUTE_TEXT;
    is_signed |= e.type == RLX_ATTRIBUTE_I64;
  }
  const bool has_number = has[0] || has[1] || has[2];
  if (int{has_number} + int{has[3]} + int{has[4]} > 1) {
    throw line_error{"an attribute's array mixes numbers, texts and truth values"};
  }
  a.count = elements.size();
  if (has[4]) {
    a.type = RLX_ATTRIBUTE_TEXT | RLX_ATTRIBUTE_ARRAY;
    rlx_string* const texts = allocate<rlx_string>(memory, a.count);
    for (std::size_t i = 0; i < a.count; ++i) texts[i] = elements[i].text;
    a.value.texts = texts;
    return a;
  }
  std::uint64_t* const bits = allocate<std::uint64_t>(memory, a.count);
  const bool is_real = has[0] || has[2];
  for (std::size_t i = 0; i < a.count; ++i) {
    const element& e = elements[i];
    if (is_signed && !is_real && e.type == RLX_ATTRIBUTE_U64 && (e.bits >> 63) != 0) {
      throw line_error{"an attribute's array holds integers of no common type"};
    }
    bits[i] = is_real ? std::bit_cast<std::uint64_t>(as_real(e.type, e.bits)) : e.bits;
  }
  a.type = (is_real     ? RLX_ATTRIBUTE_F64
            : has[3]    ? RLX_ATTRIBUTE_BOOL
            : is_signed ? RLX_ATTRIBUTE_I64
                        : RLX_ATTRIBUTE_U64) |
           RLX_ATTRIBUTE_ARRAY;
  a.value.u64s = bits;
  return a;
}

void attribute_builder::give_table_types(std::uint32_t kind, std::span<rlx_attribute> attributes,
                                         std::pmr::memory_resource& memory) {
  const std::span<const field_spec> specs = fields_of(kind);
  for (rlx_attribute& a : attributes) {
    const auto spec = std::find_if(specs.begin(), specs.end(), [&](const field_spec& f) {
      return f.name == rlx::text(a.name);
    });
    if (spec == specs.end()) continue;
    const bool is_array = (a.type & RLX_ATTRIBUTE_ARRAY) != 0;
    if (is_array != spec->is_array) continue;
    const rlx_attribute_type base = a.type & ~RLX_ATTRIBUTE_ARRAY;
    const bool is_integer = base == RLX_ATTRIBUTE_U64 || base == RLX_ATTRIBUTE_I64;
    const bool is_empty_array = is_array && a.count == 0;
    switch (spec->type) {
      case 'i':
        // Bits above INT64_MAX stay unsigned: they are no signed value.
        if (base == RLX_ATTRIBUTE_U64) {
          bool fits = true;
          for (std::uint64_t i = 0; i < a.count; ++i) {
            fits &= ((is_array ? a.value.u64s[i] : a.value.u64) >> 63) == 0;
          }
          if (fits) a.type = RLX_ATTRIBUTE_I64 | (a.type & RLX_ATTRIBUTE_ARRAY);
        }
        break;
      case 'f':
        if (is_integer && is_array) {
          double* const reals = allocate<double>(memory, a.count);
          for (std::uint64_t i = 0; i < a.count; ++i) reals[i] = as_real(base, a.value.u64s[i]);
          a.value.f64s = reals;
          a.type = RLX_ATTRIBUTE_F64 | RLX_ATTRIBUTE_ARRAY;
        } else if (is_integer) {
          a.value.f64 = as_real(base, a.value.u64);
          a.type = RLX_ATTRIBUTE_F64;
        }
        break;
      case 'b':
        if (is_empty_array) a.type = RLX_ATTRIBUTE_BOOL | RLX_ATTRIBUTE_ARRAY;
        break;
      case 's':
        if (base == RLX_ATTRIBUTE_JSON) a.type = RLX_ATTRIBUTE_TEXT;
        if (is_empty_array) a.type = RLX_ATTRIBUTE_TEXT | RLX_ATTRIBUTE_ARRAY;
        break;
      case 'j':
        if (base == RLX_ATTRIBUTE_TEXT && !is_array) a.type = RLX_ATTRIBUTE_JSON;
        break;
      case 'B':
        if (base == RLX_ATTRIBUTE_U64 && !is_array) a.type = RLX_ATTRIBUTE_BYTES;
        break;
      default:  // u, and e whose form has decided
        break;
    }
  }
}

}  // namespace opscope
