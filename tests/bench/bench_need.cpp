// Both cost models per node, on graphs as the reader makes them of a LLaMA decode step: the need
// alone and with the rule, into fresh results and into results used again.
#include <benchmark/benchmark.h>

#include <map>
#include <memory>
#include <opscope/need.hpp>

#include "host/graph/view.hpp"
#include "host/read/read.hpp"
#include "tests/bench/llama_shape.hpp"
#include "tests/bench/report.hpp"

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

// Of the figures, as they are kept.
std::size_t held_bytes(const rlx::graph_view& g) { return analyze_need(g).nodes().held_bytes(); }

// What the pass over the needs touches: the hot records and operands twice (there and back), dims,
// and the size, flags, states and heads of each node; it writes the figures, whose lines come from
// memory first.
double touched_bytes(const rlx::graph_view& g) {
  const rlx_graph_view& v = g.raw();
  return static_cast<double>(2 * (v.node_count * sizeof(rlx_node) + v.input_count * 4) +
                             v.dim_count * 8 + 2 * (held_bytes(g) + v.node_count * 14));
}
// The rule's beside it: records, operands, dims, sizes and costs.
double touched_by_both(const rlx::graph_view& g) {
  const rlx_graph_view& v = g.raw();
  return touched_bytes(g) +
         static_cast<double>(v.node_count * (sizeof(rlx_node) + 2 * (8 + sizeof(node_cost))) +
                             v.input_count * 4 + v.dim_count * 8);
}

// What the system clears before fresh results and scratch may be written.
double cleared_for_both(const rlx::graph_view& g) {
  return static_cast<double>(held_bytes(g) + g.size() * (14 + sizeof(node_cost) + 8));
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
  bench::tell_per_node(state, g.size(), {touched_by_both(g) + cleared_for_both(g), 60});
}

void need_fresh(benchmark::State& state) {
  const rlx::graph_view g{decode_view(static_cast<std::size_t>(state.range(0)))};
  for (auto _ : state) {
    const graph_need need = analyze_need(g);
    benchmark::DoNotOptimize(need.totals().read.lo());
  }
  bench::tell_per_node(state, g.size(), {touched_bytes(g)});
}

void need_reused(benchmark::State& state) {
  const rlx::graph_view g{decode_view(static_cast<std::size_t>(state.range(0)))};
  graph_need need;
  const need_options options;
  for (auto _ : state) {
    analyze_need(g, options, need);
    benchmark::DoNotOptimize(need.totals().read.lo());
  }
  bench::tell_per_node(state, g.size(), {touched_bytes(g)});
}

BENCHMARK(both_models_fresh)
    ->RangeMultiplier(10)
    ->Range(1000, 1000000)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(need_fresh)->RangeMultiplier(10)->Range(1000, 1000000)->Unit(benchmark::kMicrosecond);
BENCHMARK(need_reused)->RangeMultiplier(10)->Range(1000, 1000000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace opscope

int main(int argc, char** argv) { return bench::run(argc, argv); }
