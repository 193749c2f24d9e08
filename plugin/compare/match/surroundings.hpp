// Nodes between anchors that look the same up to one or two steps away.
#pragma once

#include "plugin/compare/match/pairing.hpp"
#include "plugin/compare/match/spreader.hpp"

namespace opscope::matching {

void match_by_surroundings(pairing& pairs, spreader& s);

}  // namespace opscope::matching
