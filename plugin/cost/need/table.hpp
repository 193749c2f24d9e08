// One entry a kind: what is known of it, the formula in words, and the formula.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <opscope/need.hpp>

#include "plugin/cost/need/site.hpp"

namespace opscope::need {

// A formula, for figures and for expressions. Made of one generic lambda without captures.
struct formula {
  void (*figures)(site<interval>&);
  void (*expressions)(site<symbolic>&);
  closed_form form;  // where there is one, which the two then book
};

template <class F>
constexpr formula make_formula(F f) {
  return {f, f, {}};
}
template <closed_form form>
constexpr formula make_closed() {
  constexpr auto f = []<class N>(site<N>& n) { n.book(form); };
  return {f, f, form};
}
// `complex_price` says what an operation costs on complex numbers: a lambda without captures, of
// the site.
template <closed_form form, class F>
constexpr formula make_closed(F) {
  constexpr auto f = []<class N>(site<N>& n) { n.book(form, F{}(n)); };
  return {f, f, form};
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

// By kind number; 0 is the entry of every kind that is not listed.
extern const std::array<const entry*, rlx::kind_count + 1> entries;

inline const entry& entry_of(std::uint32_t kind) {
  return *entries[kind < entries.size() ? kind : 0];
}

}  // namespace opscope::need
