// One operation from its serde form: kind, typed attributes (the field types are in RLX_KINDS),
// nested graphs.
#pragma once

#include <string_view>

#include "host/graph/storage.hpp"

namespace rlx {

// The operation `json` says (`"MatMul"`, `{"Gather":{"axis":0}}`), interned: equal text gives the
// same op_id. `json` is copied. Throws rlx::error where it is no operation at all; an unknown
// name, field or value is kept. A pass makes its operations with this.
op_id read_op(storage& s, std::string_view json);

}  // namespace rlx
