#include "host/plugins/locate.hpp"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>

#include "host/error.hpp"

namespace rlx {

namespace {

constexpr int max_links = 40;  // as the kernel's own limit

std::string quoted(std::string_view text) { return '"' + std::string{text} + '"'; }

std::string errno_text(int code) { return std::generic_category().message(code); }

std::vector<std::string_view> split(std::string_view list, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = list.find(separator);
    if (end != 0 && !list.empty()) parts.push_back(list.substr(0, end));
    if (end == std::string_view::npos) return parts;
    list.remove_prefix(end + 1);
  }
}

std::optional<file_id> id_of(const char* path) {
  struct stat s;
  if (::stat(path, &s) != 0) return std::nullopt;
  return file_id{s.st_dev, s.st_ino};
}

void refuse_open_folder(const std::string& folder, const std::string& file, bool holds_it) {
  struct stat s;
  if (::stat(folder.c_str(), &s) != 0 || (s.st_mode & S_IWOTH) == 0) return;
  if (!holds_it && (s.st_mode & S_ISVTX) != 0) return;
  const std::string cure = (s.st_mode & S_ISVTX) != 0 ? "so move it into a folder of its own"
                                                      : "so take that permission away (chmod o-w " +
                                                            folder + ") or move the plugin";
  throw error{"plugin " + file + " refused: any user may write its folder " + folder +
              "; a plugin is code inside the compiler, " + cure};
}

// Follows `path` component by component as the kernel does, and refuses on the way every folder
// in which any user could have put another entry. Returns the path without links; throws
// std::system_error where the file system says no.
std::string resolve(const std::string& path) {
  std::vector<std::string> rest;  // what is still to be followed, last component first
  const auto push = [&](std::string_view more) {
    const auto parts = split(more, '/');
    rest.insert(rest.end(), parts.rbegin(), parts.rend());
  };
  push(path);
  std::string at = "/";
  int links = 0;
  while (!rest.empty()) {
    const std::string name = rest.back();
    rest.pop_back();
    if (name == ".") continue;
    if (name == "..") {
      at.erase(std::max<std::size_t>(at.rfind('/'), 1));
      continue;
    }
    refuse_open_folder(at, path, rest.empty());
    const std::string next = at == "/" ? at + name : at + '/' + name;
    struct stat s;
    if (::lstat(next.c_str(), &s) != 0) throw std::system_error{errno, std::generic_category()};
    if (!S_ISLNK(s.st_mode)) {
      at = next;
      continue;
    }
    char target[PATH_MAX];
    const ssize_t size = ::readlink(next.c_str(), target, sizeof target);
    if (size < 0) throw std::system_error{errno, std::generic_category()};
    if (++links > max_links) throw std::system_error{ELOOP, std::generic_category()};
    if (size > 0 && target[0] == '/') at = "/";
    push({target, static_cast<std::size_t>(size)});
  }
  return at;
}

plugin_file check_file(const std::string& path) {
  plugin_file found;
  try {
    found.path = resolve(path);
  } catch (const std::system_error& e) {
    throw error{"plugin " + path + " cannot be found: " + errno_text(e.code().value()) +
                "; correct the path in RLX_PLUGINS"};
  }
  struct stat s;
  if (::stat(found.path.c_str(), &s) != 0) {
    throw error{"plugin " + path + " cannot be found: " + errno_text(errno) +
                "; correct the path in RLX_PLUGINS"};
  }
  if (!S_ISREG(s.st_mode)) {
    throw error{"plugin " + path + " refused: it is " +
                (S_ISDIR(s.st_mode) ? "a folder" : "no regular file") +
                "; name the plugin's shared object in RLX_PLUGINS"};
  }
  if ((s.st_mode & S_IWOTH) != 0) {
    throw error{"plugin " + path +
                " refused: any user may write it; a plugin is code inside the compiler, so take "
                "that permission away (chmod o-w " +
                found.path + ")"};
  }
  found.id = {s.st_dev, s.st_ino};
  if (found.id == id_of("/proc/self/exe")) {
    throw error{"plugin " + path +
                " refused: it is the running program itself; name the plugin's shared object in "
                "RLX_PLUGINS"};
  }
  Dl_info own;
  if (::dladdr(reinterpret_cast<const void*>(&own_plugin_folder), &own) != 0 &&
      found.id == id_of(own.dli_fname)) {
    throw error{"plugin " + path +
                " refused: it is the library that loads plugins; name the plugin's shared object "
                "in RLX_PLUGINS"};
  }
  return found;
}

// The path that a bare file name stands for.
std::string look_up(std::string_view name, const std::vector<std::string>& folders) {
  std::string tried;
  for (const std::string& folder : folders) {
    std::string path = folder + '/' + std::string{name};
    struct stat s;
    if (::stat(path.c_str(), &s) == 0) return path;
    const int code = errno;
    tried += (tried.empty() ? "" : ", ") + path;
    if (code != ENOENT) tried += " (" + errno_text(code) + ')';
  }
  throw error{"plugin " + quoted(name) + " of RLX_PLUGINS was not found; tried " +
              (tried.empty() ? "nothing, since there is no plugin folder" : tried) +
              "; put it there, name its folder in RLX_PLUGIN_PATH, or give its absolute path"};
}

// At load time the working directory still is the one that a relative library path refers to.
std::string find_own_folder() {
  Dl_info own;
  if (::dladdr(reinterpret_cast<const void*>(&own_plugin_folder), &own) == 0) return {};
  std::string path = own.dli_fname;
  const std::size_t slash = path.rfind('/');
  path = slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
  char* const real = ::realpath(path.c_str(), nullptr);
  if (real == nullptr) return {};
  std::string folder = real;
  std::free(real);
  return (folder == "/" ? "" : folder) + "/rlx/plugins";
}

// Kept for the life of the process; no destructor runs at exit.
const std::string& own_folder_at_load = *new std::string{find_own_folder()};

}  // namespace

std::string own_plugin_folder() { return own_folder_at_load; }

std::vector<plugin_file> locate_plugins(const plugin_search& search,
                                        const std::function<void(const std::string&)>& warn) {
  const auto entries = split(search.plugins, ':');
  std::vector<plugin_file> files;
  if (entries.empty()) return files;

  std::vector<std::string> folders;
  for (const std::string_view folder : split(search.plugin_path, ':')) {
    if (folder.front() == '/') {
      folders.emplace_back(folder);
    } else {
      warn("RLX_PLUGIN_PATH: " + quoted(folder) +
           " is not an absolute folder and is not searched; write the whole path");
    }
  }
  if (!search.own_folder.empty()) folders.push_back(search.own_folder);

  for (const std::string_view entry : entries) {
    std::string path{entry};
    if (entry.find('/') == std::string_view::npos) {
      path = look_up(entry, folders);
    } else if (entry.front() != '/') {
      throw error{"plugin " + quoted(entry) +
                  " of RLX_PLUGINS refused: it is a relative path; write the absolute path, or the "
                  "file name alone to have it looked up in the plugin folders"};
    }
    plugin_file file = check_file(path);
    const bool is_known = std::any_of(files.begin(), files.end(),
                                      [&](const plugin_file& f) { return f.id == file.id; });
    if (!is_known) files.push_back(std::move(file));
  }
  return files;
}

}  // namespace rlx
