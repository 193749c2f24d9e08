#include "plugin/commands/unmet_symbols.hpp"

#include <algorithm>

namespace opscope {

unmet_symbols::unmet_symbols(const bindings& given) {
  for (const auto& [symbol, size] : given.all()) left_.push_back(symbol);
}

void unmet_symbols::see(const rlx::graph_view& graph) {
  for (std::uint32_t id = 0; id < graph.size() && !left_.empty(); ++id) {
    const rlx_node& n = graph.node(id);
    if (n.dynamic_dims != 0) {
      const auto dims = graph.dims(n);
      for (std::size_t d = 0; d < dims.size(); ++d) {
        if ((n.dynamic_dims >> d & 1) != 0) std::erase(left_, dims[d]);
      }
    }
    for (const rlx_nested_graph& nested : graph.nested(id)) see(rlx::graph_view{*nested.graph});
  }
}

std::string unmet_symbols::note() const {
  if (left_.empty()) return "";
  std::string symbols;
  for (const std::uint64_t symbol : left_) {
    symbols += (symbols.empty() ? "?" : ", ?") + std::to_string(symbol);
  }
  return "--bind gives a size for " + symbols + ", and no dim of these graphs is called so";
}

}  // namespace opscope
