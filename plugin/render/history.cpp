#include "plugin/render/history.hpp"

#include <opscope/units.hpp>

#include "plugin/render/record_json.hpp"
#include "plugin/render/table.hpp"

namespace opscope {

namespace {

std::string value_text(metric_index m, const measure& v) {
  if (v.is_missing()) return "-";
  if (v.is_unknown()) return "unknown";
  std::string text = std::to_string(v.value());
  if (metrics()[m].unit == metric_unit::bytes) text = binary_bytes(v.value());
  if (metrics()[m].unit == metric_unit::operations) text = decimal_count(v.value());
  return v.is_floor() ? text + "~?" : text;
}

std::string change_text(const std::optional<change>& c) {
  if (!c || c->before.is_missing() || c->after.is_missing()) return "";
  if (!c->has_size()) {
    if (c->before == c->after) return "=";
    // It cannot, or can, be told from now on; or has no high end, or one, where it had one, or
    // none.
    if (c->loses()) return c->after.is_unknown() ? "lost" : "opened";
    return c->before.is_unknown() ? "found" : "closed";
  }
  if (!c->is_any()) return "=";
  const std::string sign = c->is_growth() ? "+" : "-";
  if (c->before.value() == 0) return sign + "new";
  const double share = static_cast<double>(c->size()) / static_cast<double>(c->before.value());
  const std::string percent = fixed_point(100.0 * share, 2);
  return sign + (percent == "0.00" ? "<0.01" : percent) + " %";
}

std::string stage_text(const history_entry& e) {
  return e.pass ? "pass " + shown_name(*e.pass, 40) : shown_name(e.stage, 40);
}

std::string remark(const history_entry& e) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (e.is_other_versions) add("counted by other versions");
  if (e.is_other_bindings) add("other sizes bound");
  if (e.is_other_model) add("model changed");
  if (e.is_other_pipeline) add("pipeline " + shown_name(e.pipeline, 32));
  for (const auto& [name, value] : e.tags) add(shown_name(name, 40) + "=" + shown_name(value, 40));
  return text;
}

// The last column is empty more often than not.
std::string without_trailing_blanks(const std::string& lines) {
  std::string text;
  for (const char c : lines) {
    if (c == '\n') text.erase(text.find_last_not_of(' ') + 1);
    text += c;
  }
  return text;
}

// With its sign; the difference of two counts may need 65 bits.
std::string signed_size(const change& c) {
  return (c.is_growth() || c.size() == 0 ? "" : "-") + std::to_string(c.size());
}

}  // namespace

std::string history_text(const history& h,
                         const std::function<std::string(std::string_view)>& strong) {
  std::vector<column> columns{{"time (UTC)", align::left},
                              {"target", align::left},
                              {"stage", align::left},
                              {"compiler", align::left}};
  for (const metric_index m : h.metrics()) {
    columns.push_back({metrics()[m].heading});
    columns.push_back({"change"});
  }
  columns.push_back({"", align::left});
  text_table table{columns};
  for (const history_entry& e : h.entries()) {
    std::vector<std::string> cells{shown_name(e.time.substr(0, 19), 32), shown_name(e.target, 16),
                                   stage_text(e),
                                   shown_name(e.compiler_name + " " + e.compiler_version, 32)};
    for (std::size_t i = 0; i < h.metrics().size(); ++i) {
      cells.push_back(value_text(h.metrics()[i], e.figures[i]));
      cells.push_back(change_text(h.change_of(e, i)));
    }
    cells.push_back(remark(e));
    table.add(std::move(cells));
  }
  const std::string rows = without_trailing_blanks(table.take_rows());
  std::string heading = without_trailing_blanks(table.heading());
  heading.pop_back();
  return strong(heading) + "\n" + rows;
}

void history_json(json_writer& out, std::string_view graph, const history& h) {
  for (const history_entry& e : h.entries()) {
    out.raw('{');
    write_record_key(out, graph, e.target, e.stage, e.pass);
    out.raw(",\"time\":");
    out.text(e.time);
    out.raw(",\"file\":");
    out.text(e.file);
    out.raw(",\"line\":");
    out.number(e.line);
    out.raw(",\"compiler\":");
    out.text(e.compiler_name);
    out.raw(",\"compiler_version\":");
    out.text(e.compiler_version);
    out.raw(",\"pipeline\":");
    out.text(e.pipeline);
    out.raw(",\"tags\":{");
    for (const auto& tag : e.tags) {
      if (&tag != e.tags.data()) out.raw(',');
      out.text(tag.first);
      out.raw(':');
      out.text(tag.second);
    }
    out.raw("},\"other_model\":");
    out.boolean(e.is_other_model);
    out.raw(",\"other_versions\":");
    out.boolean(e.is_other_versions);
    out.raw(",\"other_bindings\":");
    out.boolean(e.is_other_bindings);
    out.raw(",\"figures\":{");
    for (std::size_t i = 0; i < h.metrics().size(); ++i) {
      if (i != 0) out.raw(',');
      out.text(metrics()[h.metrics()[i]].name);
      out.raw(":{\"value\":");
      out.count(e.figures[i].known_value());
      out.raw(",\"change\":");
      const std::optional<change> c = h.change_of(e, i);
      if (c && c->has_size()) {
        out.verbatim(signed_size(*c));
      } else {
        out.null();
      }
      out.raw('}');
    }
    out.raw("}}\n");
  }
}

std::string history_csv(std::string_view graph, const history& h) {
  std::string text{"graph,target,stage,pass,time,compiler,compiler_version,pipeline"};
  for (const metric_index m : h.metrics()) {
    text.append(",").append(metrics()[m].name);
    text.append(",").append(metrics()[m].name).append(" change");
  }
  text += ",other_model,other_versions,other_bindings,file,line\n";
  for (const history_entry& e : h.entries()) {
    text += csv_field(graph);
    for (const std::string& field : {e.target, e.stage, e.pass.value_or(""), e.time,
                                     e.compiler_name, e.compiler_version, e.pipeline}) {
      text.append(",").append(csv_field(field));
    }
    for (std::size_t i = 0; i < h.metrics().size(); ++i) {
      const std::optional<change> c = h.change_of(e, i);
      const figure value = e.figures[i].known_value();
      text.append(",").append(value ? std::to_string(*value) : "");
      text.append(",").append(c && c->has_size() ? signed_size(*c) : "");
    }
    text.append(e.is_other_model ? ",true" : ",false");
    text.append(e.is_other_versions ? ",true" : ",false");
    text.append(e.is_other_bindings ? ",true," : ",false,");
    text.append(csv_field(e.file)).append(",").append(std::to_string(e.line)).append("\n");
  }
  return text;
}

}  // namespace opscope
