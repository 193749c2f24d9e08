// Random graphs as plain descriptions that can be renumbered, renamed, changed and compared before
// a view is built of them. Seeded: the same seed is the same graph everywhere.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/view_builder.hpp"

namespace opscope::test {

// splitmix64: the standard library's distributions differ between implementations.
class random_source {
 public:
  explicit random_source(std::uint64_t seed) : state_{seed} {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>(next() % n); }
  bool chance(unsigned percent) { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

struct plain_graph;

struct plain_node {
  std::uint32_t kind = 0;
  std::uint32_t dtype = RLX_DTYPE_F32;
  dim_list shape;
  id_list operands;
  std::vector<std::pair<std::string, std::uint64_t>> attributes;  // by name
  std::shared_ptr<plain_graph> body;                              // of a Scan
};

struct plain_graph {
  std::vector<plain_node> nodes;
  id_list outputs;
};

struct graph_shape {
  std::size_t nodes = 12;
  unsigned dynamic_percent = 10;
  unsigned nested_percent = 5;
};

plain_graph random_graph(random_source& random, const graph_shape& shape);

// The same graph with its nodes in another valid order. `keep_inputs`: Inputs keep their order
// among themselves, as in a nested graph, where operands bind to them by it.
plain_graph renumbered(const plain_graph& g, random_source& random, bool keep_inputs = false);
// The same graph with its symbols under other numbers.
plain_graph with_other_symbols(const plain_graph& g);

// Builds it; `names` seeds leaf names, node names and origins, which mean nothing.
void build(view_builder& b, const plain_graph& g, std::uint64_t names);

// By search: there is a renumbering and a renaming of symbols that makes one the other. For small
// graphs. Nested graphs count as equal only where they are so node for node.
bool is_same_graph(const plain_graph& a, const plain_graph& b);

}  // namespace opscope::test
