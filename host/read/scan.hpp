// The quick way through modules laid out exactly as RLX writes them. Internal to host/read.
#pragma once

#include <optional>

#include "host/graph/module.hpp"
#include "host/read/json.hpp"

namespace rlx::json {

// The bare MIR graph or LIR module in `b`, read in one pass over its bytes, if it has no white
// space, all members in RLX's order and no escape outside its operations; what is then returned is
// what the general reader would return. Nothing in every other case, also where the text is no
// module: the general reader is to find out what is wrong.
std::optional<module> scan_module(const buffer& b);

}  // namespace rlx::json
