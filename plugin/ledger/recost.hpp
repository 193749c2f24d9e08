// Costs a record again from the graph it holds.
#pragma once

#include <opscope/ledger_reader.hpp>

namespace opscope {

// Gives `r`, which has its nodes, the figures that this version's models count with the symbols of
// dynamic dims bound: totals, kinds and nodes; those in nested graphs stay as recorded. Versions
// become this version's.
void recost(ledger_record& r, const bindings& bound);

}  // namespace opscope
