// The rule's pass and what is asked of it, per node, beside the limit that memory sets: the bytes
// a pass must touch over the bandwidth measured on this machine. Counter `limit_ns` is per node.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <opscope/cost.hpp>
#include <random>
#include <vector>

#include "tests/bench/decode_view.hpp"

namespace opscope::test {
namespace {

// Bytes per second that one thread reads and writes, over buffers far beyond the caches; best of a
// few, a copy counted as a read, a write and the read of the written line.
double bandwidth() {
  static const double measured = [] {
    constexpr std::size_t size = std::size_t{128} << 20;
    std::vector<char> from(size, 1);
    std::vector<std::uint64_t> to(size / 8, 1);
    double best = 0.0;
    for (int round = 0; round < 5; ++round) {
      const auto start = std::chrono::steady_clock::now();
      // Word by word, so that no non-temporal copy of the C library takes its place.
      const auto* words = reinterpret_cast<const std::uint64_t*>(from.data());
      for (std::size_t i = 0; i < to.size(); ++i) to[i] += words[i];
      benchmark::ClobberMemory();
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      best = std::max(best, 3.0 * static_cast<double>(size) / took.count());
    }
    return best;
  }();
  return measured;
}

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

void set_counters(benchmark::State& state, const rlx_graph_view& g, double bytes) {
  const auto nodes = static_cast<double>(g.node_count);
  state.counters["ns_per_node"] = benchmark::Counter(
      nodes * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  if (bytes > 0.0) state.counters["limit_ns"] = bytes / bandwidth() / nodes * 1e9;
  state.counters["GB_per_s"] = bandwidth() * 1e-9;
}

void rule_fresh(benchmark::State& state) {
  const rlx_graph_view& g = decode(static_cast<std::size_t>(state.range(0)));
  const rlx::graph_view view{g};
  for (auto _ : state) benchmark::DoNotOptimize(analyze(view).totals().flops);
  set_counters(state, g, touched_bytes(g));
}

void rule_reused(benchmark::State& state) {
  const rlx_graph_view& g = decode(static_cast<std::size_t>(state.range(0)));
  const rlx::graph_view view{g};
  graph_cost cost;
  for (auto _ : state) {
    analyze(view, cost);
    benchmark::DoNotOptimize(cost.totals().flops);
  }
  set_counters(state, g, touched_bytes(g));
}

void rule_reused_scrambled(benchmark::State& state) {
  const rlx_graph_view& g = scrambled(static_cast<std::size_t>(state.range(0)));
  const rlx::graph_view view{g};
  graph_cost cost;
  for (auto _ : state) {
    analyze(view, cost);
    benchmark::DoNotOptimize(cost.totals().flops);
  }
  set_counters(state, g, touched_bytes(g));
}

void find_defect(benchmark::State& state) {
  const rlx_graph_view& g = decode(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(rlx::find_defect(g));
  set_counters(state, g,
               static_cast<double>(g.node_count * (sizeof(rlx_node) + sizeof(rlx_node_info)) +
                                   g.input_count * 4));
}

void report(benchmark::State& state) {
  const rlx_graph_view& g = decode(static_cast<std::size_t>(state.range(0)));
  const graph_cost cost = analyze(rlx::graph_view{g});
  for (auto _ : state) benchmark::DoNotOptimize(cost.report(10));
  // Costs twice (top, by kind) and the kind in the hot record.
  set_counters(state, g,
               static_cast<double>(g.node_count * (2 * sizeof(node_cost) + sizeof(rlx_node))));
}

void by_kind(benchmark::State& state) {
  const rlx_graph_view& g = decode(static_cast<std::size_t>(state.range(0)));
  const graph_cost cost = analyze(rlx::graph_view{g});
  for (auto _ : state) benchmark::DoNotOptimize(cost.by_kind());
  set_counters(state, g,
               static_cast<double>(g.node_count * (sizeof(node_cost) + sizeof(rlx_node))));
}

void report_all(benchmark::State& state) {
  const rlx_graph_view& g = decode(static_cast<std::size_t>(state.range(0)));
  const graph_cost cost = analyze(rlx::graph_view{g});
  for (auto _ : state) benchmark::DoNotOptimize(cost.report(g.node_count));
  set_counters(state, g, 0.0);
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

BENCHMARK_MAIN();
