// By place alone: what reads the same, or is read by the same, is the same changed.
#pragma once

#include "plugin/compare/match/pairing.hpp"
#include "plugin/compare/match/spreader.hpp"

namespace opscope::matching {

// How sure a match by place has to be. Twins, which read the same and do the same, are told apart
// by who reads them; only in the end they are taken as they come.
struct demand {
  bool any_character;  // of one kind is enough
  bool any_twin;
};

void match_by_place(pairing& pairs, spreader& s, const demand& d);

}  // namespace opscope::matching
