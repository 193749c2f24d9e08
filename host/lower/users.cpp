#include "host/lower/users.hpp"

namespace rlx {

namespace {

// Calls f(operand, reader) for each distinct operand of each node, readers ascending.
template <class F>
void for_each_use(const graph& g, F f) {
  constexpr node_id never = UINT32_MAX;
  std::vector<node_id> last_reader(g.size(), never);
  for (node_id id = 0; id < g.size(); ++id) {
    for (const node_id operand : g.inputs(id)) {
      if (last_reader[operand] == id) continue;
      last_reader[operand] = id;
      f(operand, id);
    }
  }
}

}  // namespace

users::users(const graph& g) : begin_(std::size_t{g.size()} + 1, 0) {
  for_each_use(g, [&](node_id operand, node_id) { ++begin_[operand + 1]; });
  for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  list_.resize(begin_.back());
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  for_each_use(g, [&](node_id operand, node_id reader) { list_[next[operand]++] = reader; });
}

std::vector<bool> output_mask(const graph& g) {
  std::vector<bool> mask(g.size(), false);
  for (const node_id output : g.outputs()) mask[output] = true;
  return mask;
}

}  // namespace rlx
