// RLX's text listings, for people: exactly what the real compiler prints for the same module.
// There is no escaping; names are printed raw. Appends to `out`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "host/graph/graph.hpp"
#include "host/graph/hir.hpp"
#include "host/graph/plan.hpp"

namespace rlx {

// The part between braces: header line, kinds, nodes, return.
void append_graph_listing(std::string& out, const graph& g);
void append_mir_text(std::string& out, const graph& g);
void append_hir_text(std::string& out, const hir_module& m);
// Without the fingerprint line: it is a hash of one release of the Rust standard library.
void append_lir_text(std::string& out, const graph& g, const buffer_plan& plan);

// What changed from one graph to the next: nodes, outputs, operations by kind.
void append_diff_text(std::string& out, const graph& before, const graph& after);

// The whole-pipeline dump: HIR where there is one, the graph before and after, what the fusion
// report says, the plan.
struct pipeline_stages {
  const hir_module* hir = nullptr;  // may be null
  const graph& lowered;
  const graph& optimized;
  const buffer_plan& plan;
  std::string_view fusion_report;
};
void append_pipeline_text(std::string& out, const pipeline_stages& stages);

}  // namespace rlx
