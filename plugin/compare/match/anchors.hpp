// The first pairs, from which the others are found: equal computations from the leaves, equal
// computations to the outputs, and leaves of one name.
#pragma once

#include "plugin/compare/match/pairing.hpp"
#include "plugin/compare/match/spreader.hpp"

namespace opscope::matching {

void match_anchors(pairing& pairs, spreader& s);

}  // namespace opscope::matching
