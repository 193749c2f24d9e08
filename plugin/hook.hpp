// What happens at a hook: the view is checked, costed, reported, and recorded in the ledger. One
// observer a plugin instance; the host serialises its calls, from whatever thread.
#pragma once

#include <rlx/plugin.h>

#include <opscope/cost.hpp>
#include <opscope/ledger.hpp>
#include <opscope/need.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/settings.hpp"

namespace opscope {

class observer {
 public:
  // `host` must outlive this. Warns of settings that were not taken.
  observer(const rlx_host_services& host, const read_settings& read);
  observer(const observer&) = delete;
  observer& operator=(const observer&) = delete;

  // The RLX_STAGE_* that this observer has a use for; 0 where it was told to do nothing.
  std::uint32_t stages() const;
  // RLX_FAILED where the record is not what the contract says; it has told the host why. Throws
  // what the standard library throws.
  rlx_status observe(const rlx_compile_record& record);
  // Before it dies: tells what was not said one by one.
  void finish();

 private:
  void say(rlx_severity severity, std::string_view text) const;
  rlx_status refuse(const std::string& what) const;
  // Nothing where it is sound.
  static std::optional<std::string> find_fault(const rlx_compile_record& record);
  void report(const rlx_compile_record& record, const rlx::graph_view& graph);
  void append(const rlx_compile_record& record);
  // False for a pass after which the graph is the one it was before.
  bool has_changed(const rlx_compile_record& record);

  const rlx_host_services* host_;
  opscope::settings settings_;
  graph_cost cost_;  // their storage serves the next graph
  graph_need need_;
  std::optional<opscope::ledger> ledger_;
  bool is_ledger_failing_ = false;
  std::uint64_t unwritten_records_ = 0;  // not told one by one
  // Of compiles under way, the fingerprint of the graph as it last was; only where passes are
  // recorded.
  struct progress {
    std::string graph;
    std::uint64_t sequence;
    std::string fingerprint;
  };
  std::vector<progress> under_way_;
};

}  // namespace opscope
