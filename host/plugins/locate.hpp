// From the environment's words to plugin files that may be loaded: which file an entry means, and
// whether anybody could have slipped in another one. Loads nothing.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace rlx {

struct file_id {
  dev_t device = 0;
  ino_t inode = 0;
  friend bool operator==(const file_id&, const file_id&) = default;
};

struct plugin_file {
  std::string path;  // absolute, no symbolic links
  file_id id;
};

struct plugin_search {
  std::string_view plugins;      // RLX_PLUGINS
  std::string_view plugin_path;  // RLX_PLUGIN_PATH
  std::string own_folder;        // the last to be searched; empty where unknown
};

// The files that `search.plugins` names, in its order, each once (by device and inode). Throws
// rlx::error where an entry is relative, is not found, is no regular file, is the running program
// or this library, or where any user may write the file or a folder on the way to it (a sticky
// folder such as /tmp is fine on the way, not as the file's own). `warn` hears of folders skipped.
//
// The checks are made on names before the loader opens the file again by name. Between the two only
// those can change it who may write one of the folders or the file: its owners, who are trusted
// with the compiler's code anyway. (Opening once and loading /proc/self/fd/N would close the gap
// and break $ORIGIN, debuggers, and the loader's own recognition of files by name.) A file that was
// swapped all the same is noticed after loading; see load_query.
std::vector<plugin_file> locate_plugins(const plugin_search& search,
                                        const std::function<void(const std::string&)>& warn);

// <folder of this library>/rlx/plugins, as it stood when the library was loaded: a later change of
// the working directory does not move it. Empty where it cannot be told.
std::string own_plugin_folder();

}  // namespace rlx
