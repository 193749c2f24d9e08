// Finds where JSON values end, block by block and without looking into them: brackets outside
// strings are counted, nothing is checked. What is found is parsed by simdjson.
#pragma once

#include <cstddef>
#include <cstdint>

namespace opscope {

// Counts over any number of pieces of one line.
class bracket_scanner {
 public:
  // Starts before the opening bracket of a value.
  void reset() { *this = {}; }

  enum class found { nothing, end, newline };
  struct result {
    found what;
    std::size_t used;  // bytes up to and with the closing bracket; up to, without, a newline
  };
  // Goes on through data[0 .. size).
  result scan(const char* data, std::size_t size);
  std::uint64_t depth() const { return depth_; }

 private:
  result scan_bytes(const char* data, std::size_t begin, std::size_t end);

  std::uint64_t depth_ = 0;
  bool in_string_ = false;
  bool after_backslash_ = false;
};

}  // namespace opscope
