#include "plugin/ledger/read/byte_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <opscope/ledger_reader.hpp>

namespace opscope {

namespace {
constexpr std::size_t chunk_bytes = std::size_t{1} << 20;
}

void byte_source::fail(const char* what) const {
  const std::string name = path_ == "-" ? "standard input" : path_;
  throw ledger_error{name + ": " + what + ": " + std::strerror(errno)};
}

byte_source::byte_source(const std::string& path, bool rewindable)
    : path_{path}, capacity_{chunk_bytes}, buffer_{new char[chunk_bytes + padding]} {
  if (path == "-") {
    file_ = STDIN_FILENO;
  } else {
    file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (file_ < 0) fail("cannot be opened");
    owns_file_ = true;
  }
  struct stat found {};
  const bool is_known = ::fstat(file_, &found) == 0;
  if (is_known && S_ISREG(found.st_mode)) file_bytes_ = static_cast<std::uint64_t>(found.st_size);
  if (is_known && S_ISDIR(found.st_mode)) {
    ::close(file_);
    owns_file_ = false;
    throw ledger_error{path_ + ": is a folder; name a ledger file in it"};
  }
  if (rewindable && ::lseek(file_, 0, SEEK_CUR) < 0) spool();
}

byte_source::~byte_source() {
  if (owns_file_) ::close(file_);
}

void byte_source::spool() {
  std::FILE* const kept = std::tmpfile();
  if (kept == nullptr) fail("no temporary file to keep it in");
  while (fill()) {
    if (std::fwrite(data(), 1, size(), kept) != size()) {
      std::fclose(kept);
      fail("the temporary file that keeps it cannot be written");
    }
    consume(size());
  }
  const bool is_written = std::fflush(kept) == 0;
  const int copy = is_written ? ::fcntl(::fileno(kept), F_DUPFD_CLOEXEC, 0) : -1;
  std::fclose(kept);
  if (copy < 0) fail("the temporary file that keeps it cannot be written");
  if (owns_file_) ::close(file_);
  file_ = copy;
  owns_file_ = true;
  seek(0);
}

bool byte_source::fill() {
  if (begin_ == end_) begin_ = end_ = 0;
  if (end_ == capacity_) {
    const std::size_t kept = size();
    if (begin_ >= capacity_ / 2) {
      std::memmove(buffer_.get(), data(), kept);
    } else {
      std::unique_ptr<char[]> larger{new char[capacity_ * 2 + padding]};
      std::memcpy(larger.get(), data(), kept);
      buffer_ = std::move(larger);
      capacity_ *= 2;
    }
    begin_ = 0;
    end_ = kept;
  }
  ssize_t got = 0;
  do {
    got = ::read(file_, buffer_.get() + end_, capacity_ - end_);
  } while (got < 0 && errno == EINTR);
  if (got < 0) fail("cannot be read");
  end_ += static_cast<std::size_t>(got);
  std::memset(buffer_.get() + end_, 0, padding);
  return got > 0;
}

void byte_source::seek(std::uint64_t offset) {
  if (::lseek(file_, static_cast<off_t>(offset), SEEK_SET) < 0) fail("cannot be read again");
  begin_ = end_ = 0;
  offset_ = offset;
}

}  // namespace opscope
