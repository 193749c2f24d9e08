// The whole post-lowering hook, per node, as a host calls it in libopscope.so: the view's check,
// the pass, one line said, and the ledger where there is one. The ledger is a file in memory, so
// that the figure is the hook's and not a disk's.
#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "tests/bench/decode_view.hpp"

namespace opscope::test {
namespace {

struct bench_host {
  rlx_host_services services{};
  rlx_hook_fn hook = nullptr;
  void* self = nullptr;
  const rlx_plugin* table = nullptr;
  std::string warning;

  explicit bench_host(const char* plugin) {
    services.struct_size = sizeof services;
    services.abi = RLX_PLUGIN_ABI;
    services.context = this;
    services.register_hook = [](void* context, std::uint32_t, rlx_hook_fn f) -> rlx_status {
      static_cast<bench_host*>(context)->hook = f;
      return RLX_OK;
    };
    services.report = [](void* context, rlx_severity severity, rlx_string text) {
      if (severity != RLX_INFO) static_cast<bench_host*>(context)->warning = rlx::text(text);
    };
    void* library = ::dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    const auto query =
        reinterpret_cast<rlx_plugin_query_fn>(::dlsym(library, RLX_PLUGIN_QUERY_SYMBOL));
    table = query == nullptr ? nullptr : query(RLX_PLUGIN_ABI);
    if (table != nullptr && table->create(&services, &self) != RLX_OK) hook = nullptr;
  }
  ~bench_host() {
    if (self != nullptr) table->destroy(self);
  }
  bench_host(const bench_host&) = delete;
  bench_host& operator=(const bench_host&) = delete;
};

void run_hook(benchmark::State& state, const char* ledger) {
  ::clearenv();
  if (ledger != nullptr) ::setenv("OPSCOPE_LEDGER", ledger, 1);
  bench_host host{OPSCOPE_PLUGIN};
  if (host.hook == nullptr) {
    state.SkipWithError("libopscope.so gave no hook");
    return;
  }
  view_builder b{"decode"};
  build_decode(b, static_cast<std::size_t>(state.range(0)));
  rlx_compile_record record{};
  record.struct_size = sizeof record;
  record.stage = RLX_STAGE_LOWERED;
  record.graph = &b.get();
  record.target = rlx::borrow("cpu");
  for (auto _ : state) {
    if (host.hook(host.self, &record) != RLX_OK || !host.warning.empty()) {
      state.SkipWithError(host.warning.empty() ? "the hook failed" : host.warning.c_str());
      return;
    }
    if (ledger != nullptr) {
      state.PauseTiming();
      state.counters["ledger_bytes_per_node"] =
          static_cast<double>(std::filesystem::file_size(ledger)) / static_cast<double>(b.size());
      std::filesystem::remove(ledger);
      state.ResumeTiming();
    }
  }
  state.counters["ns_per_node"] = benchmark::Counter(
      static_cast<double>(b.size()) * 1e-9,
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void hook_without_ledger(benchmark::State& state) { run_hook(state, nullptr); }

void hook_with_ledger(benchmark::State& state) {
  const std::string file = "/dev/shm/opscope-bench-" + std::to_string(::getpid()) + ".jsonl";
  run_hook(state, file.c_str());
}

BENCHMARK(hook_without_ledger)
    ->RangeMultiplier(10)
    ->Range(1'000, 1'000'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(hook_with_ledger)
    ->RangeMultiplier(10)
    ->Range(1'000, 1'000'000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace opscope::test

BENCHMARK_MAIN();
