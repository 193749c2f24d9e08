// Appending to a file that many processes share: the whole protocol, and nothing about records.
//
// A writer takes an exclusive flock (advisory, bounded wait), ends a torn last line with a newline,
// writes its line whole, and puts the file back to its old length where that fails. A writer that
// is killed leaves at most its own line torn.
#pragma once

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "plugin/ledger/json_writer.hpp"

namespace opscope {

// Why nothing was appended: a sentence with the path and what to do.
class append_error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// One append. Nothing is opened before the first byte; what was not committed is taken back.
// The lock is this object's and goes with it, also where a child was forked meanwhile.
class file_appender final : public byte_sink {
 public:
  // follow_links: false for names that the user did not choose, made from graph names.
  file_appender(std::string path, bool follow_links, std::chrono::milliseconds lock_wait)
      : path_{std::move(path)}, follow_links_{follow_links}, lock_wait_{lock_wait} {}
  file_appender(const file_appender&) = delete;
  file_appender& operator=(const file_appender&) = delete;
  ~file_appender() override;

  void take(std::string_view bytes) override;  // throws append_error
  // Keeps what was taken, which ends in a newline, and lets go of the file.
  void commit();
  // Another writer held the lock for all of lock_wait.
  bool timed_out() const { return timed_out_; }

 private:
  void open();
  int open_once(int access);
  void lock();
  void end_torn_line(bool can_read);
  void write_all(std::string_view bytes);
  void close();
  void take_back() noexcept;
  [[noreturn]] void fail(std::string_view what, int error) const;

  std::string path_;
  bool follow_links_;
  std::chrono::milliseconds lock_wait_;
  int file_ = -1;
  std::uint64_t old_size_ = 0;
  std::uint64_t written_ = 0;
  bool timed_out_ = false;
};

}  // namespace opscope
