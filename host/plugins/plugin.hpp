// One loaded plugin: its table checked, its hook called under its lock, its failures contained.
// Knows nothing of files or of the environment.
#pragma once

#include <rlx/plugin.h>

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "host/plugins/log.hpp"

namespace rlx {

class plugin {
 public:
  // Asks `query` for the table and checks it against the frozen sizes of version 0.1. Throws
  // rlx::error with a sentence that names the path. Creates nothing yet.
  plugin(std::string path, rlx_plugin_query_fn query, const rlx::log& log);
  plugin(const plugin&) = delete;
  plugin& operator=(const plugin&) = delete;
  // Calls the plugin's destroy where create succeeded.
  ~plugin();

  // Lets the plugin start and register its hook. Throws rlx::error where it fails.
  void create();
  // Calls the hook where the plugin runs and asked for the record's stage. A failure is reported
  // once and switches the plugin off.
  void call(const rlx_compile_record& record) noexcept;

  const std::string& path() const { return path_; }
  std::string_view name() const { return name_; }
  std::string_view version() const { return version_; }
  std::uint32_t abi() const { return abi_; }
  // The stages that the hook asked for; 0 where there is none.
  std::uint32_t stages() const { return stages_; }
  bool is_running() const { return is_running_.load(std::memory_order_acquire); }

  // True on a thread that is inside a call into any plugin: the host's C face must not be entered.
  static bool is_inside_call();
  // Says, once a plugin, that the one this thread is inside called back into the host.
  static void report_reentry(const char* function) noexcept;

 private:
  class call_scope;
  static rlx_status register_hook(void* context, std::uint32_t stages, rlx_hook_fn hook);
  static void report(void* context, rlx_severity severity, rlx_string text);
  rlx_status accept_hook(std::uint32_t stages, rlx_hook_fn hook) noexcept;
  void switch_off(const rlx_compile_record& record, const std::string& what);

  std::string path_;
  const rlx_plugin* table_ = nullptr;
  std::string_view name_;     // of the table, which is never unmapped
  std::string_view version_;  // likewise
  std::uint32_t abi_ = 0;
  rlx::log log_;
  rlx_host_services services_{};
  std::mutex* calls_ = nullptr;  // one a table and process, also when several sessions load it
  void* self_ = nullptr;
  rlx_hook_fn hook_ = nullptr;
  std::uint32_t stages_ = 0;
  std::thread::id creating_;  // the thread inside create()
  bool is_created_ = false;
  bool has_reentered_ = false;  // guarded by calls_
  std::atomic<bool> is_running_ = false;
};

}  // namespace rlx
