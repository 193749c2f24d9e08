// HIR to MIR: every block operation becomes the MIR nodes that RLX 0.2.2 makes of it.
#pragma once

#include "host/graph/graph.hpp"
#include "host/graph/hir.hpp"

namespace rlx {

// The result shares the module's storage. Linear in the nodes made. Where the compiler would stop
// it throws rlx::error naming module, node and block:
// `module "x": node 17 (swiglu_ffn): SwiGLU: expected 4 inputs, got 3`.
graph lower_hir(const hir_module& m);

}  // namespace rlx
