#include "host/cli/lowering.hpp"

#include <algorithm>
#include <cstdlib>

namespace rlx::cli {

namespace {

constexpr std::string_view no_pipeline = "none";

std::optional<std::string> environment(const char* name) {
  const char* value = ::secure_getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>{value};
}

}  // namespace

std::vector<std::string> pipeline_names() {
  std::vector<std::string> names;
  for (const rlx::pipeline* p : pipelines()) names.emplace_back(p->name());
  names.emplace_back(no_pipeline);
  return names;
}

lowering::lowering(const cli::options& o) : pipeline_{find_pipeline(o.pipeline)} {
  options_.target = *find_target(o.target);
  options_.disabled_passes = o.disabled_passes;
  options_.metal_no_fusion = environment("RLX_METAL_NO_FUSION");
  options_.metal_unfuse_regions = environment("RLX_METAL_UNFUSE_REGIONS");
  options_.kernel_dispatch = environment("RLX_KERNEL_DISPATCH");
  options_.fuse_attention_threshold = environment("RLX_FUSE_ATTN_THRESHOLD");
  if (pipeline_ == nullptr) {
    if (!o.disabled_passes.empty() || !o.print_after.empty()) {
      throw usage_error{"pipeline \"none\" has no passes to disable or to print after"};
    }
    return;
  }
  try {
    const auto passes = pipeline_->passes(options_);
    if (!o.print_after.empty() && o.print_after != "all" &&
        std::ranges::find(passes, o.print_after) == passes.end()) {
      throw error{"--print-after: target " + o.target + " runs no pass \"" + o.print_after +
                  "\"; --print-passes lists those it runs"};
    }
  } catch (const error& e) {
    throw usage_error{e.what()};
  }
}

std::vector<std::pair<std::string, std::string>> lowering::recorded_options() const {
  if (pipeline_ == nullptr) return {};
  return pipeline_->options(options_);
}

std::string lowering::pass_list() const {
  std::string lines;
  if (pipeline_ == nullptr) return lines;
  for (const std::string_view name : pipeline_->passes(options_)) {
    lines.append(name).append("\n");
  }
  return lines;
}

compilation::compilation(const lowering& how, module input, const pass_observer& observer)
    : how_{how}, result_{std::move(input)} {
  if (result_.level == level::lir) {
    report_.emplace();
    return;
  }
  if (how.pipeline() == nullptr) return;
  source_ = std::move(result_.graph);
  lowered made = how.pipeline()->lower(*source_, how.options(), observer);
  result_ = std::move(made.module);
  report_ = std::move(made.report);
}

const graph* compilation::source() const {
  if (source_) return &*source_;
  return result_.level == level::mir ? &result_.graph : nullptr;
}

void compilation::repeat(const pass_observer& observer) const {
  // The operations are interned, so the second time adds none to the storage.
  if (source_) how_.pipeline()->lower(*source_, how_.options(), observer);
}

}  // namespace rlx::cli
