#include "plugin/ledger/read/node_tables.hpp"

#include <rlx/view.hpp>

#include "plugin/ledger/kinds.hpp"
#include "plugin/ledger/read/graph_parser.hpp"

namespace opscope {

name_index::name_index() {
  for (std::uint32_t kind = 1; kind <= rlx::kind_count; ++kind) kinds_[kind_name(kind)] = kind;
#define OPSCOPE_DTYPE_INDEX(number, name, bytes) dtypes_[#name] = number;
  RLX_DTYPES(OPSCOPE_DTYPE_INDEX)
#undef OPSCOPE_DTYPE_INDEX
}

void node_tables::set_kind(graph_arrays& g, rlx_node& n, rlx_node_info& info,
                           std::string_view text) {
  if (const auto listed = names.kind(text)) {
    n.kind = *listed;
    info.kind_text = rlx::borrow(kind_name(n.kind));
  } else {
    n.kind = kinds.number(text);
    info.kind_text = attributes.intern(g.memory, text);
  }
}

void node_tables::set_dtype(graph_arrays& g, rlx_node& n, rlx_node_info& info,
                            std::string_view text) {
  if (const auto listed = names.dtype(text)) {
    n.dtype = *listed;
    info.dtype_text = rlx::borrow(dtype_name(n.dtype));
  } else {
    n.dtype = dtypes.number(text);
    info.dtype_text = attributes.intern(g.memory, text);
  }
}

std::uint32_t node_tables::expression_text(graph_arrays& g, std::string_view text) {
  if (const auto at = expressions.find(text); at != expressions.end()) return at->second;
  const auto number = static_cast<std::uint32_t>(g.expression_texts.size());
  if (number == UINT32_MAX) throw line_error{"its graph has too many expressions"};
  const rlx_string kept = attribute_builder::keep(g.memory, text);
  g.expression_texts.push_back(kept);
  expressions.emplace(rlx::text(kept), number);
  return number;
}

}  // namespace opscope
