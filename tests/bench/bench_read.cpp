// Reading a LLaMA-shaped module: bytes a second, with the parser's stage 1 alone on the same text
// beside it (what any reader on that parser costs at least), and memory over the size of the text.
#include <benchmark/benchmark.h>
#include <malloc.h>
#include <simdjson.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "host/emit/json.hpp"
#include "host/graph/column.hpp"
#include "host/read/op.hpp"
#include "host/read/read.hpp"
#include "tests/bench/llama_shape.hpp"
#include "tests/bench/report.hpp"

namespace {

// Resident bytes at their highest, of this process.
double peak_bytes() {
  std::ifstream status{"/proc/self/status"};
  for (std::string line; std::getline(status, line);) {
    double kib = 0;
    if (std::sscanf(line.c_str(), "VmHWM: %lf kB", &kib) == 1) return kib * 1024;
  }
  return 0;
}

// What reading `path` adds to the peak of a fresh process, by a child so that nothing else counts.
double peak_of_reading(const char* path) {
  int ends[2];
  if (::pipe(ends) != 0) return 0;
  const pid_t child = ::fork();
  if (child == 0) {
    // A child starts at its parent's peak: clear it, and give the parent's free memory back.
    rlx::keep_large(0);
    ::malloc_trim(0);
    std::ofstream{"/proc/self/clear_refs"} << "5";
    const double before = peak_bytes();
    const rlx::module m = rlx::read_file(path);
    benchmark::DoNotOptimize(m.graph.size());
    const double added = peak_bytes() - before;
    const ssize_t n = ::write(ends[1], &added, sizeof added);
    ::_exit(n == sizeof added ? 0 : 1);
  }
  double added = 0;
  const ssize_t n = ::read(ends[0], &added, sizeof added);
  ::close(ends[0]);
  ::close(ends[1]);
  ::waitpid(child, nullptr, 0);
  return n == sizeof added ? added : 0;
}

// The parser's stage 1 alone, which any reader on that parser costs at least: seconds.
double stage_1_seconds(const std::string& text) {
  const simdjson::padded_string padded{text};
  simdjson::ondemand::parser parser;
  return bench::quickest([&] {
    simdjson::ondemand::document document;
    if (parser.iterate(padded).get(document) != simdjson::SUCCESS) std::abort();
    benchmark::DoNotOptimize(document);
  });
}

void read_module(benchmark::State& state) {
  std::string path = "/tmp/opscope-bench-XXXXXX";
  const int fd = ::mkstemp(path.data());
  std::size_t size = 0, nodes = 0;
  double limit = 0;
  {
    const std::string text = bench::llama_decode_json(static_cast<std::size_t>(state.range(0)));
    size = text.size();
    limit = static_cast<double>(size) / stage_1_seconds(text) * 1e-6;
    std::ofstream{path, std::ios::binary} << text;
  }
  for (auto _ : state) {
    const rlx::module m = rlx::read_file(path);
    nodes = m.graph.size();
    benchmark::DoNotOptimize(nodes);
  }
  bench::tell_per_byte(state, nodes, size, limit, 600);
  state.counters["peak/file"] = peak_of_reading(path.c_str()) / static_cast<double>(size);
  ::close(fd);
  ::unlink(path.c_str());
}

void emit(benchmark::State& state) {
  const rlx::module m =
      rlx::read_text(bench::llama_decode_json(static_cast<std::size_t>(state.range(0))));
  std::size_t size = 0;
  for (auto _ : state) {
    std::string out;
    rlx::append_mir_json(out, m.graph);
    size = out.size();
    benchmark::DoNotOptimize(out.data());
  }
  bench::tell_per_byte(state, m.graph.size(), size);
}

void known_op(benchmark::State& state) {
  rlx::storage s;
  for (auto _ : state) benchmark::DoNotOptimize(rlx::read_op(s, R"({"Gather":{"axis":0}})"));
}

// 10^3, 10^4, 10^5, 10^6 nodes.
BENCHMARK(read_module)->Arg(21)->Arg(212)->Arg(2127)->Arg(21276)->Unit(benchmark::kMillisecond);
BENCHMARK(emit)->Arg(212)->Arg(21276)->Unit(benchmark::kMillisecond);
BENCHMARK(known_op);

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv); }
