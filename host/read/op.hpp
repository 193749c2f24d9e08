// One operation from its serde form: kind, typed attributes (the field types are in RLX_KINDS),
// nested graphs. The rules, so that every host makes the same attributes:
//
// - Order: the fields of the kind in the order of RLX_KINDS, then all others by the bytes of their
//   name. null makes no attribute.
// - A number of type f, and one with a fraction or an exponent anywhere, is the nearest f32,
//   widened. One beyond the range of f32 is what RLX writes as null: no attribute.
// - JSON attributes: no white space; members sorted by the bytes of their names, at every level;
//   integers within u64 or i64 as written; any other number as the nearest f32 in the form of
//   Rust's `{:?}` (0.99, 1.0, 1e-12; beyond the range null); text escaped as RLX escapes it.
// - By form, for fields that RLX_KINDS does not name: a list is an array of u where all its
//   elements are u; of i where all are integers within i64; of f where all are numbers; of bools or
//   of texts likewise; any other list, also an empty one, is JSON.
// - A listed kind with a field of a wrong type, a field twice, or a payload of another form keeps
//   its text and its attributes by form, but its number is one of an unlisted kind, so that nobody
//   takes it for what it is not. A missing field is left out, also where RLX would insist on it.
#pragma once

#include <string_view>

#include "host/graph/storage.hpp"

namespace rlx {

// The operation `json` says (`"MatMul"`, `{"Gather":{"axis":0}}`), interned: equal text gives the
// same op_id, except for operations with nested graphs. `json` is copied. Throws rlx::error where
// it is no operation at all; an unknown name, field or value is kept. A pass makes its operations
// with this.
op_id read_op(storage& s, std::string_view json);

}  // namespace rlx
