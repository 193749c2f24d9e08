// What both readers of a node share: numbers of kinds and dtypes, and texts kept once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "plugin/ledger/read/attributes.hpp"
#include "plugin/ledger/read/recorded_graph.hpp"

namespace opscope {

// Gives numbers to kinds and dtypes outside the tables, the same for the same text.
class numbering {
 public:
  std::uint32_t number(std::string_view text) {
    const auto next = static_cast<std::uint32_t>(RLX_FIRST_UNLISTED + numbers_.size());
    return numbers_.try_emplace(std::string{text}, next).first->second;
  }
  void clear() { numbers_.clear(); }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

// The tables of plugin.h by name.
class name_index {
 public:
  name_index();
  std::optional<std::uint32_t> kind(std::string_view name) const { return find(kinds_, name); }
  std::optional<std::uint32_t> dtype(std::string_view name) const { return find(dtypes_, name); }

 private:
  using table = std::unordered_map<std::string_view, std::uint32_t>;
  static std::optional<std::uint32_t> find(const table& t, std::string_view name) {
    const auto at = t.find(name);
    return at == t.end() ? std::nullopt : std::optional{at->second};
  }
  table kinds_;
  table dtypes_;
};

struct node_tables {
  numbering kinds;
  numbering dtypes;
  name_index names;
  attribute_builder attributes;
  std::unordered_map<std::string_view, std::uint32_t> expressions;  // of the graph being read

  // The place of the text among the graph's expression texts, where it is kept once.
  std::uint32_t expression_text(graph_arrays& g, std::string_view text);
  void set_kind(graph_arrays& g, rlx_node& n, rlx_node_info& info, std::string_view text);
  void set_dtype(graph_arrays& g, rlx_node& n, rlx_node_info& info, std::string_view text);
  void clear() {
    kinds.clear();
    dtypes.clear();
    attributes.clear();
    expressions.clear();
  }
};

}  // namespace opscope
