#include "host/plugins/session.hpp"

#include <algorithm>
#include <mutex>
#include <string>
#include <unordered_map>

#include "host/error.hpp"
#include "host/plugins/library.hpp"

rlx_session::rlx_session(const rlx::log& log, const rlx::plugin_search& search) : log_{log} {
  const auto warn = [&](const std::string& sentence) { log_.host(RLX_WARNING, sentence); };
  // All tables are checked before any plugin's create runs.
  for (const rlx::plugin_file& file : rlx::locate_plugins(search, warn)) {
    auto next = std::make_unique<rlx::plugin>(file.path, rlx::load_query(file), log_);
    const auto namesake = std::find_if(plugins_.begin(), plugins_.end(),
                                       [&](const auto& p) { return p->name() == next->name(); });
    if (namesake != plugins_.end()) {
      throw rlx::error{"two plugins are named " + std::string{next->name()} + ": " +
                       (*namesake)->path() + " and " + next->path() +
                       "; take one of them out of RLX_PLUGINS"};
    }
    plugins_.push_back(std::move(next));
  }
  try {
    for (const auto& p : plugins_) p->create();
  } catch (...) {
    end_plugins();
    throw;
  }
}

rlx_session::~rlx_session() { end_plugins(); }

void rlx_session::end_plugins() {
  while (!plugins_.empty()) plugins_.pop_back();
}

std::uint32_t rlx_session::stages() const {
  std::uint32_t all = 0;
  for (const auto& p : plugins_) {
    if (p->is_running()) all |= p->stages();
  }
  return all;
}

void rlx_session::compile(const rlx_compile_record& record) noexcept {
  for (const auto& p : plugins_) p->call(record);
}

std::uint64_t rlx::next_sequence(std::string_view graph_name) {
  static std::mutex guard;
  static auto& counters = *new std::unordered_map<std::string, std::uint64_t>;
  const std::lock_guard held{guard};
  return counters[std::string{graph_name}]++;
}
