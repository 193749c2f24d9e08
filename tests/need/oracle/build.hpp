// A trial as a graph, and the list of all oracles.
#pragma once

#include <algorithm>
#include <map>
#include <stdexcept>

#include "tests/need/oracle/trial.hpp"

namespace opscope::test {

inline const std::map<std::uint32_t, void (*)(trial&)>& oracles() {
  static const auto all = [] {
    std::map<std::uint32_t, void (*)(trial&)> m;
    for (const auto list :
         {elementwise_oracles(), matmul_oracles(), norm_oracles(), attention_oracles(),
          movement_oracles(), reduce_oracles(), conv_oracles(), recurrent_oracles(),
          control_oracles(), linalg_oracles()}) {
      for (const oracle& o : list) {
        if (!m.emplace(o.kind, o.run).second) throw std::logic_error{"two oracles for a kind"};
      }
    }
    return m;
  }();
  return all;
}

inline dim_list dims_of(const sizes& s) {
  dim_list d;
  for (const std::uint64_t v : s) d.push_back(dim{v});
  return d;
}

struct built {
  view_builder builder;
  std::uint32_t id = 0;
};

// The node and its operands as a graph. Views lie in an Input of their storage's shape.
inline void build(const trial& t, std::uint32_t kind, built& b) {
  std::vector<std::uint32_t> roots;
  for (const auto& s : t.storages) roots.push_back(b.builder.input("s", dims_of(s.shape), s.dtype));
  id_list ids;
  for (const trial::placed& p : t.operands) {
    const tensor_trace& x = *p.tensor;
    if (p.same_as >= 0) {
      ids.push_back(ids[static_cast<std::size_t>(p.same_as)]);
    } else if (p.storage >= 0) {
      const auto root = roots[static_cast<std::size_t>(p.storage)];
      const std::uint64_t row = x.size() / std::max<std::uint64_t>(x.shape[0], 1);
      const auto id = b.builder.node(
          RLX_KIND_Narrow, {root}, dims_of(x.shape), x.dtype,
          {{"axis", 0u}, {"start", row == 0 ? 0 : x.offset / row}, {"len", x.shape[0]}});
      b.builder.alias(id, root, x.offset * x.width);
      ids.push_back(id);
    } else {
      ids.push_back(b.builder.input("x", dims_of(x.shape), x.dtype));
    }
  }
  b.id = b.builder.node(kind, ids, dims_of(t.result->shape), t.result->dtype, t.attributes);
  if (t.in_place_of >= 0) {
    const auto of = ids[static_cast<std::size_t>(t.in_place_of)];
    const std::uint64_t bytes = t.result->size() * t.result->width;
    b.builder.slot(of, 0, bytes).slot(b.id, 0, bytes);
  }
  if (t.nest) t.nest(b.builder, b.id);
  b.builder.outputs({b.id});
}

}  // namespace opscope::test
