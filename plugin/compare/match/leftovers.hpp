// The last stages, when no pair leads to another any more.
#pragma once

#include "plugin/compare/match/pairing.hpp"

namespace opscope::matching {

// Free nodes that compute the same, as many as there are on both sides.
void match_equal_computations(pairing& pairs);
// Frees pairs that only their surroundings spoke for, and whose neighbours are elsewhere.
void drop_contradicted(pairing& pairs);
// Renamed leaves of nodes that became others.
void match_leaves_of_groups(pairing& pairs);

}  // namespace opscope::matching
