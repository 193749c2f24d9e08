#include "host/plugins/plugin.hpp"

#include <exception>
#include <map>
#include <optional>

#include "host/error.hpp"

namespace rlx {

namespace {

constexpr std::size_t max_name_size = 64;
// What is read before the version is known to agree: struct_size and abi.
constexpr std::size_t prefix_size = offsetof(rlx_plugin, abi) + sizeof(std::uint32_t);

std::string_view text_of(const rlx_string& s) {
  return s.data == nullptr ? std::string_view{} : std::string_view{s.data, s.size};
}

std::string version_text(std::uint32_t abi) {
  return std::to_string(abi >> 16) + '.' + std::to_string(abi & 0xffff);
}

bool is_plugin_name(std::string_view name) {
  return !name.empty() && name.size() <= max_name_size &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string_view::npos;
}

// The lock of that table. Tables are never unmapped, locks never freed.
std::mutex* lock_of(const rlx_plugin* table) {
  static std::mutex guard;
  static auto& locks = *new std::map<const rlx_plugin*, std::mutex>;
  const std::lock_guard held{guard};
  return &locks[table];
}

// Runs code of a plugin; what it throws comes back as a sentence.
template <class Call>
std::optional<std::string> contain(Call call) {
  try {
    call();
    return std::nullopt;
  } catch (const std::exception& e) {
    return std::string{"threw an exception: "} + e.what();
  } catch (...) {
    return "threw an exception";
  }
}

thread_local plugin* inside = nullptr;

}  // namespace

// Holds the plugin's lock and marks the thread for the length of a call into it.
class plugin::call_scope {
 public:
  explicit call_scope(plugin& p) : lock_{*p.calls_} { inside = &p; }
  ~call_scope() { inside = nullptr; }
  call_scope(const call_scope&) = delete;
  call_scope& operator=(const call_scope&) = delete;

 private:
  std::lock_guard<std::mutex> lock_;
};

bool plugin::is_inside_call() { return inside != nullptr; }

void plugin::report_reentry(const char* function) noexcept {
  if (inside == nullptr || inside->has_reentered_) return;
  inside->has_reentered_ = true;
  contain([&] {
    inside->log_.host(RLX_WARNING, "plugin " + std::string{inside->name_} + " (" + inside->path_ +
                                       ") called " + function +
                                       " from inside a call into it; that was refused");
  });
}

plugin::plugin(std::string path, rlx_plugin_query_fn query, const rlx::log& log)
    : path_{std::move(path)}, log_{log} {
  const std::string refused = "plugin " + path_ + " refused: ";
  if (auto failure = contain([&] { table_ = query(RLX_PLUGIN_ABI); })) {
    throw error{refused + RLX_PLUGIN_QUERY_SYMBOL + " " + *failure};
  }
  if (table_ == nullptr) {
    throw error{refused + "it does not work with a host of plugin ABI " +
                version_text(RLX_PLUGIN_ABI) + "; install a build of it for this version"};
  }
  if (table_->struct_size < prefix_size) {
    throw error{refused + "its table is too short to hold a version (" +
                std::to_string(table_->struct_size) + " bytes); rebuild it against rlx/plugin.h"};
  }
  abi_ = table_->abi;
  if (abi_ >> 16 != RLX_PLUGIN_ABI_MAJOR) {
    throw error{refused + "it was built for plugin ABI " + version_text(abi_) + ", this host has " +
                version_text(RLX_PLUGIN_ABI) +
                ", and the major numbers must agree; install a build of it for this version"};
  }
  if (table_->struct_size < RLX_PLUGIN_SIZE_0_1) {
    throw error{refused + "its table has " + std::to_string(table_->struct_size) +
                " bytes, fewer than the " + std::to_string(RLX_PLUGIN_SIZE_0_1) +
                " of version 0.1; rebuild it against rlx/plugin.h"};
  }
  name_ = text_of(table_->name);
  version_ = text_of(table_->version);
  if (!is_plugin_name(name_)) {
    throw error{refused + "its name \"" + std::string{name_.substr(0, max_name_size)} +
                "\" is not made of 1 to 64 of the characters a-z 0-9 _ -"};
  }
  if (table_->create == nullptr || table_->destroy == nullptr) {
    throw error{refused + "its table has no " + (table_->create == nullptr ? "create" : "destroy") +
                " function"};
  }
  calls_ = lock_of(table_);
  services_ = {sizeof services_, RLX_PLUGIN_ABI, 0, this, &register_hook, &report};
}

plugin::~plugin() {
  if (!is_created_) return;
  std::optional<std::string> failure;
  {
    const call_scope scope{*this};
    failure = contain([&] { table_->destroy(self_); });
  }
  if (failure) {
    contain([&] {
      log_.host(RLX_WARNING, "plugin " + std::string{name_} + " (" + path_ +
                                 "): its destroy function " + *failure);
    });
  }
}

void plugin::create() {
  rlx_status status = RLX_FAILED;
  std::optional<std::string> failure;
  {
    const call_scope scope{*this};
    creating_ = std::this_thread::get_id();
    failure = contain([&] { status = table_->create(&services_, &self_); });
    creating_ = {};
  }
  const std::string failed = "plugin " + std::string{name_} + " (" + path_ + ") cannot start: ";
  if (failure) throw error{failed + "its create function " + *failure};
  if (status != RLX_OK) {
    throw error{failed + "its create function returned " + std::to_string(status) +
                "; its own messages say why, or take it out of RLX_PLUGINS"};
  }
  is_created_ = true;
  is_running_.store(hook_ != nullptr, std::memory_order_release);
}

void plugin::call(const rlx_compile_record& record) noexcept {
  if ((stages_ & record.stage) == 0 || !is_running()) return;
  std::optional<std::string> failure;
  try {
    const call_scope scope{*this};
    if (!is_running()) return;
    rlx_status status = RLX_OK;
    failure = contain([&] { status = hook_(self_, &record); });
    if (status != RLX_OK) failure = "returned " + std::to_string(status);
    if (!failure) return;
    is_running_.store(false, std::memory_order_release);
  } catch (...) {
    is_running_.store(false, std::memory_order_release);
    return;
  }
  // Outside the lock, since the log is the driver's code.
  contain([&] { switch_off(record, *failure); });
}

void plugin::switch_off(const rlx_compile_record& record, const std::string& what) {
  std::string graph;
  if (record.graph->name.data != nullptr) {
    graph = " for graph \"" + std::string{text_of(record.graph->name)} + '"';
  }
  log_.host(RLX_WARNING, "plugin " + std::string{name_} + " (" + path_ + "): its hook " + what +
                             graph + "; it is switched off and the compile goes on");
}

rlx_status plugin::register_hook(void* context, std::uint32_t stages, rlx_hook_fn hook) {
  return context == nullptr ? RLX_FAILED : static_cast<plugin*>(context)->accept_hook(stages, hook);
}

rlx_status plugin::accept_hook(std::uint32_t stages, rlx_hook_fn hook) noexcept {
  const char* mistake = nullptr;
  if (creating_ != std::this_thread::get_id()) {
    mistake = "called register_hook outside its create function";
  } else if (hook_ != nullptr) {
    mistake = "called register_hook a second time";
  } else if (hook == nullptr || stages == 0) {
    mistake = "called register_hook without a hook or without a stage";
  }
  if (mistake == nullptr) {
    hook_ = hook;
    stages_ = stages;
    return RLX_OK;
  }
  contain([&] {
    log_.host(RLX_WARNING, "plugin " + std::string{name_} + " (" + path_ + ") " + mistake +
                               "; that was refused");
  });
  return RLX_FAILED;
}

void plugin::report(void* context, rlx_severity severity, rlx_string text) {
  if (context == nullptr) return;
  const plugin& p = *static_cast<plugin*>(context);
  p.log_.plugin(p.name_, severity, text_of(text));
}

}  // namespace rlx
