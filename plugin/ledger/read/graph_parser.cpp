#include "plugin/ledger/read/graph_parser.hpp"

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>

#include "plugin/ledger/read/attributes.hpp"
#include "plugin/ledger/read/byte_source.hpp"
#include "plugin/ledger/read/canonical_node.hpp"
#include "plugin/ledger/read/node_tables.hpp"
#include "plugin/ledger/read/recorded_graph.hpp"

namespace opscope {

namespace {

namespace json = simdjson::ondemand;

constexpr std::uint64_t id_limit = std::numeric_limits<std::uint32_t>::max();

[[noreturn]] void fail(const std::string& what) { throw line_error{what}; }

std::optional<std::uint64_t> count_or_null(json::value v) {
  if (v.is_null()) return std::nullopt;
  return v.get_uint64().value();
}

enum class member {
  id,
  kind,
  name,
  label,
  dtype,
  shape,
  inputs,
  attrs,
  origin,
  view,
  slot,
  bytes_read,
  bytes_written,
  bytes_weights,
  flops,
  need,
  expr,
  subgraphs,
  unknown
};
constexpr std::string_view member_names[] = {
    "id",    "kind",   "name", "label",    "dtype",      "shape",         "inputs",
    "attrs", "origin", "view", "slot",     "bytes_read", "bytes_written", "bytes_weights",
    "flops", "need",   "expr", "subgraphs"};
constexpr std::size_t member_count = std::size(member_names);

constexpr std::uint32_t bit_of(member m) { return std::uint32_t{1} << static_cast<unsigned>(m); }
constexpr std::uint32_t optional_members = bit_of(member::need) | bit_of(member::expr);

constexpr std::string_view column_names[need_column_count] = {"read", "written",     "weights",
                                                              "work", "contraction", "int_ops"};
std::size_t column_of(std::string_view key) {
  return static_cast<std::size_t>(std::find(std::begin(column_names), std::end(column_names), key) -
                                  std::begin(column_names));
}

}  // namespace

struct graph_parser::impl {
  json::parser parser;
  node_tables tables;
  canonical_node canonical{tables};
  std::vector<attribute_builder::element> elements;
  std::unique_ptr<recorded_graph> top;

  static graph_arrays& state_of(recorded_graph& g) { return *g.state_; }

  void parse_node(json::object object, recorded_graph& g, unsigned depth) {
    graph_arrays& s = state_of(g);
    const auto position = static_cast<std::uint32_t>(s.nodes.size());
    if (position == id_limit) fail("more than 2^32-1 nodes");
    try {
      parse_members(object, g, position, depth);
    } catch (const simdjson::simdjson_error& e) {
      fail("node " + std::to_string(position) + ": " + e.what());
    } catch (const line_error& e) {
      fail("node " + std::to_string(position) + ": " + e.what());
    }
  }

  // The members come in the order of the schema, other orders are read as well.
  static member member_of(std::string_view key, std::size_t expected) {
    for (std::size_t i = 0; i < member_count; ++i) {
      const std::size_t candidate = (expected + i) % member_count;
      if (member_names[candidate] == key) return static_cast<member>(candidate);
    }
    return member::unknown;
  }

  void parse_members(json::object object, recorded_graph& g, std::uint32_t position,
                     unsigned depth) {
    graph_arrays& s = state_of(g);
    rlx_node n{};
    rlx_node_info info{};
    node_cost cost;
    std::string_view label;
    n.view_root = position;
    info.origin_hir = info.slot_offset = info.slot_bytes = RLX_UNKNOWN;
    info.attributes_begin = size32(s.attributes);
    info.nested_begin = size32(s.nested);
    cost.id = position;
    std::uint32_t seen = 0;
    node_need need;
    std::size_t expected = 0;
    for (auto field : object) {
      const member m = member_of(field.unescaped_key(), expected);
      if (m == member::unknown) continue;  // of a later version of the schema
      expected = static_cast<std::size_t>(m) + 1;
      if ((seen & bit_of(m)) != 0)
        fail("the member " + std::string{member_names[expected - 1]} + " occurs twice");
      seen |= bit_of(m);
      json::value v = field.value();
      switch (m) {
        case member::id:
          if (v.get_uint64().value() != position) fail("its id is not its position");
          break;
        case member::kind:
          tables.set_kind(s, n, info, v.get_string());
          break;
        case member::name:
          info.name = text_or_absent(s, v);
          break;
        case member::label:
          label = rlx::text(attribute_builder::keep(s.memory, v.get_string()));
          break;
        case member::dtype:
          tables.set_dtype(s, n, info, v.get_string());
          break;
        case member::shape:
          set_shape(s, n, v.get_array());
          break;
        case member::inputs:
          set_inputs(s, n, v.get_array(), position);
          break;
        case member::attrs:
          read_attributes(s, v.get_object());
          break;
        case member::origin:
          if (!v.is_null()) set_origin(s, info, v.get_object());
          break;
        case member::view:
          if (!v.is_null()) set_view(n, info, v.get_object(), position);
          break;
        case member::slot:
          if (!v.is_null()) set_slot(info, v.get_object());
          break;
        case member::bytes_read:
          set_figure(cost, 0, v);
          break;
        case member::bytes_written:
          set_figure(cost, 1, v);
          break;
        case member::bytes_weights:
          set_figure(cost, 2, v);
          break;
        case member::flops:
          set_figure(cost, 3, v);
          break;
        case member::need:
          need = read_need(v.get_object());
          break;
        case member::expr:
          read_expressions(s, position, v.get_object());
          break;
        case member::subgraphs:
          for (auto sub : v.get_array()) parse_subgraph(sub.get_object(), s, depth + 1);
          break;
        case member::unknown:
          break;
      }
    }
    for (std::size_t m = 0; m < member_count; ++m) {
      if ((((seen | optional_members) >> m) & 1) == 0)
        fail("the member " + std::string{member_names[m]} + " is missing");
    }
    info.attribute_count = size32(s.attributes) - info.attributes_begin;
    info.nested_count = size32(s.nested) - info.nested_begin;
    attribute_builder::give_table_types(
        n.kind, std::span{s.attributes}.subspan(info.attributes_begin), s.memory);
    s.nodes.push_back(n);
    s.infos.push_back(info);
    s.costs.push_back(cost);
    s.labels.push_back(label);
    s.add_need((seen & bit_of(member::need)) != 0 ? &need : nullptr);
  }

  template <class Array>
  static std::uint32_t size32(const Array& v) {
    if (v.size() >= id_limit) fail("an array of the graph has more than 2^32-1 entries");
    return static_cast<std::uint32_t>(v.size());
  }

  attribute_builder::element read_element(graph_arrays& s, json::value v) {
    switch (v.type()) {
      case json::json_type::null:
        if (!v.is_null()) fail("an attribute is no JSON value");
        return {0, 0, {}};
      case json::json_type::boolean:
        return {RLX_ATTRIBUTE_BOOL, v.get_bool().value() ? 1u : 0u, {}};
      case json::json_type::string:
        return {RLX_ATTRIBUTE_TEXT, 0, attribute_builder::keep(s.memory, v.get_string())};
      case json::json_type::number: {
        const json::number n = v.get_number();
        switch (n.get_number_type()) {
          case json::number_type::signed_integer: {
            const std::int64_t i = n.get_int64();
            return {
                i < 0 ? RLX_ATTRIBUTE_I64 : RLX_ATTRIBUTE_U64, static_cast<std::uint64_t>(i), {}};
          }
          case json::number_type::unsigned_integer:
            return {RLX_ATTRIBUTE_U64, n.get_uint64(), {}};
          default:
            return {RLX_ATTRIBUTE_F64, std::bit_cast<std::uint64_t>(n.get_double()), {}};
        }
      }
      default:
        fail("an attribute holds an object, or an array inside an array");
    }
  }
  void read_attributes(graph_arrays& s, json::object attrs) {
    for (auto field : attrs) {
      const rlx_string name = tables.attributes.intern(s.memory, field.unescaped_key());
      json::value v = field.value();
      if (v.type() != json::json_type::array) {
        s.attributes.push_back(attribute_builder::scalar(name, read_element(s, v)));
        continue;
      }
      elements.clear();
      for (auto e : v.get_array()) elements.push_back(read_element(s, e.value()));
      s.attributes.push_back(attribute_builder::array(name, elements, s.memory));
    }
  }

  static rlx_string text_or_absent(graph_arrays& s, json::value v) {
    if (v.is_null()) return {};
    return attribute_builder::keep(s.memory, v.get_string());
  }

  static void set_shape(graph_arrays& s, rlx_node& n, json::array dims) {
    n.dims_begin = size32(s.dims);
    for (auto d : dims) {
      if (n.rank == RLX_MAX_RANK) fail("its rank is above 64");
      json::value v = d.value();
      if (v.type() == json::json_type::string) {
        const std::string_view text = v.get_string();
        std::uint64_t symbol = 0;
        const char* const end = text.data() + text.size();
        if (text.empty() || text.front() != '?' ||
            std::from_chars(text.data() + 1, end, symbol).ptr != end || text.size() < 2) {
          fail("a dim is neither a number nor a symbol such as \"?0\"");
        }
        n.dynamic_dims |= std::uint64_t{1} << n.rank;
        s.dims.push_back(symbol);
      } else {
        s.dims.push_back(v.get_uint64());
      }
      ++n.rank;
    }
    size32(s.dims);
  }

  static void set_inputs(graph_arrays& s, rlx_node& n, json::array inputs, std::uint32_t position) {
    n.inputs_begin = size32(s.inputs);
    for (auto input : inputs) {
      const std::uint64_t id = input.get_uint64();
      if (id >= position) fail("an operand does not come before it");
      s.inputs.push_back(static_cast<std::uint32_t>(id));
    }
    n.input_count = size32(s.inputs) - n.inputs_begin;
  }

  void set_origin(graph_arrays& s, rlx_node_info& info, json::object origin) {
    for (auto field : origin) {
      const std::string_view key = field.unescaped_key();
      json::value v = field.value();
      if (key == "hir") info.origin_hir = count_or_null(v).value_or(RLX_UNKNOWN);
      if (key == "label" && !v.is_null())
        info.origin_label = tables.attributes.intern(s.memory, v.get_string());
      if (key == "pass" && !v.is_null())
        info.origin_pass = tables.attributes.intern(s.memory, v.get_string());
    }
  }
  static void set_view(rlx_node& n, rlx_node_info& info, json::object view,
                       std::uint32_t position) {
    for (auto field : view) {
      const std::string_view key = field.unescaped_key();
      json::value v = field.value();
      if (key == "root") {
        const std::uint64_t root = v.get_uint64();
        if (root >= position) fail("its view root does not come before it");
        n.view_root = static_cast<std::uint32_t>(root);
      }
      if (key == "offset") info.view_byte_offset = count_or_null(v).value_or(RLX_UNKNOWN);
    }
  }
  static void set_slot(rlx_node_info& info, json::object slot) {
    for (auto field : slot) {
      const std::string_view key = field.unescaped_key();
      json::value v = field.value();
      if (key == "offset") info.slot_offset = v.get_uint64();
      if (key == "bytes") info.slot_bytes = v.get_uint64();
    }
  }
  static interval read_ends(json::value v) {
    std::uint64_t lo = 0;
    figure hi;
    std::size_t n = 0;
    for (auto end : v.get_array()) {
      if (n == 0) lo = end.get_uint64();
      if (n == 1) hi = count_or_null(end.value());
      ++n;
    }
    if (n != 2 || (hi && *hi < lo)) fail("a need is no interval [low, high or null]");
    return hi ? interval::between(lo, *hi) : interval::at_least(lo);
  }
  static node_need read_need(json::object need) {
    node_need n;
    unsigned seen = 0;
    for (auto field : need) {
      const std::string_view key = field.unescaped_key();
      json::value v = field.value();
      if (key == "invariant") {
        n.is_invariant = v.get_bool();
        seen |= 1u << need_column_count;
      } else if (const std::size_t c = column_of(key); c < need_column_count) {
        n.*need_columns[c] = read_ends(v);
        seen |= 1u << c;
      }
    }
    if (seen != (2u << need_column_count) - 1) fail("its need lacks a figure");
    return n;
  }
  // A text where both ends are the same, or two of which the upper may be null: no polynomial.
  void read_expressions(graph_arrays& s, std::uint32_t id, json::object expr) {
    expression_entry e{id, {}};
    unsigned seen = 0;
    for (auto field : expr) {
      const std::size_t c = column_of(field.unescaped_key());
      json::value v = field.value();
      if (c == need_column_count) continue;
      seen |= 1u << c;
      if (v.type() == json::json_type::string) {
        e.texts[2 * c] = e.texts[2 * c + 1] = tables.expression_text(s, v.get_string());
        continue;
      }
      std::size_t n = 0;
      for (auto end : v.get_array()) {
        if (n == 2) fail("an expression is neither a text nor two");
        json::value text = end.value();
        const bool is_none = n == 1 && text.is_null();
        e.texts[2 * c + n++] = tables.expression_text(s, is_none ? "" : text.get_string().value());
      }
      if (n != 2) fail("an expression is neither a text nor two");
    }
    if (seen != (1u << need_column_count) - 1) fail("its expr lacks a figure");
    s.expressions.push_back(e);
  }
  static void set_figure(node_cost& cost, unsigned column, json::value v) {
    if (const auto count = count_or_null(v)) {
      cost.raw[column] = *count;
    } else {
      cost.unknown |= std::uint32_t{1} << column;
    }
  }

  void parse_subgraph(json::object object, graph_arrays& outer, unsigned depth) {
    if (depth > RLX_MAX_GRAPH_DEPTH) fail("graphs are nested more than 64 deep");
    recorded_graph body;
    graph_arrays& s = state_of(body);
    rlx_nested_graph nested{};
    unsigned seen = 0;
    for (auto field : object) {
      const std::string_view key = field.unescaped_key();
      json::value v = field.value();
      if (key == "role") {
        seen |= 1;
        nested.role = tables.attributes.intern(outer.memory, v.get_string());
      } else if (key == "name") {
        seen |= 2;
        s.name = attribute_builder::keep(s.memory, v.get_string());
      } else if (key == "outputs") {
        seen |= 4;
        for (auto output : v.get_array()) {
          const std::uint64_t id = output.get_uint64();
          if (id >= id_limit) fail("an output of a nested graph is no node");
          s.outputs.push_back(static_cast<std::uint32_t>(id));
        }
      } else if (key == "nodes") {
        seen |= 8;
        attribute_builder::scope inner{tables.attributes};
        std::unordered_map<std::string_view, std::uint32_t> outer_expressions;
        outer_expressions.swap(tables.expressions);
        for (auto node : v.get_array()) parse_node(node.get_object(), body, depth);
        outer_expressions.swap(tables.expressions);
      }
    }
    if (seen != 15) fail("a nested graph lacks its role, name, outputs or nodes");
    for (const std::uint32_t output : s.outputs) {
      if (output >= s.nodes.size()) fail("an output of a nested graph is no node");
    }
    s.lend();
    outer.nested.push_back(nested);
    outer.bodies.push_back(std::move(body));
  }
};

graph_parser::graph_parser() : impl_{std::make_unique<impl>()} {}
graph_parser::~graph_parser() = default;

void graph_parser::begin(std::size_t node_count) {
  impl_->top = std::make_unique<recorded_graph>();
  impl_->tables.clear();
  impl::state_of(*impl_->top).reserve(node_count);
}

std::size_t graph_parser::add_canonical_node(const char* text, std::size_t size) {
  return impl_->canonical.read(text, size, impl::state_of(*impl_->top));
}

void graph_parser::add_node(std::string_view text) {
  static_assert(byte_source::padding >= simdjson::SIMDJSON_PADDING);
  json::document document;
  const auto error =
      impl_->parser.iterate(text.data(), text.size(), text.size() + byte_source::padding)
          .get(document);
  const auto place = [&] {
    return "node " + std::to_string(impl::state_of(*impl_->top).nodes.size()) + ": ";
  };
  if (error) throw line_error{place() + simdjson::error_message(error)};
  json::object object;
  if (const auto no_object = document.get_object().get(object)) {
    throw line_error{place() + simdjson::error_message(no_object)};
  }
  impl_->parse_node(object, *impl_->top, 0);
}

recorded_graph graph_parser::finish(std::string_view name,
                                    const std::vector<std::uint32_t>& outputs, figure arena_bytes) {
  recorded_graph result = std::move(*impl_->top);
  impl_->top.reset();
  graph_arrays& s = impl::state_of(result);
  s.name = attribute_builder::keep(s.memory, name);
  s.outputs = outputs;
  s.arena_bytes = arena_bytes.value_or(RLX_UNKNOWN);
  s.lend();
  if (const auto defect = rlx::find_defect(s.view)) throw line_error{*defect};
  return result;
}

}  // namespace opscope
