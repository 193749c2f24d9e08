// Canonical JSON, the form of nested attributes (see op.hpp). Internal to host/read.
#pragma once

#include <string>
#include <string_view>

#include "host/read/json.hpp"

namespace rlx::json {

// The value in canonical form, kept in the storage. Checks all of it.
std::string_view read_canonical(context& c, od::value& v, const place& at, unsigned depth);
std::string_view read_canonical(context& c, od::array& array, const place& at, unsigned depth);
// The nearest f32 as Rust's `{:?}` prints it.
void append_f32(std::string& out, float value);

}  // namespace rlx::json
