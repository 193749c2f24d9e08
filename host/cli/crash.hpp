// A crash inside the compiler may be a plugin's: says which plugins are loaded before it ends.
#pragma once

#include <rlx/host.h>

namespace rlx::cli {

// From now on a fatal signal writes one line with name, version and path of each plugin, and then
// ends the program as it would have anyway. Signals that somebody else handles (a sanitizer, the
// plugin itself) are left alone; so are all of them where no plugin is loaded.
void name_plugins_in_a_crash(const rlx_session& session);

}  // namespace rlx::cli
