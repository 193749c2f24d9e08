#include "tests/bench/report.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "host/cli/memory.hpp"

namespace bench {

namespace {

// The names of the counters that the table has columns for.
constexpr const char* nodes_name = "nodes";
constexpr const char* bytes_name = "bytes";
constexpr const char* limit_name = "limit";
constexpr const char* goal_name = "goal";
constexpr const char* listed_name = "listed";

constexpr double beyond_caches = 64e6;  // bytes

std::string cpu_model() {
  std::ifstream info{"/proc/cpuinfo"};
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(": ") + 2);
  }
  return "unknown CPU";
}

std::string number(double v) {
  char text[32];
  std::snprintf(text, sizeof text, v < 10 ? "%.2f" : v < 100 ? "%.1f" : "%.0f", v);
  return text;
}

// One benchmark at one size.
struct row {
  std::string name;
  double nodes = 0;
  double took = 0;  // seconds an iteration
  double bytes = 0;
  double limit = 0;
  double goal = 0;
  double growth = 0;  // how many times the time of the size before, for ten times the nodes; or 0
  bool is_listed = false;
  std::string others;

  std::string figure() const {
    if (bytes > 0) return number(bytes / took * 1e-6) + " MB/s";
    if (nodes > 0) return number(took / nodes * 1e9) + " ns/node";
    return number(took * 1e9) + " ns";
  }
};

std::string machine() {
  const auto pages = static_cast<double>(::sysconf(_SC_PHYS_PAGES));
  const double gib = pages * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1u << 30);
  double load = 0;  // what else runs
  if (::getloadavg(&load, 1) != 1) load = 0;
  char text[256];
  std::snprintf(text, sizeof text,
                "%s, %u cores, %.0f GiB, load average %.1f; one thread moves %s GB a second",
                cpu_model().c_str(), std::thread::hardware_concurrency(), gib, load,
                number(bandwidth() * 1e-9).c_str());
  return text;
}

std::string number_or_nothing(double v) { return v > 0 ? number(v) : std::string{}; }

class table final : public benchmark::BenchmarkReporter {
 public:
  explicit table(bool is_markdown) : is_markdown_{is_markdown} {}

  bool ReportContext(const Context&) override {
    if (is_markdown_) return true;
    std::printf("%s\n", machine().c_str());
    std::printf("%-28s %9s %15s %7s %6s %7s\n", "", "nodes", "", "limit", "goal", "growth");
    return true;
  }

  void ReportRuns(const std::vector<Run>& runs) override {
    const Run* best = nullptr;
    for (const Run& r : runs) {
      if (r.error_occurred) {
        std::fprintf(stderr, "%s failed: %s\n", r.run_name.function_name.c_str(),
                     r.error_message.c_str());
        has_failed_ = true;
        return;
      }
      if (r.run_type != Run::RT_Iteration) continue;
      if (best == nullptr || seconds(r) < seconds(*best)) best = &r;
    }
    if (best == nullptr) return;
    rows_.push_back(make_row(*best));
    if (!is_markdown_) print(rows_.back());
  }

  // One line a benchmark: the smallest size and the largest, and the worst growth.
  void Finalize() override {
    if (!is_markdown_) return;
    for (std::size_t at = 0; at < rows_.size();) {
      std::size_t end = at;
      double growth = 0;
      for (; end < rows_.size() && rows_[end].name == rows_[at].name; ++end) {
        growth = std::max(growth, rows_[end].growth);
      }
      const row& small = rows_[at];
      const row& large = rows_[end - 1];
      if (large.goal > 0 || large.is_listed) {
        std::string name = large.name;
        std::replace(name.begin(), name.end(), '_', ' ');
        std::replace(name.begin(), name.end(), '/', ' ');
        std::printf("| %s | %.0f | %s | %.0f | %s | %s | %s | %s |%s\n", name.c_str(), small.nodes,
                    small.figure().c_str(), large.nodes, large.figure().c_str(),
                    number_or_nothing(large.limit).c_str(), number_or_nothing(large.goal).c_str(),
                    number_or_nothing(growth).c_str(),
                    (large.others.empty() ? " |" : " " + large.others + " |").c_str());
      }
      at = end;
    }
  }
  bool has_failed() const { return has_failed_; }

 private:
  static double seconds(const Run& r) {
    return r.cpu_accumulated_time / static_cast<double>(r.iterations);
  }

  row make_row(const Run& r) const {
    row made;
    // What BENCHMARK_CAPTURE adds to the name is part of the arguments.
    made.name = r.run_name.function_name;
    made.took = seconds(r);
    for (const auto& [name, counter] : r.counters) {
      const double v = counter.value;
      if (name == nodes_name) {
        made.nodes = v;
      } else if (name == bytes_name) {
        made.bytes = v;
      } else if (name == limit_name) {
        made.limit = v;
      } else if (name == goal_name) {
        made.goal = v;
      } else if (name == listed_name) {
        made.is_listed = v != 0;
      } else {
        made.others += (made.others.empty() ? "" : ", ") + name + " " + number(v);
      }
    }
    if (!rows_.empty() && rows_.back().name == made.name && made.nodes > 5 * rows_.back().nodes) {
      const row& before = rows_.back();
      made.growth = made.took / before.took * 10 * before.nodes / made.nodes;
    }
    return made;
  }

  static void print(const row& r) {
    std::printf("%-28s %9.0f %15s %7s %6s %7s  %s\n", r.name.c_str(), r.nodes, r.figure().c_str(),
                number_or_nothing(r.limit).c_str(), number_or_nothing(r.goal).c_str(),
                number_or_nothing(r.growth).c_str(), r.others.c_str());
    std::fflush(stdout);
  }

  bool is_markdown_;
  bool has_failed_ = false;
  std::vector<row> rows_;
};

}  // namespace

double bandwidth() {
  static const double measured = [] {
    constexpr std::size_t size = std::size_t{128} << 20;
    const std::vector<std::uint64_t> from(size / 8, 1);
    std::vector<std::uint64_t> to(size / 8, 1);
    // Word by word, so that no non-temporal copy of the C library takes its place.
    const double took = quickest(
        [&] {
          for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
          benchmark::ClobberMemory();
        },
        5);
    return 3.0 * static_cast<double>(size) / took;
  }();
  return measured;
}

void tell_per_node(benchmark::State& state, std::size_t nodes, const account& a) {
  state.counters[nodes_name] = static_cast<double>(nodes);
  if (a.touched_bytes > beyond_caches) {
    state.counters[limit_name] = a.touched_bytes / bandwidth() / static_cast<double>(nodes) * 1e9;
  }
  if (a.goal > 0) state.counters[goal_name] = a.goal;
  if (a.is_listed) state.counters[listed_name] = 1;
}

void tell_per_byte(benchmark::State& state, std::size_t nodes, std::size_t bytes, double limit,
                   double goal) {
  state.counters[nodes_name] = static_cast<double>(nodes);
  state.counters[bytes_name] = static_cast<double>(bytes);
  if (limit > 0) state.counters[limit_name] = limit;
  if (goal > 0) state.counters[goal_name] = goal;
}

int run(int argc, char** argv) {
  rlx::cli::keep_freed_memory();
  if (argc > 1 && std::string_view{argv[1]} == "--machine") {
    std::printf("%s\n", machine().c_str());
    return 0;
  }
  const bool is_markdown = argc > 1 && std::string_view{argv[1]} == "--markdown";
  // Flags given come later and win.
  std::string repetitions{"--benchmark_repetitions=3"};
  std::string shortest{"--benchmark_min_time=0.2"};
  // A virtual machine's memory that was not in use is slow to come, once.
  std::string warmup{"--benchmark_min_warmup_time=0.2"};
  std::vector<char*> arguments{argv[0], repetitions.data(), shortest.data(), warmup.data()};
  arguments.insert(arguments.end(), argv + (is_markdown ? 2 : 1), argv + argc);
  auto count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 1;
  table t{is_markdown};
  const std::size_t ran = benchmark::RunSpecifiedBenchmarks(&t);
  benchmark::Shutdown();
  return ran == 0 || t.has_failed() ? 1 : 0;
}

}  // namespace bench
