#include "plugin/compare/history.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "plugin/compare/select.hpp"

namespace opscope {

void history::add(const ledger_record& r) {
  history_entry e;
  e.file = r.file;
  e.line = r.line;
  e.time = r.time;
  e.target = r.target;
  e.stage = r.stage;
  e.pass = r.pass;
  e.compiler_name = r.compiler_name;
  e.compiler_version = r.compiler_version;
  e.pipeline = r.pipeline;
  e.tags = r.tags;
  e.source = r.source;
  e.rule = r.rule;
  if (r.need) e.need = r.need->version;
  e.bound = bound_text(r);
  for (const metric_index m : metrics_) e.figures.push_back(opscope::metrics()[m].of_record(r));
  entries_.push_back(std::move(e));
}

void history::finish() {
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const auto& a, const auto& b) { return a.time < b.time; });
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> last;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    history_entry& e = entries_[i];
    const auto [at, is_first] = last.try_emplace({e.target, e.stage, e.pass.value_or("")}, i);
    if (is_first) continue;
    const history_entry& before = entries_[at->second];
    e.before = at->second;
    e.is_other_model = e.source && before.source && *e.source != *before.source;
    e.is_other_pipeline = e.pipeline != before.pipeline;
    e.is_other_versions = e.rule != before.rule || (e.need && before.need && e.need != before.need);
    e.is_other_bindings = e.need && before.need && e.bound != before.bound;
    at->second = i;
  }
}

std::optional<change> history::change_of(const history_entry& e, std::size_t metric) const {
  if (!e.before || e.is_other_versions || e.is_other_bindings) return std::nullopt;
  return change{entries_[*e.before].figures[metric], e.figures[metric]};
}

}  // namespace opscope
