// Runs of element-wise nodes become ElementwiseRegion nodes. A run is a straight line: each member
// reads the one before it, and only the last may have several readers.
#include <algorithm>
#include <array>
#include <vector>

#include "host/emit/json.hpp"
#include "host/lower/ops.hpp"
#include "host/lower/rewrite.hpp"
#include "host/lower/rlx_0_2_2/passes.hpp"
#include "host/lower/users.hpp"
#include "host/read/op.hpp"

namespace rlx::rlx_0_2_2 {

namespace {

constexpr std::uint32_t none = UINT32_MAX;
constexpr std::size_t described_inputs = 16;  // entries of input_modulus, bits of the mask

bool is_boundary(std::uint32_t kind) {
  switch (kind) {
    case RLX_KIND_MatMul:
    case RLX_KIND_DotGeneral:
    case RLX_KIND_DenseSolve:
    case RLX_KIND_BatchedDenseSolve:
    case RLX_KIND_Conv:
    case RLX_KIND_ConvTranspose2d:
    case RLX_KIND_FusedMatMulBiasAct:
    case RLX_KIND_GroupedMatMul:
    case RLX_KIND_DequantGroupedMatMul:
    case RLX_KIND_DequantMoEWeights:
    case RLX_KIND_LoraMatMul:
    case RLX_KIND_DequantMatMul:
    case RLX_KIND_QMatMul:
    case RLX_KIND_QConv2d:
    case RLX_KIND_GaussianSplatRender:
    case RLX_KIND_GaussianSplatRenderBackward:
    case RLX_KIND_GaussianSplatPrepare:
    case RLX_KIND_GaussianSplatRasterize:
      return true;
    default:
      return false;
  }
}

bool is_elementwise(const graph& g, node_id id) {
  switch (g.kind(id)) {
    case RLX_KIND_Activation:
    case RLX_KIND_Binary:
    case RLX_KIND_Compare:
    case RLX_KIND_Where:
      return true;
    case RLX_KIND_Cast: {
      const auto inputs = g.inputs(id);
      return !inputs.empty() &&
             text_attribute(g, id, "to") == g.storage().dtype_text(g.node(inputs[0]).dtype);
    }
    default:
      return false;
  }
}

// Element-wise, and every operand's elements fit the result's a whole number of times.
bool is_eligible(const graph& g, node_id id) {
  if (!is_elementwise(g, id)) return false;
  const auto elements = element_count(g.shape(id));
  if (!elements) return false;
  return std::ranges::all_of(g.inputs(id), [&](node_id operand) {
    const auto part = element_count(g.shape(operand));
    return part && (*part == *elements || (*part > 0 && *elements % *part == 0));
  });
}

// Operand slots over all nodes that hold n, plus the times n is an output.
std::vector<std::uint32_t> count_consumers(const graph& g) {
  std::vector<std::uint32_t> counts(g.size(), 0);
  for (node_id id = 0; id < g.size(); ++id) {
    for (const node_id operand : g.inputs(id)) ++counts[operand];
  }
  for (const node_id output : g.outputs()) ++counts[output];
  return counts;
}

// The runs of the eligible nodes. A run goes by the id of its first member.
class runs {
 public:
  runs(const graph& g, std::uint32_t step_limit)
      : run_of_(g.size(), none), previous_(g.size(), none), facts_(g.size(), {0, none}) {
    const std::vector<std::uint32_t> consumers = count_consumers(g);
    for (node_id id = 0; id < g.size(); ++id) {
      if (!is_eligible(g, id)) continue;
      const node_id run = continued_run(g, consumers, id, step_limit);
      run_of_[id] = run == none ? id : run;
      facts& f = facts_[run_of_[id]];
      previous_[id] = f.last;
      f.last = id;
      ++f.size;
      any_fused_ = any_fused_ || f.size > 1;
    }
  }

  bool any_fused() const { return any_fused_; }
  // The last member of the run of two or more that `id` belongs to, or `none`.
  node_id last_member(node_id id) const {
    if (run_of_[id] == none || facts_[run_of_[id]].size < 2) return none;
    return facts_[run_of_[id]].last;
  }
  // All members in order, given the last one.
  std::vector<node_id> members(node_id last) const {
    std::vector<node_id> ids(facts_[run_of_[last]].size);
    for (auto it = ids.rbegin(); it != ids.rend(); ++it) {
      *it = last;
      last = previous_[last];
    }
    return ids;
  }

 private:
  struct facts {
    std::uint32_t size;
    node_id last;
  };

  node_id continued_run(const graph& g, const std::vector<std::uint32_t>& consumers, node_id id,
                        std::uint32_t step_limit) const {
    node_id run = none;
    for (const node_id operand : g.inputs(id)) {
      if (is_boundary(g.kind(operand))) return none;
      const node_id other = run_of_[operand];
      if (other == none) continue;
      if (consumers[operand] != 1 || (run != none && run != other)) return none;
      run = other;
    }
    return run != none && facts_[run].size < step_limit ? run : none;
  }

  std::vector<node_id> run_of_;
  std::vector<node_id> previous_;  // member of the same run, or none
  std::vector<facts> facts_;       // by run
  bool any_fused_ = false;
};

class marker {
 public:
  marker(const graph& g, const pass_context& context)
      : walk_{g, context.name, keeping::names_and_origins},
        runs_{g, context.region_steps},
        input_limit_{context.region_inputs} {}

  pass_result run() {
    if (!runs_.any_fused()) return std::nullopt;
    const graph& g = walk_.from();
    place_.assign(g.size(), {none, 0});
    for (node_id id = 0; id < g.size(); ++id) {
      const node_id last = runs_.last_member(id);
      if (last == none) {
        walk_.copy(id);
      } else if (last == id) {
        emit_region(runs_.members(id));
      }
    }
    return walk_.finish();
  }

 private:
  // Where a node stands in the region being made: a step, or an external input.
  struct place {
    node_id region;  // the last member, which names the region
    std::uint32_t index;
    bool is_step = false;
  };

  // Numbers the members as steps and collects what they read from outside.
  std::vector<node_id> place_operands(std::span<const node_id> members) {
    const graph& g = walk_.from();
    const node_id region = members.back();
    std::vector<node_id> externals;
    for (std::uint32_t step = 0; step < members.size(); ++step) {
      for (const node_id operand : g.inputs(members[step])) {
        if (place_[operand].region == region) continue;
        place_[operand] = {region, static_cast<std::uint32_t>(externals.size()), false};
        externals.push_back(operand);
      }
      place_[members[step]] = {region, step, true};
    }
    return externals;
  }

  void append_operand(std::string& json, node_id id, std::size_t i) const {
    const place& p = place_[walk_.operand(id, i)];
    json += p.is_step ? "{\"Step\":" : "{\"Input\":";
    json += std::to_string(p.index);
    json += '}';
  }

  void append_step(std::string& json, node_id id) const {
    const graph& g = walk_.from();
    const std::uint32_t kind = g.kind(id);
    json += "{\"";
    json += g.operation_of(id).kind_text;
    json += "\":[";
    std::size_t operands = 3;  // of Where, which carries nothing else
    if (kind != RLX_KIND_Where) {
      const auto value = text_attribute(g, id, kind == RLX_KIND_Cast ? "to" : "value");
      if (!value) {
        walk_.fail(id, "does not say which function it computes; write the name of one");
      }
      append_json_string(json, *value);
      json += ',';
      operands = kind == RLX_KIND_Binary || kind == RLX_KIND_Compare ? 2 : 1;
    }
    for (std::size_t i = 0; i < operands; ++i) {
      if (i != 0) json += ',';
      append_operand(json, id, i);
    }
    json += "]}";
  }

  void emit_region(std::span<const node_id> members) {
    const graph& g = walk_.from();
    const node_id last = members.back();
    const std::vector<node_id> externals = place_operands(members);
    if (externals.size() > input_limit_) {
      for (const node_id member : members) walk_.copy(member);
      return;
    }
    std::string json{"{\"ElementwiseRegion\":{\"chain\":["};
    for (std::size_t step = 0; step < members.size(); ++step) {
      if (step != 0) json += ',';
      append_step(json, members[step]);
    }
    const std::uint64_t elements = *element_count(g.shape(last));
    std::uint32_t scalar_mask = 0;
    std::array<std::uint32_t, described_inputs> modulus{};
    for (std::size_t k = 0; k < std::min(externals.size(), described_inputs); ++k) {
      const std::uint64_t part = *element_count(g.shape(externals[k]));
      if (part == elements) continue;
      if (part == 1) scalar_mask |= std::uint32_t{1} << k;
      modulus[k] = static_cast<std::uint32_t>(part);  // the low 32 bits, as the compiler has it
    }
    json += "],\"num_inputs\":" + std::to_string(externals.size());
    json += ",\"scalar_input_mask\":" + std::to_string(scalar_mask);
    json += ",\"input_modulus\":[";
    for (std::size_t k = 0; k < described_inputs; ++k) {
      if (k != 0) json += ',';
      json += std::to_string(modulus[k]);
    }
    json += "]}}";
    std::vector<node_id> operands;
    for (const node_id external : externals) operands.push_back(walk_.image(external));
    walk_.set_image(last, walk_.emit(read_op(g.storage(), json), operands, g.shape(last)));
  }

  rewrite walk_;
  runs runs_;
  std::uint32_t input_limit_;
  std::vector<place> place_;
};

}  // namespace

pass_result mark_elementwise_regions(const graph& g, const pass_context& context) {
  return marker{g, context}.run();
}

}  // namespace rlx::rlx_0_2_2
