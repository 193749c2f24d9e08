// The ledger: what a record costs the hook, part by part, and what reading it back costs. Bytes per
// second are of JSON.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <opscope/ledger_reader.hpp>
#include <unordered_map>

#include "plugin/ledger/json_writer.hpp"
#include "plugin/ledger/label.hpp"
#include "plugin/ledger/record.hpp"
#include "tests/bench/decode_view.hpp"
#include "tests/bench/report.hpp"
#include "tests/ledger/support.hpp"

namespace opscope::test {
namespace {

const rlx_graph_view& decode(std::size_t nodes) {
  static std::unordered_map<std::size_t, std::unique_ptr<view_builder>> kept;
  auto& b = kept[nodes];
  if (b == nullptr) {
    b = std::make_unique<view_builder>("decode");
    build_decode(*b, nodes);
    b->get();
  }
  return b->get();
}

// Writes `text` as a ledger's chunks are written, and nothing else: seconds.
double plain_write(const std::string& path, std::string_view text) {
  return bench::quickest([&] {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    for (std::size_t at = 0; at < text.size(); at += std::size_t{1} << 18) {
      const std::string_view chunk = text.substr(at, std::size_t{1} << 18);
      if (::write(file, chunk.data(), chunk.size()) < 0) std::perror("write");
    }
    ::close(file);
    std::filesystem::remove(path);
  });
}

void fingerprint_of(benchmark::State& state) {
  const rlx::graph_view g{decode(static_cast<std::size_t>(state.range(0)))};
  for (auto _ : state) benchmark::DoNotOptimize(fingerprint(g));
  bench::tell_per_node(state, g.size());
}

void labels_of(benchmark::State& state) {
  const rlx::graph_view g{decode(static_cast<std::size_t>(state.range(0)))};
  for (auto _ : state) {
    const label_table labels{g};
    benchmark::DoNotOptimize(&labels[0]);
  }
  bench::tell_per_node(state, g.size());
}

struct counting_sink final : byte_sink {
  std::size_t bytes = 0;
  void take(std::string_view chunk) override {
    benchmark::DoNotOptimize(chunk.data());
    bytes += chunk.size();
  }
};

void write_record_to_memory(benchmark::State& state) {
  const rlx_graph_view& view = decode(static_cast<std::size_t>(state.range(0)));
  const graph_cost cost = analyze(rlx::graph_view{view});
  const rlx_compile_record record = lowered_record(view);
  const ledger_settings settings;
  counting_sink sink;
  json_writer out{&sink};
  for (auto _ : state) {
    write_record(out, record, cost, {"2026-12-01T09:30:00.123456Z", "fp1:", "fp1:", &settings});
    out.flush();
  }
  bench::tell_per_byte(state, view.node_count,
                       sink.bytes / static_cast<std::size_t>(state.iterations()));
}

ledger_settings settings_at(const std::string& place) {
  ledger_settings s;
  s.place = place;
  return s;
}

// The limit is a copy of the same bytes into the page cache by write(2) alone.
void append_to_ledger(benchmark::State& state) {
  const rlx_graph_view& view = decode(static_cast<std::size_t>(state.range(0)));
  const graph_cost cost = analyze(rlx::graph_view{view});
  const graph_need need = analyze_need(rlx::graph_view{view}, {.bindings = {}, .rule = &cost});
  const rlx_compile_record record = lowered_record(view);
  const scratch s;
  ledger log{settings_at(s.path("l"))};
  std::string text;
  for (auto _ : state) {
    if (const auto problem = log.append(record, cost, &need)) {
      return state.SkipWithError(problem->c_str());
    }
    state.PauseTiming();
    if (text.empty()) text = read_text(s.path("l"));
    std::filesystem::remove(s.path("l"));
    state.ResumeTiming();
  }
  const double limit = static_cast<double>(text.size()) / plain_write(s.path("m"), text) * 1e-6;
  bench::tell_per_byte(state, view.node_count, text.size(), limit, 500);
}

void append_with_need(const std::string& place, const rlx_graph_view& view) {
  const graph_cost cost = analyze(rlx::graph_view{view});
  const graph_need need = analyze_need(rlx::graph_view{view}, {.bindings = {}, .rule = &cost});
  ledger{settings_at(place)}.append(lowered_record(view), cost, &need);
}

void read_file(benchmark::State& state, bool with_nodes) {
  const rlx_graph_view& view = decode(static_cast<std::size_t>(state.range(0)));
  const scratch s;
  append_with_need(s.path("l"), view);
  for (auto _ : state) {
    ledger_reader reader{s.path("l"), nullptr};
    const auto r = reader.next(with_nodes);
    if (!r || r->nodes.has_value() != with_nodes) state.SkipWithError("no record");
  }
  bench::tell_per_byte(state, view.node_count, std::filesystem::file_size(s.path("l")));
}

BENCHMARK(fingerprint_of)
    ->RangeMultiplier(10)
    ->Range(1'000, 1'000'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(labels_of)->RangeMultiplier(10)->Range(1'000, 1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(write_record_to_memory)
    ->RangeMultiplier(10)
    ->Range(1'000, 1'000'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(append_to_ledger)
    ->RangeMultiplier(10)
    ->Range(1'000, 1'000'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_file, with_nodes, true)
    ->RangeMultiplier(10)
    ->Range(1'000, 1'000'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_file, heads_only, false)
    ->RangeMultiplier(10)
    ->Range(1'000, 1'000'000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace opscope::test

int main(int argc, char** argv) { return bench::run(argc, argv); }
