// A host of the contract made for finding fault: loads one plugin, calls it as a real host may,
// and throws `broken` with a sentence at the first thing that the contract forbids.
#pragma once

#include <dlfcn.h>
#include <rlx/plugin.h>

#include <stdexcept>
#include <string>

#include "tests/plugins/conformance/frozen_view.hpp"
#include "tests/support/view_builder.hpp"

namespace opscope::test {

class broken : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline void claim(bool holds, const std::string& otherwise) {
  if (!holds) throw broken{otherwise};
}

inline rlx_plugin_query_fn load_plugin(const std::string& path) {
  void* const object = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  claim(object != nullptr, std::string{"it cannot be loaded: "} + (object ? "" : ::dlerror()));
  void* const symbol = ::dlsym(object, RLX_PLUGIN_QUERY_SYMBOL);
  claim(symbol != nullptr, "it does not export " RLX_PLUGIN_QUERY_SYMBOL);
  return reinterpret_cast<rlx_plugin_query_fn>(symbol);
}

inline const rlx_plugin& query_plugin(const std::string& path) {
  const rlx_plugin_query_fn query = load_plugin(path);
  const rlx_plugin* const table = query(RLX_PLUGIN_ABI);
  claim(table != nullptr, "it refuses a host of its own ABI");
  claim(table->struct_size >= RLX_PLUGIN_SIZE_0_1, "its table is shorter than version 0.1");
  claim(table->abi >> 16 == RLX_PLUGIN_ABI_MAJOR, "its ABI major is another");
  claim(table->create != nullptr && table->destroy != nullptr, "its table lacks a function");
  return *table;
}

class plugin_run {
 public:
  // is_newer_host: the services are those of a later minor, longer than this header knows.
  explicit plugin_run(const std::string& path, bool is_newer_host = false)
      : table_{query_plugin(path)} {
    services_.known = {is_newer_host ? sizeof services_ : sizeof services_.known,
                       RLX_PLUGIN_ABI + (is_newer_host ? 7u : 0u),
                       0,
                       this,
                       &register_hook,
                       &report};
    is_inside_ = is_creating_ = true;
    const rlx_status status = table_.create(&services_.known, &self_);
    is_inside_ = is_creating_ = false;
    check_calls();
    claim(status == RLX_OK, "create returned " + std::to_string(status));
    claim(stages_ != 0, "it registers no hook");
  }
  void end() {
    is_inside_ = true;
    table_.destroy(self_);
    is_inside_ = false;
    check_calls();
  }

  std::uint32_t stages() const { return stages_; }

  void call(rlx_compile_record record) {
    if (record.struct_size == 0) record.struct_size = sizeof record;
    if (record.stage == 0) record.stage = stages_ & (~stages_ + 1);
    record.option_stride = sizeof(rlx_option);
    const frozen_record frozen{record};
    is_inside_ = true;
    const rlx_status status = hook_(self_, frozen.get());
    is_inside_ = false;
    check_calls();
    claim(status == RLX_OK, "its hook returned " + std::to_string(status));
  }
  void call(view_builder& b) { call(record_of(b)); }

  static rlx_compile_record record_of(view_builder& b) {
    rlx_compile_record record{};
    record.graph = &b.get();
    record.target = rlx::borrow("cpu");
    record.compiler_name = rlx::borrow("conformance");
    record.compiler_version = rlx::borrow("1");
    record.pipeline = rlx::borrow("none");
    return record;
  }

 private:
  static rlx_status register_hook(void* context, std::uint32_t stages, rlx_hook_fn hook) {
    auto* const run = static_cast<plugin_run*>(context);
    if (!run->is_creating_) run->mistake_ = "it calls register_hook outside create";
    if (run->hook_ != nullptr) run->mistake_ = "it registers two hooks";
    if (hook == nullptr || stages == 0) run->mistake_ = "it registers no hook or no stage";
    if (run->mistake_ != nullptr) return RLX_FAILED;
    run->hook_ = hook;
    run->stages_ = stages;
    return RLX_OK;
  }
  static void report(void* context, rlx_severity severity, rlx_string text) {
    auto* const run = static_cast<plugin_run*>(context);
    if (!run->is_inside_) run->mistake_ = "it reports outside the calls into it";
    if (severity > RLX_ERROR) run->mistake_ = "it reports with a severity that is none";
    if (text.data == nullptr) run->mistake_ = "it reports an absent text";
  }
  void check_calls() const { claim(mistake_ == nullptr, mistake_ == nullptr ? "" : mistake_); }

  const rlx_plugin& table_;
  struct {
    rlx_host_services known;
    void* added_later[8];
  } services_{};
  void* self_ = nullptr;
  rlx_hook_fn hook_ = nullptr;
  std::uint32_t stages_ = 0;
  bool is_creating_ = false;
  bool is_inside_ = false;
  const char* mistake_ = nullptr;
};

}  // namespace opscope::test
