// Maps a plugin's shared object. The only user of Boost.DLL.
#pragma once

#include <rlx/plugin.h>

#include "host/plugins/locate.hpp"

namespace rlx {

// Loads the file for the rest of the process and returns its query function. Throws rlx::error
// where it is no loadable shared object, does not define the function itself, or where the object
// that got loaded is not the file that was checked.
rlx_plugin_query_fn load_query(const plugin_file& file);

}  // namespace rlx
