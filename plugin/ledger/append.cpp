// The append protocol (see append.hpp), and where the records of a graph name go.
#include "plugin/ledger/append.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <thread>

#include <opscope/ledger.hpp>

#include "plugin/ledger/hash.hpp"

namespace opscope {

namespace {

constexpr int reopen_limit = 8;

std::string_view kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  if (S_ISSOCK(mode)) return "a socket";
  return "no regular file";
}

std::string_view advice(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "make room on that disk, or choose another place";
    case EFBIG:
      return "start another file, or raise the limit on file sizes";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a place that this user may write to";
    case ELOOP:
      return "links are not followed inside a ledger folder; remove the link";
    case EISDIR:
      return "end the path with '/' to have one file per graph in that folder";
    case ENAMETOOLONG:
      return "choose a shorter path";
    case ENOTDIR:
      return "a part of the path is a file; choose another place";
    case ENOLCK:
    case EOPNOTSUPP:
      return "that file system has no locks; choose another place";
    default:
      return "check the path, or choose another place";
  }
}

}  // namespace

void file_appender::fail(std::string_view what, int error) const {
  std::string text{"ledger "};
  text.append(path_).append(": ").append(what);
  if (error != 0) text.append(": ").append(std::strerror(error)).append("; ").append(advice(error));
  throw append_error{text};
}

file_appender::~file_appender() {
  if (file_ >= 0) {
    take_back();
    close();
  }
}

void file_appender::close() {
  // Explicitly, since a child forked meanwhile shares the open file and with it the lock.
  ::flock(file_, LOCK_UN);
  ::close(file_);
  file_ = -1;
}

int file_appender::open_once(int access) {
  const int flags = access | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC | O_NOCTTY |
                    (follow_links_ ? 0 : O_NOFOLLOW);
  return ::open(path_.c_str(), flags, 0666);
}

void file_appender::open() {
  for (int attempt = 0;; ++attempt) {
    bool can_read = true;
    file_ = open_once(O_RDWR);
    if (file_ < 0 && errno == ENOENT && attempt == 0) {
      std::error_code made;
      std::filesystem::create_directories(std::filesystem::path{path_}.parent_path(), made);
      if (made) fail("its folder cannot be created", made.value());
      file_ = open_once(O_RDWR);
    }
    if (file_ < 0 && errno == EACCES) {  // writable but not readable
      can_read = false;
      file_ = open_once(O_WRONLY);
    }
    if (file_ < 0) fail("cannot be opened for appending", errno);
    struct stat found {};
    if (::fstat(file_, &found) != 0) fail("cannot be examined", errno);
    if (!S_ISREG(found.st_mode)) {
      ::close(file_);
      file_ = -1;
      fail(std::string{"is "}.append(kind_of(found.st_mode)) +
               ", and a ledger is appended to regular files only; name a file, or a folder with a "
               "trailing '/'",
           0);
    }
    lock();
    // Somebody may have renamed or removed it while we waited: then the path names another file.
    struct stat named {};
    const bool same = ::stat(path_.c_str(), &named) == 0 && ::fstat(file_, &found) == 0 &&
                      named.st_dev == found.st_dev && named.st_ino == found.st_ino;
    if (same) {
      old_size_ = static_cast<std::uint64_t>(found.st_size);
      end_torn_line(can_read);
      return;
    }
    close();
    if (attempt == reopen_limit) {
      fail("is being replaced again and again by another program; choose another place", 0);
    }
  }
}

void file_appender::lock() {
  using clock = std::chrono::steady_clock;
  const clock::time_point end = clock::now() + lock_wait_;
  std::chrono::microseconds pause{100};
  while (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    const int error = errno;
    if (error != EWOULDBLOCK) {
      ::close(file_);
      file_ = -1;
      fail("cannot be locked", error);
    }
    if (clock::now() >= end) {
      ::close(file_);
      file_ = -1;
      timed_out_ = true;
      fail("another process has held its lock for " + std::to_string(lock_wait_.count()) +
               " ms; the record was not written; end that process, or choose another place",
           0);
    }
    std::this_thread::sleep_for(pause);
    pause = std::min<std::chrono::microseconds>(pause * 2, std::chrono::milliseconds{10});
  }
}

void file_appender::end_torn_line(bool can_read) {
  if (old_size_ == 0) return;
  char last = 0;
  if (can_read) {
    ssize_t got = -1;
    do {
      got = ::pread(file_, &last, 1, static_cast<off_t>(old_size_ - 1));
    } while (got < 0 && errno == EINTR);
    if (got < 0) fail("its last byte cannot be read", errno);
  }
  if (last != '\n') write_all("\n");  // an empty line too many is stepped over
}

void file_appender::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail("cannot be written", n < 0 ? errno : EIO);
    written_ += static_cast<std::uint64_t>(n);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void file_appender::take(std::string_view bytes) {
  if (file_ < 0) open();
  write_all(bytes);
}

void file_appender::commit() {
  if (file_ >= 0) close();
}

void file_appender::take_back() noexcept {
  // Only where nobody who ignores the lock has appended after us.
  struct stat found {};
  if (::fstat(file_, &found) != 0) return;
  if (static_cast<std::uint64_t>(found.st_size) != old_size_ + written_) return;
  while (::ftruncate(file_, static_cast<off_t>(old_size_)) != 0 && errno == EINTR) {
  }
}

std::string ledger_path(std::string_view place, std::string_view graph_name) {
  std::string path{place};
  if (place.empty() || place.back() != '/') return path;
  constexpr std::size_t longest = 255;  // NAME_MAX of the usual file systems
  constexpr char digits[] = "0123456789ABCDEF";
  // An empty name, "." and ".." would not be files of the folder. None of the replacements is the
  // encoding of another name: '%' is always escaped, '.' otherwise never.
  if (graph_name.empty()) return path.append("%");
  const bool dots = graph_name == "." || graph_name == "..";
  std::string name;
  std::size_t cut = 0;  // the longest start of `name` that leaves room for the hash
  const std::string ending = "%-" + to_hex(hash_bytes(graph_name));
  for (const char c : graph_name) {
    const auto u = static_cast<unsigned char>(c);
    const bool plain = (u >= 'A' && u <= 'Z') || (u >= 'a' && u <= 'z') || (u >= '0' && u <= '9') ||
                       (u == '.' && !dots) || u == '_' || u == '-';
    if (plain) {
      name += c;
    } else {
      name.append({'%', digits[u >> 4], digits[u & 15]});
    }
    if (name.size() + ending.size() <= longest) cut = name.size();
    if (name.size() > longest) return path.append(name, 0, cut).append(ending);
  }
  return path.append(name);
}

std::optional<std::string> append_record(std::string_view place, std::string_view graph_name,
                                         std::string_view record,
                                         std::chrono::milliseconds lock_wait) {
  const bool folder = !place.empty() && place.back() == '/';
  try {
    file_appender file{ledger_path(place, graph_name), !folder, lock_wait};
    file.take(std::string{record}.append("\n"));  // one write: a line is torn or whole
    file.commit();
  } catch (const append_error& e) {
    return e.what();
  }
  return std::nullopt;
}

}  // namespace opscope
