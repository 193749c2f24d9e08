// What a file holds and what the pipeline makes: a graph at some level, with a plan once lowered.
#pragma once

#include <optional>

#include "host/graph/graph.hpp"
#include "host/graph/plan.hpp"

namespace rlx {

enum class level { mir, lir };  // hir joins with its reader

struct module {
  rlx::level level;
  rlx::graph graph;
  std::optional<buffer_plan> plan;  // LIR only
};

}  // namespace rlx
