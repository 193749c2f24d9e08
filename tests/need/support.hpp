// Shorthand for tests of the need: one node over fresh inputs.
#pragma once

#include <opscope/need.hpp>

#include <boost/test/unit_test.hpp>
#include <ostream>
#include <vector>

#include "tests/support/view_builder.hpp"

namespace opscope {

inline std::ostream& operator<<(std::ostream& out, const interval& i) {
  out << '[' << i.lo() << ", ";
  i.hi() ? out << *i.hi() : out << "unbounded";
  return out << ']';
}

namespace test {

struct tensor {
  dim_list shape;
  std::uint32_t dtype = RLX_DTYPE_F32;
};

// The need of one node whose operands are all Inputs.
inline node_need need_of(std::uint32_t kind, const std::vector<tensor>& operands,
                         const tensor& output, attribute_list attributes = {}) {
  view_builder b;
  id_list ids;
  for (const tensor& t : operands) ids.push_back(b.input("x", t.shape, t.dtype));
  const auto id = b.node(kind, ids, output.shape, output.dtype, std::move(attributes));
  b.outputs({id});
  return analyze_need(b.view()).nodes()[id];
}

}  // namespace test
}  // namespace opscope
