// Islands, of which no neighbour has a counterpart: alone of their kind between two anchors.
#pragma once

#include "plugin/compare/match/pairing.hpp"
#include "plugin/compare/match/spreader.hpp"

namespace opscope::matching {

void match_islands(pairing& pairs, spreader& s);

}  // namespace opscope::matching
