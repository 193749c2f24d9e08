// What one record holds, in groups: by kind, by label with the repeated layers folded, or node by
// node. Groups are made here, printed here, and hold no policy on which record is shown.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <opscope/ledger_reader.hpp>

#include "plugin/ledger/json_writer.hpp"
#include "plugin/ledger/label.hpp"

namespace opscope {

enum class grouping { kind, label, node };

struct show_wish {
  grouping by = grouping::kind;
  bool fold_layers = true;      // label: one row for model.layers.*.q_proj
  std::size_t top = 10;         // rows; 0 is all
  std::optional<double> ridge;  // FLOP per byte
  opscope::bindings bound;      // that the record was costed again with
};

struct group_row {
  std::string name;
  std::string kind;                 // of a node
  std::optional<std::uint32_t> id;  // of a node
  std::uint64_t count = 0;          // nodes
  figure bytes = 0;
  figure bytes_weights = 0;  // unknown where the grouping is by kind: not recorded
  figure flops = 0;
  std::optional<node_need> need;  // summed; nothing where it was not recorded
  interval invariant;             // of need: moved by invariant nodes; 0 by kind, not recorded
};

// Descending by what is needed at least, then at most; by the rule's bytes, unknown first, where
// the record is without needs. Stable. Leaves, which move nothing, are left out by label and node.
// `r.nodes` must be there except where the grouping is by kind without a ridge.
std::vector<group_row> group_rows(const ledger_record& r, const show_wish& wish);

// Bytes of nodes below the ridge and at or above it; nodes that move nothing count in neither.
struct ridge_split {
  figure memory_bound = 0;
  figure compute_bound = 0;
};
ridge_split split_at_ridge(const recorded_graph& g, double ridge_flops_per_byte);

using emphasis_function = std::function<std::string(std::string_view)>;

// What the record says of needs, as lines: the headline above the rows, and coverage and invariant
// work below them. `rows` are those of group_rows.
std::string need_headline(const ledger_record& r);
std::string need_remarks(const ledger_record& r, std::span<const group_row> rows);

std::string show_text(const ledger_record& r, const show_wish& wish,
                      const emphasis_function& strong);
void show_json(json_writer& out, const ledger_record& r, const show_wish& wish);  // with newline
std::string show_csv_heading(const show_wish& wish);
std::string show_csv(const ledger_record& r, const show_wish& wish);

}  // namespace opscope
