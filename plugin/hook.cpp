#include "plugin/hook.hpp"

#include <opscope/report.hpp>
#include <opscope/units.hpp>

namespace opscope {

observer::observer(const rlx_host_services& host, const read_settings& read)
    : host_{&host}, settings_{read.settings} {
  for (const std::string& warning : read.warnings) say(RLX_WARNING, warning);
}

std::uint32_t observer::stages() const {
  const bool is_idle = settings_.report == report_kind::off && settings_.ledger.empty();
  return is_idle ? 0u : RLX_STAGE_LOWERED;
}

void observer::say(rlx_severity severity, std::string_view text) const {
  host_->report(host_->context, severity, rlx::borrow(text));
}

rlx_status observer::refuse(const std::string& what) const {
  say(RLX_ERROR, what + "; the host breaks the plugin contract, report it to its authors");
  return RLX_FAILED;
}

rlx_status observer::observe(const rlx_compile_record& record) {
  if (record.struct_size < RLX_COMPILE_RECORD_SIZE_0_1) {
    return refuse("the compile record is shorter than that of ABI 0.1");
  }
  if (record.stage != RLX_STAGE_LOWERED) return RLX_OK;  // a host that ignores the mask
  if (record.graph == nullptr) return refuse("the compile record has no graph");
  if (const auto defect = rlx::find_defect(*record.graph)) {
    return refuse("graph " + shown_name(rlx::text(record.graph->name)) + ": " + *defect);
  }
  const rlx::graph_view graph{*record.graph};
  analyze(graph, cost_);
  report(record, graph);
  return RLX_OK;
}

void observer::report(const rlx_compile_record& record, const rlx::graph_view& graph) {
  switch (settings_.report) {
    case report_kind::off:
      return;
    case report_kind::summary:
      say(RLX_INFO, summary_line({graph.name(), rlx::text(record.target)}, cost_, settings_.ridge));
      return;
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
