#include "host/cli/output.hpp"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace rlx::cli {

namespace {

std::string errno_text(int code) { return std::generic_category().message(code); }

[[noreturn]] void fail(const std::string& path, const char* what, int code) {
  throw error{path + ": " + what + ": " + errno_text(code)};
}

// Returns 0 or an errno.
int write_all(int fd, std::string_view data) {
  while (!data.empty()) {
    const ssize_t n = ::write(fd, data.data(), data.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    data.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

void check_written(const std::string& name, int code) {
  if (code == EPIPE) throw broken_pipe{};
  if (code != 0) fail(name, "cannot be written", code);
}

// A signal that ends the program waits until the temporary file has its name or is gone.
class signal_delay {
 public:
  signal_delay() {
    sigset_t ending;
    sigemptyset(&ending);
    for (const int s : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) sigaddset(&ending, s);
    ::pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  ~signal_delay() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  signal_delay(const signal_delay&) = delete;
  signal_delay& operator=(const signal_delay&) = delete;

 private:
  sigset_t before_;
};

class temporary_file {
 public:
  explicit temporary_file(const std::string& folder) : path_{folder + "/.rlxc-XXXXXX"} {
    fd_ = ::mkostemp(path_.data(), O_CLOEXEC);
    if (fd_ < 0) path_.clear();
  }
  ~temporary_file() {
    if (fd_ >= 0) ::close(fd_);
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;

  int fd() const { return fd_; }
  // Both return 0 or an errno.
  int close() {
    const int result = ::close(fd_);
    fd_ = -1;
    return result == 0 ? 0 : errno;
  }
  int rename_to(const std::string& path) {
    if (::rename(path_.c_str(), path.c_str()) != 0) return errno;
    path_.clear();
    return 0;
  }

 private:
  std::string path_;
  int fd_ = -1;
};

}  // namespace

std::string absolute_path(const std::string& path) {
  if (path == "-") return path;
  std::error_code failed;
  const std::filesystem::path absolute = std::filesystem::absolute(path, failed);
  return failed ? path : absolute.string();
}

void print(std::string_view text) {
  check_written("standard output", write_all(STDOUT_FILENO, text));
}

output::output(const std::string& path) : path_{path}, target_{absolute_path(path)} {
  if (path_ == "-") {
    path_ = "standard output";
    stdout_copy_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (stdout_copy_ < 0) fail(path_, "cannot be written", errno);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    return;
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  new_file_mode_ = 0666 & ~mask;
}

output::~output() {
  if (stdout_copy_ >= 0) ::close(stdout_copy_);
}

void output::write(std::string_view data) {
  if (stdout_copy_ >= 0) {
    check_written(path_, write_all(stdout_copy_, data));
    return;
  }
  struct stat s;
  if (::stat(target_.c_str(), &s) == 0 && !S_ISREG(s.st_mode)) {
    if (S_ISDIR(s.st_mode)) fail(path_, "cannot be written", EISDIR);
    const int fd = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    const int code = fd < 0 ? errno : write_all(fd, data);
    if (fd >= 0) ::close(fd);
    check_written(path_, code);
    return;
  }
  // A link keeps pointing where it does: what it points to is replaced.
  std::error_code failed;
  const std::filesystem::path real = std::filesystem::canonical(target_, failed);
  write_aside(failed ? target_ : real.string(), data);
}

void output::write_aside(const std::string& path, std::string_view data) const {
  const std::size_t slash = path.rfind('/');
  const signal_delay delay;
  temporary_file aside{slash == std::string::npos ? "." : path.substr(0, slash)};
  if (aside.fd() < 0) fail(path_, "cannot be written (no temporary file beside it)", errno);
  mode_t mode = new_file_mode_;
  struct stat before;
  if (::stat(path.c_str(), &before) == 0) {
    mode = before.st_mode & 0777;
    // Best effort: only root may give a file away.
    if (::fchown(aside.fd(), before.st_uid, before.st_gid) != 0) errno = 0;
  }
  int code = ::fchmod(aside.fd(), mode) == 0 ? 0 : errno;
  if (code == 0) code = write_all(aside.fd(), data);
  if (code == 0) code = aside.close();
  if (code == 0) code = aside.rename_to(path);
  if (code != 0) fail(path_, "cannot be written", code);
}

}  // namespace rlx::cli
