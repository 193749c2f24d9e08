// Our side of the comparison with the published crate (src/main.rs is the other): the graphs, and
// the same figures of them taken the same way. `.ci/bench --peer` runs both.
// Usage: bench_peer --write LAYERS    prints the graph's JSON
//        bench_peer FILE              prints nodes, bytes and FLOP, then ns a node and MB/s of
//        reading
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <opscope/cost.hpp>
#include <string>
#include <string_view>

#include "host/cli/memory.hpp"
#include "host/graph/view.hpp"
#include "host/read/read.hpp"
#include "tests/bench/llama_shape.hpp"

namespace {

// Of the processor, as the other benchmarks count: what else runs takes none of it.
double cpu_seconds() {
  timespec t{};
  if (::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) != 0) std::abort();
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// Seconds that the quickest call took, of ten at least and half a second of them at least.
template <class F>
double quickest(F&& f) {
  const double begun = cpu_seconds();
  double best = 1e300;
  for (int calls = 0; calls < 10 || cpu_seconds() - begun < 0.5; ++calls) {
    const double start = cpu_seconds();
    f();
    best = std::min(best, cpu_seconds() - start);
  }
  return best;
}

void measure(const std::string& path) {
  const rlx::module m = rlx::read_file(path);
  const rlx::lent_view lent{m.graph};
  const rlx::graph_view g{lent.get()};
  const auto nodes = static_cast<double>(g.size());
  const auto size = static_cast<double>(std::filesystem::file_size(path));
  const opscope::totals totals = opscope::analyze(g).totals();

  // Results and graphs are destroyed within the time, here and there.
  const double rule =
      quickest([&] { benchmark::DoNotOptimize(opscope::analyze(g).totals().flops); });
  const double reading =
      quickest([&] { benchmark::DoNotOptimize(rlx::read_file(path).graph.size()); });
  std::printf("%u %" PRIu64 " %" PRIu64 "\n%.2f %.0f\n", g.size(), totals.bytes.value(),
              totals.flops.value(), rule / nodes * 1e9, size / reading * 1e-6);
}

}  // namespace

int main(int argc, char** argv) try {
  rlx::cli::keep_freed_memory();  // as every benchmark here, and rlxc
  if (argc == 3 && std::string_view{argv[1]} == "--write") {
    std::fputs(bench::llama_decode_json(std::stoul(argv[2])).c_str(), stdout);
  } else if (argc == 2) {
    measure(argv[1]);
  } else {
    std::fputs("usage: bench_peer --write LAYERS | FILE\n", stderr);
    return 2;
  }
  return std::ferror(stdout) == 0 && std::fflush(stdout) == 0 ? 0 : 2;
} catch (const std::exception& e) {
  std::fprintf(stderr, "bench_peer: %s\n", e.what());
  return 2;
}
