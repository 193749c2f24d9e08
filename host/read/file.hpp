// Gets a module's bytes from a regular file or standard input, and from nothing else: a FIFO or a
// device named on a command line must not hang a build. Internal to host/read.
#pragma once

#include <string>

#include "host/read/json.hpp"

namespace rlx::json {

// Standard input where path is "-". Throws rlx::error without the path, which the caller knows.
buffer load(const std::string& path);

}  // namespace rlx::json
