// Comparing two ledgers: decode steps of a LLaMA of 10^3 to 10^6 nodes, of which every hundredth
// was edited. The comparison alone, and with reading both sides as `opscope diff` does.
#include <benchmark/benchmark.h>

#include <future>
#include <memory>
#include <unordered_map>

#include "plugin/compare/diff.hpp"
#include "tests/bench/report.hpp"
#include "tests/ledger/random_graph.hpp"
#include "tests/ledger/support.hpp"

namespace opscope::test {
namespace {

// The sizes of decode_view.hpp, with parameters named by layer. With `edits`, one layer in five has
// one of: a cast put in, another epsilon, gate and up fused into one matmul (five nodes).
void build(view_builder& b, std::size_t nodes, bool has_edits) {
  constexpr std::uint64_t hidden = 2048;
  constexpr std::uint64_t kv = 512;
  constexpr std::uint64_t inner = 8192;
  constexpr std::uint64_t past = 2048;
  random_source random{7};
  b.reserve(nodes + 64);
  const auto cos = b.input("rope.cos", {1, 32});
  const auto sin = b.input("rope.sin", {1, 32});
  auto x = b.input("hidden", {1, 1, hidden});
  const auto matmul = [&](std::uint32_t a, std::uint32_t w, std::uint64_t out) {
    return b.node(RLX_KIND_MatMul, {a, w}, {1, 1, out});
  };
  for (std::size_t layer = 0; b.size() < nodes; ++layer) {
    const std::string path = "model.layers." + std::to_string(layer) + ".";
    const auto param = [&](const char* name, const dim_list& shape) {
      return b.param(path + name + ".weight", shape, RLX_DTYPE_F16);
    };
    const std::uint32_t edit = has_edits && random.chance(20) ? 1 + random.below(3) : 0;
    const auto norm1 = param("input_layernorm", {hidden});
    const auto wq = param("self_attn.q_proj", {hidden, hidden});
    const auto wk = param("self_attn.k_proj", {hidden, kv});
    const auto wv = param("self_attn.v_proj", {hidden, kv});
    const auto wo = param("self_attn.o_proj", {hidden, hidden});
    const auto norm2 = param("post_attention_layernorm", {hidden});
    const auto gate = param("mlp.gate_proj", {hidden, inner});
    const auto up = param("mlp.up_proj", {hidden, inner});
    const auto down = param("mlp.down_proj", {inner, hidden});
    const auto past_k = b.input(path + "past_k", {1, past, kv});
    const auto past_v = b.input(path + "past_v", {1, past, kv});
    auto h = b.node(RLX_KIND_RmsNorm, {x, norm1}, {1, 1, hidden}, RLX_DTYPE_F32,
                    {{"eps", edit == 1 ? 1e-6f : 1e-5f}});
    if (edit == 2) h = b.node(RLX_KIND_Cast, {h}, {1, 1, hidden}, RLX_DTYPE_F32, {{"to", "F32"}});
    const auto q = b.node(RLX_KIND_Rope, {matmul(h, wq, hidden), cos, sin}, {1, 1, hidden});
    const auto k = b.node(RLX_KIND_Rope, {matmul(h, wk, kv), cos, sin}, {1, 1, kv});
    const auto v = matmul(h, wv, kv);
    const auto all_k = b.node(RLX_KIND_Concat, {past_k, k}, {1, past + 1, kv});
    const auto all_v = b.node(RLX_KIND_Concat, {past_v, v}, {1, past + 1, kv});
    const auto wide_k = b.node(RLX_KIND_Expand, {all_k}, {1, past + 1, hidden});
    const auto wide_v = b.node(RLX_KIND_Expand, {all_v}, {1, past + 1, hidden});
    const auto a = b.node(RLX_KIND_Attention, {q, wide_k, wide_v}, {1, 1, hidden});
    const auto y = b.node(RLX_KIND_Binary, {x, matmul(a, wo, hidden)}, {1, 1, hidden});
    const auto h2 = b.node(RLX_KIND_RmsNorm, {y, norm2}, {1, 1, hidden});
    std::uint32_t gu = 0;
    if (edit == 3) {
      const auto both = b.node(RLX_KIND_Concat, {up, gate}, {hidden, 2 * inner}, RLX_DTYPE_F16);
      gu = b.node(RLX_KIND_FusedSwiGLU, {matmul(h2, both, 2 * inner)}, {1, 1, inner});
    } else {
      const auto g = b.node(RLX_KIND_Activation, {matmul(h2, gate, inner)}, {1, 1, inner});
      gu = b.node(RLX_KIND_Binary, {g, matmul(h2, up, inner)}, {1, 1, inner});
    }
    x = b.node(RLX_KIND_Binary, {y, matmul(gu, down, hidden)}, {1, 1, hidden});
  }
  b.outputs({x});
}

// A ledger with one record, needs and all, written once a size.
const std::string& ledger_of(std::size_t nodes, bool has_edits) {
  static const scratch place;
  static std::unordered_map<std::size_t, std::string> paths;
  std::string& path = paths[2 * nodes + (has_edits ? 1 : 0)];
  if (path.empty()) {
    path = place.path(std::to_string(nodes) + (has_edits ? "-new" : "-base"));
    view_builder b{"decode"};
    build(b, nodes, has_edits);
    const rlx_graph_view& view = b.get();
    const rlx::graph_view g{view};
    const graph_cost cost = analyze(g);
    need_options options;
    options.rule = &cost;
    const graph_need need = analyze_need(g, options);
    ledger log{{.place = path}};
    if (const auto problem = log.append(lowered_record(view), cost, &need))
      throw ledger_error{*problem};
  }
  return path;
}

ledger_record read_one(const std::string& path) {
  ledger_reader reader{path, nullptr};
  auto r = reader.next(true);
  if (!r || !r->nodes) throw ledger_error{path + ": no record"};
  return *std::move(r);
}

void compare_only(benchmark::State& state) {
  const auto nodes = static_cast<std::size_t>(state.range(0));
  const ledger_record a = read_one(ledger_of(nodes, false));
  const ledger_record b = read_one(ledger_of(nodes, true));
  const graph_side base{*a.nodes};
  const graph_side next{*b.nodes};
  std::size_t rows = 0;
  for (auto _ : state) rows = compare_graphs(base, next).rows.size();
  state.counters["rows"] = static_cast<double>(rows);
  bench::tell_per_node(state, nodes);
}

void read_both_and_compare(benchmark::State& state) {
  const auto nodes = static_cast<std::size_t>(state.range(0));
  const std::string& base = ledger_of(nodes, false);
  const std::string& next = ledger_of(nodes, true);
  for (auto _ : state) {
    auto first = std::async(std::launch::async, [&] { return read_one(base); });
    const ledger_record b = read_one(next);
    const ledger_record a = first.get();
    benchmark::DoNotOptimize(
        compare_graphs(graph_side{*a.nodes}, graph_side{*b.nodes}).rows.size());
  }
  // Six seconds for a million nodes a side.
  bench::tell_per_node(state, nodes, {.touched_bytes = 0, .goal = 6'000, .is_listed = true});
}

BENCHMARK(compare_only)
    ->RangeMultiplier(10)
    ->Range(1'000, 1'000'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(read_both_and_compare)
    ->RangeMultiplier(10)
    ->Range(1'000, 1'000'000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace opscope::test

int main(int argc, char** argv) { return bench::run(argc, argv); }
