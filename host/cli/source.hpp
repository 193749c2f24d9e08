// What an input is before any pipeline sees it: read, its dynamic dims bound, HIR lowered to MIR.
#pragma once

#include <string>

#include "host/cli/options.hpp"
#include "host/graph/module.hpp"

namespace rlx::cli {

// Whether graphs are checked: with --verify, and always where assertions are on.
bool verifies(const options& o);

// Level mir or lir; `hir` stays in it where the input was a HIR module. Throws rlx::error `where:
// what`.
module load_source(const std::string& path, const options& o);

// Throws rlx::error that says what is wrong with the graph, which messages call `what`.
void check_graph(const graph& g, const std::string& what, bool with_shapes);

}  // namespace rlx::cli
