// Notices sizes given to symbols that no graph has: most likely a slip of the pen.
#pragma once

#include <cstdint>
#include <opscope/bindings.hpp>
#include <rlx/view.hpp>
#include <string>
#include <vector>

namespace opscope {

class unmet_symbols {
 public:
  explicit unmet_symbols(const bindings& given);
  // The graphs nested in it too, which share its symbols.
  void see(const rlx::graph_view& graph);
  // The note to give; empty where each symbol was met.
  std::string note() const;

 private:
  std::vector<std::uint64_t> left_;
};

}  // namespace opscope
