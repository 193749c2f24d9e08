// The whole post-lowering hook, per node, as a host calls it in libopscope.so: the view's check,
// the pass, one line said, and the ledger where there is one. The ledger is a file in memory, so
// that the figure is the hook's and not a disk's.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>

#include "tests/bench/decode_view.hpp"
#include "tests/bench/hook_host.hpp"
#include "tests/bench/report.hpp"

namespace opscope::test {
namespace {

void run_hook(benchmark::State& state, const char* ledger) {
  bench::hook_host host{OPSCOPE_PLUGIN, ledger};
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
      state.counters["bytes/node"] =
          static_cast<double>(std::filesystem::file_size(ledger)) / static_cast<double>(b.size());
      std::filesystem::remove(ledger);
      state.ResumeTiming();
    }
  }
  bench::tell_per_node(state, b.size(), {0, ledger != nullptr ? 1000.0 : 0.0});
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

int main(int argc, char** argv) { return bench::run(argc, argv); }
