// One attribute of an operation from JSON, typed by the table of kinds or by its form. The rules
// are in op.hpp. Internal to host/read.
#pragma once

#include <rlx/plugin.h>

#include <string_view>

#include "host/read/fields.hpp"
#include "host/read/json.hpp"

namespace rlx::json {

enum class attribute_state : std::uint8_t {
  present,
  absent,     // null, or a number that f32 cannot hold
  wrong_type  // not what the table says; `v` is left at any point and not checked
};

// Fills type, count and value of `a`; arrays and texts live in the storage. Both throw rlx::error
// for what is no JSON.
attribute_state read_attribute(context& c, od::value& v, const place& at, unsigned depth,
                               const field_spec& spec, rlx_attribute& a);
attribute_state read_attribute_by_form(context& c, od::value& v, const place& at, unsigned depth,
                                       rlx_attribute& a);

}  // namespace rlx::json
