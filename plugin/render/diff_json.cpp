// A comparison as one JSON object: `opscope-diff/1`, exact integers. README.md describes it.
#include <algorithm>
#include <span>

#include "plugin/render/diff.hpp"
#include "plugin/render/gate.hpp"
#include "plugin/render/record_json.hpp"

namespace opscope {

namespace {

class diff_json_writer {
 public:
  explicit diff_json_writer(json_writer& out) : out_{out} {}

  void write(const comparison& c, const diff_wish& wish, const gate_result* gate) {
    out_.raw("{\"schema\":");
    out_.text(diff_schema);
    out_.raw(",\"base\":");
    out_.text(wish.base_place);
    out_.raw(",\"new\":");
    out_.text(wish.new_place);
    out_.raw(",\"sorted_by\":");
    out_.text(metrics()[wish.by].name);
    texts(",\"notes\":", c.notes);
    records(",\"only_base\":", c.only_base);
    records(",\"only_new\":", c.only_new);
    out_.raw(",\"graphs\":[");
    list(c.graphs, [&](const graph_comparison& g) { graph(g, wish); });
    out_.raw(']');
    if (gate != nullptr) {
      out_.raw(",\"gate\":");
      gate_json(out_, *gate);
    }
    out_.raw("}\n");
  }

 private:
  template <class All, class Write>
  void list(const All& all, const Write& write) {
    bool is_first = true;
    for (const auto& x : all) {
      if (!is_first) out_.raw(',');
      is_first = false;
      write(x);
    }
  }
  template <std::size_t N>
  void texts(const char (&key)[N], const std::vector<std::string>& all) {
    out_.raw(key);
    out_.raw('[');
    list(all, [&](const std::string& s) { out_.text(s); });
    out_.raw(']');
  }
  template <std::size_t N>
  void records(const char (&key)[N], const std::vector<const ledger_record*>& all) {
    out_.raw(key);
    out_.raw('[');
    list(all, [&](const ledger_record* r) { record(*r); });
    out_.raw(']');
  }
  void text_or_null(const std::optional<std::string>& s) {
    if (s) return out_.text(*s);
    out_.null();
  }
  void pairs(const text_pairs& all) {
    out_.raw('{');
    list(all, [&](const auto& p) {
      out_.text(p.first);
      out_.raw(':');
      out_.text(p.second);
    });
    out_.raw('}');
  }

  void record(const ledger_record& r) {
    out_.raw("{\"file\":");
    out_.text(r.file);
    out_.raw(",\"line\":");
    out_.number(r.line);
    out_.raw(",\"time\":");
    out_.text(r.time);
    out_.raw(',');
    write_record_key(out_, r.graph, r.target, r.stage, r.pass);
    out_.raw(",\"opscope\":{\"version\":");
    out_.text(r.opscope_version);
    out_.raw(",\"rule\":");
    out_.text(r.rule);
    out_.raw(",\"need\":");
    out_.count(r.need ? figure{r.need->version} : figure{});
    if (!r.bound.empty()) {
      out_.raw(",\"bind\":");
      out_.text(text(r.bound));
    }
    out_.raw("},\"compiler\":{\"name\":");
    out_.text(r.compiler_name);
    out_.raw(",\"version\":");
    out_.text(r.compiler_version);
    out_.raw(",\"pipeline\":");
    out_.text(r.pipeline);
    out_.raw(",\"options\":");
    pairs(r.options);
    out_.raw("},\"tags\":");
    pairs(r.tags);
    out_.raw(",\"source\":");
    text_or_null(r.source);
    out_.raw(",\"lowered\":");
    text_or_null(r.lowered);
    out_.raw('}');
  }

  // `"rule.bytes":[1,2]`; null where unknown or missing; left out where neither side has it.
  template <class Of>
  void figures(const Of& of, bool of_nodes) {
    out_.raw('{');
    bool is_first = true;
    for (metric_index m = 0; m < metrics().size(); ++m) {
      if (of_nodes && !node_metric_place(m)) continue;
      const change c = of(m);
      if (c.before.is_missing() && c.after.is_missing()) continue;
      if (!is_first) out_.raw(',');
      is_first = false;
      out_.text(metrics()[m].name);
      out_.raw(":[");
      out_.count(c.before.known_value());
      out_.raw(',');
      out_.count(c.after.known_value());
      out_.raw(']');
    }
    out_.raw('}');
  }

  // Which of the figures' nulls say that a side was recorded without, and not that it is unknown.
  void missing(const graph_comparison& g) {
    const auto names = [&](measure change::*end) {
      std::vector<std::string_view> all;
      for (metric_index m = 0; m < metrics().size(); ++m) {
        if ((g.of(m).*end).is_missing()) all.push_back(metrics()[m].name);
      }
      list(all, [&](std::string_view name) { out_.text(name); });
    };
    out_.raw(",\"missing\":{\"base\":[");
    names(&change::before);
    out_.raw("],\"new\":[");
    names(&change::after);
    out_.raw("]}");
  }

  void kinds(const std::vector<kind_count>& all) {
    out_.raw('[');
    list(all, [&](const kind_count& k) {
      out_.raw("{\"kind\":");
      out_.text(k.kind);
      out_.raw(",\"count\":");
      out_.number(k.count);
      out_.raw('}');
    });
    out_.raw(']');
  }
  void ids(const std::vector<std::uint32_t>& all) {
    out_.raw('[');
    list(all, [&](std::uint32_t id) { out_.number(std::uint64_t{id}); });
    out_.raw(']');
  }

  void row(const diff_row& r) {
    out_.raw("{\"edit\":");
    out_.text(text(r.what));
    out_.raw(",\"times\":");
    out_.number(r.times);
    out_.raw(",\"label\":");
    out_.text(r.label);
    out_.raw(",\"base_kinds\":");
    kinds(r.base_kinds);
    out_.raw(",\"new_kinds\":");
    kinds(r.new_kinds);
    out_.raw(",\"base_leaves\":");
    out_.number(r.base_leaves);
    out_.raw(",\"new_leaves\":");
    out_.number(r.new_leaves);
    texts(",\"changes\":", r.changes);
    texts(",\"passes\":", r.passes);
    out_.raw(",\"base_ids\":");
    ids(r.base_ids);
    out_.raw(",\"new_ids\":");
    ids(r.new_ids);
    out_.raw(",\"figures\":");
    figures([&](metric_index m) { return r.of(m); }, true);
    out_.raw('}');
  }

  template <std::size_t N>
  void invariant(const char (&key)[N], const std::vector<invariant_work>& all) {
    out_.raw(key);
    out_.raw('[');
    list(all, [&](const invariant_work& w) {
      out_.raw("{\"kind\":");
      out_.text(w.kind);
      out_.raw(",\"operands\":");
      out_.number(w.operands);
      out_.raw(",\"nodes\":");
      out_.number(w.nodes);
      out_.raw(",\"bytes\":");
      out_.count(w.bytes.sum().known_value());
      texts(",\"passes\":", w.passes);
      out_.raw('}');
    });
    out_.raw(']');
  }

  void graph(const graph_comparison& g, const diff_wish& wish) {
    out_.raw("{\"graph\":");
    out_.text(g.records.next->graph);
    out_.raw(",\"target\":");
    out_.text(g.records.next->target);
    out_.raw(",\"base\":");
    record(*g.records.base);
    out_.raw(",\"new\":");
    record(*g.records.next);
    out_.raw(",\"equal\":");
    out_.boolean(g.is_equal());
    out_.raw(",\"allowed\":[");
    list(g.allowed, [&](const found_obstacle& o) { out_.text(o.text); });
    out_.raw("],\"figures\":");
    figures([&](metric_index m) { return g.of(m); }, false);
    missing(g);
    if (!g.diff) {
      out_.raw(",\"no_rows\":");
      out_.text(g.no_diff);
      out_.raw(",\"rows\":[],\"rows_left_out\":0}");
      return;
    }
    out_.raw(",\"renamed_leaves\":");
    out_.number(g.diff->renamed_leaves);
    invariant(",\"new_invariant\":", g.diff->new_invariant);
    invariant(",\"gone_invariant\":", g.diff->gone_invariant);
    const std::vector<diff_row>& rows = g.diff->rows;
    const std::size_t shown = wish.top == 0 ? rows.size() : std::min(rows.size(), wish.top);
    out_.raw(",\"rows\":[");
    list(std::span{rows}.first(shown), [&](const diff_row& r) { row(r); });
    out_.raw("],\"rows_left_out\":");
    out_.number(std::uint64_t{rows.size() - shown});
    out_.raw('}');
  }

  json_writer& out_;
};

}  // namespace

void diff_json(json_writer& out, const comparison& c, const diff_wish& wish,
               const gate_result* gate) {
  diff_json_writer{out}.write(c, wish, gate);
}

}  // namespace opscope
