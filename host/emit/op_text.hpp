// What RLX's text listings print for an operation. Lossy; for people.
#pragma once

#include <string>
#include <string_view>

#include "host/graph/storage.hpp"

namespace rlx {

// Appends the text of a MIR operation: `matmul`, `narrow(0,8,16)`. A kind without a known text
// prints its kind text. A field that is missing prints as `?`.
void append_op_text(std::string& out, const storage& s, op_id op);
// The same of an HIR block operation: `linear+bias+Gelu`. Leaves and wrapped operations are MIR's.
void append_block_text(std::string& out, const storage& s, op_id op);
// Without exponent and trailing `.0`; the shortest digits that restore the f32.
void append_f32_text(std::string& out, float value);

}  // namespace rlx
