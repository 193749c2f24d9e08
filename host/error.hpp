// The host's one exception: a full sentence that says what is wrong, where, and what to do.
#pragma once

#include <stdexcept>
#include <string>

namespace rlx {

class error : public std::runtime_error {
 public:
  explicit error(const std::string& sentence) : std::runtime_error{sentence} {}
};

}  // namespace rlx
