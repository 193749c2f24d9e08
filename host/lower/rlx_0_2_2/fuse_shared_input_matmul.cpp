// MatMuls of one operand with plain weights of one depth become one wide MatMul, cut apart again
// with Narrow. Readers and graph outputs do not matter.
#include <vector>

#include "host/lower/ops.hpp"
#include "host/lower/rewrite.hpp"
#include "host/lower/rlx_0_2_2/passes.hpp"
#include "host/lower/rlx_0_2_2/wide_matmul.hpp"
#include "host/lower/shapes.hpp"

namespace rlx::rlx_0_2_2 {

namespace {

constexpr node_id none = UINT32_MAX;

// All MatMuls by operand 0, as lists through next_member, in id order.
struct groups {
  std::vector<node_id> first_member;  // by operand; none where nothing multiplies it
  std::vector<node_id> next_member;   // by member
};

groups group_matmuls(const rewrite& walk) {
  const graph& g = walk.from();
  groups made{std::vector(g.size(), none), std::vector(g.size(), none)};
  for (node_id id = g.size(); id-- > 0;) {
    if (g.kind(id) != RLX_KIND_MatMul) continue;
    const node_id x = walk.operand(id, 0);
    made.next_member[id] = made.first_member[x];
    made.first_member[x] = id;
  }
  return made;
}

bool same_depth(const graph& g, node_id weight, node_id other) {
  const shape_view a = g.shape(weight);
  const shape_view b = g.shape(other);
  return a.dims[0] == b.dims[0] && is_dynamic(a, 0) == is_dynamic(b, 0);
}

// The members of the group starting at `first`, where it is to be merged; else nothing.
std::vector<node_id> merged_members(const rewrite& walk, const groups& all, node_id first) {
  const graph& g = walk.from();
  std::vector<node_id> members;
  if (all.next_member[first] == none) return members;
  const node_id weight = walk.operand(first, 1);
  for (node_id id = first; id != none; id = all.next_member[id]) {
    const node_id other = walk.operand(id, 1);
    if (g.node(other).rank != 2 || g.node(weight).rank != 2 || !same_depth(g, weight, other)) {
      return {};
    }
    members.push_back(id);
  }
  return members;
}

}  // namespace

pass_result fuse_shared_input_matmul(const graph& g, const pass_context& context) {
  rewrite walk{g, context.name, keeping::names_and_origins};
  const groups all = group_matmuls(walk);
  std::vector<std::vector<node_id>> merged;
  std::vector<std::uint32_t> group_of_first(g.size(), none);
  std::vector<bool> consumed(g.size(), false);  // members after the first
  for (node_id x = 0; x < g.size(); ++x) {
    const node_id first = all.first_member[x];
    if (first == none) continue;
    std::vector<node_id> members = merged_members(walk, all, first);
    if (members.empty()) continue;
    for (const node_id member : members) consumed[member] = member != first;
    group_of_first[first] = static_cast<std::uint32_t>(merged.size());
    merged.push_back(std::move(members));
  }
  if (merged.empty()) return std::nullopt;

  for (node_id id = 0; id < g.size(); ++id) {
    if (consumed[id]) continue;
    if (group_of_first[id] == none) {
      walk.copy(id);
      continue;
    }
    const std::vector<node_id>& members = merged[group_of_first[id]];
    walk.early_copy({walk.operand(id, 0)});
    for (const node_id member : members) walk.early_copy({walk.operand(member, 1)});
    const wide_matmul wide = emit_wide_matmul(walk, members);
    const std::uint64_t axis = g.node(id).rank - 1;
    std::uint64_t start = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const op_id slice = narrow_op(g.storage(), axis, start, wide.widths[i]);
      walk.set_image(members[i], walk.emit(slice, {wide.product}, g.shape(members[i])));
      start += wide.widths[i];
    }
  }
  return walk.finish();
}

}  // namespace rlx::rlx_0_2_2
