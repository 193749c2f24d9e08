// What of a process a plugin must leave as it is.
#pragma once

#include <fenv.h>
#include <locale.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

extern char** environ;

namespace opscope::test {

struct process_state {
  std::string working_directory;
  std::string locale;
  std::vector<std::string> environment;
  std::vector<void*> signal_handlers;
  mode_t file_mask = 0;
  int rounding = 0;
  long threads = 0;
};

inline process_state take_state() {
  process_state s;
  s.working_directory = std::filesystem::current_path().string();
  s.locale = ::setlocale(LC_ALL, nullptr);
  for (char** e = environ; *e != nullptr; ++e) s.environment.emplace_back(*e);
  for (int n = 1; n < NSIG; ++n) {
    struct sigaction action {};
    ::sigaction(n, nullptr, &action);
    s.signal_handlers.push_back(reinterpret_cast<void*>(action.sa_sigaction));
  }
  s.file_mask = ::umask(0);
  ::umask(s.file_mask);
  s.rounding = ::fegetround();
  for (const auto& thread : std::filesystem::directory_iterator{"/proc/self/task"}) {
    (void)thread;
    ++s.threads;
  }
  return s;
}

// What differs, in words, or nothing.
inline std::string difference(const process_state& a, const process_state& b) {
  if (a.working_directory != b.working_directory) return "it moved the working directory";
  if (a.locale != b.locale) return "it changed the locale";
  if (a.environment != b.environment) return "it changed the environment";
  if (a.signal_handlers != b.signal_handlers) return "it changed a signal's handler";
  if (a.file_mask != b.file_mask) return "it changed the file mode mask";
  if (a.rounding != b.rounding) return "it changed the rounding mode";
  if (a.threads != b.threads) return "it left a thread running";
  return {};
}

}  // namespace opscope::test
