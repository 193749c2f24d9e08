// Lowering LLaMA-shaped modules: the passes with the plan, the plan alone, and with the hook. Time
// should grow as the nodes do.
#include <benchmark/benchmark.h>

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <random>
#include <string>

#include "host/graph/view.hpp"
#include "host/lower/pipeline.hpp"
#include "host/lower/plan/plan.hpp"
#include "host/read/op.hpp"
#include "tests/bench/hook_host.hpp"
#include "tests/bench/report.hpp"

namespace {

using rlx::node_id;

// Decoder layers of 31 nodes each, one token, grouped key and value heads repeated once.
class decoder {
 public:
  decoder() : g_{std::make_shared<rlx::storage>(), "llama"} {}

  rlx::graph build(int layers) {
    node_id x = leaf("Input", "x", {1, width});
    cos_ = leaf("Input", "cos", {1, 64});
    sin_ = leaf("Input", "sin", {1, 64});
    for (int i = 0; i < layers; ++i) x = layer(x, "layers." + std::to_string(i) + ".");
    const node_id head = matmul(norm(x, "norm."), leaf("Param", "head", {width, 128256}), 128256);
    g_.set_outputs({head});
    return std::move(g_);
  }

 private:
  static constexpr std::uint64_t width = 2048;
  static constexpr std::uint64_t kv_width = 512;
  static constexpr std::uint64_t hidden = 8192;
  using dims = std::vector<std::uint64_t>;

  node_id add(const std::string& op, const std::vector<node_id>& inputs, const dims& shape) {
    return g_.add(rlx::read_op(g_.storage(), op), inputs, {shape, 0, RLX_DTYPE_F32});
  }
  node_id leaf(const std::string& kind, const std::string& name, const dims& shape) {
    return add("{\"" + kind + "\":{\"name\":\"" + name + "\"}}", {}, shape);
  }
  node_id matmul(node_id a, node_id b, std::uint64_t columns) {
    return add("\"MatMul\"", {a, b}, {1, columns});
  }
  node_id norm(node_id x, const std::string& name) {
    const node_id gamma = leaf("Param", name + "weight", {width});
    const node_id beta = leaf("Param", name + "bias", {width});
    return add("{\"RmsNorm\":{\"axis\":-1,\"eps\":1e-5}}", {x, gamma, beta}, {1, width});
  }
  node_id rope(node_id x, std::uint64_t columns) {
    return add("{\"Rope\":{\"head_dim\":64,\"n_rot\":64}}", {x, cos_, sin_}, {1, columns});
  }
  node_id repeat(node_id x) {
    const node_id half = add("{\"Narrow\":{\"axis\":1,\"start\":0,\"len\":512}}", {x}, {1, 512});
    return add("{\"Concat\":{\"axis\":1}}", {half, half, half, half}, {1, width});
  }
  node_id layer(node_id x, const std::string& name) {
    const node_id n = norm(x, name + "input_norm.");
    const node_id q = matmul(n, leaf("Param", name + "q", {width, width}), width);
    const node_id k = matmul(n, leaf("Param", name + "k", {width, kv_width}), kv_width);
    const node_id v = matmul(n, leaf("Param", name + "v", {width, kv_width}), kv_width);
    const node_id attention =
        add("{\"Attention\":{\"num_heads\":32,\"head_dim\":64,\"mask_kind\":\"Causal\","
            "\"score_scale\":null,\"attn_logit_softcap\":null}}",
            {rope(q, width), repeat(rope(k, kv_width)), repeat(v)}, {1, width});
    const node_id o = matmul(attention, leaf("Param", name + "o", {width, width}), width);
    const node_id h = add("{\"Binary\":\"Add\"}", {x, o}, {1, width});
    const node_id m = norm(h, name + "post_norm.");
    const node_id gate = matmul(m, leaf("Param", name + "gate", {width, hidden}), hidden);
    const node_id up = matmul(m, leaf("Param", name + "up", {width, hidden}), hidden);
    const node_id silu = add("{\"Activation\":\"Silu\"}", {gate}, {1, hidden});
    const node_id product = add("{\"Binary\":\"Mul\"}", {silu, up}, {1, hidden});
    const node_id down = matmul(product, leaf("Param", name + "down", {hidden, width}), width);
    return add("{\"Binary\":\"Add\"}", {h, down}, {1, width});
  }

  rlx::graph g_;
  node_id cos_ = 0;
  node_id sin_ = 0;
};

void lower_decoder(benchmark::State& state, rlx::target target) {
  const rlx::graph g = decoder{}.build(static_cast<int>(state.range(0)));
  const rlx::pipeline& p = *rlx::find_pipeline("rlx-0.2.2");
  rlx::lower_options options;
  options.target = target;
  for (auto _ : state) {
    rlx::lowered made = p.lower(g, options);
    benchmark::DoNotOptimize(made);
  }
  bench::tell_per_node(state, g.size(), {0, 0, true});
}

// A whole compile, and which part of it the hook is: the summary line, and a ledger (in memory, so
// that no disk is measured) where there is one.
void compile_decoder(benchmark::State& state, bool has_ledger) {
  const std::string ledger = "/dev/shm/opscope-bench-" + std::to_string(::getpid()) + ".jsonl";
  bench::hook_host host{OPSCOPE_PLUGIN, has_ledger ? ledger.c_str() : nullptr};
  if (host.hook == nullptr) return state.SkipWithError("libopscope.so gave no hook");
  const rlx::graph g = decoder{}.build(static_cast<int>(state.range(0)));
  const rlx::pipeline& p = *rlx::find_pipeline("rlx-0.2.2");
  rlx::lower_options options;
  options.target = rlx::target::cuda;
  using clock = std::chrono::steady_clock;
  std::chrono::duration<double> whole{};
  std::chrono::duration<double> hook{};
  for (auto _ : state) {
    const auto start = clock::now();
    const rlx::lowered made = p.lower(g, options);
    const rlx::lent_view source{g};
    const rlx::lent_view lowered{made.module.graph, &*made.module.plan};
    rlx_compile_record record{};
    record.struct_size = sizeof record;
    record.stage = RLX_STAGE_LOWERED;
    record.graph = &lowered.get();
    record.source = &source.get();
    record.target = rlx::borrow("cuda");
    const auto called = clock::now();
    if (host.hook(host.self, &record) != RLX_OK || !host.warning.empty()) {
      return state.SkipWithError(host.warning.empty() ? "the hook failed" : host.warning.c_str());
    }
    const auto end = clock::now();
    whole += end - start;
    hook += end - called;
    state.PauseTiming();
    std::filesystem::remove(ledger);
    state.ResumeTiming();
  }
  bench::tell_per_node(state, g.size(), {0, 0, true});
  state.counters["hook %"] = 100 * hook / whole;
}

void plan_decoder(benchmark::State& state) {
  const rlx::graph g = decoder{}.build(static_cast<int>(state.range(0)));
  rlx::lower_options options;
  options.target = rlx::target::cuda;
  const rlx::lowered made = rlx::find_pipeline("rlx-0.2.2")->lower(g, options);
  for (auto _ : state) benchmark::DoNotOptimize(rlx::plan_buffers(made.module.graph));
  bench::tell_per_node(state, made.module.graph.size());
}

// What is hard for a planner: every value of another size, and many alive to the end.
void plan_many_outputs(benchmark::State& state) {
  const auto percent = static_cast<unsigned>(state.range(1));
  std::mt19937 random{1};
  rlx::graph g{std::make_shared<rlx::storage>(), "outputs"};
  const rlx::op_id input = rlx::read_op(g.storage(), "{\"Input\":{\"name\":\"x\"}}");
  const rlx::op_id softmax = rlx::read_op(g.storage(), "{\"Softmax\":{\"axis\":-1}}");
  std::vector<node_id> outputs;
  for (node_id id = 0; id < state.range(0); ++id) {
    const std::uint64_t size[] = {1 + random() % 100'000};
    const node_id operand[] = {
        id == 0 ? 0 : static_cast<node_id>(id - 1 - random() % std::min(id, 300U))};
    g.add(id == 0 ? input : softmax, std::span{operand, id == 0 ? 0U : 1U},
          {size, 0, RLX_DTYPE_F32});
    if (random() % 100 < percent) outputs.push_back(id);
  }
  g.set_outputs(std::move(outputs));
  for (auto _ : state) benchmark::DoNotOptimize(rlx::plan_buffers(g));
  bench::tell_per_node(state, g.size());
}

}  // namespace

BENCHMARK_CAPTURE(lower_decoder, cuda, rlx::target::cuda)
    ->Arg(20)
    ->Arg(200)
    ->Arg(2000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(lower_decoder, cpu, rlx::target::cpu)
    ->Arg(20)
    ->Arg(200)
    ->Arg(2000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compile_decoder, with_summary, false)->Arg(20)->Arg(200)->Arg(2000);
BENCHMARK_CAPTURE(compile_decoder, with_ledger, true)->Arg(20)->Arg(200)->Arg(2000);
BENCHMARK(plan_decoder)->Arg(20)->Arg(200)->Arg(2000)->Unit(benchmark::kMillisecond);
BENCHMARK(plan_many_outputs)
    ->Args({6'600, 0})
    ->Args({66'000, 0})
    ->Args({66'000, 10})
    ->Args({66'000, 50})
    ->Args({66'000, 100})
    ->Unit(benchmark::kMillisecond);

int main(int argc, char** argv) { return bench::run(argc, argv); }
