#include "plugin/hook.hpp"

#include <algorithm>
#include <filesystem>
#include <opscope/report.hpp>
#include <opscope/units.hpp>

namespace opscope {

namespace {

// A relative ledger lies where the process stood when the plugin was created, wherever it goes.
std::string fixed_place(const std::string& place) {
  std::error_code no_folder;
  const std::filesystem::path here = std::filesystem::current_path(no_folder);
  return place.starts_with('/') || no_folder ? place : (here / place).string();
}

}  // namespace

observer::observer(const rlx_host_services& host, const read_settings& read)
    : host_{&host}, settings_{read.settings} {
  for (const std::string& warning : read.warnings) say(RLX_WARNING, warning);
  if (settings_.ledger.empty()) return;
  ledger_settings to;
  to.place = fixed_place(settings_.ledger);
  to.with_nodes = settings_.has_ledger_nodes;
  to.tags = settings_.tags;
  ledger_.emplace(std::move(to));
}

std::uint32_t observer::stages() const {
  if (ledger_) return settings_.stages;
  return settings_.report == report_kind::off ? 0u : RLX_STAGE_LOWERED;
}

void observer::say(rlx_severity severity, std::string_view text) const {
  host_->report(host_->context, severity, rlx::borrow(text));
}

rlx_status observer::refuse(const std::string& what) const {
  say(RLX_ERROR, what + "; the host breaks the plugin contract, report it to its authors");
  return RLX_FAILED;
}

std::optional<std::string> observer::find_fault(const rlx_compile_record& record) {
  if (record.graph == nullptr) return "the compile record has no graph";
  const std::string name = shown_name(rlx::text(record.graph->name));
  if (const auto defect = rlx::find_defect(*record.graph)) return "graph " + name + ": " + *defect;
  if (record.source != nullptr && record.source != record.graph) {
    if (const auto defect = rlx::find_defect(*record.source)) {
      return "source of graph " + name + ": " + *defect;
    }
  }
  if (record.option_count != 0 &&
      (record.options == nullptr || record.option_stride < sizeof(rlx_option) ||
       record.option_stride % 8 != 0)) {
    return "graph " + name + ": the options are missing or their stride is too short";
  }
  return std::nullopt;
}

rlx_status observer::observe(const rlx_compile_record& record) {
  if (record.struct_size < RLX_COMPILE_RECORD_SIZE_0_1) {
    return refuse("the compile record is shorter than that of ABI 0.1");
  }
  if ((record.stage & stages()) == 0) return RLX_OK;  // a host that ignores the mask
  if (const auto fault = find_fault(record)) return refuse(*fault);
  const rlx::graph_view graph{*record.graph};
  if ((settings_.stages & RLX_STAGE_PASS) != 0 && !has_changed(record)) return RLX_OK;
  analyze(graph, cost_);
  analyze_need(graph, {settings_.bindings, &cost_}, need_);
  if (record.stage == RLX_STAGE_LOWERED) report(record, graph);
  if (ledger_) append(record);
  return RLX_OK;
}

bool observer::has_changed(const rlx_compile_record& record) {
  constexpr std::size_t max_under_way = 64;
  const std::string_view name = rlx::text(record.graph->name);
  const auto at = std::ranges::find_if(under_way_, [&](const progress& p) {
    return p.sequence == record.sequence && p.graph == name;
  });
  if (record.stage == RLX_STAGE_LOWERED) {
    if (at != under_way_.end()) under_way_.erase(at);
    return true;
  }
  std::string now = fingerprint(rlx::graph_view{*record.graph});
  if (record.stage == RLX_STAGE_PASS) {
    std::string before;
    if (at != under_way_.end()) {
      before = at->fingerprint;
    } else if (record.source != nullptr) {
      before = fingerprint(rlx::graph_view{*record.source});
    }
    if (now == before) return false;
  }
  if (at != under_way_.end()) {
    at->fingerprint = std::move(now);
  } else {
    // Compiles that never ended, having failed, leave theirs behind: the oldest goes.
    if (under_way_.size() == max_under_way) under_way_.erase(under_way_.begin());
    under_way_.push_back({std::string{name}, record.sequence, std::move(now)});
  }
  return true;
}

void observer::append(const rlx_compile_record& record) {
  const std::optional<std::string> problem =
      ledger_->append(record, cost_, &need_, &settings_.bindings);
  if (!problem) {
    is_ledger_failing_ = false;
    return;
  }
  // One warning a row of failures: a full disk is not told once a graph.
  if (is_ledger_failing_) {
    ++unwritten_records_;
    return;
  }
  is_ledger_failing_ = true;
  say(RLX_WARNING, *problem);
}

void observer::finish() {
  if (unwritten_records_ == 0) return;
  say(RLX_WARNING, std::to_string(unwritten_records_) +
                       (unwritten_records_ == 1 ? " more record" : " more records") +
                       " could not be written to the ledger");
}

void observer::report(const rlx_compile_record& record, const rlx::graph_view& graph) {
  switch (settings_.report) {
    case report_kind::off:
      return;
    case report_kind::summary:
      say(RLX_INFO,
          summary_line({graph.name(), rlx::text(record.target)}, cost_, need_, settings_.ridge));
      return;
    case report_kind::full: {
      std::string text =
          need_report({graph.name(), rlx::text(record.target)}, graph, cost_, need_, settings_.top);
      if (settings_.ridge) text += "\n" + roofline_line(cost_, *settings_.ridge);
      say(RLX_INFO, text);
      return;
    }
    case report_kind::rule: {
      std::string text = cost_.report(settings_.top);
      if (settings_.ridge) {
        text += roofline_line(cost_, *settings_.ridge);
      } else {
        text.pop_back();  // the host ends lines
      }
      say(RLX_INFO, text);
      return;
    }
  }
}

}  // namespace opscope
