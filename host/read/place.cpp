#include "host/read/place.hpp"

#include "host/error.hpp"

namespace rlx::json {

void place::append_to(std::string& out) const {
  if (parent_ != nullptr) parent_->append_to(out);
  const bool first = out.empty();
  switch (form_) {
    case form::node:
      out += first ? "node " : ": node ";
      out += std::to_string(index_);
      break;
    case form::member:
      if (!first) out += parent_ != nullptr && parent_->form_ == form::node ? ": " : ".";
      out += name_;
      break;
    case form::element:
      out += '[' + std::to_string(index_) + ']';
      break;
    case form::module:
      break;
  }
}

std::string place::text() const {
  std::string out;
  append_to(out);
  return out.empty() ? "module" : out;
}

void place::fail(const std::string& what) const { throw error{text() + ": " + what}; }

std::string quoted(std::string_view s) {
  constexpr std::size_t longest = 40;
  constexpr char hex[] = "0123456789abcdef";
  std::size_t cut = s.size();
  if (cut > longest) {
    cut = longest;
    while (cut > 0 && (static_cast<unsigned char>(s[cut]) & 0xc0) == 0x80) --cut;
  }
  std::string out = "\"";
  for (const char c : s.substr(0, cut)) {
    const auto u = static_cast<unsigned char>(c);
    if (u < 0x20 || u == 0x7f) {
      out += "\\u00";
      out += hex[u >> 4];
      out += hex[u & 15];
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  out += '"';
  if (cut < s.size()) out += "... (" + std::to_string(s.size()) + " bytes)";
  return out;
}

}  // namespace rlx::json
