// Checks a graph between passes: `--verify`. Reports, changes nothing, never throws for what it
// finds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/graph/graph.hpp"

namespace rlx {

struct violation {
  std::string_view rule;  // a name from the lists below
  std::string sentence;   // `node 17 (MatMul): ...`, the place in nested graphs in front
};

// What every graph must be, nested graphs included. Rules: `order` (operands stand before their
// node), `outputs` (each names a node), `rank` (at most RLX_MAX_RANK).
std::vector<violation> verify_structure(const graph& g);

// What declared shapes must be where RLX's rules promise them, for graphs that pass
// verify_structure. A source may declare shapes of its own making and still be compiled, so only
// what a pass adds to these is its fault. Dynamic dims are taken to fit. Rules, by the kinds they
// hold for: `operands` (as many as the kind reads), `same` (elementwise functions, Rope, Softmax,
// norms), `broadcast` (Binary, Compare, Where), `matmul`, `reshape`, `transpose`, `narrow`,
// `concat`, `gather` (along axis 0), `cast`.
std::vector<violation> verify_shapes(const graph& g);

}  // namespace rlx
