// Walks a ledger line by line: the members of a record at depth one here, what is in them by the
// parsers. A line's end inside a record, or something behind it, makes the line none.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>

#include <opscope/ledger_reader.hpp>

#include "plugin/ledger/read/byte_source.hpp"
#include "plugin/ledger/read/graph_parser.hpp"
#include "plugin/ledger/read/header.hpp"
#include "plugin/ledger/read/scanner.hpp"

namespace opscope {

namespace {

// Beyond this a member or a node is no ledger's, and would only eat memory.
constexpr std::size_t longest_value = std::size_t{256} << 20;

}  // namespace

struct ledger_reader::state {
  byte_source source;
  std::string file;
  note_function note;
  std::uint64_t line = 0;  // of the window's start, from 1 once a line is begun
  std::uint64_t skipped = 0;
  std::string header;
  header_parser headers;
  graph_parser graphs;

  state(const std::string& path, note_function n, bool rewindable)
      : source{path, rewindable}, file{path == "-" ? "stdin" : path}, note{std::move(n)} {}

  // ---- Bytes of the current line; -1 at its end

  int peek() {
    if (source.size() == 0 && !source.fill()) return -1;
    const auto c = static_cast<unsigned char>(*source.data());
    return c == '\n' ? -1 : c;
  }
  int peek_value() {
    int c = peek();
    while (c == ' ' || c == '\t' || c == '\r') {
      source.consume(1);
      c = peek();
    }
    return c;
  }
  void expect(char wanted, const char* what) {
    const int c = peek_value();
    if (c == wanted) return source.consume(1);
    if (c < 0)
      throw line_error{"the record ends early (a writer was stopped there, or it is none)"};
    throw line_error{std::string{"no ledger record ("} + what + ")"};
  }
  [[noreturn]] static void torn() {
    throw line_error{"the record ends early (its writer was stopped there)"};
  }

  // The bytes of the value that starts the window, which is an object or array; they stay in it.
  std::size_t measure_brackets() {
    bracket_scanner scanner;
    std::size_t done = 0;
    while (true) {
      const auto r = scanner.scan(source.data() + done, source.size() - done);
      done += r.used;
      if (r.what == bracket_scanner::found::end) return done;
      if (r.what == bracket_scanner::found::newline) torn();
      if (done > longest_value) throw line_error{"a member is longer than 256 MiB"};
      if (!source.fill()) torn();
    }
  }
  void skip_brackets() {
    bracket_scanner scanner;
    while (true) {
      const auto r = scanner.scan(source.data(), source.size());
      source.consume(r.used);
      if (r.what == bracket_scanner::found::end) return;
      if (r.what == bracket_scanner::found::newline) torn();
      if (!source.fill()) torn();
    }
  }
  // A string with its quotes.
  std::size_t measure_string() {
    std::size_t at = 1;
    while (true) {
      for (; at < source.size(); ++at) {
        const char c = source.data()[at];
        if (c == '"') return at + 1;
        if (c == '\n') torn();
        if (c == '\\') ++at;  // whatever follows is no end
      }
      if (at > longest_value) throw line_error{"a text is longer than 256 MiB"};
      if (!source.fill()) torn();
    }
  }
  // A number or a word.
  std::size_t measure_scalar() {
    std::size_t at = 0;
    while (true) {
      for (; at < source.size(); ++at) {
        if (std::strchr(",]} \t\r\n", source.data()[at]) != nullptr) return at;
      }
      if (at > 64) throw line_error{"not JSON: a value is neither number nor word"};
      if (!source.fill()) return at;
    }
  }
  std::size_t measure_value() {
    switch (peek_value()) {
      case -1:
        torn();
      case '{':
      case '[':
        return measure_brackets();
      case '"':
        return measure_string();
      default:
        return measure_scalar();
    }
  }
  std::string take(std::size_t bytes) {
    std::string s{source.data(), bytes};
    source.consume(bytes);
    return s;
  }

  // ---- A record

  // The window stands at the line's first byte.
  ledger_record read_record(bool with_nodes) {
    bool has_nodes = false;
    header.assign("{");
    expect('{', "it is no JSON object");
    if (peek_value() == '}') {
      source.consume(1);
    } else {
      while (true) {
        if (peek_value() != '"') expect('"', "a member has no name");
        const std::string key = take(measure_string());
        expect(':', "a member has no value");
        if (key == "\"nodes\"") {
          if (has_nodes) throw line_error{"the member nodes occurs twice"};
          has_nodes = true;
          read_nodes(with_nodes);
        } else {
          const std::size_t size = measure_value();
          if (header.size() + size > longest_value) {
            throw line_error{"its members before the nodes are longer than 256 MiB"};
          }
          if (header.size() > 1) header += ',';
          header.append(key).append(":").append(source.data(), size);
          source.consume(size);
        }
        if (peek_value() != ',') break;
        source.consume(1);
      }
      expect('}', "a member is followed by neither comma nor brace");
    }
    if (peek_value() >= 0) throw line_error{"there is more than one record on the line"};
    header += '}';
    std::vector<std::uint32_t> outputs;
    ledger_record r = headers.parse(header, outputs);
    r.has_nodes = has_nodes;
    if (with_nodes && has_nodes) {
      r.nodes = graphs.finish(r.graph, outputs, r.memory.arena_bytes);
      if (r.nodes->size() != r.totals.nodes) {
        throw line_error{"totals.nodes is " + std::to_string(r.totals.nodes) + ", but it holds " +
                         std::to_string(r.nodes->size()) + " nodes"};
      }
    }
    return r;
  }

  void read_nodes(bool with_nodes) {
    if (peek_value() != '[') expect('[', "its nodes are no array");
    if (!with_nodes) return skip_brackets();
    graphs.begin(expected_nodes());
    source.consume(1);
    if (peek_value() == ']') return source.consume(1);
    while (true) {
      if (peek_value() != '{') expect('{', "a node is no object");
      std::size_t size = graphs.add_canonical_node(source.data(), source.size());
      if (size == 0) {
        size = measure_brackets();
        graphs.add_node({source.data(), size});
      }
      source.consume(size);
      const int c = peek_value();
      if (c == ',') {
        source.consume(1);
      } else {
        return expect(']', "a node is followed by neither comma nor bracket");
      }
    }
  }

  // How many nodes the line may have, for making room: what the members so far say, held to what
  // the rest of the file can hold.
  std::size_t expected_nodes() const {
    constexpr std::string_view lead = "\"totals\":{\"nodes\":";
    constexpr std::size_t shortest_node = 200;
    const std::size_t at = header.find(lead);
    if (at == std::string::npos) return 0;
    std::uint64_t nodes = 0;
    std::from_chars(header.data() + at + lead.size(), header.data() + header.size(), nodes);
    return static_cast<std::size_t>(std::min(nodes, source.remaining() / shortest_node));
  }

  // ---- Lines

  void finish_line() {
    while (true) {
      const char* const data = source.data();
      const void* const newline = std::memchr(data, '\n', source.size());
      if (newline != nullptr) {
        source.consume(static_cast<std::size_t>(static_cast<const char*>(newline) - data) + 1);
        return;
      }
      source.consume(source.size());
      if (!source.fill()) return;
    }
  }
  void say(const std::string& what) const {
    if (note) note(file + ":" + std::to_string(line) + ": " + what + "; the line is left out");
  }

  std::optional<ledger_record> read_line(bool with_nodes) {
    const std::uint64_t offset = source.offset();
    try {
      ledger_record r = read_record(with_nodes);
      r.file = file;
      r.line = line;
      r.offset = offset;
      finish_line();
      return r;
    } catch (const line_error& e) {
      ++skipped;
      say(e.what());
    }
    finish_line();
    return std::nullopt;
  }
};

ledger_reader::ledger_reader(const std::string& path, note_function note, bool rewindable)
    : state_{std::make_unique<state>(path, std::move(note), rewindable)} {}
ledger_reader::ledger_reader(ledger_reader&&) noexcept = default;
ledger_reader& ledger_reader::operator=(ledger_reader&&) noexcept = default;
ledger_reader::~ledger_reader() = default;

std::optional<ledger_record> ledger_reader::next(bool with_nodes) {
  state& s = *state_;
  while (true) {
    if (s.source.size() == 0 && !s.source.fill()) return std::nullopt;
    ++s.line;
    if (s.peek_value() < 0) {  // an empty line
      s.finish_line();
      continue;
    }
    if (auto r = s.read_line(with_nodes)) return r;
  }
}

std::optional<ledger_record> ledger_reader::read_at(std::uint64_t offset, std::uint64_t line) {
  state& s = *state_;
  s.source.seek(offset);
  s.line = line;
  return s.read_line(true);
}

std::uint64_t ledger_reader::skipped_lines() const { return state_->skipped; }

std::vector<std::string> ledger_files(const std::string& place) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (place == "-" || !fs::is_directory(place, error)) return {place};
  std::vector<std::string> files;
  for (fs::directory_iterator at{place, error}, end; !error && at != end; at.increment(error)) {
    std::error_code unreadable;
    if (at->is_regular_file(unreadable)) files.push_back(at->path().string());
  }
  if (error) throw ledger_error{place + ": the folder cannot be read: " + error.message()};
  if (files.empty()) throw ledger_error{place + ": there is no file in the folder; name a ledger"};
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace opscope
