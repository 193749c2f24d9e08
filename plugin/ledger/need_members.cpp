#include "plugin/ledger/need_members.hpp"

namespace opscope {

namespace {

// `key` ends where the value begins.
template <std::size_t n>
void member(json_writer& out, const char (&key)[n], const interval& i) {
  out.raw(key);
  write_interval(out, i);
}

void expression(json_writer& out, std::string_view name, const need_expression& e,
                bool is_first = false) {
  if (!is_first) out.raw(',');
  out.raw('"');
  out.verbatim(name);
  out.raw("\":");
  if (e.lo == e.hi) return out.text(e.lo);
  out.raw('[');
  out.text(e.lo);
  out.raw(',');
  if (e.hi.empty()) {
    out.null();
  } else {
    out.text(e.hi);
  }
  out.raw(']');
}

void share(json_writer& out, std::optional<double> s) {
  if (s) {
    out.real(*s);
  } else {
    out.null();
  }
}

}  // namespace

void write_interval(json_writer& out, const interval& i) {
  if (i.is_exact()) return out.pair_of(i.lo());
  out.raw('[');
  out.number(i.lo());
  out.raw(',');
  out.count(i.hi());
  out.raw(']');
}

void write_node_need(json_writer& out, const node_need& n, bool with_invariant) {
  member(out, "{\"read\":", n.read);
  member(out, ",\"written\":", n.written);
  member(out, ",\"weights\":", n.weights);
  member(out, ",\"work\":", n.work);
  member(out, ",\"contraction\":", n.contraction);
  member(out, ",\"int_ops\":", n.int_ops);
  if (with_invariant) {
    out.raw(",\"invariant\":");
    out.boolean(n.is_invariant && !n.is_leaf);
  }
  out.raw('}');
}

std::optional<double> covered_share(figure part, figure whole) {
  if (!part || !whole) return std::nullopt;
  if (*whole == 0) return 1.0;
  return static_cast<double>(*part) / static_cast<double>(*whole);
}

void write_need_totals(json_writer& out, const need_totals& t, std::optional<double> covered_nodes,
                       std::optional<double> covered_bytes) {
  member(out, ",\"need\":{\"read\":", t.read);
  member(out, ",\"written\":", t.written);
  member(out, ",\"weights\":", t.weights);
  member(out, ",\"work\":", t.work);
  member(out, ",\"contraction\":", t.contraction);
  member(out, ",\"invariant\":", t.invariant);
  member(out, ",\"int_ops\":", t.int_ops);
  out.raw(",\"unknown_nodes\":");
  out.number(t.unknown_nodes);
  out.raw('}');
  member(out, ",\"graph_io\":", t.graph_io);
  out.raw(",\"coverage\":{\"nodes\":");
  share(out, covered_nodes);
  out.raw(",\"bytes\":");
  share(out, covered_bytes);
  out.raw('}');
}

void write_expressions(json_writer& out, const node_expressions& e) {
  out.raw('{');
  expression(out, "read", e.read, true);
  expression(out, "written", e.written);
  expression(out, "weights", e.weights);
  expression(out, "work", e.work);
  expression(out, "contraction", e.contraction);
  expression(out, "int_ops", e.int_ops);
  out.raw('}');
}

}  // namespace opscope
