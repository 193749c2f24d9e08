// A host as small as can be: loads libopscope.so and calls its hook.
#pragma once

#include <dlfcn.h>
#include <rlx/plugin.h>

#include <cstdlib>
#include <rlx/view.hpp>
#include <string>

namespace bench {

struct hook_host {
  rlx_host_services services{};
  rlx_hook_fn hook = nullptr;
  void* self = nullptr;
  const rlx_plugin* table = nullptr;
  std::string warning;

  // With a path to write a ledger to, or null; the environment has no other settings then.
  hook_host(const char* plugin, const char* ledger) {
    ::clearenv();
    if (ledger != nullptr) ::setenv("OPSCOPE_LEDGER", ledger, 1);
    services.struct_size = sizeof services;
    services.abi = RLX_PLUGIN_ABI;
    services.context = this;
    services.register_hook = [](void* context, std::uint32_t, rlx_hook_fn f) -> rlx_status {
      static_cast<hook_host*>(context)->hook = f;
      return RLX_OK;
    };
    services.report = [](void* context, rlx_severity severity, rlx_string text) {
      if (severity != RLX_INFO) static_cast<hook_host*>(context)->warning = rlx::text(text);
    };
    void* library = ::dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    const auto query =
        reinterpret_cast<rlx_plugin_query_fn>(::dlsym(library, RLX_PLUGIN_QUERY_SYMBOL));
    table = query == nullptr ? nullptr : query(RLX_PLUGIN_ABI);
    if (table != nullptr && table->create(&services, &self) != RLX_OK) hook = nullptr;
  }
  ~hook_host() {
    if (self != nullptr) table->destroy(self);
  }
  hook_host(const hook_host&) = delete;
  hook_host& operator=(const hook_host&) = delete;
};

}  // namespace bench
