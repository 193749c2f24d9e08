// Costs an empty graph with the installed library.
#include <iostream>
#include <opscope/cost.hpp>

int main() {
  rlx_graph_view view{};
  view.struct_size = sizeof view;
  view.node_stride = sizeof(rlx_node);
  view.info_stride = sizeof(rlx_node_info);
  std::cout << opscope::analyze(rlx::graph_view{view}).totals().nodes << " nodes\n";
}
