// A comparison of ledgers as it is rendered and gated: pairs of records, and what happened between
// their graphs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plugin/compare/diff.hpp"
#include "plugin/compare/select.hpp"

namespace opscope {

struct graph_comparison {
  record_pair records;  // heads; borrowed
  // Nothing where a record has no nodes, or they were not compared; `no_diff` then says why.
  std::optional<graph_diff> diff;
  std::string no_diff;
  std::vector<found_obstacle> allowed;  // compared nevertheless, as an option says

  change of(metric_index m) const {
    return {metrics()[m].of_record(*records.base), metrics()[m].of_record(*records.next)};
  }
  // No node is another, and no figure of the whole graph, as far as both sides have it.
  bool is_equal() const;
};

struct comparison {
  std::vector<graph_comparison> graphs;  // worst first
  std::vector<const ledger_record*> only_base;
  std::vector<const ledger_record*> only_new;
  std::vector<std::string> notes;  // sentences
};

// Where the nodes' figures do not add up to the record's totals, or a node lacks one: a sentence
// with file and line, for then neither says what the graph is. `nodes` is the sum over all nodes.
std::optional<std::string> find_contradiction(const ledger_record& r, const tally& nodes);
// The same of a record that was read with its nodes. Without nodes there is nothing to hold it to.
std::optional<std::string> find_contradiction(const ledger_record& r);

// Worst first: by the change of `by`, then of the rule's bytes.
void sort_graphs(std::vector<graph_comparison>& graphs, metric_index by);

}  // namespace opscope
