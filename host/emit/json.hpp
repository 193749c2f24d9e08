// Writes graphs and modules as RLX's JSON, compact, in declaration order: deterministic, and
// accepted back by the real compiler. Appends to `out`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "host/graph/module.hpp"

namespace rlx {

void append_mir_json(std::string& out, const graph& g);   // the bare graph
void append_lir_json(std::string& out, const module& m);  // needs m.plan; maps in order of id
void append_hir_json(std::string& out, const hir_module& m);

// The pieces, for writers of other modules.
void append_json_string(std::string& out, std::string_view s);  // quoted, escaped as RLX does
void append_json_number(std::string& out, std::uint64_t n);
void append_json_ids(std::string& out, std::span<const std::uint32_t> ids);
void append_json_optional(std::string& out, std::optional<std::string_view> s);  // or null
// `{"dims":[..],"dtype":".."}`
void append_shape_json(std::string& out, const shape_view& shape, const storage& s);

}  // namespace rlx
