// The plugin's face: its table and the one exported function. Every function that a host can reach
// is noexcept around one catch; nothing here outlives destroy().
#include <rlx/plugin.h>

#include <exception>
#include <memory>
#include <new>

#include "plugin/hook.hpp"

namespace opscope {

namespace {

constexpr char plugin_name[] = "opscope";

template <std::size_t size>
constexpr rlx_string constant(const char (&text)[size]) {
  return {text, size - 1};
}

// What create() hands out: the observer, and the host to tell a failure to.
struct instance {
  const rlx_host_services* host;
  opscope::observer observer;
};

// From inside a catch. Allocates nothing: there may be no memory left.
void tell_failure(const rlx_host_services& host) noexcept {
  const char* what = "an exception of unknown type";
  try {
    throw;
  } catch (const std::bad_alloc&) {
    what = "out of memory";
  } catch (const std::exception& e) {
    what = e.what();
  } catch (...) {
  }
  // e.what() lives as long as the exception, which the caller's handler still holds.
  host.report(host.context, RLX_ERROR, rlx::borrow(what));
}

rlx_status on_compile(void* self, const rlx_compile_record* record) noexcept {
  if (self == nullptr || record == nullptr) return RLX_FAILED;
  auto& i = *static_cast<instance*>(self);
  try {
    return i.observer.observe(*record);
  } catch (...) {
    tell_failure(*i.host);
    return RLX_FAILED;
  }
}

rlx_status create(const rlx_host_services* host, void** self) noexcept {
  if (host == nullptr || self == nullptr || host->struct_size < RLX_HOST_SERVICES_SIZE_0_1 ||
      host->abi >> 16 != RLX_PLUGIN_ABI_MAJOR || host->report == nullptr ||
      host->register_hook == nullptr) {
    return RLX_FAILED;
  }
  try {
    std::unique_ptr<instance> i{new instance{host, {*host, settings_of_environment()}}};
    const std::uint32_t stages = i->observer.stages();
    if (stages != 0) {
      const rlx_status status = host->register_hook(host->context, stages, on_compile);
      if (status != RLX_OK) return status;
    }
    *self = i.release();
    return RLX_OK;
  } catch (...) {
    tell_failure(*host);
    return RLX_FAILED;
  }
}

void destroy(void* self) noexcept {
  const std::unique_ptr<instance> i{static_cast<instance*>(self)};
  if (i == nullptr) return;
  try {
    i->observer.finish();
  } catch (...) {
    tell_failure(*i->host);
  }
}

constexpr rlx_plugin table{
    .struct_size = sizeof(rlx_plugin),
    .abi = RLX_PLUGIN_ABI,
    .reserved = 0,
    .name = constant(plugin_name),
    .version = constant(OPSCOPE_VERSION),
    .create = create,
    .destroy = destroy,
};

}  // namespace

}  // namespace opscope

extern "C" __attribute__((visibility("default"))) const rlx_plugin* rlx_plugin_query(
    uint32_t host_abi) {
  return host_abi >> 16 == RLX_PLUGIN_ABI_MAJOR ? &opscope::table : nullptr;
}
