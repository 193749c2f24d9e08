// The text of a budget. Strict: what is not understood is an error with the member's name.
#include <simdjson.h>

#include <algorithm>
#include <tuple>

#include "plugin/compare/budget.hpp"
#include "plugin/ledger/json_writer.hpp"

namespace opscope {

namespace {

namespace dom = simdjson::dom;

bool holds_unknown_nodes(const budget_entry& e) {
  return std::ranges::any_of(
      e.figures, [](const auto& f) { return metrics()[f.first].name == "unknown_nodes"; });
}

class budget_parser {
 public:
  explicit budget_parser(std::string_view name) : name_{name} {}

  budget parse(std::string_view text) {
    dom::parser parser;
    dom::element root;
    if (const auto error = parser.parse(text.data(), text.size()).get(root)) {
      fail(std::string{"not JSON: "} + simdjson::error_message(error));
    }
    const dom::object top = object(root, "the budget");
    dom::element schema;
    if (top.at_key("schema").get(schema)) fail("it has no member schema and is no budget");
    if (text_of(schema, "schema") != budget_schema) {
      fail("its schema is \"" + text_of(schema, "schema") + "\", and this opscope reads " +
           std::string{budget_schema});
    }
    only(top, "the budget", {"schema", "opscope", "metrics", "tolerance", "graphs"});
    budget b;
    const dom::object by = object(member(top, "the budget", "opscope"), "opscope");
    only(by, "opscope", {"rule", "need"});
    b.rule = text_of(member(by, "opscope", "rule"), "opscope.rule");
    const dom::element need = member(by, "opscope", "need");
    if (!need.is_null()) b.need = count(need, "opscope.need");
    for (const dom::element m : array(member(top, "the budget", "metrics"), "metrics")) {
      b.metrics.push_back(metric_of(text_of(m, "metrics")));
    }
    if (b.metrics.empty()) fail("its metrics are none, so that it holds nothing");
    for (const auto t : object(member(top, "the budget", "tolerance"), "tolerance")) {
      growth_limit limit;
      limit.metric = metric_of(t.key);
      std::string_view wanted;
      if (t.value.get(wanted)) {
        fail("tolerance of " + std::string{t.key} +
             " is no text; it may be \"0.5\", a percentage, or \"0.5,4096\", which lets it grow by "
             "4096 in the metric's unit too");
      }
      limit.text = wanted;
      std::string problem;
      if (!parse_growth(limit.text, limit, problem)) {
        fail("tolerance of " + std::string{t.key} + ": " + problem);
      }
      b.tolerance.push_back(std::move(limit));
    }
    for (const dom::element g : array(member(top, "the budget", "graphs"), "graphs")) {
      b.entries.push_back(entry(g));
      const budget_entry& e = b.entries.back();
      for (std::size_t i = 0; i + 1 < b.entries.size(); ++i) {
        const budget_entry& other = b.entries[i];
        if (std::tie(e.graph, e.target, e.stage, e.pass) ==
            std::tie(other.graph, other.target, other.stage, other.pass)) {
          fail("it has " + e.graph + " for " + e.target + " twice");
        }
      }
    }
    if (b.entries.empty()) fail("it has no graphs, so that it holds nothing");
    return b;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw ledger_error{name_ + ": " + what}; }
  dom::object object(const dom::element& e, const std::string& what) const {
    dom::object o;
    if (e.get(o)) fail(what + " is no object");
    return o;
  }
  dom::array array(const dom::element& e, const std::string& what) const {
    dom::array a;
    if (e.get(a)) fail(what + " is no array");
    return a;
  }
  std::string text_of(const dom::element& e, const std::string& what) const {
    std::string_view s;
    if (e.get(s)) fail(what + " is no text");
    return std::string{s};
  }
  std::uint64_t count(const dom::element& e, const std::string& what) const {
    std::uint64_t n = 0;
    if (e.get(n)) fail(what + " is no whole number from 0 to 2^64-1");
    return n;
  }
  dom::element member(const dom::object& o, const std::string& of, std::string_view key) const {
    dom::element e;
    if (o.at_key(key).get(e)) fail(of + " lacks the member " + std::string{key});
    return e;
  }
  // A member twice would hide one of its limits.
  void only(const dom::object& o, const std::string& what,
            std::initializer_list<std::string_view> known) const {
    std::vector<std::string_view> seen;
    for (const auto field : o) {
      if (std::find(known.begin(), known.end(), field.key) == known.end()) {
        fail(what + " has a member \"" + std::string{field.key} + "\", which means nothing here");
      }
      if (std::find(seen.begin(), seen.end(), field.key) != seen.end()) {
        fail(what + " has the member " + std::string{field.key} + " twice");
      }
      seen.push_back(field.key);
    }
  }
  metric_index metric_of(std::string_view name) const {
    if (const auto m = find_metric(name)) return *m;
    std::string text = "\"" + std::string{name} + "\" is no metric; there are:";
    for (const auto& m : metrics()) text.append(" ").append(m.name);
    fail(text);
  }

  budget_entry entry(const dom::element& g) const {
    const dom::object o = object(g, "a graph");
    only(o, "a graph",
         {"graph", "target", "stage", "pass", "source", "bind", "limits", "at_least",
          "unknown_nodes"});
    budget_entry e;
    e.graph = text_of(member(o, "a graph", "graph"), "graph");
    const std::string what = "graph " + e.graph;
    e.target = text_of(member(o, what, "target"), what + ": target");
    e.stage = text_of(member(o, what, "stage"), what + ": stage");
    dom::element optional;
    if (!o.at_key("pass").get(optional)) e.pass = text_of(optional, what + ": pass");
    if (!o.at_key("source").get(optional)) e.source = text_of(optional, what + ": source");
    if (!o.at_key("bind").get(optional)) e.bound = text_of(optional, what + ": bind");
    figures(e, member(o, what, "limits"), what, false);
    if (!o.at_key("unknown_nodes").get(optional)) {
      if (holds_unknown_nodes(e)) fail(what + " says unknown_nodes twice");
      e.unknown_nodes = count(optional, what + ": unknown_nodes");
    }
    if (!o.at_key("at_least").get(optional)) figures(e, optional, what, true);
    if (e.figures.empty()) fail(what + " has no limits, so that nothing holds it");
    return e;
  }

  void figures(budget_entry& e, const dom::element& from, const std::string& what,
               bool is_floor) const {
    for (const auto field : object(from, what + ": limits")) {
      const metric_index m = metric_of(field.key);
      for (const auto& [other, value] : e.figures) {
        if (other == m) fail(what + " limits " + std::string{field.key} + " twice");
      }
      if (!is_floor && field.value.is_null()) {
        e.figures.emplace_back(m, measure::unknown());
        continue;
      }
      const std::uint64_t n = count(field.value, what + ": " + std::string{field.key});
      e.figures.emplace_back(
          m, is_floor ? measure::low_end(interval::at_least(n)) : measure::known(n));
      if (metrics()[m].name == "unknown_nodes") e.unknown_nodes = n;
    }
  }

  std::string name_;
};

void text_member(json_writer& out, const char* indent, std::string_view key,
                 std::string_view value) {
  out.verbatim(indent);
  out.text(key);
  out.raw(": ");
  out.text(value);
}

void figures_member(json_writer& out, std::string_view key, const budget_entry& e, bool floors) {
  out.raw(",\n      ");
  out.text(key);
  out.raw(": {");
  bool is_first = true;
  for (const auto& [m, value] : e.figures) {
    if (value.is_floor() != floors) continue;
    out.verbatim(is_first ? "\n        " : ",\n        ");
    is_first = false;
    out.text(metrics()[m].name);
    out.raw(": ");
    out.count(value.known_value());
  }
  out.verbatim(is_first ? "}" : "\n      }");
}

}  // namespace

budget parse_budget(std::string_view text, std::string_view name) {
  return budget_parser{name}.parse(text);
}

std::string write_budget(const budget& b) {
  json_writer out;
  out.raw("{\n");
  text_member(out, "  ", "schema", budget_schema);
  out.raw(",\n  \"opscope\": {\"rule\": ");
  out.text(b.rule);
  out.raw(", \"need\": ");
  out.count(b.need);
  out.raw("},\n  \"metrics\": [");
  for (const metric_index m : b.metrics) {
    out.verbatim(m == b.metrics.front() ? "\n    " : ",\n    ");
    out.text(metrics()[m].name);
  }
  out.raw("\n  ],\n  \"tolerance\": {");
  for (const growth_limit& t : b.tolerance) {
    out.verbatim(&t == b.tolerance.data() ? "\n" : ",\n");
    text_member(out, "    ", metrics()[t.metric].name, t.text);
  }
  out.verbatim(b.tolerance.empty() ? "}" : "\n  }");
  out.raw(",\n  \"graphs\": [");
  for (const budget_entry& e : b.entries) {
    out.verbatim(&e == b.entries.data() ? "\n    {\n" : ",\n    {\n");
    text_member(out, "      ", "graph", e.graph);
    out.raw(",\n");
    text_member(out, "      ", "target", e.target);
    out.raw(",\n");
    text_member(out, "      ", "stage", e.stage);
    if (e.pass) {
      out.raw(",\n");
      text_member(out, "      ", "pass", *e.pass);
    }
    if (e.source) {
      out.raw(",\n");
      text_member(out, "      ", "source", *e.source);
    }
    if (!e.bound.empty()) {
      out.raw(",\n");
      text_member(out, "      ", "bind", e.bound);
    }
    figures_member(out, "limits", e, false);
    const bool has_floors = std::any_of(e.figures.begin(), e.figures.end(),
                                        [](const auto& f) { return f.second.is_floor(); });
    if (has_floors) figures_member(out, "at_least", e, true);
    // A floor holds as long as no more nodes are open.
    if (has_floors && !holds_unknown_nodes(e)) {
      out.raw(",\n      \"unknown_nodes\": ");
      out.number(e.unknown_nodes);
    }
    out.raw("\n    }");
  }
  out.raw("\n  ]\n}\n");
  return std::string{out.pending()};
}

}  // namespace opscope
