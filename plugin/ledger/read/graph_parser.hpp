// Rebuilds a recorded graph, one node's JSON after the other. Checks what a view promises; throws
// line_error with the node's place.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include <opscope/ledger_reader.hpp>

namespace opscope {

// Why a line is no record: what is wrong, without file and line.
class line_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class graph_parser {
 public:
  graph_parser();
  ~graph_parser();

  // Room is made for node_count nodes, which is a guess.
  void begin(std::size_t node_count);
  // Adds the node at the start of the text, which may go on, and returns its bytes; 0, and nothing
  // is added, where it is not written as the ledger's writer does: then add_node() is to be asked.
  // The text is followed by byte_source::padding bytes, of which the first is 0.
  std::size_t add_canonical_node(const char* text, std::size_t size);
  // `json` is followed by at least byte_source::padding readable bytes.
  void add_node(std::string_view json);
  recorded_graph finish(std::string_view name, const std::vector<std::uint32_t>& outputs,
                        figure arena_bytes);

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace opscope
