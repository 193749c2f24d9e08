#include "plugin/render/gate.hpp"

#include <opscope/units.hpp>

#include "plugin/compare/select.hpp"
#include "plugin/render/table.hpp"

namespace opscope {

namespace {

std::string figure_text(metric_index m, std::uint64_t value) {
  switch (metrics()[m].unit) {
    case metric_unit::bytes:
      return binary_bytes(value);
    case metric_unit::operations:
      return decimal_count(value, "OP");
    case metric_unit::count:
      return std::to_string(value);
  }
  return "";
}

std::string measure_text(metric_index m, const measure& v) {
  if (v.is_missing()) return "none";
  if (v.is_unknown()) return "unknown";
  return figure_text(m, v.value()) + (v.is_floor() ? "~?" : "");
}

std::string growth_text(metric_index m, const measure& base, const measure& next) {
  if (!base.is_known() || !next.is_known() || next.value() < base.value() ||
      base.is_floor() != next.is_floor()) {
    return "";
  }
  const std::uint64_t more = next.value() - base.value();
  std::string text = "+" + figure_text(m, more);
  if (base.value() == 0) return text + ", from 0";
  return text + ", +" +
         fixed_point(100.0 * static_cast<double>(more) / static_cast<double>(base.value()), 2) +
         " %";
}

std::string subject(const offence& o) {
  if (o.graph.empty()) return "total";
  return shown_name(o.graph) + " for " + shown_name(o.target) +
         shown_name(stage_suffix(o.stage, o.pass));
}

std::string offence_line(const offence& o) {
  if (o.what == offence::kind::graph_is_missing) return subject(o) + ": the graph is gone";
  if (o.what == offence::kind::graph_is_new) return subject(o) + ": the graph is new";
  const metric_index m = *o.metric;
  std::string text = subject(o) + ": " + std::string{metrics()[m].name} + " " +
                     measure_text(m, o.base) + " -> " + measure_text(m, o.next);
  if (o.what == offence::kind::turned_unknown) {
    text += ", which cannot be told any more";
  } else {
    text += " (" + growth_text(m, o.base, o.next) + ")";
  }
  return text + ", limit " + shown_name(o.limit);
}

std::string node_line(const offence& o, const offending_nodes& n) {
  std::string text = n.times > 1 ? std::to_string(n.times) + " x " : "";
  text += shown_name(n.label) + ", " + n.what + ": ";
  const std::string growth = growth_text(*o.metric, n.base, n.next);
  return text + (growth.empty()
                     ? measure_text(*o.metric, n.base) + " -> " + measure_text(*o.metric, n.next)
                     : growth);
}

std::string verdict_line(const gate_result& g) {
  std::string text = std::to_string(g.checked) + (g.checked == 1 ? " figure" : " figures") +
                     " held against limits, " +
                     (g.offences.empty() ? "none" : std::to_string(g.offences.size())) + " beyond";
  if (g.allowed && !g.offences.empty()) {
    text += "; allowed: " + shown_name(*g.allowed, 500);
  } else if (g.allowed) {
    text += "; nothing to allow (" + shown_name(*g.allowed, 500) + ")";
  }
  if (!g.trouble.empty()) text += "; not all could be decided";
  return text;
}

void write_measure(json_writer& out, const measure& v) {
  if (v.is_known()) {
    out.number(v.value());
  } else {
    out.null();
  }
}

std::string_view kind_text(offence::kind k) {
  switch (k) {
    case offence::kind::grown:
      return "grown";
    case offence::kind::turned_unknown:
      return "turned_unknown";
    case offence::kind::graph_is_new:
      return "graph_new";
    case offence::kind::graph_is_missing:
      return "graph_missing";
  }
  return "";
}

void sentences(json_writer& out, const std::vector<std::string>& all) {
  out.raw('[');
  bool is_first = true;
  for (const std::string& s : all) {
    if (!is_first) out.raw(',');
    is_first = false;
    out.text(s);
  }
  out.raw(']');
}

void write_offence(json_writer& out, const offence& o) {
  out.raw("{\"what\":");
  out.text(kind_text(o.what));
  out.raw(",\"graph\":");
  if (o.graph.empty()) {
    out.null();
  } else {
    out.text(o.graph);
  }
  out.raw(",\"target\":");
  out.text(o.target);
  out.raw(",\"stage\":");
  out.text(o.stage);
  out.raw(",\"pass\":");
  if (o.pass) {
    out.text(*o.pass);
  } else {
    out.null();
  }
  if (o.metric) {
    out.raw(",\"metric\":");
    out.text(metrics()[*o.metric].name);
    out.raw(",\"limit\":");
    out.text(o.limit);
    out.raw(",\"base\":");
    write_measure(out, o.base);
    out.raw(",\"new\":");
    write_measure(out, o.next);
  }
  out.raw(",\"nodes\":[");
  for (const offending_nodes& n : o.nodes) {
    if (&n != o.nodes.data()) out.raw(',');
    out.raw("{\"label\":");
    out.text(n.label);
    out.raw(",\"what\":");
    out.text(n.what);
    out.raw(",\"times\":");
    out.number(n.times);
    out.raw(",\"base\":");
    write_measure(out, n.base);
    out.raw(",\"new\":");
    write_measure(out, n.next);
    out.raw('}');
  }
  out.raw("]}");
}

// A name as Markdown shows it: nothing in it is taken for markup.
std::string code(std::string_view text) {
  std::string plain{text};
  for (char& c : plain) {
    if (c == '`') c = '\'';
  }
  return "`" + plain + "`";
}

}  // namespace

std::string_view gate_status(const gate_result& g) {
  if (!g.trouble.empty()) return "undecided";
  if (g.offences.empty()) return "within";
  return g.allowed ? "allowed" : "beyond";
}

std::string gate_text(const gate_result& g,
                      const std::function<std::string(std::string_view)>& strong) {
  std::string text;
  for (const offence& o : g.offences) {
    text += strong(g.allowed ? "allowed" : "BEYOND") + " " + offence_line(o) + "\n";
    for (const offending_nodes& n : o.nodes) text += "    " + node_line(o, n) + "\n";
  }
  for (const std::string& s : g.skipped) text += "left out: " + shown_name(s, 500) + "\n";
  return text + verdict_line(g) + "\n";
}

std::string gate_markdown(const gate_result& g) {
  std::string text = "**" + markdown_text(verdict_line(g)) + "**\n";
  if (!g.offences.empty()) text += "\n";
  for (const offence& o : g.offences) {
    text += "- " + code(offence_line(o)) + "\n";
    for (const offending_nodes& n : o.nodes) text += "  - " + code(node_line(o, n)) + "\n";
  }
  for (const std::string& s : g.skipped) text += "- left out: " + code(shown_name(s, 500)) + "\n";
  return text;
}

void gate_json(json_writer& out, const gate_result& g) {
  out.raw("{\"status\":");
  out.text(gate_status(g));
  out.raw(",\"checked\":");
  out.number(g.checked);
  out.raw(",\"allowed\":");
  if (g.allowed) {
    out.text(*g.allowed);
  } else {
    out.null();
  }
  out.raw(",\"offences\":[");
  for (const offence& o : g.offences) {
    if (&o != g.offences.data()) out.raw(',');
    write_offence(out, o);
  }
  out.raw("],\"left_out\":");
  sentences(out, g.skipped);
  out.raw(",\"trouble\":");
  sentences(out, g.trouble);
  out.raw('}');
}

}  // namespace opscope
