#include "plugin/export/profile.hpp"

#include <rlx/view.hpp>

namespace opscope {

namespace {

constexpr std::uint64_t most = INT64_MAX;  // pprof's values are signed

bool is_number(std::string_view s) {
  return !s.empty() && s.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::vector<std::string_view> label_parts(std::string_view label) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int braces = 0;
  for (std::size_t i = 0; i <= label.size(); ++i) {
    const char c = i < label.size() ? label[i] : '.';
    if (c == '{') ++braces;
    if (c == '}' && braces > 0) --braces;
    if (c != '.' || (braces > 0 && i < label.size())) continue;
    const std::string_view part = label.substr(begin, i - begin);
    if (is_number(part) && !parts.empty()) {
      const std::size_t start = static_cast<std::size_t>(parts.back().data() - label.data());
      parts.back() = label.substr(start, i - start);
    } else if (!part.empty()) {
      parts.push_back(part);
    }
    begin = i + 1;
  }
  return parts;
}

std::uint32_t profile_builder::name(std::string text) {
  const auto next = static_cast<std::uint32_t>(profile_.names.size());
  const auto [at, is_new] = numbers_.try_emplace(std::move(text), next);
  if (is_new) profile_.names.push_back(at->first);
  return at->second;
}

void profile_builder::add(const ledger_record& r) {
  std::array<const metric*, profile_values.size()> columns{};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    columns[i] = &metrics()[find_metric(profile_values[i].metric).value()];
  }
  const std::uint32_t root = name(r.graph + " [" + r.target + "]");
  const std::uint32_t stage = name(r.pass ? "after " + *r.pass : r.stage);
  const recorded_graph& g = *r.nodes;
  profile::stack stack;
  for (std::uint32_t id = 0; id < g.size(); ++id) {
    const rlx_node& n = g.view().node(id);
    if (rlx::is_leaf_kind(n.kind)) continue;
    const std::string kind{rlx::text(g.view().info(id).kind_text)};
    stack.assign(1, name(kind));
    const std::vector<std::string_view> parts = label_parts(g.label(id));
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      if (part == parts.rbegin() && *part == kind) continue;  // the label of an unlabelled node
      stack.push_back(name(std::string{*part}));
    }
    if (r.stage != "lowered") stack.push_back(stage);
    stack.push_back(root);
    auto& values = profile_.samples[stack];
    const std::optional<node_need> need = g.need(id);
    const node_figures figures{&g.cost(id), need ? &*need : nullptr, false};
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const measure m = columns[i]->of_node(figures);
      std::uint64_t sum = 0;
      const bool is_beyond = __builtin_add_overflow(values[i], m.value(), &sum) || sum > most;
      values[i] = is_beyond ? most : sum;
      if (is_beyond || !m.is_known() || m.is_floor()) ++profile_.unknown_nodes[i];
    }
  }
  profile_.time = r.time;
  profile_.comments.push_back(
      r.graph + " for " + r.target + ", " + r.stage + ", by " + r.compiler_name + " " +
      r.compiler_version + ", pipeline " + r.pipeline + ", counted by " + r.rule +
      (r.need ? ", need " + std::to_string(r.need->version) : "") + ", recorded " + r.time);
}

}  // namespace opscope
