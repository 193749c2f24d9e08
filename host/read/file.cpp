#include "host/read/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "host/error.hpp"

namespace rlx::json {

namespace {

class descriptor {
 public:
  explicit descriptor(int fd) : fd_{fd} {}
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() {
    if (fd_ > STDERR_FILENO) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

[[noreturn]] void fail_system(const char* what) {
  throw error{std::string{"file: cannot be "} + what + " (" +
              std::generic_category().message(errno) + "), check the path and its permissions"};
}

const char* name_of_type(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  if (S_ISSOCK(mode)) return "a socket";
  return "no regular file";
}

// Reads up to `size` bytes; fewer only at the end.
std::size_t read_up_to(int fd, char* data, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = ::read(fd, data + done, std::min<std::size_t>(size - done, 1u << 30));
    if (n == 0) break;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_system("read");
    done += static_cast<std::size_t>(n);
  }
  return done;
}

// A stream whose end is not known before.
buffer load_stream(int fd) {
  buffer b = make_buffer(1u << 16);
  std::size_t used = 0;
  while (true) {
    used += read_up_to(fd, b.data.get() + used, b.size - used);
    if (used < b.size) break;
    buffer larger = make_buffer(
        b.size == max_bytes ? max_bytes + 1 : std::min<std::uint64_t>(b.size * 2, max_bytes));
    std::memcpy(larger.data.get(), b.data.get(), used);
    b = std::move(larger);
  }
  std::memset(b.data.get() + used, 0, simdjson::SIMDJSON_PADDING);
  b.size = used;
  return b;
}

}  // namespace

buffer load(const std::string& path) {
  const bool is_stdin = path == "-";
  const descriptor fd{
      is_stdin ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)};
  if (fd.get() < 0) fail_system("opened");
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) fail_system("examined");
  if (is_stdin && !S_ISDIR(info.st_mode)) return load_stream(fd.get());
  if (!S_ISREG(info.st_mode)) {
    throw error{std::string{"file: "} + name_of_type(info.st_mode) +
                ", give a regular file, or - for standard input"};
  }
  // One byte more than it had, to see a file that grows meanwhile.
  const auto size = static_cast<std::uint64_t>(info.st_size);
  buffer b = make_buffer(size);
  b.size = read_up_to(fd.get(), b.data.get(), b.size);
  std::memset(b.data.get() + b.size, 0, simdjson::SIMDJSON_PADDING);
  return b;
}

}  // namespace rlx::json
