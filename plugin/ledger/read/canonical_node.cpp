#include "plugin/ledger/read/canonical_node.hpp"

#include <bit>
#include <charconv>
#include <cstring>
#include <rlx/view.hpp>

#include "plugin/ledger/read/graph_parser.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace opscope {

namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The first byte that ends a run of plain text: a quote, a backslash, or what is no printable
// ASCII. The 0 behind the end is one.
const char* plain_end(const char* at) {
#ifdef __SSE2__
  while (true) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    // Signed: bytes from 0x80 are below 0x20 too.
    const __m128i odd = _mm_or_si128(_mm_cmplt_epi8(v, _mm_set1_epi8(0x20)),
                                     _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')),
                                                  _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'))));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(odd));
    if (mask != 0) return at + std::countr_zero(mask);
    at += 16;
  }
#else
  while (static_cast<signed char>(*at) >= 0x20 && *at != '"' && *at != '\\') ++at;
  return at;
#endif
}

}  // namespace

// ---- Pieces. Each leaves at_ behind what it took, and anywhere where it returns false.

template <std::size_t N>
bool canonical_node::skip(const char (&text)[N]) {
  static_assert(N <= 64);
  if (std::memcmp(at_, text, N - 1) != 0) return false;
  at_ += N - 1;
  return true;
}

bool canonical_node::count(std::uint64_t& value) {
  const char* const begin = at_;
  std::uint64_t v = 0;
  for (; is_digit(*at_); ++at_) {
    if (at_ - begin == 19) return false;  // could leave 64 bits
    v = v * 10 + static_cast<std::uint64_t>(*at_ - '0');
  }
  value = v;
  const auto digits = at_ - begin;
  return digits == 1 || (digits > 1 && *begin != '0');
}

bool canonical_node::count_or_null(std::uint64_t& value) {
  if (*at_ != 'n') return count(value);
  value = RLX_UNKNOWN;
  return skip("null");
}

bool canonical_node::text(std::string_view& value) {
  if (*at_ != '"') return false;
  const char* const begin = ++at_;
  at_ = plain_end(begin);
  if (*at_ == '\\') return escaped_text(begin, value);
  value = {begin, static_cast<std::size_t>(at_ - begin)};
  return *at_++ == '"';
}

bool canonical_node::escaped_text(const char* begin, std::string_view& value) {
  unescaped_.assign(begin, at_);
  while (*at_ == '\\') {
    switch (at_[1]) {
      case '"':
      case '\\':
        unescaped_ += at_[1];
        break;
      case 'n':
        unescaped_ += '\n';
        break;
      case 't':
        unescaped_ += '\t';
        break;
      case 'r':
        unescaped_ += '\r';
        break;
      default:
        return false;
    }
    const char* const plain = at_ + 2;
    at_ = plain_end(plain);
    unescaped_.append(plain, at_);
  }
  value = unescaped_;
  return *at_++ == '"';
}

// ---- Members

bool canonical_node::shape(graph_arrays& g, rlx_node& n) {
  n.dims_begin = static_cast<std::uint32_t>(g.dims.size());
  if (!skip(",\"shape\":[")) return false;
  if (*at_ == ']') return skip("]");
  while (n.rank < RLX_MAX_RANK) {
    std::uint64_t dim = 0;
    if (*at_ == '"') {
      if (!skip("\"?") || !count(dim) || !skip("\"")) return false;
      n.dynamic_dims |= std::uint64_t{1} << n.rank;
    } else if (!count(dim)) {
      return false;
    }
    g.dims.push_back(dim);
    ++n.rank;
    if (*at_ != ',') return skip("]");
    ++at_;
  }
  return false;
}

bool canonical_node::inputs(graph_arrays& g, rlx_node& n, std::uint32_t position) {
  n.inputs_begin = static_cast<std::uint32_t>(g.inputs.size());
  if (!skip(",\"inputs\":[")) return false;
  if (*at_ == ']') return skip("]");
  while (true) {
    std::uint64_t id = 0;
    if (!count(id) || id >= position) return false;
    g.inputs.push_back(static_cast<std::uint32_t>(id));
    ++n.input_count;
    if (*at_ != ',') return skip("]");
    ++at_;
  }
}

bool canonical_node::number(attribute_builder::element& e) {
  const char* const begin = at_;
  const bool is_negative = *at_ == '-';
  if (is_negative) ++at_;
  std::uint64_t whole = 0;
  if (!count(whole)) return false;
  if (*at_ != '.' && *at_ != 'e' && *at_ != 'E') {
    if (is_negative && (whole == 0 || whole > std::uint64_t{INT64_MAX})) return false;
    e = {is_negative ? RLX_ATTRIBUTE_I64 : RLX_ATTRIBUTE_U64, is_negative ? 0 - whole : whole, {}};
    return true;
  }
  const auto digits = [&] {
    if (!is_digit(*at_)) return false;
    while (is_digit(*at_)) ++at_;
    return true;
  };
  if (*at_ == '.') {
    ++at_;
    if (!digits()) return false;
  }
  if (*at_ == 'e' || *at_ == 'E') {
    ++at_;
    if (*at_ == '+' || *at_ == '-') ++at_;
    if (!digits()) return false;
  }
  double real = 0;
  const auto [end, error] = std::from_chars(begin, at_, real);
  e = {RLX_ATTRIBUTE_F64, std::bit_cast<std::uint64_t>(real), {}};
  return error == std::errc{} && end == at_;
}

bool canonical_node::element(graph_arrays& g, attribute_builder::element& e) {
  switch (*at_) {
    case '"': {
      std::string_view value;
      if (!text(value)) return false;
      e = {RLX_ATTRIBUTE_TEXT, 0, attribute_builder::keep(g.memory, value)};
      return true;
    }
    case 't':
      e = {RLX_ATTRIBUTE_BOOL, 1, {}};
      return skip("true");
    case 'f':
      e = {RLX_ATTRIBUTE_BOOL, 0, {}};
      return skip("false");
    case 'n':
      e = {0, 0, {}};
      return skip("null");
    default:
      return number(e);
  }
}

bool canonical_node::attribute(graph_arrays& g) {
  std::string_view key;
  if (!text(key) || !skip(":")) return false;
  const rlx_string name = tables_.attributes.intern(g.memory, key);
  attribute_builder::element e{};
  if (*at_ != '[') {
    if (!element(g, e)) return false;
    g.attributes.push_back(attribute_builder::scalar(name, e));
    return true;
  }
  ++at_;
  elements_.clear();
  while (*at_ != ']' || !elements_.empty()) {
    if (!element(g, e)) return false;
    elements_.push_back(e);
    if (*at_ == ']') break;
    if (!skip(",")) return false;
  }
  ++at_;
  g.attributes.push_back(attribute_builder::array(name, elements_, g.memory));
  return true;
}

bool canonical_node::attributes(graph_arrays& g, const rlx_node& n, rlx_node_info& info) {
  info.attributes_begin = static_cast<std::uint32_t>(g.attributes.size());
  if (!skip(",\"attrs\":{")) return false;
  if (*at_ == '}') return skip("}");
  while (true) {
    if (!attribute(g)) return false;
    ++info.attribute_count;
    if (*at_ != ',') break;
    ++at_;
  }
  attribute_builder::give_table_types(
      n.kind, std::span{g.attributes}.subspan(info.attributes_begin), g.memory);
  return skip("}");
}

bool canonical_node::origin(graph_arrays& g, rlx_node_info& info) {
  info.origin_hir = RLX_UNKNOWN;
  if (!skip(",\"origin\":")) return false;
  if (*at_ == 'n') return skip("null");
  if (!skip("{\"hir\":") || !count_or_null(info.origin_hir)) return false;
  const auto kept = [&](rlx_string& to) {
    if (*at_ == 'n') return skip("null");
    std::string_view value;
    if (!text(value)) return false;
    to = tables_.attributes.intern(g.memory, value);
    return true;
  };
  return skip(",\"label\":") && kept(info.origin_label) && skip(",\"pass\":") &&
         kept(info.origin_pass) && skip("}");
}

bool canonical_node::storage(rlx_node& n, rlx_node_info& info, std::uint32_t position) {
  n.view_root = position;
  if (!skip(",\"view\":")) return false;
  if (*at_ == 'n') {
    if (!skip("null")) return false;
  } else {
    std::uint64_t root = 0;
    if (!skip("{\"root\":") || !count(root) || root >= position) return false;
    n.view_root = static_cast<std::uint32_t>(root);
    if (!skip(",\"offset\":") || !count_or_null(info.view_byte_offset) || !skip("}")) return false;
  }
  info.slot_offset = info.slot_bytes = RLX_UNKNOWN;
  if (!skip(",\"slot\":")) return false;
  if (*at_ == 'n') return skip("null");
  return skip("{\"offset\":") && count(info.slot_offset) && skip(",\"bytes\":") &&
         count(info.slot_bytes) && skip("}");
}

bool canonical_node::figure_of(node_cost& cost, unsigned column) {
  if (*at_ == 'n') {
    cost.unknown |= std::uint32_t{1} << column;
    return skip("null");
  }
  return count(cost.raw[column]);
}

bool canonical_node::figures(node_cost& cost) {
  return skip(",\"bytes_read\":") && figure_of(cost, 0) && skip(",\"bytes_written\":") &&
         figure_of(cost, 1) && skip(",\"bytes_weights\":") && figure_of(cost, 2) &&
         skip(",\"flops\":") && figure_of(cost, 3);
}

bool canonical_node::ends(interval& column) {
  if (skip("[0,0]")) return true;
  std::uint64_t lo = 0;
  if (!skip("[") || !count(lo) || !skip(",")) return false;
  if (*at_ == 'n') {
    column = interval::at_least(lo);
    return skip("null]");
  }
  std::uint64_t hi = 0;
  if (!count(hi) || hi < lo) return false;
  column = interval::between(lo, hi);
  return skip("]");
}

bool canonical_node::need(draft& d) {
  if (!skip(",\"need\":{\"read\":")) return true;  // recorded without
  d.has_need = true;
  const bool has_ends = ends(d.need.read) && skip(",\"written\":") && ends(d.need.written) &&
                        skip(",\"weights\":") && ends(d.need.weights) && skip(",\"work\":") &&
                        ends(d.need.work) && skip(",\"contraction\":") &&
                        ends(d.need.contraction) && skip(",\"int_ops\":") && ends(d.need.int_ops) &&
                        skip(",\"invariant\":");
  if (!has_ends) return false;
  d.need.is_invariant = *at_ == 't';
  return (d.need.is_invariant ? skip("true") : skip("false")) && skip("}");
}

bool canonical_node::expression(graph_arrays& g, std::uint32_t& lo, std::uint32_t& hi) {
  std::string_view value;
  const bool has_two = *at_ == '[';
  if (has_two) ++at_;
  if (!text(value)) return false;
  lo = hi = tables_.expression_text(g, value);
  if (!has_two) return true;
  if (!skip(",")) return false;
  if (*at_ == 'n') {
    hi = tables_.expression_text(g, "");
    return skip("null]");
  }
  if (!text(value)) return false;
  hi = tables_.expression_text(g, value);
  return skip("]");
}

bool canonical_node::expressions(graph_arrays& g, draft& d) {
  if (!skip(",\"expr\":{\"read\":")) return true;  // no dynamic dim reaches the node
  d.has_expressions = true;
  auto& t = d.expressions.texts;
  return expression(g, t[0], t[1]) && skip(",\"written\":") && expression(g, t[2], t[3]) &&
         skip(",\"weights\":") && expression(g, t[4], t[5]) && skip(",\"work\":") &&
         expression(g, t[6], t[7]) && skip(",\"contraction\":") && expression(g, t[8], t[9]) &&
         skip(",\"int_ops\":") && expression(g, t[10], t[11]) && skip("}");
}

bool canonical_node::members(graph_arrays& g, draft& d) {
  const auto position = static_cast<std::uint32_t>(g.nodes.size());
  std::uint64_t id = 0;
  std::string_view value;
  if (!skip("{\"id\":") || !count(id) || id != position) return false;
  if (!skip(",\"kind\":") || !text(value)) return false;
  tables_.set_kind(g, d.node, d.info, value);
  if (!skip(",\"name\":")) return false;
  if (*at_ == 'n') {
    if (!skip("null")) return false;
  } else {
    if (!text(value)) return false;
    d.info.name = attribute_builder::keep(g.memory, value);
  }
  if (!skip(",\"label\":") || !text(value)) return false;
  d.label = rlx::text(attribute_builder::keep(g.memory, value));
  if (!skip(",\"dtype\":") || !text(value)) return false;
  tables_.set_dtype(g, d.node, d.info, value);
  d.info.nested_begin = static_cast<std::uint32_t>(g.nested.size());
  d.cost.id = position;
  return shape(g, d.node) && inputs(g, d.node, position) && attributes(g, d.node, d.info) &&
         origin(g, d.info) && storage(d.node, d.info, position) && figures(d.cost) && need(d) &&
         expressions(g, d) && skip(",\"subgraphs\":[]}");
}

std::size_t canonical_node::read(const char* text, std::size_t size, graph_arrays& g) {
  // Far from the 32-bit limits, which graph_parser watches.
  constexpr std::size_t most = std::size_t{1} << 31;
  const std::size_t dims = g.dims.size();
  const std::size_t inputs = g.inputs.size();
  const std::size_t attributes = g.attributes.size();
  if (g.nodes.size() >= most || dims >= most || inputs >= most || attributes >= most) return 0;
  at_ = text;
  draft d;
  bool is_whole = false;
  try {
    is_whole = members(g, d) && static_cast<std::size_t>(at_ - text) <= size;
  } catch (const line_error&) {  // graph_parser says what is wrong, and where
  }
  if (!is_whole) {
    g.dims.resize(dims);
    g.inputs.resize(inputs);
    g.attributes.resize(attributes);
    return 0;
  }
  g.nodes.push_back(d.node);
  g.infos.push_back(d.info);
  g.costs.push_back(d.cost);
  g.labels.push_back(d.label);
  g.add_need(d.has_need ? &d.need : nullptr);
  if (d.has_expressions) {
    d.expressions.id = d.cost.id;
    g.expressions.push_back(d.expressions);
  }
  return static_cast<std::size_t>(at_ - text);
}

}  // namespace opscope
