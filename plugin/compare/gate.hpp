// Gates: limits on how far figures may grow, and what is beyond them. Pure, in integers of 128 bits
// and never in floating point. What cannot be told is trouble, never "no growth".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <opscope/ledger_reader.hpp>

#include "plugin/compare/metrics.hpp"

namespace opscope {

// `METRIC=PERCENT[,ABSOLUTE]`: exceeded by a growth over both. From 0 any growth is over every
// percentage.
struct growth_limit {
  metric_index metric = 0;
  bool of_total = false;      // of the sum over all graphs that both sides have
  std::uint64_t percent = 0;  // times 10^decimals
  unsigned decimals = 0;
  std::uint64_t absolute = 0;  // in the metric's unit
  std::string text;            // as it was given
};
// Nothing where the text is of another form; `problem` then says why.
std::optional<growth_limit> parse_growth_limit(std::string_view text, std::string& problem);
// `PERCENT[,ABSOLUTE]` alone, into `limit`.
bool parse_growth(std::string_view text, growth_limit& limit, std::string& problem);

enum class verdict : std::uint8_t {
  within,
  beyond,
  turned_unknown,  // known before and not now, or open upward in more nodes: beyond any limit
  undecided,       // unknown before, and now too or more than is sure to be within
  missing,         // a side says nothing of it
};
// A figure with the number of nodes that leave the graph's figures open.
struct gated_figure {
  measure value;
  std::uint64_t unknown_nodes = 0;
};
gated_figure gated(const ledger_record& r, metric_index m);
verdict judge(const growth_limit& limit, const gated_figure& base, const gated_figure& next);
// next - base is over `percent` of base and over `absolute`.
bool is_beyond(const growth_limit& limit, std::uint64_t base, std::uint64_t next);

struct gate_settings {
  std::vector<growth_limit> limits;
  bool fail_on_new = false;      // a graph that only the new side has
  bool fail_on_missing = false;  // a graph that only the base has
  bool skip_missing_metrics = false;
  std::optional<std::string> allow;  // why what is beyond passes

  bool is_wanted() const { return !limits.empty() || fail_on_new || fail_on_missing; }
};

// A node, or nodes alike, that grew in an offence's metric.
struct offending_nodes {
  std::string label;
  std::string what;  // `added`, `fused`, .. as comparisons say it
  std::uint64_t times = 1;
  measure base;
  measure next;
};

struct offence {
  enum class kind : std::uint8_t { grown, turned_unknown, graph_is_new, graph_is_missing };
  kind what = kind::grown;
  std::string graph;  // empty: the total
  std::string target;
  std::string stage;
  std::optional<std::string> pass;
  std::optional<metric_index> metric;  // nothing: the graph itself
  std::string limit;                   // as it was given
  measure base;
  measure next;
  std::vector<offending_nodes> nodes;  // those that grew most, where they are known
};

struct gate_result {
  std::uint64_t checked = 0;           // figures held against a limit
  std::vector<offence> offences;       // unknown first, then by the share of growth, largest first
  std::vector<std::string> trouble;    // why the gate cannot tell, sentences: no verdict then
  std::vector<std::string> skipped;    // what no limit holds, for options or want of one, sentences
  std::optional<std::string> allowed;  // why the offences pass

  bool is_beyond() const { return !offences.empty() && !allowed; }
};

struct gated_graphs {
  struct pair {
    const ledger_record* base;
    const ledger_record* next;
  };
  std::vector<pair> pairs;
  std::vector<const ledger_record*> only_base;
  std::vector<const ledger_record*> only_new;
  std::uint64_t lines_left_out = 0;  // of either side, that were no record
};
gate_result run_gates(const gated_graphs& graphs, const gate_settings& settings);

// Largest first.
void sort_offences(std::vector<offence>& offences);

}  // namespace opscope
