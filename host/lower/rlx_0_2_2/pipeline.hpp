// The lowering of RLX 0.2.2: which passes run for which target, in which order.
#pragma once

#include "host/lower/pipeline.hpp"

namespace rlx::rlx_0_2_2 {

// One object for the life of the program.
const rlx::pipeline& instance();

}  // namespace rlx::rlx_0_2_2
