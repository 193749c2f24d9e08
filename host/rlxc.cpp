// rlxc: reads graphs, lowers them, emits the result, and calls the plugins after lowering. main
// only parses, loads the plugins and turns errors into messages and exit statuses.
#include <fcntl.h>
#include <rlx/host.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/cli/crash.hpp"
#include "host/cli/driver.hpp"
#include "host/cli/lowering.hpp"
#include "host/cli/memory.hpp"
#include "host/cli/options.hpp"
#include "host/cli/output.hpp"
#include "host/text/printable.hpp"

namespace {

using namespace rlx::cli;

enum exit_status { compiled = 0, not_compiled = 1, usage_or_plugin_trouble = 2 };

// The plugins cannot be loaded.
class plugin_trouble : public rlx::error {
 public:
  using rlx::error::error;
};

void say(std::string_view sentence) {
  const std::string line = "rlxc: " + rlx::printable(sentence) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

// The log of the session: the host speaks as rlxc.
void log_line(void*, rlx_severity, rlx_string plugin, rlx_string line) {
  std::string whole{plugin.data == nullptr ? "rlxc" : std::string_view{plugin.data, plugin.size}};
  whole.append(": ").append(line.data, line.size).append("\n");
  std::fwrite(whole.data(), 1, whole.size(), stderr);
}

// A descriptor 0, 1 or 2 that is closed would be given to the next file opened, and messages would
// land in it. Read-only: writing to a closed standard output stays an error.
void occupy_standard_descriptors() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", O_RDONLY) < 0) return;
  }
}

struct session_end {
  void operator()(rlx_session* session) const { rlx_session_destroy(session); }
};
using session_ptr = std::unique_ptr<rlx_session, session_end>;

session_ptr load_plugins() {
  const rlx_session_config config{sizeof config, &log_line, nullptr};
  std::vector<char> message(std::size_t{1} << 16);
  rlx_session* session = nullptr;
  if (rlx_session_create(&config, &session, message.data(), message.size()) != RLX_OK) {
    throw plugin_trouble{message.data()};
  }
  return session_ptr{session};
}

std::string_view text(const rlx_string& s) { return {s.data, s.size}; }

std::string stage_names(std::uint32_t stages) {
  std::string names;
  const auto add = [&](std::uint32_t stage, const char* name) {
    if ((stages & stage) != 0) names.append(names.empty() ? "" : "+").append(name);
  };
  add(RLX_STAGE_SOURCE, "source");
  add(RLX_STAGE_PASS, "pass");
  add(RLX_STAGE_LOWERED, "lowered");
  return names.empty() ? "no stage" : names;
}

void list_plugins(const rlx_session& session) {
  const std::size_t count = rlx_session_plugin_count(&session);
  if (count == 0) say("RLX_PLUGINS names no plugin");
  std::string lines;
  for (std::size_t i = 0; i < count; ++i) {
    rlx_plugin_info info{};
    info.struct_size = sizeof info;
    if (rlx_session_plugin(&session, i, &info) != RLX_OK) continue;
    lines.append(text(info.name)).append("  ").append(rlx::printable(text(info.version)));
    lines.append("  ABI ").append(std::to_string(info.abi >> 16)).append(".");
    lines.append(std::to_string(info.abi & 0xffff)).append("  ").append(stage_names(info.stages));
    lines.append("  ").append(rlx::printable(text(info.path))).append("\n");
  }
  print(lines);
}

exit_status compile_all(const options& o, const lowering& how, rlx_session& session, output* out,
                        const std::vector<std::string>& paths) {
  driver d{o, how, session, out};
  exit_status status = compiled;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    try {
      d.compile(paths[i], [&](std::string_view sentence) {
        say(o.inputs[i] + ": note: " + std::string{sentence});
      });
    } catch (const broken_pipe&) {
      // The other end has what it wanted.
    } catch (const std::bad_alloc&) {
      say(o.inputs[i] + ": not enough memory to compile it");
      status = not_compiled;
    } catch (const std::exception& e) {
      say(o.inputs[i] + ": " + e.what());
      status = not_compiled;
    }
  }
  return status;
}

exit_status run(int argc, const char* const* argv) {
  const options o = parse_options(argc, argv);
  if (o.action == action::help) {
    print(help_text());
    return compiled;
  }
  if (o.action == action::print_options) {
    print(option_table());
    return compiled;
  }
  if (o.action == action::version) {
    print("rlxc " RLXC_VERSION ", plugin ABI " + std::to_string(RLX_PLUGIN_ABI_MAJOR) + '.' +
          std::to_string(RLX_PLUGIN_ABI_MINOR) + '\n');
    return compiled;
  }
  std::optional<lowering> how;
  if (o.action != action::list_plugins) how.emplace(o);
  if (o.action == action::print_passes) {
    print(how->pass_list());
    return compiled;
  }
  // All that depends on the process's state is fixed before plugin code runs in it.
  std::vector<std::string> paths;
  for (const std::string& input : o.inputs) paths.push_back(absolute_path(input));
  std::optional<output> out;
  if (o.action == action::compile && o.emit != emit_form::none) out.emplace(o.output);
  const session_ptr session = load_plugins();
  name_plugins_in_a_crash(*session);
  if (o.action == action::list_plugins) {
    list_plugins(*session);
    return compiled;
  }
  return compile_all(o, *how, *session, out ? &*out : nullptr, paths);
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_descriptors();
  keep_freed_memory();
  // A reader that went away and a file-size limit become errors of write().
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
  try {
    return run(argc, argv);
  } catch (const usage_error& e) {
    say(std::string{e.what()} + " (rlxc --help tells more)");
    return usage_or_plugin_trouble;
  } catch (const plugin_trouble& e) {
    say(e.what());
    return usage_or_plugin_trouble;
  } catch (const broken_pipe&) {
    return compiled;
  } catch (const std::exception& e) {
    say(e.what());
    return not_compiled;
  }
}
