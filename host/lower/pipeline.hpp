// What a lowering pipeline is to the driver: a name, its passes per target, and one function from
// a graph to a lowered module. Another version of the compiler is another implementation of this.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/graph/module.hpp"
#include "host/lower/report.hpp"

namespace rlx {

enum class target : std::uint8_t { cpu, metal, mlx, wgpu, cuda, rocm, tpu };
inline constexpr std::size_t target_count = 7;
std::string_view target_name(target t);
std::optional<target> find_target(std::string_view name);

struct lower_options {
  rlx::target target = rlx::target::cpu;
  std::vector<std::string> disabled_passes;  // by name; an unknown one is an error
  // Values of the environment variables of the same names, absent where unset. The command line
  // reads them; nothing in a pipeline looks at the environment.
  std::optional<std::string> metal_no_fusion;           // RLX_METAL_NO_FUSION
  std::optional<std::string> metal_unfuse_regions;      // RLX_METAL_UNFUSE_REGIONS
  std::optional<std::string> kernel_dispatch;           // RLX_KERNEL_DISPATCH
  std::optional<std::string> fuse_attention_threshold;  // RLX_FUSE_ATTN_THRESHOLD
  // Most nodes, operands and dims (together) that unrolled loops and unfolded regions may add.
  std::uint64_t growth_limit = std::uint64_t{1} << 24;
};

// Called after each step of the list, in order. `changed` is false where the step handed the graph
// back as it was. The graph is borrowed for the length of the call. What it throws leaves lower().
using pass_observer = std::function<void(std::string_view pass, const graph& g, bool changed)>;

struct lowered {
  rlx::module module;  // level lir, with its plan
  fusion_report report;
};

class pipeline {
 public:
  virtual ~pipeline() = default;
  virtual std::string_view name() const = 0;              // as --pipeline takes it
  virtual std::string_view compiler_version() const = 0;  // whose decisions it makes
  // The passes that lower() would run, in order. Throws where an option is refused.
  virtual std::vector<std::string_view> passes(const lower_options& options) const = 0;
  // All that shapes the result besides the target, as name and value, sorted by name.
  virtual std::vector<std::pair<std::string, std::string>> options(
      const lower_options& options) const = 0;
  // Lowers `source`, which stays as it is (its storage gains operations: views lent before must be
  // lent anew). Throws rlx::error, naming module, pass and node, where the compiler yields no
  // module.
  virtual lowered lower(const graph& source, const lower_options& options,
                        const pass_observer& observer = {}) const = 0;
};

// All pipelines, the default one first.
std::vector<const pipeline*> pipelines();
// Null where there is none of that name.
const pipeline* find_pipeline(std::string_view name);

// The compiler's reading of a flag: on unless unset, blank, or 0, false, off, no in any case.
bool flag_is_on(const std::optional<std::string>& value);

}  // namespace rlx
