// What happened between two graphs, in rows that account for every node of both: pure, and the same
// for either order of the two, mirrored.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/compare/match/matching.hpp"
#include "plugin/compare/side.hpp"
#include "plugin/compare/tally.hpp"

namespace opscope {

enum class edit : std::uint8_t {
  equal,     // the same, with the same figures
  changed,   // one node each, of one kind: its operation, operands or figures differ
  added,     // only new nodes
  removed,   // only base nodes
  fused,     // several became one; or fewer, among them one of a fused kind
  split,     // the mirror of that
  replaced,  // any other number became any other number
};
inline constexpr std::size_t edit_count = 7;
std::string_view text(edit e);  // `equal`, .. as machine formats say it

struct kind_count {
  std::string kind;
  std::uint64_t count = 0;
  friend bool operator==(const kind_count&, const kind_count&) = default;
};

struct diff_row {
  edit what = edit::equal;
  std::uint64_t times = 1;  // so many groups alike: the layers of a model
  // Of the node that moves most. Where the groups' labels differ, with `*` for numbers; `*` alone
  // and no kinds for what is too much to be told apart.
  std::string label;
  // Of one group, leaves apart (unless it is of leaves only), in the order of their first nodes. Of
  // `equal`, of all nodes.
  std::vector<kind_count> base_kinds;
  std::vector<kind_count> new_kinds;
  std::uint64_t base_leaves = 0;
  std::uint64_t new_leaves = 0;
  std::vector<std::string> changes;     // of `changed`: `dtype F32 -> F16`, `attribute eps`, ..
  std::vector<std::string> passes;      // that made the new nodes, as far as they say
  std::vector<std::uint32_t> base_ids;  // of the first group
  std::vector<std::uint32_t> new_ids;
  tally base;  // of all groups
  tally next;

  std::uint64_t base_nodes() const;  // of one group, leaves apart
  std::uint64_t new_nodes() const;
  change of(metric_index m) const { return {base.of(m).sum(), next.of(m).sum()}; }
};

// Nodes that only weights decide and that the other graph has not: work that could be done once.
struct invariant_work {
  std::string kind;
  std::uint64_t operands = 0;  // of each
  std::uint64_t nodes = 0;
  amount bytes;  // need.invariant
  std::vector<std::string> passes;
};

struct graph_diff {
  std::vector<diff_row> rows;  // `equal` last, where there is one; the others in no order of merit
  std::uint64_t renamed_leaves = 0;  // else equal
  std::vector<invariant_work> new_invariant;
  std::vector<invariant_work> gone_invariant;
  tally base;  // of the whole graphs: what the rows add up to
  tally next;

  bool is_equal() const {
    return rows.empty() || (rows.size() == 1 && rows[0].what == edit::equal);
  }
};

graph_diff compare_graphs(const graph_side& base, const graph_side& next);
// The same, where it is known which node is which. Matched nodes are of one kind.
graph_diff compare_graphs(const graph_side& base, const graph_side& next, node_matching matching);

// Worst first by one of node_metrics(); `equal` stays last.
void sort_rows(std::vector<diff_row>& rows, metric_index by);

}  // namespace opscope
