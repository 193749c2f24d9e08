// How the benchmarks tell what they measured: one line a benchmark and size, with the limit of the
// machine and the goal beside the figure, and how time grew from a tenth of the nodes.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace bench {

// Bytes per second that one thread reads and writes, over buffers far beyond the caches; best of a
// few, a copy counted as a read, a write and the read of the written line. Measured once.
double bandwidth();

struct account {
  // What must come from memory or go to it. Over the bandwidth it is the limit, where it does not
  // fit the caches; 0 where nobody counted.
  double touched_bytes = 0;
  double goal = 0;         // 0: none
  bool is_listed = false;  // without a goal, in the README's table for its growth
};
// The figure is ns a node.
void tell_per_node(benchmark::State& state, std::size_t nodes, const account& a = {});
// The figure is MB (10^6 bytes) a second, of the bytes that one iteration handles. The limit is the
// same kind of figure, of something that cannot be done without.
void tell_per_byte(benchmark::State& state, std::size_t nodes, std::size_t bytes, double limit = 0,
                   double goal = 0);

// Seconds that the quickest of a few calls took.
template <class F>
double quickest(F&& f, int calls = 3) {
  double best = 1e300;
  for (int i = 0; i < calls; ++i) {
    const auto start = std::chrono::steady_clock::now();
    f();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}

// Runs what is registered and prints the table, or with `--markdown` as first argument the rows of
// the README's table, or with `--machine` what machine this is. Takes Google Benchmark's flags;
// each figure is the best of three repetitions unless they say otherwise. Freed memory is kept as
// rlxc keeps it.
int run(int argc, char** argv);

}  // namespace bench
