#include "plugin/commands/file_output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <opscope/ledger_reader.hpp>

#include "plugin/commands/console.hpp"

namespace opscope {

namespace {

constexpr std::size_t most_pending = std::size_t{64} << 10;

// What a link points to in the end, there or not; the path itself where it is none.
std::string linked(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int most_links = 40;
  fs::path at = path;
  std::error_code error;
  for (int i = 0; i < most_links && fs::is_symlink(at, error); ++i) {
    const fs::path next = fs::read_symlink(at, error);
    if (error) break;
    at = at.parent_path() / next;
  }
  return at.string();
}

}  // namespace

file_output::file_output(std::string path) : path_{std::move(path)} {
  struct stat before {};
  const bool is_there = ::stat(path_.c_str(), &before) == 0;
  if (!is_there && errno != ENOENT) fail(errno);
  if (is_there && S_ISDIR(before.st_mode)) fail(EISDIR);
  if (is_there && !S_ISREG(before.st_mode)) {
    file_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (file_ < 0) fail(errno);
    return;
  }
  target_ = linked(path_);
  std::string aside = target_ + ".new-XXXXXX";
  file_ = ::mkostemp(aside.data(), O_CLOEXEC);
  if (file_ < 0) fail(errno);
  aside_ = std::move(aside);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  // Best effort: only root may give a file away.
  if (is_there && ::fchown(file_, before.st_uid, before.st_gid) != 0) errno = 0;
  if (::fchmod(file_, is_there ? before.st_mode & 0777 : 0666 & ~mask) != 0) {
    const int error = errno;
    ::close(file_);
    ::unlink(aside_.c_str());
    fail(error);
  }
}

file_output::~file_output() {
  if (file_ >= 0) ::close(file_);
  if (!aside_.empty()) ::unlink(aside_.c_str());
}

void file_output::write(std::string_view text) {
  if (text.size() >= most_pending) {
    flush();
    return write_through(text);
  }
  pending_.append(text);
  if (pending_.size() >= most_pending) flush();
}

void file_output::finish() {
  flush();
  const int closed = ::close(file_);
  file_ = -1;
  if (closed != 0) fail(errno);
  if (aside_.empty()) return;
  if (std::rename(aside_.c_str(), target_.c_str()) != 0) fail(errno);
  aside_.clear();
}

void file_output::flush() {
  write_through(pending_);
  pending_.clear();
}

void file_output::write_through(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(file_, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EPIPE) throw broken_pipe{};
    if (n < 0) fail(errno);
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

void file_output::fail(int error) const {
  throw ledger_error{path_ + ": cannot be written: " + std::strerror(error)};
}

}  // namespace opscope
