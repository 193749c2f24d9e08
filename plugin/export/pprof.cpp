#include "plugin/export/pprof.hpp"

#include <zlib.h>

#include <charconv>
#include <chrono>
#include <optional>

namespace opscope {

namespace {

// Wire format: a field is (number << 3 | type), type 0 a varint, 2 a length and as many bytes.
class message {
 public:
  void count(unsigned field, std::uint64_t value) {
    varint(field << 3);
    varint(value);
  }
  void bytes(unsigned field, std::string_view value) {
    varint(field << 3 | 2);
    varint(value.size());
    text_.append(value);
  }
  void nested(unsigned field, const message& m) { bytes(field, m.text_); }
  void packed(unsigned field, const message& numbers) { bytes(field, numbers.text_); }
  void varint(std::uint64_t value) {
    while (value >= 0x80) {
      text_ += static_cast<char>((value & 0x7F) | 0x80);
      value >>= 7;
    }
    text_ += static_cast<char>(value);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

// Field numbers of profile.proto.
namespace field {
enum profile : unsigned {
  sample_type = 1,
  sample = 2,
  location = 4,
  function = 5,
  string_table = 6,
  time_nanos = 9,
  comment = 13,
  default_sample_type = 14
};
enum value_type : unsigned { type = 1, unit = 2 };
enum sample : unsigned { location_id = 1, value = 2 };
enum location : unsigned { location_id_ = 1, line = 4 };
enum line : unsigned { function_id = 1 };
enum function : unsigned { function_id_ = 1, name = 2, system_name = 3 };
}  // namespace field

class string_table {
 public:
  string_table() { number(""); }
  std::uint64_t number(std::string_view text) {
    const auto next = static_cast<std::uint64_t>(all_.size());
    const auto [at, is_new] = numbers_.try_emplace(std::string{text}, next);
    if (is_new) all_.push_back(at->first);
    return at->second;
  }
  const std::vector<std::string_view>& all() const { return all_; }

 private:
  std::map<std::string, std::uint64_t, std::less<>> numbers_;
  std::vector<std::string_view> all_;
};

// Nanoseconds since 1970 of `2026-12-01T09:30:00.123456Z`; nothing where it is of another form.
std::optional<std::uint64_t> nanoseconds(std::string_view time) {
  constexpr std::string_view form = "dddd-dd-ddTdd:dd:dd.ddddddZ";
  if (time.size() != form.size()) return std::nullopt;
  for (std::size_t i = 0; i < form.size(); ++i) {
    const bool is_digit = time[i] >= '0' && time[i] <= '9';
    if (form[i] == 'd' ? !is_digit : time[i] != form[i]) return std::nullopt;
  }
  const auto number = [&](std::size_t at, std::size_t digits) {
    unsigned v = 0;
    std::from_chars(time.data() + at, time.data() + at + digits, v);
    return v;
  };
  using namespace std::chrono;
  const year_month_day date{year{static_cast<int>(number(0, 4))}, month{number(5, 2)},
                            day{number(8, 2)}};
  if (!date.ok() || date < year_month_day{year{1970}, month{1}, day{1}} ||
      date > year_month_day{year{2261}, month{1}, day{1}}) {
    return std::nullopt;
  }
  const auto since = sys_days{date}.time_since_epoch() + hours{number(11, 2)} +
                     minutes{number(14, 2)} + seconds{number(17, 2)} + microseconds{number(20, 6)};
  return static_cast<std::uint64_t>(duration_cast<std::chrono::nanoseconds>(since).count());
}

}  // namespace

std::string write_pprof_message(const profile& p) {
  string_table strings;
  message out;
  for (const profile_value& v : profile_values) {
    message type;
    type.count(field::type, strings.number(v.name));
    type.count(field::unit, strings.number(v.unit));
    out.nested(field::sample_type, type);
  }
  for (const auto& [stack, values] : p.samples) {
    message ids;
    for (const std::uint32_t name : stack) ids.varint(name + 1);
    message numbers;
    for (const std::uint64_t v : values) numbers.varint(v);
    message sample;
    sample.packed(field::location_id, ids);
    sample.packed(field::value, numbers);
    out.nested(field::sample, sample);
  }
  // A location and a function a name, numbered from 1.
  for (std::uint64_t id = 1; id <= p.names.size(); ++id) {
    message line;
    line.count(field::function_id, id);
    message location;
    location.count(field::location_id_, id);
    location.nested(field::line, line);
    out.nested(field::location, location);
  }
  for (std::uint64_t id = 1; id <= p.names.size(); ++id) {
    const std::uint64_t name = strings.number(p.names[id - 1]);
    message function;
    function.count(field::function_id_, id);
    function.count(field::name, name);
    function.count(field::system_name, name);
    out.nested(field::function, function);
  }
  if (const auto time = nanoseconds(p.time)) out.count(field::time_nanos, *time);
  for (const std::string& text : p.comments) out.count(field::comment, strings.number(text));
  for (std::size_t i = 0; i < profile_values.size(); ++i) {
    if (p.unknown_nodes[i] == 0) continue;
    out.count(field::comment,
              strings.number(std::string{profile_values[i].name} + ": " +
                             std::to_string(p.unknown_nodes[i]) +
                             " nodes are unknown and stand at the least that is known"));
  }
  out.count(field::default_sample_type, strings.number(profile_values[0].name));
  for (const std::string_view text : strings.all()) out.bytes(field::string_table, text);
  return out.take();
}

std::string write_pprof(const profile& p) {
  std::string message = write_pprof_message(p);
  z_stream z{};
  constexpr int gzip_window = 15 + 16;  // zlib: 16 more asks for gzip's header
  if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    throw ledger_error{"the profile cannot be compressed: zlib does not start"};
  }
  std::string out;
  constexpr std::size_t piece = std::size_t{1} << 16;
  std::size_t done = 0;
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    // zlib counts what it takes and gives in 32 bits.
    const std::size_t taken = std::min<std::size_t>(message.size() - done, std::size_t{1} << 30);
    z.next_in = reinterpret_cast<Bytef*>(message.data() + done);
    z.avail_in = static_cast<uInt>(taken);
    const int flush = done + taken == message.size() ? Z_FINISH : Z_NO_FLUSH;
    const std::size_t before = out.size();
    out.resize(before + piece);
    z.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    z.avail_out = piece;
    state = deflate(&z, flush);
    out.resize(before + piece - z.avail_out);
    done += taken - z.avail_in;
    if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR) {
      deflateEnd(&z);
      throw ledger_error{"the profile cannot be compressed: zlib says " + std::to_string(state)};
    }
  }
  deflateEnd(&z);
  return out;
}

}  // namespace opscope
