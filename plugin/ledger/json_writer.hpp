// Writes compact JSON into a buffer that is handed on in chunks, or kept whole where nobody takes
// it. Numbers are exact, doubles the shortest text that reads back the same. Does no nesting
// bookkeeping: commas and brackets are the caller's literals.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include <opscope/figure.hpp>

namespace opscope {

// Takes the chunks. Throws what it likes; the writer is then to be thrown away.
class byte_sink {
 public:
  virtual ~byte_sink() = default;
  virtual void take(std::string_view bytes) = 0;
};

class json_writer {
 public:
  // Without a sink everything stays in the buffer, which then grows.
  explicit json_writer(byte_sink* sink = nullptr, std::size_t chunk_bytes = std::size_t{1} << 18)
      : sink_{sink}, capacity_{chunk_bytes}, buffer_{new char[chunk_bytes]} {}

  // What has not been handed on.
  std::string_view pending() const { return {buffer_.get(), size_}; }
  void clear() { size_ = 0; }
  void set_sink(byte_sink* sink) { sink_ = sink; }
  void flush() {
    if (sink_ != nullptr && size_ != 0) sink_->take(pending());
    if (sink_ != nullptr) size_ = 0;
  }

  template <std::size_t N>
  void raw(const char (&literal)[N]) {
    ensure(N - 1);
    std::memcpy(buffer_.get() + size_, literal, N - 1);
    size_ += N - 1;
  }
  void raw(char c) {
    ensure(1);
    buffer_[size_++] = c;
  }
  // Takes the last byte back: a comma too many. Only right after raw().
  void drop_last() { --size_; }
  // Text that is JSON already, or the inside of a string that needs no escaping.
  void verbatim(std::string_view json);

  void number(std::uint64_t v) {
    ensure(20);
    if (v < 10) {  // many are 0
      buffer_[size_++] = static_cast<char>('0' + v);
      return;
    }
    char* const at = buffer_.get() + size_;
    size_ += static_cast<std::size_t>(std::to_chars(at, at + 20, v).ptr - at);
  }
  // `[v,v]`
  void pair_of(std::uint64_t v) {
    ensure(43);
    char* const at = buffer_.get() + size_;
    char* end = at + 2;
    if (v < 10) {
      at[1] = static_cast<char>('0' + v);
    } else {
      end = std::to_chars(at + 1, at + 21, v).ptr;
    }
    const auto digits = static_cast<std::size_t>(end - at - 1);
    *at = '[';
    *end = ',';
    std::memcpy(end + 1, at + 1, digits);
    end[1 + digits] = ']';
    size_ += 3 + 2 * digits;
  }
  void signed_number(std::int64_t v) {
    ensure(20);
    char* const at = buffer_.get() + size_;
    size_ += static_cast<std::size_t>(std::to_chars(at, at + 20, v).ptr - at);
  }
  // null where it is not finite; else always with a point or an exponent, so that a reader can
  // tell it from an integer.
  void real(double v);
  void boolean(bool b) {
    if (b) {
      raw("true");
    } else {
      raw("false");
    }
  }
  void null() { raw("null"); }
  void count(figure f) {
    if (f) {
      number(*f);
    } else {
      null();
    }
  }
  // A string value. Bytes that are no UTF-8 are written as U+FFFD.
  void text(std::string_view s) {
    raw('"');
    escaped(s);
    raw('"');
  }
  // The same of text that needs no escaping.
  void plain_text(std::string_view s) {
    ensure(s.size() + 2);
    buffer_[size_++] = '"';
    std::memcpy(buffer_.get() + size_, s.data(), s.size());
    size_ += s.size();
    buffer_[size_++] = '"';
  }
  // The inside of a string value.
  void escaped(std::string_view s);

 private:
  void ensure(std::size_t n) {
    if (capacity_ - size_ < n) make_room(n);
  }
  void make_room(std::size_t n);

  byte_sink* sink_;
  std::size_t capacity_;
  std::size_t size_ = 0;
  std::unique_ptr<char[]> buffer_;
};

}  // namespace opscope
