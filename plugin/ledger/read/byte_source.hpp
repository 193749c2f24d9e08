// A window over a file that only moves forward, read in chunks; it grows while something in it is
// still needed. Knows nothing of lines.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace opscope {

class byte_source {
 public:
  // Throws ledger_error. `-` is standard input. With `rewindable`, what cannot be sought in is
  // first copied to a temporary file.
  byte_source(const std::string& path, bool rewindable);
  byte_source(const byte_source&) = delete;
  byte_source& operator=(const byte_source&) = delete;
  ~byte_source();

  // The window. `padding` bytes behind its end may be read, and are 0.
  static constexpr std::size_t padding = 64;
  const char* data() const { return buffer_.get() + begin_; }
  std::size_t size() const { return end_ - begin_; }
  std::uint64_t offset() const { return offset_; }  // in the file, of data()

  // Bytes from data() to the end of a regular file as it was opened; of another, of the window.
  std::uint64_t remaining() const { return file_bytes_ > offset_ ? file_bytes_ - offset_ : size(); }

  // Reads more behind the window; data() may move. False at the end of the file. Throws
  // ledger_error where the read fails.
  bool fill();
  void consume(std::size_t bytes) {
    begin_ += bytes;
    offset_ += bytes;
  }
  void seek(std::uint64_t offset);

 private:
  void spool();
  [[noreturn]] void fail(const char* what) const;

  std::string path_;
  int file_ = -1;
  bool owns_file_ = false;
  std::size_t capacity_;
  std::unique_ptr<char[]> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;
  std::uint64_t file_bytes_ = 0;
};

}  // namespace opscope
