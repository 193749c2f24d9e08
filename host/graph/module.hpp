// What a file holds and what the pipeline makes: a graph at some level, with a plan once lowered.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/graph/graph.hpp"
#include "host/graph/hir.hpp"
#include "host/graph/plan.hpp"

namespace rlx {

enum class level { hir, mir, lir };

struct module {
  rlx::level level;
  rlx::graph graph;                              // empty at level hir
  std::optional<buffer_plan> plan;               // LIR only
  std::optional<hir_module> hir = std::nullopt;  // HIR only
  // What the reader met and did not know, `where: what`, for the user: unknown members (which are
  // not written again) and operations in an unknown form. The first few, each sort once.
  std::vector<std::string> notes{};
};

}  // namespace rlx
