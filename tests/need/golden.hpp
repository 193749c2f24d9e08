// Reads a golden graph and lends its view, for as long as it lives.
#pragma once

#include <memory>
#include <rlx/view.hpp>
#include <string>

#include "host/graph/view.hpp"
#include "host/read/read.hpp"

namespace opscope::test {

class golden_graph {
 public:
  // `path` below the golden folder, such as "matmul/mir.json".
  explicit golden_graph(const std::string& path)
      : golden_graph{rlx::read_file(std::string{OPSCOPE_TEST_DATA "/golden/"} + path)} {}
  explicit golden_graph(rlx::module m)
      : module_{std::make_unique<rlx::module>(std::move(m))},
        view_{std::make_unique<rlx::lent_view>(module_->graph,
                                               module_->plan ? &*module_->plan : nullptr)} {}
  rlx::graph_view view() const { return rlx::graph_view{view_->get()}; }

 private:
  std::unique_ptr<rlx::module> module_;
  std::unique_ptr<rlx::lent_view> view_;
};

}  // namespace opscope::test
