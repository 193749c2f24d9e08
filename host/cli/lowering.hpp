// What rlxc does between reading a module and handing it out: lower it by the pipeline asked for.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/cli/options.hpp"
#include "host/graph/module.hpp"
#include "host/lower/pipeline.hpp"

namespace rlx::cli {

// The names --pipeline takes, the default first.
std::vector<std::string> pipeline_names();

// How to lower, from the command line and the environment (read with secure_getenv).
class lowering {
 public:
  // Throws usage_error where the pipeline refuses what is asked for.
  explicit lowering(const options& o);

  // Null for pipeline `none`.
  const rlx::pipeline* pipeline() const { return pipeline_; }
  const lower_options& options() const { return options_; }
  // What shapes the result, for the compile record.
  std::vector<std::pair<std::string, std::string>> recorded_options() const;
  // A line a pass, in order.
  std::string pass_list() const;

 private:
  const rlx::pipeline* pipeline_;
  lower_options options_;
};

// One module on its way, of level mir or lir. A LIR module is its own result.
class compilation {
 public:
  // Lowers; `observer` is called after each pass. Throws rlx::error.
  compilation(const lowering& how, module input, const pass_observer& observer);

  // The graph before the passes; null where only the lowered module was seen.
  const graph* source() const;
  const module& result() const { return result_; }
  // Absent where nothing was lowered; all zero for a module that came lowered.
  const std::optional<fusion_report>& report() const { return report_; }
  // Lowers once more, to show each step. What was lent of source and result stays valid.
  void repeat(const pass_observer& observer) const;

 private:
  const lowering& how_;
  std::optional<graph> source_;  // absent where the result's graph is the source itself
  module result_;
  std::optional<fusion_report> report_;
};

}  // namespace rlx::cli
