#include "host/lower/report.hpp"

#include <algorithm>
#include <array>

#include "host/lower/ops.hpp"
#include "host/lower/patterns.hpp"
#include "host/lower/users.hpp"

namespace rlx {

namespace {

constexpr std::string_view matmul_bias_act = "matmul_bias_act";
constexpr std::string_view shared_input_matmul = "shared_input_matmul";
constexpr std::string_view swiglu = "swiglu";

std::uint64_t count_kind(const graph& g, std::uint32_t kind) {
  return static_cast<std::uint64_t>(std::ranges::count(g.nodes(), kind, &rlx_node::kind));
}

// Operand i of a node, or itself-less nothing where it has fewer.
std::optional<node_id> operand(const graph& g, node_id id, std::size_t i) {
  const auto inputs = g.inputs(id);
  return i < inputs.size() ? std::optional{inputs[i]} : std::nullopt;
}

class scanner {
 public:
  scanner(const graph& g, std::vector<missed_fusion>& missed)
      : g_{g}, readers_{g}, missed_{missed} {}

  void run() {
    for (node_id id = 0; id < g_.size(); ++id) {
      if (g_.kind(id) == RLX_KIND_MatMul) scan_bias(id);
    }
    scan_shared_inputs();
    for (node_id id = 0; id < g_.size(); ++id) scan_swiglu(id);
  }

 private:
  void miss(std::string_view pattern, node_id id, std::string reason, std::string_view hint) {
    const origin& from = g_.origin_at(g_.origin_of(id));
    std::string context = "%" + std::to_string(id);
    if (from.label) {
      context = *from.label;
    } else if (from.hir) {
      context = "h" + std::to_string(*from.hir);
    } else if (const auto name = g_.name_of(id)) {
      context = *name;
    }
    missed_.push_back({pattern, id, std::move(context), std::move(reason), hint});
  }

  void scan_bias(node_id m) {
    const auto readers = readers_.of(m);
    if (readers.empty()) return;
    if (readers.size() > 1) {
      miss(matmul_bias_act, m, "MultiConsumer",
           "single-consumer chain required — clone input or use HirOp::LinearFused");
      return;
    }
    const node_id add = readers[0];
    if (!is_op(g_, add, RLX_KIND_Binary, "Add")) {
      miss(matmul_bias_act, m, "NonAddBiasConsumer", "use linear+bias or HirModule::linear_fused");
      return;
    }
    const auto bias = bias_of(g_, add, m);
    if (!bias) return;
    if (const std::uint32_t rank = g_.node(*bias).rank; rank > 1) {
      miss(matmul_bias_act, m, "BiasRankTooHigh { rank: " + std::to_string(rank) + " }",
           "bias must be rank-1");
      return;
    }
    if (readers_.count(add) != 1) return;
    const node_id next = readers_.of(add)[0];
    const auto activation = text_attribute(g_, next, "value");
    if (g_.kind(next) != RLX_KIND_Activation || !activation || *activation == "Gelu" ||
        *activation == "Silu") {
      return;
    }
    miss(matmul_bias_act, m, "UnsupportedEpilogueActivation(" + std::string{*activation} + ")",
         "FuseMatMulBiasAct supports Gelu/Silu only");
  }

  // Each group of matmuls of one operand at its first member, by id of that member.
  void scan_shared_inputs() {
    struct group {
      node_id first;
      node_id last;
      std::uint64_t count;
    };
    std::vector<group> groups;
    std::vector<std::uint32_t> group_of(g_.size(), UINT32_MAX);
    for (node_id id = 0; id < g_.size(); ++id) {
      const auto x = operand(g_, id, 0);
      if (g_.kind(id) != RLX_KIND_MatMul || !x) continue;
      if (group_of[*x] == UINT32_MAX) {
        group_of[*x] = static_cast<std::uint32_t>(groups.size());
        groups.push_back({id, id, 0});
      }
      group& its = groups[group_of[*x]];
      its.last = id;
      ++its.count;
    }
    for (const group& its : groups) {
      if (its.count > 2) {
        miss(shared_input_matmul, its.first,
             "SharedMatmulCount { count: " + std::to_string(its.count) + " }",
             "use shared_linear_pair or HirOp::SwiGLU");
      } else if (its.count == 2 && are_plain_weights(its.first, its.last)) {
        miss(shared_input_matmul, its.first, "NotFused",
             "check inspect_pipeline / RLX_FUSION_REPORT=1");
      }
    }
  }

  // Both weights of rank 2 and of equal dim 0.
  bool are_plain_weights(node_id a, node_id b) const {
    const auto left = operand(g_, a, 1);
    const auto right = operand(g_, b, 1);
    if (!left || !right || g_.node(*left).rank != 2 || g_.node(*right).rank != 2) return false;
    return g_.dims(*left)[0] == g_.dims(*right)[0] &&
           (g_.node(*left).dynamic_dims & 1) == (g_.node(*right).dynamic_dims & 1);
  }

  void scan_swiglu(node_id id) {
    const auto found = find_silu_product(g_, id);
    if (!found || g_.kind(found->up) != RLX_KIND_MatMul ||
        g_.kind(found->gate) != RLX_KIND_MatMul) {
      return;
    }
    if (operand(g_, found->up, 0) != operand(g_, found->gate, 0)) {
      miss(swiglu, id, "SwigluNotSharedInput", "gate and up must share the same input");
    } else if (found->gate < found->up) {
      miss(swiglu, id, "SwigluGateBeforeUp", "pass up_w before gate_w in swiglu_ffn");
    }
  }

  const graph& g_;
  users readers_;
  std::vector<missed_fusion>& missed_;
};

}  // namespace

fusion_report report_fusion(const graph& before, const graph& after) {
  fusion_report report;
  report.nodes_before = before.size();
  report.nodes_after = after.size();
  report.matmuls_before = count_kind(before, RLX_KIND_MatMul);
  report.matmuls_after = count_kind(after, RLX_KIND_MatMul);
  report.fused_matmul_bias_act = count_kind(after, RLX_KIND_FusedMatMulBiasAct);
  report.fused_swiglu = count_kind(after, RLX_KIND_FusedSwiGLU);
  report.elementwise_regions = count_kind(after, RLX_KIND_ElementwiseRegion);
  scanner{after, report.missed}.run();
  return report;
}

std::string fusion_report::text() const {
  const auto missed_of = [this](std::string_view pattern) {
    return std::to_string(std::ranges::count(missed, pattern, &missed_fusion::pattern));
  };
  std::string out = "fusion report:\n  nodes=";
  out += std::to_string(nodes_before) + "→" + std::to_string(nodes_after);
  out += " matmul=" + std::to_string(matmuls_before) + "→" + std::to_string(matmuls_after);
  out += " fused_mm_act=" + std::to_string(fused_matmul_bias_act);
  out += " fused_swiglu=" + std::to_string(fused_swiglu);
  out += " elementwise_region=" + std::to_string(elementwise_regions);
  out += " missed_mm_act=" + missed_of(matmul_bias_act);
  out += " missed_swiglu=" + missed_of(swiglu);
  out += " missed_shared_mm=" + missed_of(shared_input_matmul) + "\n";
  if (!missed.empty()) out += "  missed patterns:\n";
  for (const missed_fusion& m : missed) {
    out += "    ";
    out += m.pattern;
    out += " @ %" + std::to_string(m.node);
    if (!m.context.empty()) out += " (" + m.context + ")";
    out += " — " + m.reason;
    if (!m.hint.empty()) {
      out += " → ";
      out += m.hint;
    }
    out += "\n";
  }
  return out;
}

}  // namespace rlx
