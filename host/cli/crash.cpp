#include "host/cli/crash.hpp"

#include <signal.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "host/text/printable.hpp"

namespace rlx::cli {

namespace {

// Made beforehand: a signal handler may neither allocate nor format. Never freed.
const std::string* crash_line = nullptr;

void say_and_end(int signal) {
  // SA_RESETHAND has put the default action back: returning runs into the fault again, and a raised
  // signal is sent once more.
  if (::write(STDERR_FILENO, crash_line->data(), crash_line->size()) >= 0) ::raise(signal);
}

std::string_view text(const rlx_string& s) { return {s.data, s.size}; }

}  // namespace

void name_plugins_in_a_crash(const rlx_session& session) {
  std::string line = "rlxc: crashed; plugins loaded:";
  const std::size_t count = rlx_session_plugin_count(&session);
  for (std::size_t i = 0; i < count; ++i) {
    rlx_plugin_info info{};
    info.struct_size = sizeof info;
    if (rlx_session_plugin(&session, i, &info) != RLX_OK) continue;
    line.append(i == 0 ? " " : ", ").append(text(info.name)).append(" ");
    line.append(printable(text(info.version))).append(" (");
    line.append(printable(text(info.path))).append(")");
  }
  if (count == 0) return;
  crash_line = new std::string{line + "; try without them\n"};
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_handler = &say_and_end;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
    ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace rlx::cli
