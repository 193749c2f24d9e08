// What happens at a hook: the view is checked, costed, reported. One observer a plugin instance;
// the host serialises its calls, from whatever thread.
#pragma once

#include <rlx/plugin.h>

#include <opscope/cost.hpp>
#include <string>
#include <string_view>

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

 private:
  void say(rlx_severity severity, std::string_view text) const;
  rlx_status refuse(const std::string& what) const;
  void report(const rlx_compile_record& record, const rlx::graph_view& graph);

  const rlx_host_services* host_;
  opscope::settings settings_;
  graph_cost cost_;  // its storage serves the next graph
};

}  // namespace opscope
