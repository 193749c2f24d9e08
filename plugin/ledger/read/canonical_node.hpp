// Reads a node in the very bytes that the ledger's writer makes of it (members in the schema's
// order, no blanks), at several times the speed of a JSON parser. Decides nothing: what has another
// form, or a value that could be wrong, is left to graph_parser, which reads all JSON.
#pragma once

#include <string>
#include <vector>

#include "plugin/ledger/read/node_tables.hpp"

namespace opscope {

class canonical_node {
 public:
  explicit canonical_node(node_tables& tables) : tables_{tables} {}

  // Appends the node at the start of [text, text + size) to `g` and returns its bytes; 0, and `g`
  // is as before, where the node has another form or goes beyond the end. At least 64 bytes behind
  // the end may be read, and the first of them is 0.
  std::size_t read(const char* text, std::size_t size, graph_arrays& g);

 private:
  struct draft {
    rlx_node node{};
    rlx_node_info info{};
    node_cost cost;
    std::string_view label;
    bool has_need = false;
    node_need need;
    bool has_expressions = false;
    expression_entry expressions{};
  };

  bool members(graph_arrays& g, draft& d);
  bool shape(graph_arrays& g, rlx_node& n);
  bool inputs(graph_arrays& g, rlx_node& n, std::uint32_t position);
  bool attributes(graph_arrays& g, const rlx_node& n, rlx_node_info& info);
  bool attribute(graph_arrays& g);
  bool origin(graph_arrays& g, rlx_node_info& info);
  bool storage(rlx_node& n, rlx_node_info& info, std::uint32_t position);
  bool figures(node_cost& cost);
  bool need(draft& d);
  bool expressions(graph_arrays& g, draft& d);
  bool expression(graph_arrays& g, std::uint32_t& lo, std::uint32_t& hi);

  template <std::size_t N>
  bool skip(const char (&text)[N]);
  bool count(std::uint64_t& value);
  bool count_or_null(std::uint64_t& value);  // null: RLX_UNKNOWN
  bool figure_of(node_cost& cost, unsigned column);
  bool ends(interval& column);
  bool number(attribute_builder::element& e);
  bool element(graph_arrays& g, attribute_builder::element& e);
  // Between quotes. Lasts until the next text.
  bool text(std::string_view& value);
  bool escaped_text(const char* begin, std::string_view& value);

  node_tables& tables_;
  const char* at_ = nullptr;
  std::string unescaped_;
  std::vector<attribute_builder::element> elements_;
};

}  // namespace opscope
