// A budget: figures of graphs, kept in a file beside the sources, that new ledgers are held
// against. Text to budget and back, and the check; no files.
//
// The text is JSON (opscope-budget/1), sorted and a figure a line, so that a change of it reads
// well in a review. A member that is not known is an error: a misspelt limit would hold nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugin/compare/gate.hpp"

namespace opscope {

inline constexpr std::string_view budget_schema = "opscope-budget/1";

struct budget_entry {
  std::string graph;
  std::string target;
  std::string stage;
  std::optional<std::string> pass;
  std::optional<std::string> source;  // fingerprint of the model
  std::string bound;                  // sizes of its dynamic dims
  // What the record had, known, a floor or unknown, and its unknown nodes.
  std::vector<std::pair<metric_index, measure>> figures;
  std::uint64_t unknown_nodes = 0;
};

struct budget {
  std::string rule;  // versions of the models that counted
  std::optional<std::uint64_t> need;
  std::vector<metric_index> metrics;    // that an update records
  std::vector<growth_limit> tolerance;  // of a metric; none: no growth at all
  std::vector<budget_entry> entries;
};

// What a new budget records.
std::vector<metric_index> default_budget_metrics();

// Throws ledger_error, with `name` as the place.
budget parse_budget(std::string_view text, std::string_view name);
std::string write_budget(const budget& b);

struct budget_settings {
  bool fail_on_new = false;
  bool across_models = false;
  std::optional<std::string> allow{};
  std::uint64_t lines_left_out = 0;
};
// Offences have the budget as base.
gate_result check_budget(const budget& b, std::span<const ledger_record> records,
                         const budget_settings& settings);

// Puts the figures of `records` in place of those of the same graph, target, stage and pass, adds
// those that are new, and sorts. Returns what a reader should know, sentences. Throws ledger_error
// where the records were counted by different versions of the models.
std::vector<std::string> update_budget(budget& b, std::span<const ledger_record> records);

}  // namespace opscope
