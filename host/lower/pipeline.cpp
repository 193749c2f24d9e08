#include "host/lower/pipeline.hpp"

#include <algorithm>
#include <array>

#include "host/lower/rlx_0_2_2/pipeline.hpp"

namespace rlx {

namespace {

constexpr std::array<std::string_view, target_count> target_names{"cpu",  "metal", "mlx", "wgpu",
                                                                  "cuda", "rocm",  "tpu"};

std::string lower_case(std::string_view text) {
  std::string lowered{text};
  for (char& c : lowered) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lowered;
}

}  // namespace

std::string_view target_name(target t) { return target_names[static_cast<std::size_t>(t)]; }

std::optional<target> find_target(std::string_view name) {
  const auto it = std::ranges::find(target_names, name);
  if (it == target_names.end()) return std::nullopt;
  return static_cast<target>(it - target_names.begin());
}

std::vector<const pipeline*> pipelines() { return {&rlx_0_2_2::instance()}; }

const pipeline* find_pipeline(std::string_view name) {
  const auto known = pipelines();
  const auto it = std::ranges::find(known, name, &pipeline::name);
  return it == known.end() ? nullptr : *it;
}

bool flag_is_on(const std::optional<std::string>& value) {
  if (!value) return false;
  constexpr std::string_view blanks = " \t\n\v\f\r";
  const auto begin = value->find_first_not_of(blanks);
  if (begin == std::string::npos) return false;
  const auto end = value->find_last_not_of(blanks);
  const std::string text = lower_case(std::string_view{*value}.substr(begin, end - begin + 1));
  return text != "0" && text != "false" && text != "off" && text != "no";
}

}  // namespace rlx
