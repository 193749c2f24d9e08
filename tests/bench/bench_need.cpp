// Both cost models per node, on graphs as the reader makes them of a LLaMA decode step: the need
// alone and with the rule, into fresh results and into results used again.
#include <benchmark/benchmark.h>

#include <map>
#include <memory>
#include <opscope/need.hpp>

#include "host/graph/view.hpp"
#include "host/read/read.hpp"
#include "tests/bench/llama_shape.hpp"

namespace opscope {
namespace {

struct decode {
  rlx::module module;
  rlx::lent_view lent;
  explicit decode(std::size_t nodes)
      : module{rlx::read_text(bench::llama_decode_json(nodes / bench::llama_nodes_a_layer + 1))},
        lent{module.graph} {}
};

const rlx_graph_view& decode_view(std::size_t nodes) {
  static std::map<std::size_t, std::unique_ptr<decode>> kept;
  auto& d = kept[nodes];
  if (d == nullptr) d = std::make_unique<decode>(nodes);
  return d->lent.get();
}

void per_node(benchmark::State& state, const rlx::graph_view& g) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(g.size()));
  state.counters["ns_per_node"] = benchmark::Counter(
      static_cast<double>(g.size()) * 1e-9,
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void both_models_fresh(benchmark::State& state) {
  const rlx::graph_view g{decode_view(static_cast<std::size_t>(state.range(0)))};
  for (auto _ : state) {
    const graph_cost rule = analyze(g);
    need_options options;
    options.rule = &rule;
    const graph_need need = analyze_need(g, options);
    benchmark::DoNotOptimize(need.totals().read.lo());
  }
  per_node(state, g);
}

void need_fresh(benchmark::State& state) {
  const rlx::graph_view g{decode_view(static_cast<std::size_t>(state.range(0)))};
  for (auto _ : state) {
    const graph_need need = analyze_need(g);
    benchmark::DoNotOptimize(need.totals().read.lo());
  }
  per_node(state, g);
}

void need_reused(benchmark::State& state) {
  const rlx::graph_view g{decode_view(static_cast<std::size_t>(state.range(0)))};
  graph_need need;
  const need_options options;
  for (auto _ : state) {
    analyze_need(g, options, need);
    benchmark::DoNotOptimize(need.totals().read.lo());
  }
  per_node(state, g);
}

BENCHMARK(both_models_fresh)
    ->RangeMultiplier(10)
    ->Range(1000, 1000000)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(need_fresh)->RangeMultiplier(10)->Range(1000, 1000000)->Unit(benchmark::kMicrosecond);
BENCHMARK(need_reused)->RangeMultiplier(10)->Range(1000, 1000000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace opscope

BENCHMARK_MAIN();
