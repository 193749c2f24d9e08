// One entry a kind: what is known of it, the formula in words, and the formula.
#pragma once

#include <cstdint>
#include <string_view>

#include <opscope/need.hpp>

#include "plugin/cost/need/site.hpp"

namespace opscope::need {

// A formula, for figures and for expressions. Made of one generic lambda without captures.
struct formula {
  void (*figures)(site<interval>&);
  void (*expressions)(site<symbolic>&);
};

template <class F>
constexpr formula make_formula(F f) {
  return {f, f};
}

// What a kind is beside its formula.
enum trait : std::uint8_t {
  plain = 0,
  leaf = 1,             // Input, Param, Constant
  carries_weights = 2,  // moves or converts: weights in are weights out
  moves_in_view = 4,    // works also where it lies in its operand's storage
  slices = 8,           // reads one run along one axis of operand 0
};

struct entry {
  std::uint32_t kind;
  certainty bytes;
  certainty work;
  std::uint8_t traits;
  std::string_view words;
  const formula* apply;
};

// The entry of a kind, also of one that is not listed.
const entry& entry_of(std::uint32_t kind);

}  // namespace opscope::need
