// The figures of one graph over time: which records follow each other, and what changed from one to
// the next. Pure; keeps of each record only what is asked for.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <opscope/ledger_reader.hpp>

#include "plugin/compare/metrics.hpp"
#include "plugin/compare/tally.hpp"

namespace opscope {

struct history_entry {
  std::string file;
  std::uint64_t line = 0;
  std::string time;
  std::string target;
  std::string stage;
  std::optional<std::string> pass;
  std::string compiler_name;
  std::string compiler_version;
  std::string pipeline;
  text_pairs tags;
  std::optional<std::string> source;
  std::string rule;
  std::optional<std::uint64_t> need;
  std::string bound;             // sizes of its dynamic dims
  std::vector<measure> figures;  // in the order of the metrics asked for

  // The record before it of the same target, stage and pass; nothing for the first.
  std::optional<std::size_t> before;
  bool is_other_model = false;     // another graph entered the compiler than before
  bool is_other_pipeline = false;  // lowered by another pipeline than before
  bool is_other_versions = false;  // another version of a cost model counted: no change is told
  bool is_other_bindings = false;  // dynamic dims were given other sizes: no change is told
};

class history {
 public:
  explicit history(std::vector<metric_index> metrics) : metrics_{std::move(metrics)} {}
  void add(const ledger_record& r);
  // Puts the records in the order of their times (of equal ones, as they were added) and finds what
  // each follows.
  void finish();

  const std::vector<metric_index>& metrics() const { return metrics_; }
  const std::vector<history_entry>& entries() const { return entries_; }
  // From the record before; nothing where there is none, other versions counted, or with other
  // sizes.
  std::optional<change> change_of(const history_entry& e, std::size_t metric) const;

 private:
  std::vector<metric_index> metrics_;
  std::vector<history_entry> entries_;
};

}  // namespace opscope
