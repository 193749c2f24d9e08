#include "plugin/render/record_json.hpp"

#include "plugin/ledger/record.hpp"

namespace opscope {

namespace {

void optional_text(json_writer& out, const std::optional<std::string>& s) {
  if (s) {
    out.text(*s);
  } else {
    out.null();
  }
}

void pairs(json_writer& out, const text_pairs& all) {
  out.raw('{');
  bool is_first = true;
  for (const auto& [name, value] : all) {
    if (!is_first) out.raw(',');
    is_first = false;
    out.text(name);
    out.raw(':');
    out.text(value);
  }
  out.raw('}');
}

}  // namespace

void write_record_key(json_writer& out, std::string_view graph, std::string_view target,
                      std::string_view stage, const std::optional<std::string>& pass) {
  out.raw("\"graph\":");
  out.text(graph);
  out.raw(",\"target\":");
  out.text(target);
  out.raw(",\"stage\":");
  out.text(stage);
  out.raw(",\"pass\":");
  optional_text(out, pass);
}

void write_record_head(json_writer& out, const ledger_record& r) {
  out.raw("\"file\":");
  out.text(r.file);
  out.raw(",\"line\":");
  out.number(r.line);
  out.raw(",\"opscope\":{\"version\":");
  out.text(r.opscope_version);
  out.raw(",\"rule\":");
  out.text(r.rule);
  if (r.need) {
    out.raw(",\"need\":");
    out.number(r.need->version);
    if (!r.bound.empty()) {
      out.raw(",\"bind\":");
      out.text(text(r.bound));
    }
  }
  out.raw("},\"time\":");
  out.text(r.time);
  out.raw(",\"graph\":");
  out.text(r.graph);
  out.raw(",\"seq\":");
  out.number(r.sequence);
  out.raw(",\"stage\":");
  out.text(r.stage);
  out.raw(",\"pass\":");
  optional_text(out, r.pass);
  out.raw(",\"target\":");
  out.text(r.target);
  out.raw(",\"compiler\":{\"name\":");
  out.text(r.compiler_name);
  out.raw(",\"version\":");
  out.text(r.compiler_version);
  out.raw(",\"pipeline\":");
  out.text(r.pipeline);
  out.raw(",\"options\":");
  pairs(out, r.options);
  out.raw("},\"tags\":");
  pairs(out, r.tags);
  out.raw(",\"source\":");
  optional_text(out, r.source);
  out.raw(",\"lowered\":");
  optional_text(out, r.lowered);
  out.raw(",\"totals\":");
  need_to_write need;
  if (r.need) need = {&r.need->totals, r.need->covered_nodes, r.need->covered_bytes};
  write_totals(out, r.totals, need, r.memory);
}

}  // namespace opscope
