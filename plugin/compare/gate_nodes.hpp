// Which nodes an offence is of, from the comparison of its graph.
#pragma once

#include "plugin/compare/comparison.hpp"
#include "plugin/compare/gate.hpp"

namespace opscope {

// Gives each offence of a graph whose nodes were compared the rows that grew most in its metric,
// at most `most`.
void name_offending_nodes(gate_result& result, const comparison& c, std::size_t most = 3);

}  // namespace opscope
