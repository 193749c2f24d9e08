// The record's members. Each object has one function; further models add theirs where `need` is
// mentioned in the schema: totals, by_kind, nodes.
#include "plugin/ledger/record.hpp"

#include <chrono>
#include <unordered_map>

#include "plugin/ledger/kinds.hpp"
#include "plugin/ledger/label.hpp"
#include "plugin/ledger/memory.hpp"
#include "plugin/ledger/need_members.hpp"

namespace opscope {

namespace {

class record_writer {
 public:
  explicit record_writer(json_writer& out) : out_{out} {}

  void record(const rlx_compile_record& r, const graph_cost& cost, const record_context& context) {
    const rlx::graph_view g{*r.graph};
    out_.raw("{\"schema\":");
    out_.text(ledger_schema);
    out_.raw(",\"opscope\":{\"version\":");
    out_.text(OPSCOPE_VERSION);
    out_.raw(",\"rule\":");
    out_.text(rule_version);
    if (context.need != nullptr) {
      out_.raw(",\"need\":");
      out_.number(need_version);
      bindings_ = context.bindings;
      if (!bound().empty()) {
        out_.raw(",\"bind\":");
        out_.text(text(bound()));
      }
    }
    out_.raw("},\"time\":");
    out_.text(context.time);
    out_.raw(",\"graph\":");
    out_.text(g.name());
    out_.raw(",\"seq\":");
    out_.number(r.sequence);
    out_.raw(",\"stage\":");
    stage(r.stage);
    out_.raw(",\"pass\":");
    text_or_null(r.pass);
    out_.raw(",\"target\":");
    out_.text(rlx::text(r.target));
    compiler(r);
    tags(context.settings->tags);
    out_.raw(",\"source\":");
    text_or_null(context.source);
    out_.raw(",\"lowered\":");
    text_or_null(context.lowered);
    out_.raw(",\"totals\":");
    need_to_write need;
    if (context.need != nullptr) {
      const need_coverage& c = context.need->totals().coverage;
      need = {&context.need->totals(), covered_share(c.nodes, c.counted_nodes),
              covered_share(c.rule_bytes, c.counted_rule_bytes)};
    }
    write_totals(out_, cost.totals(), need, measure_memory(g));
    by_kind(cost, context.need);
    if (context.settings->with_nodes) {
      out_.raw(",\"outputs\":");
      ids(g.outputs());
      out_.raw(",\"nodes\":");
      std::vector<node_expressions> expressions;
      if (context.need != nullptr) expressions = express_need(g, bound());
      nodes(g, cost, context.need, expressions);
    }
    out_.raw('}');
  }

 private:
  const opscope::bindings& bound() const { return bindings_ == nullptr ? unbound_ : *bindings_; }

  // ---- The head

  void stage(rlx_stage s) {
    switch (s) {
      case RLX_STAGE_SOURCE:
        return out_.raw("\"source\"");
      case RLX_STAGE_PASS:
        return out_.raw("\"pass\"");
      case RLX_STAGE_LOWERED:
        return out_.raw("\"lowered\"");
      default:  // of a later contract; the hook did not ask for it
        out_.raw("\"stage-");
        out_.number(std::uint64_t{s});
        return out_.raw('"');
    }
  }

  void compiler(const rlx_compile_record& r) {
    out_.raw(",\"compiler\":{\"name\":");
    out_.text(rlx::text(r.compiler_name));
    out_.raw(",\"version\":");
    out_.text(rlx::text(r.compiler_version));
    out_.raw(",\"pipeline\":");
    out_.text(rlx::text(r.pipeline));
    out_.raw(",\"options\":{");
    bool is_first = true;
    for (const rlx_option& o :
         rlx::strided<rlx_option>{r.options, r.option_count, r.option_stride}) {
      key(rlx::text(o.name), is_first);
      out_.text(rlx::text(o.value));
    }
    out_.raw("}}");
  }

  void tags(const std::vector<std::pair<std::string, std::string>>& all) {
    out_.raw(",\"tags\":{");
    bool is_first = true;
    for (const auto& [name, value] : all) {
      key(name, is_first);
      out_.text(value);
    }
    out_.raw('}');
  }

  void by_kind(const graph_cost& cost, const graph_need* need) {
    out_.raw(",\"by_kind\":[");
    bool is_first = true;
    std::unordered_map<std::string_view, node_need> needs;
    if (need != nullptr) {
      for (const kind_need& k : need->by_kind()) needs.emplace(k.kind, k.need);
    }
    for (const kind_cost& k : cost.by_kind()) {
      if (!is_first) out_.raw(',');
      is_first = false;
      out_.raw("{\"kind\":");
      out_.text(k.kind);
      out_.raw(",\"count\":");
      out_.number(k.count);
      out_.raw(",\"bytes\":");
      out_.count(k.bytes);
      out_.raw(",\"flops\":");
      out_.count(k.flops);
      if (const auto at = needs.find(k.kind); at != needs.end()) {
        out_.raw(",\"need\":");
        write_node_need(out_, at->second, false);
      }
      out_.raw('}');
    }
    out_.raw(']');
  }

  // ---- Nodes

  void nodes(const rlx::graph_view& g, const graph_cost& cost, const graph_need* need,
             const std::vector<node_expressions>& expressions) {
    const label_table labels{g};
    auto expression = expressions.begin();
    out_.raw('[');
    for (std::uint32_t id = 0; id < g.size(); ++id) {
      if (id != 0) out_.raw(',');
      const bool has_expression = expression != expressions.end() && expression->id == id;
      node(g, id, labels[id], cost.nodes()[id], need, has_expression ? &*expression : nullptr);
      if (has_expression) ++expression;
    }
    out_.raw(']');
  }

  void node(const rlx::graph_view& g, std::uint32_t id, const label& l, const node_cost& cost,
            const graph_need* need, const node_expressions* expression) {
    const rlx_node& n = g.node(id);
    const rlx_node_info& info = g.info(id);
    out_.raw("{\"id\":");
    out_.number(std::uint64_t{id});
    out_.raw(",\"kind\":");
    listed_or(kind_name(n.kind), info.kind_text);
    out_.raw(",\"name\":");
    text_or_null(info.name);
    out_.raw(",\"label\":\"");
    out_.escaped(l.path);
    if (!l.kind.empty()) {
      if (!l.path.empty()) out_.raw('.');
      out_.escaped(l.kind);
    }
    out_.raw("\",\"dtype\":");
    listed_or(dtype_name(n.dtype), info.dtype_text);
    shape(g, n);
    out_.raw(",\"inputs\":");
    ids(g.inputs(n));
    attributes(g, id);
    origin(info);
    storage(n, info, id);
    figures(cost);
    if (need != nullptr) {
      out_.raw(",\"need\":");
      write_node_need(out_, need->nodes()[id], true);
    }
    if (expression != nullptr) {
      out_.raw(",\"expr\":");
      write_expressions(out_, *expression);
    }
    subgraphs(g, id, need != nullptr);
    out_.raw('}');
  }

  void shape(const rlx::graph_view& g, const rlx_node& n) {
    out_.raw(",\"shape\":[");
    std::uint32_t d = 0;
    for (const std::uint64_t size : g.dims(n)) {
      if (d != 0) out_.raw(',');
      if (((n.dynamic_dims >> d) & 1) != 0) {
        out_.raw("\"?");
        out_.number(size);
        out_.raw('"');
      } else {
        out_.number(size);
      }
      ++d;
    }
    out_.raw(']');
  }

  // A member's type depends on its kind and name alone: payloads are their length in bytes, JSON
  // is a text, and no float is written as an integer.
  void attributes(const rlx::graph_view& g, std::uint32_t id) {
    out_.raw(",\"attrs\":{");
    bool is_first = true;
    for (const rlx_attribute& a : g.attributes(id)) {
      key(rlx::text(a.name), is_first);
      if ((a.type & RLX_ATTRIBUTE_ARRAY) == 0) {
        value(a);
        continue;
      }
      out_.raw('[');
      for (std::uint64_t i = 0; i < a.count; ++i) {
        if (i != 0) out_.raw(',');
        element(a, i);
      }
      out_.raw(']');
    }
    out_.raw('}');
  }

  void value(const rlx_attribute& a) {
    switch (a.type) {
      case RLX_ATTRIBUTE_U64:
      case RLX_ATTRIBUTE_BYTES:
        return out_.number(a.value.u64);
      case RLX_ATTRIBUTE_I64:
        return out_.signed_number(a.value.i64);
      case RLX_ATTRIBUTE_F64:
        return out_.real(a.value.f64);
      case RLX_ATTRIBUTE_BOOL:
        return out_.boolean(a.value.u64 != 0);
      case RLX_ATTRIBUTE_TEXT:
      case RLX_ATTRIBUTE_JSON:
        return out_.text(rlx::text(a.value.text));
      default:  // a type of a later contract
        return out_.null();
    }
  }

  void element(const rlx_attribute& a, std::uint64_t i) {
    switch (a.type & ~RLX_ATTRIBUTE_ARRAY) {
      case RLX_ATTRIBUTE_U64:
        return out_.number(a.value.u64s[i]);
      case RLX_ATTRIBUTE_I64:
        return out_.signed_number(a.value.i64s[i]);
      case RLX_ATTRIBUTE_F64:
        return out_.real(a.value.f64s[i]);
      case RLX_ATTRIBUTE_BOOL:
        return out_.boolean(a.value.u64s[i] != 0);
      case RLX_ATTRIBUTE_TEXT:
        return out_.text(rlx::text(a.value.texts[i]));
      default:
        return out_.null();
    }
  }

  void origin(const rlx_node_info& info) {
    const bool is_known = info.origin_hir != RLX_UNKNOWN || !rlx::is_absent(info.origin_label) ||
                          !rlx::is_absent(info.origin_pass);
    if (!is_known) return out_.raw(",\"origin\":null");
    out_.raw(",\"origin\":{\"hir\":");
    known_or_null(info.origin_hir);
    out_.raw(",\"label\":");
    text_or_null(info.origin_label);
    out_.raw(",\"pass\":");
    text_or_null(info.origin_pass);
    out_.raw('}');
  }

  void storage(const rlx_node& n, const rlx_node_info& info, std::uint32_t id) {
    if (n.view_root == id) {
      out_.raw(",\"view\":null");
    } else {
      out_.raw(",\"view\":{\"root\":");
      out_.number(std::uint64_t{n.view_root});
      out_.raw(",\"offset\":");
      known_or_null(info.view_byte_offset);
      out_.raw('}');
    }
    if (info.slot_bytes == RLX_UNKNOWN || info.slot_offset == RLX_UNKNOWN) {
      out_.raw(",\"slot\":null");
    } else {
      out_.raw(",\"slot\":{\"offset\":");
      out_.number(info.slot_offset);
      out_.raw(",\"bytes\":");
      out_.number(info.slot_bytes);
      out_.raw('}');
    }
  }

  void figures(const node_cost& cost) {
    out_.raw(",\"bytes_read\":");
    out_.count(cost.bytes_read());
    out_.raw(",\"bytes_written\":");
    out_.count(cost.bytes_written());
    out_.raw(",\"bytes_weights\":");
    out_.count(cost.bytes_weights());
    out_.raw(",\"flops\":");
    out_.count(cost.flops());
  }

  // Loop bodies and branches, their nodes in the same form, each costed once.
  void subgraphs(const rlx::graph_view& g, std::uint32_t id, bool with_need) {
    out_.raw(",\"subgraphs\":[");
    bool is_first = true;
    for (const rlx_nested_graph& nested : g.nested(id)) {
      if (!is_first) out_.raw(',');
      is_first = false;
      const rlx::graph_view body{*nested.graph};
      out_.raw("{\"role\":");
      out_.text(rlx::text(nested.role));
      out_.raw(",\"name\":");
      out_.text(body.name());
      out_.raw(",\"outputs\":");
      ids(body.outputs());
      out_.raw(",\"nodes\":");
      if (with_need) {
        need_options options;
        options.bindings = bound();
        const graph_need need = analyze_need(body, options);
        nodes(body, analyze(body), &need, express_need(body, bound()));
      } else {
        nodes(body, analyze(body), nullptr, {});
      }
      out_.raw('}');
    }
    out_.raw(']');
  }

  // ---- Small things

  void listed_or(std::string_view listed, const rlx_string& text) {
    if (listed.empty()) return out_.text(rlx::text(text));
    out_.plain_text(listed);
  }

  void key(std::string_view name, bool& is_first) {
    if (!is_first) out_.raw(',');
    is_first = false;
    out_.text(name);
    out_.raw(':');
  }
  void ids(std::span<const std::uint32_t> all) {
    out_.raw('[');
    bool is_first = true;
    for (const std::uint32_t id : all) {
      if (!is_first) out_.raw(',');
      is_first = false;
      out_.number(std::uint64_t{id});
    }
    out_.raw(']');
  }
  void text_or_null(const rlx_string& s) {
    if (rlx::is_absent(s)) return out_.null();
    out_.text(rlx::text(s));
  }
  void text_or_null(const std::optional<std::string_view>& s) {
    if (!s) return out_.null();
    out_.text(*s);
  }
  void known_or_null(std::uint64_t v) {
    if (v == RLX_UNKNOWN) return out_.null();
    out_.number(v);
  }

  json_writer& out_;
  const opscope::bindings unbound_;
  const opscope::bindings* bindings_ = nullptr;
};

}  // namespace

void write_totals(json_writer& out, const totals& t, const need_to_write& need,
                  const memory_figures& m) {
  out.raw("{\"nodes\":");
  out.number(t.nodes);
  out.raw(",\"bytes\":");
  out.count(t.bytes);
  out.raw(",\"bytes_read\":");
  out.count(t.bytes_read);
  out.raw(",\"bytes_written\":");
  out.count(t.bytes_written);
  out.raw(",\"bytes_weights\":");
  out.count(t.bytes_weights);
  out.raw(",\"flops\":");
  out.count(t.flops);
  out.raw(",\"intensity\":");
  if (t.bytes && t.flops) {
    out.real(t.intensity);
  } else {
    out.null();
  }
  out.raw(",\"dynamic_nodes\":");
  out.number(t.dynamic_nodes);
  out.raw(",\"overflow_nodes\":");
  out.number(t.overflow_nodes);
  if (need.totals != nullptr) {
    write_need_totals(out, *need.totals, need.covered_nodes, need.covered_bytes);
  }
  out.raw(",\"memory\":{\"arena_bytes\":");
  out.count(m.arena_bytes);
  out.raw(",\"unshared_bytes\":");
  out.count(m.unshared_bytes);
  out.raw(",\"peak_live_bytes\":");
  out.count(m.peak_live_bytes);
  out.raw(",\"views\":");
  out.number(m.views);
  out.raw("}}");
}

void write_record(json_writer& out, const rlx_compile_record& compile, const graph_cost& cost,
                  const record_context& context) {
  record_writer{out}.record(compile, cost, context);
}

std::string iso_time(std::uint64_t microseconds_since_epoch) {
  using namespace std::chrono;
  constexpr std::uint64_t last_second = 253'402'300'799;  // 9999-12-31T23:59:59
  const std::uint64_t seconds_total = std::min(microseconds_since_epoch / 1'000'000, last_second);
  const sys_seconds when{seconds{static_cast<std::int64_t>(seconds_total)}};
  const sys_days day = floor<days>(when);
  const year_month_day date{day};
  const hh_mm_ss clock{when - day};
  std::string text;
  const auto digits = [&](std::uint64_t v, std::size_t width) {
    std::string d = std::to_string(v);
    text.append(width > d.size() ? width - d.size() : 0, '0').append(d);
  };
  digits(static_cast<std::uint64_t>(static_cast<int>(date.year())), 4);
  text += '-';
  digits(static_cast<unsigned>(date.month()), 2);
  text += '-';
  digits(static_cast<unsigned>(date.day()), 2);
  text += 'T';
  digits(static_cast<std::uint64_t>(clock.hours().count()), 2);
  text += ':';
  digits(static_cast<std::uint64_t>(clock.minutes().count()), 2);
  text += ':';
  digits(static_cast<std::uint64_t>(clock.seconds().count()), 2);
  text += '.';
  digits(microseconds_since_epoch % 1'000'000, 6);
  text += 'Z';
  return text;
}

}  // namespace opscope
