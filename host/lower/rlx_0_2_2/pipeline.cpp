#include "host/lower/rlx_0_2_2/pipeline.hpp"

#include <algorithm>

#include "host/error.hpp"
#include "host/lower/entries.hpp"
#include "host/lower/plan/plan.hpp"
#include "host/lower/rewrite.hpp"
#include "host/lower/rlx_0_2_2/passes.hpp"
#include "host/lower/rlx_0_2_2/stamp.hpp"

namespace rlx::rlx_0_2_2 {

namespace {

constexpr std::string_view clip_name = "clip_elementwise_regions";

using target_mask = std::uint8_t;
constexpr target_mask only(target t) { return static_cast<target_mask>(1U << static_cast<int>(t)); }
constexpr target_mask all = (1U << target_count) - 1;
constexpr target_mask apple_or_cpu =
    only(target::cpu) | only(target::metal) | only(target::mlx) | only(target::wgpu);

struct pass {
  std::string_view name;
  pass_result (*run)(const graph&, const pass_context&);
  target_mask targets;
  bool without_fusion = false;  // runs on metal also under RLX_METAL_NO_FUSION
};

// The order is the order of work. RLX_METAL_UNFUSE_REGIONS adds the unfolding on metal.
constexpr pass pass_list[] = {
    {"LowerControlFlow", lower_control_flow, all, true},
    {"lower_dot_general", lower_dot_general, all, true},
    {"fuse_attention_block", fuse_attention_block, only(target::cpu) | only(target::wgpu)},
    {"fuse_matmul_bias_act", fuse_matmul_bias_act, all},
    {"fuse_residual_ln", fuse_residual_ln, all},
    {"fuse_residual_rms_norm", fuse_residual_rms_norm, all & ~only(target::tpu)},
    {"fuse_rms_norm_reshape", fuse_rms_norm_reshape, all},
    {"fuse_swiglu_dual_matmul", fuse_swiglu_dual_matmul, apple_or_cpu},
    {"fuse_shared_input_matmul", fuse_shared_input_matmul, all},
    {"fuse_swiglu", fuse_swiglu, apple_or_cpu},
    {"mark_elementwise_regions", mark_elementwise_regions, all},
    {"unfuse_elementwise_regions", unfuse_elementwise_regions, only(target::cpu)},
    {"dead_code_elimination", dead_code_elimination, all},
};
constexpr std::string_view unfuse_name = "unfuse_elementwise_regions";

struct region_limits {
  std::uint32_t steps;
  std::uint32_t inputs;
};
constexpr region_limits limits_of(target t) {
  return t == target::cpu ? region_limits{UINT32_MAX, UINT32_MAX} : region_limits{32, 16};
}

// What the compiler does not recognise it ignores.
bool is_default_dispatch(const std::optional<std::string>& value) {
  return !value || (*value != "common" && *value != "force_common" && *value != "ForceCommon");
}

class rlx_pipeline final : public rlx::pipeline {
 public:
  std::string_view name() const override { return "rlx-0.2.2"; }
  std::string_view compiler_version() const override { return "0.2.2"; }

  std::vector<std::string_view> passes(const lower_options& options) const override {
    std::vector<std::string_view> names;
    for (const pass* p : selected(options)) names.push_back(p->name);
    return names;
  }

  std::vector<std::pair<std::string, std::string>> options(
      const lower_options& options) const override {
    std::vector<std::pair<std::string, std::string>> made;
    if (options.target == target::metal) {
      if (flag_is_on(options.metal_no_fusion)) made.emplace_back("RLX_METAL_NO_FUSION", "1");
      if (flag_is_on(options.metal_unfuse_regions)) {
        made.emplace_back("RLX_METAL_UNFUSE_REGIONS", "1");
      }
    }
    std::vector<std::string> disabled = options.disabled_passes;
    std::ranges::sort(disabled);
    disabled.erase(std::unique(disabled.begin(), disabled.end()), disabled.end());
    std::string names;
    for (const std::string& name : disabled) names += (names.empty() ? "" : ",") + name;
    if (!names.empty()) made.emplace_back("disable-pass", names);
    std::ranges::sort(made);
    return made;
  }

  lowered lower(const graph& source, const lower_options& options,
                const pass_observer& observer) const override {
    const region_limits limits = limits_of(options.target);
    pass_context context{{}, limits.steps, limits.inputs, 0};
    std::optional<graph> made;  // absent while the source itself is the current graph
    std::uint64_t largest = entries(source);
    const auto run = [&](std::string_view name, const auto& step) {
      context.name = name;
      context.growth_limit = options.growth_limit + 2 * largest;
      pass_result result = step(made ? *made : source, context);
      if (!result) return false;
      made = std::move(*result);
      largest = std::max(largest, entries(*made));
      return true;
    };
    for (const pass* p : selected(options)) {
      bool changed = run(p->name, p->run);
      if (needs_stamp(made ? *made : source)) {
        if (!made) made = clone(source);
        stamp_origins(*made, p->name);
        changed = true;
      }
      if (observer) observer(p->name, made ? *made : source, changed);
    }
    if (run(clip_name, clip_regions) && observer) observer(clip_name, *made, true);
    if (!made) made = clone(source);

    fusion_report report = report_fusion(source, *made);
    buffer_plan plan = plan_buffers(*made);
    return {{level::lir, std::move(*made), std::move(plan)}, std::move(report)};
  }

 private:
  static std::vector<const pass*> selected(const lower_options& options) {
    if (!is_default_dispatch(options.kernel_dispatch)) {
      throw error{"RLX_KERNEL_DISPATCH=" + *options.kernel_dispatch +
                  " asks for the common kernels, which pipeline rlx-0.2.2 of this driver does not "
                  "expand; unset it"};
    }
    for (const std::string& disabled : options.disabled_passes) {
      if (std::ranges::none_of(pass_list, [&](const pass& p) { return p.name == disabled; })) {
        std::string names;
        for (const pass& p : pass_list) {
          names += names.empty() ? "" : ", ";
          names += p.name;
        }
        throw error{"there is no pass `" + disabled + "` to disable; pipeline rlx-0.2.2 has " +
                    names};
      }
    }
    const bool is_metal = options.target == target::metal;
    const bool no_fusion = is_metal && flag_is_on(options.metal_no_fusion);
    const bool unfuse = is_metal && flag_is_on(options.metal_unfuse_regions);
    std::vector<const pass*> chosen;
    for (const pass& p : pass_list) {
      const bool wanted =
          no_fusion ? p.without_fusion
                    : (p.targets & only(options.target)) != 0 || (unfuse && p.name == unfuse_name);
      if (wanted &&
          std::ranges::find(options.disabled_passes, p.name) == options.disabled_passes.end()) {
        chosen.push_back(&p);
      }
    }
    return chosen;
  }
};

}  // namespace

const rlx::pipeline& instance() {
  static const rlx_pipeline pipeline;
  return pipeline;
}

}  // namespace rlx::rlx_0_2_2
