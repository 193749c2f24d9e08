// The rule's pass and what is asked of it, per node, beside the limit that memory sets: the bytes
// a pass must touch over the bandwidth measured on this machine.
#include <benchmark/benchmark.h>

#include <memory>
#include <opscope/cost.hpp>
#include <random>
#include <unordered_map>

#include "tests/bench/decode_view.hpp"
#include "tests/bench/report.hpp"

namespace opscope::test {
namespace {

const rlx_graph_view& decode(std::size_t nodes) {
  static std::unordered_map<std::size_t, std::unique_ptr<view_builder>> kept;
  auto& b = kept[nodes];
  if (b == nullptr) {
    b = std::make_unique<view_builder>("decode");
    build_decode(*b, nodes);
  }
  return b->get();
}

// The same number of nodes, kinds and operands drawn at random: nothing for a predictor.
const rlx_graph_view& scrambled(std::size_t nodes) {
  static std::unordered_map<std::size_t, std::unique_ptr<view_builder>> kept;
  auto& b = kept[nodes];
  if (b == nullptr) {
    b = std::make_unique<view_builder>("scrambled");
    std::mt19937 random{1};
    b->reserve(nodes);
    b->input("x", {1, 64});
    while (b->size() < nodes) {
      const auto kind = static_cast<std::uint32_t>(4 + random() % 184);
      id_list operands;
      for (auto i = random() % 3 + 1; i != 0; --i) {
        operands.push_back(static_cast<std::uint32_t>(random() % b->size()));
      }
      b->node(kind, operands, dim_list(random() % 5, dim{3}));
    }
  }
  return b->get();
}

// Read: hot record, operand ids, dims, tensor words twice (own written, operands gathered).
// Written: tensor word and cost record, whose lines are read before.
double touched_bytes(const rlx_graph_view& g) {
  return static_cast<double>(g.node_count * sizeof(rlx_node) + g.input_count * 4 + g.dim_count * 8 +
                             2 * g.node_count * (8 + sizeof(node_cost)));
}

// What the system clears before a fresh result may be written.
double fresh_bytes(const rlx_graph_view& g) {
  return static_cast<double>(g.node_count * (8 + sizeof(node_cost)));
}

void rule_fresh(benchmark::State& state) {
  const rlx_graph_view& g = decode(static_cast<std::size_t>(state.range(0)));
  const rlx::graph_view view{g};
  for (auto _ : state) benchmark::DoNotOptimize(analyze(view).totals().flops);
  bench::tell_per_node(state, g.node_count, {touched_bytes(g) + fresh_bytes(g), 15});
}

void rule_reused(benchmark::State& state) {
  const rlx_graph_view& g = decode(static_cast<std::size_t>(state.range(0)));
  const rlx::graph_view view{g};
  graph_cost cost;
  for (auto _ : state) {
    analyze(view, cost);
    benchmark::DoNotOptimize(cost.totals().flops);
  }
  bench::tell_per_node(state, g.node_count, {touched_bytes(g), 8});
}

void rule_reused_scrambled(benchmark::State& state) {
  const rlx_graph_view& g = scrambled(static_cast<std::size_t>(state.range(0)));
  const rlx::graph_view view{g};
  graph_cost cost;
  for (auto _ : state) {
    analyze(view, cost);
    benchmark::DoNotOptimize(cost.totals().flops);
  }
  bench::tell_per_node(state, g.node_count, {touched_bytes(g)});
}

void find_defect(benchmark::State& state) {
  const rlx_graph_view& g = decode(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(rlx::find_defect(g));
  bench::tell_per_node(
      state, g.node_count,
      {static_cast<double>(g.node_count * (sizeof(rlx_node) + sizeof(rlx_node_info)) +
                           g.input_count * 4)});
}

void report(benchmark::State& state) {
  const rlx_graph_view& g = decode(static_cast<std::size_t>(state.range(0)));
  const graph_cost cost = analyze(rlx::graph_view{g});
  for (auto _ : state) benchmark::DoNotOptimize(cost.report(10));
  // Costs twice (top, by kind) and the kind in the hot record.
  bench::tell_per_node(
      state, g.node_count,
      {static_cast<double>(g.node_count * (2 * sizeof(node_cost) + sizeof(rlx_node))), 0, true});
}

void by_kind(benchmark::State& state) {
  const rlx_graph_view& g = decode(static_cast<std::size_t>(state.range(0)));
  const graph_cost cost = analyze(rlx::graph_view{g});
  for (auto _ : state) benchmark::DoNotOptimize(cost.by_kind());
  bench::tell_per_node(
      state, g.node_count,
      {static_cast<double>(g.node_count * (sizeof(node_cost) + sizeof(rlx_node))), 0, true});
}

void report_all(benchmark::State& state) {
  const rlx_graph_view& g = decode(static_cast<std::size_t>(state.range(0)));
  const graph_cost cost = analyze(rlx::graph_view{g});
  for (auto _ : state) benchmark::DoNotOptimize(cost.report(g.node_count));
  bench::tell_per_node(state, g.node_count);
}

#define RULE_SIZES Arg(1'000)->Arg(10'000)->Arg(100'000)->Arg(1'000'000)
BENCHMARK(rule_fresh)->RULE_SIZES->Unit(benchmark::kMicrosecond);
BENCHMARK(rule_reused)->RULE_SIZES->Unit(benchmark::kMicrosecond);
BENCHMARK(rule_reused_scrambled)->RULE_SIZES->Unit(benchmark::kMicrosecond);
BENCHMARK(find_defect)->RULE_SIZES->Unit(benchmark::kMicrosecond);
BENCHMARK(by_kind)->RULE_SIZES->Unit(benchmark::kMicrosecond);
BENCHMARK(report)->RULE_SIZES->Unit(benchmark::kMicrosecond);
BENCHMARK(report_all)->RULE_SIZES->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace opscope::test

int main(int argc, char** argv) { return bench::run(argc, argv); }
