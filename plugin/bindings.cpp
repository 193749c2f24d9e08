#include <algorithm>
#include <charconv>
#include <opscope/bindings.hpp>

namespace opscope {

void bindings::bind(std::uint64_t symbol, std::uint64_t size) {
  for (auto& [s, bound] : sizes_) {
    if (s == symbol) {
      bound = size;
      return;
    }
  }
  sizes_.emplace_back(symbol, size);
}

std::optional<bindings> parse_bindings(std::string_view text, std::string& problem) {
  bindings b;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    std::string_view item = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    if (item.starts_with('?')) item.remove_prefix(1);
    const char* const end = item.data() + item.size();
    std::uint64_t symbol = 0;
    std::uint64_t size = 0;
    auto read = std::from_chars(item.data(), end, symbol);
    const bool is_pair = read.ec == std::errc{} && read.ptr != end && *read.ptr == '=';
    if (is_pair) read = std::from_chars(read.ptr + 1, end, size);
    if (!is_pair || read.ec != std::errc{} || read.ptr != end) {
      problem = "'" + std::string{item} + "' is no SYMBOL=SIZE, such as 0=1";
      return std::nullopt;
    }
    if (const auto other = b.find(symbol); other && *other != size) {
      problem = "symbol " + std::to_string(symbol) + " is bound twice";
      return std::nullopt;
    }
    b.bind(symbol, size);
  }
  return b;
}

std::string text(const bindings& b) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all{b.all().begin(), b.all().end()};
  std::sort(all.begin(), all.end());
  std::string text;
  for (const auto& [symbol, size] : all) {
    text += (text.empty() ? "" : ",") + std::to_string(symbol) + "=" + std::to_string(size);
  }
  return text;
}

}  // namespace opscope
