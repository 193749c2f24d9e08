// Reads a module from RLX's JSON: a HIR module, a bare MIR graph, a MirModule or a LIR module, told
// apart by content. Everything read is hostile; whatever cannot be a module is an rlx::error
// `where: what, what to do` (the caller puts the file's name in front).
#pragma once

#include <string>
#include <string_view>

#include "host/graph/module.hpp"

namespace rlx {

// From a regular file, or standard input where path is "-".
module read_file(const std::string& path);
// From text, which is copied.
module read_text(std::string_view json);

}  // namespace rlx
