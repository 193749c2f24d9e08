// Equality of JSON texts as values: the order of members aside, 1 and 1.0 differ.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

namespace rlx_test {

// Where a and b first differ, as a JSON pointer with both values; empty where they are equal.
inline std::string find_difference(const nlohmann::json& a, const nlohmann::json& b,
                                   const std::string& at = "") {
  const auto differ = [&] { return at + ": " + a.dump() + " against " + b.dump(); };
  // Signed and unsigned integers are one type in JSON, floats are another.
  if (a.is_number_integer() && b.is_number_integer()) return a == b ? "" : differ();
  if (a.type() != b.type()) return differ();
  if (a.is_object()) {
    for (const auto& [key, value] : a.items()) {
      if (!b.contains(key)) return at + ": " + key + " is missing";
      if (auto d = find_difference(value, b.at(key), at + "/" + key); !d.empty()) return d;
    }
    return a.size() == b.size() ? "" : at + ": members were added";
  }
  if (a.is_array()) {
    if (a.size() != b.size()) return at + ": lengths differ";
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (auto d = find_difference(a[i], b[i], at + "/" + std::to_string(i)); !d.empty()) return d;
    }
    return "";
  }
  return a == b ? "" : differ();
}

}  // namespace rlx_test
