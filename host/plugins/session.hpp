// What the C face hands out: the plugins of one session, in load order.
#pragma once

#include <rlx/host.h>

#include <memory>
#include <string_view>
#include <vector>

#include "host/plugins/locate.hpp"
#include "host/plugins/log.hpp"
#include "host/plugins/plugin.hpp"

struct rlx_session {
 public:
  // Loads and starts what `search` names. Throws rlx::error; by then every plugin that was started
  // has been ended again.
  rlx_session(const rlx::log& log, const rlx::plugin_search& search);
  rlx_session(const rlx_session&) = delete;
  rlx_session& operator=(const rlx_session&) = delete;
  ~rlx_session();  // ends the plugins in reverse order

  std::uint32_t stages() const;
  void compile(const rlx_compile_record& record) noexcept;
  const std::vector<std::unique_ptr<rlx::plugin>>& plugins() const { return plugins_; }

 private:
  void end_plugins();
  rlx::log log_;
  std::vector<std::unique_ptr<rlx::plugin>> plugins_;
};

namespace rlx {

// 0, 1, .. for each further call with that name in this process. Any thread.
std::uint64_t next_sequence(std::string_view graph_name);

}  // namespace rlx
