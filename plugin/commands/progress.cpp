#include "plugin/commands/progress.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <system_error>

namespace opscope {

namespace {
constexpr std::chrono::seconds silent_for{1};
constexpr std::chrono::milliseconds between_lines{200};
}  // namespace

progress::progress() {
  if (::isatty(STDERR_FILENO) != 1) return;
  try {
    watcher_ = std::thread{[this] { watch(); }};
  } catch (const std::system_error&) {
    // Without a thread there is no progress to see, and nothing is wrong.
  }
}

progress::~progress() {
  {
    const std::lock_guard lock{mutex_};
    is_over_ = true;
  }
  wake_.notify_all();
  if (watcher_.joinable()) watcher_.join();
}

void progress::at(std::string step) {
  const std::lock_guard lock{mutex_};
  step_ = std::move(step);
}

void progress::wipe() {
  const std::lock_guard lock{mutex_};
  if (is_shown_) std::fputs("\r\x1b[K", stderr);
  is_shown_ = false;
}

void progress::watch() {
  using clock = std::chrono::steady_clock;
  const clock::time_point start = clock::now();
  std::unique_lock lock{mutex_};
  wake_.wait_for(lock, silent_for, [this] { return is_over_; });
  while (!is_over_) {
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(clock::now() - start).count();
    std::fprintf(stderr, "\r\x1b[K%.100s, %lld s", step_.c_str(), static_cast<long long>(seconds));
    std::fflush(stderr);
    is_shown_ = true;
    wake_.wait_for(lock, between_lines, [this] { return is_over_; });
  }
  if (is_shown_) std::fputs("\r\x1b[K", stderr);
}

}  // namespace opscope
