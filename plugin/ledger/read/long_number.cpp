#include "plugin/ledger/read/long_number.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <vector>

namespace opscope {

namespace {

template <class Number>
bool is_out_of_range(std::string_view digits) {
  Number value{};
  return std::from_chars(digits.data(), digits.data() + digits.size(), value).ec ==
         std::errc::result_out_of_range;
}

bool is_long(std::string_view number) {
  if (number.find_first_of(".eE") != std::string_view::npos) return is_out_of_range<double>(number);
  return number.front() == '-' ? is_out_of_range<std::int64_t>(number)
                               : is_out_of_range<std::uint64_t>(number);
}

}  // namespace

std::optional<std::string> find_long_number(std::string_view json) {
  std::vector<std::string_view> keys;  // of the open objects; an array has an empty one
  std::size_t at = 0;
  while (at < json.size()) {
    const char c = json[at];
    if (c == '"') {
      const std::size_t begin = ++at;
      while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2 : 1;
      if (at >= json.size()) return std::nullopt;
      const std::string_view text = json.substr(begin, at++ - begin);
      const std::size_t next = json.find_first_not_of(" \t\r\n", at);
      if (next != std::string_view::npos && json[next] == ':' && !keys.empty()) keys.back() = text;
      continue;
    }
    if (c == '-' || (c >= '0' && c <= '9')) {
      const std::size_t end = std::min(json.find_first_not_of("0123456789+-.eE", at), json.size());
      if (is_long(json.substr(at, end - at))) {
        std::string path;
        for (const std::string_view key : keys) {
          if (!key.empty()) path.append(path.empty() ? "" : ".").append(key);
        }
        return path;
      }
      at = end;
      continue;
    }
    if (c == '{' || c == '[') keys.emplace_back();
    if ((c == '}' || c == ']') && !keys.empty()) keys.pop_back();
    ++at;
  }
  return std::nullopt;
}

}  // namespace opscope
