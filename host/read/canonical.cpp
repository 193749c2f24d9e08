#include "host/read/canonical.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "host/emit/json.hpp"

namespace rlx::json {

namespace {

// Written in one go with members in the order read; where an object was out of order, its members
// are then put in order while the text is copied once more. Linear in the text but for the sorting.
class writer {
 public:
  explicit writer(context& c) : c_{c} {}

  void write(od::value& v, const place& at, unsigned depth) {
    if (depth > max_depth) check(c_, v, at, depth);  // throws
    switch (type(c_, v)) {
      case od::json_type::object:
        write_object(v, at, depth);
        break;
      case od::json_type::array: {
        od::array array = read_array(c_, v, at);
        write(array, at, depth);
        break;
      }
      case od::json_type::string:
        append_json_string(text_, read_string(c_, v, at));
        break;
      case od::json_type::number:
        check(c_, v, at, depth);
        write_number(token(c_, v));
        break;
      default:
        check(c_, v, at, depth);
        text_ += token(c_, v);
    }
  }

  void write(od::array& array, const place& at, unsigned depth) {
    text_ += '[';
    each_element(c_, array, [&](od::value& e, std::uint64_t i) {
      if (i != 0) text_ += ',';
      write(e, at, depth + 1);
    });
    text_ += ']';
  }

  std::string take() && {
    if (is_sorted_) return std::move(text_);
    std::string out;
    out.reserve(text_.size());
    std::size_t next = 0;
    copy(out, 0, text_.size(), next);
    return out;
  }

 private:
  struct member {
    std::string_view key;
    std::size_t begin, end;    // of `"key":value` in text_
    std::size_t first_object;  // the next object from `begin` on
  };
  struct object {
    std::size_t begin, end;       // in text_, with the braces
    std::size_t next;             // the first object behind it
    std::vector<member> members;  // sorted; empty where they were in order
  };

  void write_object(od::value& v, const place& at, unsigned depth) {
    const std::size_t self = objects_.size();
    objects_.push_back({text_.size(), 0, 0, {}});
    std::vector<member> members;
    text_ += '{';
    od::object o = read_object(c_, v, at);
    each_member(c_, o, [&](std::string_view key, od::value& m) {
      if (!members.empty()) text_ += ',';
      member entry{key, text_.size(), 0, objects_.size()};
      append_json_string(text_, key);
      text_ += ':';
      write(m, at, depth + 1);
      entry.end = text_.size();
      members.push_back(entry);
    });
    text_ += '}';
    if (!std::ranges::is_sorted(members, {}, &member::key)) {
      is_sorted_ = false;
      std::ranges::stable_sort(members, {}, &member::key);
      objects_[self].members = std::move(members);
    }
    objects_[self].end = text_.size();
    objects_[self].next = objects_.size();
  }

  void write_number(std::string_view number) {
    if (parse_u64(number) || parse_i64(number)) {
      text_ += number;
    } else if (const auto value = parse_f32(number)) {
      append_f32(text_, *value);
    } else {
      text_ += "null";
    }
  }

  // text_[begin, end) with the objects from `next` on put in order.
  void copy(std::string& out, std::size_t begin, std::size_t end, std::size_t& next) const {
    while (next < objects_.size() && objects_[next].begin < end) {
      const object& o = objects_[next];
      if (o.members.empty()) {
        ++next;
        continue;
      }
      out.append(text_, begin, o.begin - begin);
      out += '{';
      for (const member& m : o.members) {
        if (out.back() != '{' || &m != o.members.data()) out += ',';
        std::size_t inner = m.first_object;
        copy(out, m.begin, m.end, inner);
      }
      out += '}';
      begin = o.end;
      next = o.next;
    }
    out.append(text_, begin, end - begin);
  }

  context& c_;
  std::string text_;
  std::vector<object> objects_;  // in the order they begin
  bool is_sorted_ = true;
};

}  // namespace

std::string_view read_canonical(context& c, od::value& v, const place& at, unsigned depth) {
  writer w{c};
  w.write(v, at, depth);
  return c.store.keep(std::move(w).take());
}

std::string_view read_canonical(context& c, od::array& array, const place& at, unsigned depth) {
  writer w{c};
  w.write(array, at, depth);
  return c.store.keep(std::move(w).take());
}

void append_f32(std::string& out, float value) {
  // The shortest digits that restore the value, as d.ddde+XX.
  char buffer[32];
  const auto r = std::to_chars(buffer, buffer + sizeof buffer, std::fabs(value),
                               std::chars_format::scientific);
  const std::string_view text{buffer, static_cast<std::size_t>(r.ptr - buffer)};
  const std::size_t e = text.find('e');
  std::string digits{text.substr(0, 1)};
  if (e > 1) digits += text.substr(2, e - 2);
  int exponent = 0;
  std::from_chars(text.data() + e + (text[e + 1] == '+' ? 2 : 1), r.ptr, exponent);

  if (std::signbit(value)) out += '-';
  if (value != 0 && (std::fabs(value) < 1e-4f || std::fabs(value) >= 1e16f)) {
    out += digits[0];
    if (digits.size() > 1) out.append(1, '.').append(digits, 1);
    out += 'e' + std::to_string(exponent);
  } else if (exponent < 0) {
    out.append("0.").append(static_cast<std::size_t>(-exponent - 1), '0').append(digits);
  } else {
    const auto whole = static_cast<std::size_t>(exponent) + 1;
    if (digits.size() <= whole) digits.append(whole - digits.size() + 1, '0');
    out.append(digits, 0, whole).append(1, '.').append(digits, whole);
  }
}

}  // namespace rlx::json
