// Loads plugins in this process through the C face, and keeps what they and the host say.
#pragma once

#include <rlx/host.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/view_builder.hpp"

namespace opscope::test {

inline std::string fixture(std::string_view name) {
  return std::string{FIXTURE_FOLDER "/"} + std::string{name} + ".so";
}

struct heard {
  rlx_severity severity = RLX_INFO;
  std::string plugin;  // empty where the host speaks
  std::string line;
  friend bool operator==(const heard&, const heard&) = default;
  friend std::ostream& operator<<(std::ostream& out, const heard& h) {
    return out << h.severity << ' ' << (h.plugin.empty() ? "(host)" : h.plugin) << ": " << h.line;
  }
};

// A session made with RLX_PLUGINS and RLX_PLUGIN_PATH set to what is given.
class loaded {
 public:
  explicit loaded(const std::string& plugins, const std::string& plugin_path = "") {
    ::setenv("RLX_PLUGINS", plugins.c_str(), 1);
    ::setenv("RLX_PLUGIN_PATH", plugin_path.c_str(), 1);
    const rlx_session_config config{sizeof config, &hear, this};
    std::vector<char> text(1 << 16);
    status = rlx_session_create(&config, &session, text.data(), text.size());
    message = text.data();
    ::unsetenv("RLX_PLUGINS");
    ::unsetenv("RLX_PLUGIN_PATH");
  }
  ~loaded() { end(); }
  loaded(const loaded&) = delete;
  loaded& operator=(const loaded&) = delete;

  void end() {
    rlx_session_destroy(session);
    session = nullptr;
  }
  rlx_status compile(const rlx_graph_view& graph, rlx_stage stage = RLX_STAGE_LOWERED) {
    rlx_compile_record record{};
    record.struct_size = sizeof record;
    record.stage = stage;
    record.graph = &graph;
    record.target = rlx::borrow("cpu");
    record.option_stride = sizeof(rlx_option);
    return rlx_session_compile(session, &record);
  }
  rlx_status compile(std::string_view graph_name) {
    view_builder b{graph_name};
    b.outputs({b.input("x", {2, 3})});
    return compile(b.get());
  }
  rlx_plugin_info plugin(std::size_t index) const {
    rlx_plugin_info info{};
    info.struct_size = sizeof info;
    if (rlx_session_plugin(session, index, &info) != RLX_OK) info.abi = UINT32_MAX;
    return info;
  }
  std::vector<heard> take_log() {
    const std::lock_guard held{guard_};
    return std::exchange(log_, {});
  }

  rlx_session* session = nullptr;
  rlx_status status = RLX_FAILED;
  std::string message;

 private:
  static void hear(void* context, rlx_severity severity, rlx_string plugin, rlx_string line) {
    auto& self = *static_cast<loaded*>(context);
    const std::lock_guard held{self.guard_};
    self.log_.push_back({severity, std::string{rlx::text(plugin)}, std::string{rlx::text(line)}});
  }
  std::mutex guard_;
  std::vector<heard> log_;
};

}  // namespace opscope::test
