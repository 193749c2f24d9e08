// Sizes given to the symbols of dynamic dims.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opscope {

class bindings {
 public:
  std::optional<std::uint64_t> find(std::uint64_t symbol) const {
    for (const auto& [s, size] : sizes_) {
      if (s == symbol) return size;
    }
    return std::nullopt;
  }
  // A symbol bound again takes the new size.
  void bind(std::uint64_t symbol, std::uint64_t size);
  bool empty() const { return sizes_.empty(); }
  std::span<const std::pair<std::uint64_t, std::uint64_t>> all() const { return sizes_; }

 private:
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sizes_;
};

// Reads `0=1,1=128` (`?0=1` too). Nothing where it is not of that form; `problem` then says why.
std::optional<bindings> parse_bindings(std::string_view text, std::string& problem);

// `0=1,1=128`, by symbol: equal for equal bindings.
std::string text(const bindings& b);

}  // namespace opscope
