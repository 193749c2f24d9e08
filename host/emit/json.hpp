// Writes graphs and modules as RLX's JSON, compact, in declaration order: deterministic, and
// accepted back by the real compiler. Appends to `out`.
#pragma once

#include <string>

#include "host/graph/module.hpp"

namespace rlx {

void append_mir_json(std::string& out, const graph& g);   // the bare graph
void append_lir_json(std::string& out, const module& m);  // needs m.plan

}  // namespace rlx
