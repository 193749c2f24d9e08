// The waterfall of one compile: what each recorded step of the lowering added to the graph's
// figures or took from them. Pure; which records make a compile is decided here, which compile is
// shown is not.
#pragma once

#include <string>
#include <vector>

#include <opscope/ledger_reader.hpp>

#include "plugin/ledger/json_writer.hpp"
#include "plugin/render/show.hpp"

namespace opscope {

// The records of one compile in the order in which they were written: source, passes, lowered.
// Borrowed from the records they were found in.
using compile_steps = std::vector<const ledger_record*>;

// The compiles in `records` (in file order) that have at least two of their stages, in the order of
// their first records; of each graph and target the newest only, unless `every_compile`.
std::vector<compile_steps> find_compiles(const std::vector<ledger_record>& records,
                                         bool every_compile);

struct waterfall_row {
  std::string step;  // the pass; `lowering` where its passes were not recorded
  std::uint64_t nodes_before, nodes_after;
  figure bytes_before, bytes_after;  // the rule's
  figure flops_before, flops_after;
  figure needs_before, needs_after;  // bytes, the low end; unknown where not recorded
};

// A row a step; each begins with what the one before it ended with, so that changes add up.
std::vector<waterfall_row> waterfall_rows(const compile_steps& steps);

// Exact integers in every format, so that the sums can be checked by eye.
std::string waterfall_text(const compile_steps& steps, const emphasis_function& strong);
void waterfall_json(json_writer& out, const compile_steps& steps);  // with newline
std::string waterfall_csv_heading();
std::string waterfall_csv(const compile_steps& steps);

}  // namespace opscope
