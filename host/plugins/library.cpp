#define BOOST_DLL_USE_STD_FS
#include "host/plugins/library.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

#include <boost/dll/shared_library.hpp>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

#include "host/error.hpp"

namespace rlx {

namespace {

namespace dll = boost::dll;

// The loader's own words without the path, which the sentence around them has. Boost.DLL adds an
// errno text of its own making ("Bad file descriptor"), so it is asked for none.
std::string loader_reason(const std::string& path) {
  const char* const text = ::dlerror();
  if (text == nullptr) return "the loader gives no reason";
  std::string_view reason = text;
  if (reason.substr(0, path.size()) == path) {
    reason.remove_prefix(path.size());
    if (reason.substr(0, 2) == ": ") reason.remove_prefix(2);
  }
  return std::string{reason};
}

// A file that ends before its segments do is mapped all the same, and the first touch of what is
// missing ends the process. Whatever else is wrong with it the loader says.
void check_is_whole(const plugin_file& file) {
  std::ifstream in{file.path, std::ios::binary};
  const auto read = [&](auto& into) {
    return static_cast<bool>(in.read(reinterpret_cast<char*>(&into), sizeof into));
  };
  ElfW(Ehdr) header{};
  if (!read(header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return;
  if (header.e_phentsize != sizeof(ElfW(Phdr))) return;
  in.seekg(0, std::ios::end);
  const auto size = static_cast<std::uint64_t>(in.tellg());
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment{};
    in.seekg(static_cast<std::streamoff>(header.e_phoff + i * sizeof segment));
    if (!read(segment)) return;
    if (segment.p_type != PT_LOAD) continue;
    if (segment.p_offset > size || segment.p_filesz > size - segment.p_offset) {
      throw error{"plugin " + file.path + " refused: the file is cut short; copy it again"};
    }
  }
}

// dlsym also looks into what the object depends on, and finds data as well as functions.
void check_definition(const plugin_file& file, rlx_plugin_query_fn query) {
  Dl_info info;
  void* extra = nullptr;
  struct stat s;
  const int found = ::dladdr1(reinterpret_cast<const void*>(query), &info, &extra, RTLD_DL_SYMENT);
  if (found == 0 || ::stat(info.dli_fname, &s) != 0) {
    throw error{"plugin " + file.path +
                " refused: it was removed while it was being loaded; try again"};
  }
  if (file_id{s.st_dev, s.st_ino} != file.id) {
    if (info.dli_fname == file.path) {
      throw error{"plugin " + file.path +
                  " refused: the file was replaced while it was being loaded; try again"};
    }
    throw error{"plugin " + file.path +
                " refused: its function " RLX_PLUGIN_QUERY_SYMBOL " comes from " + info.dli_fname +
                ", which it links; name that file instead"};
  }
  const auto* const symbol = static_cast<const ElfW(Sym)*>(extra);
  if (symbol != nullptr && ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT) {
    throw error{"plugin " + file.path +
                " refused: its symbol " RLX_PLUGIN_QUERY_SYMBOL
                " is data, not a function; it is no rlx plugin"};
  }
}

}  // namespace

rlx_plugin_query_fn load_query(const plugin_file& file) {
  // RTLD_NODELETE: the object stays mapped when `library` closes its handle, so that a thread or an
  // exit handler of the plugin never runs into a hole.
  constexpr auto mode = static_cast<dll::load_mode::type>(
      dll::load_mode::rtld_now | dll::load_mode::rtld_local | RTLD_NODELETE);
  check_is_whole(file);
  dll::fs::error_code failed;
  dll::shared_library library;
  ::dlerror();
  library.load(dll::fs::path{file.path}, mode, failed);
  if (failed) {
    throw error{"plugin " + file.path + " cannot be loaded: " + loader_reason(file.path) +
                "; it must be a shared object for this machine, and the libraries it needs must be "
                "installed"};
  }
  rlx_plugin_query_fn query = nullptr;
  try {
    query = &library.get<const rlx_plugin*(std::uint32_t)>(RLX_PLUGIN_QUERY_SYMBOL);
  } catch (const dll::fs::system_error&) {
    throw error{"plugin " + file.path +
                " refused: it does not export " RLX_PLUGIN_QUERY_SYMBOL ", so it is no rlx plugin"};
  }
  check_definition(file, query);
  return query;
}

}  // namespace rlx
