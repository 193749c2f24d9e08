#include "plugin/ledger/read/graph_parser.hpp"

#include <simdjson.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>

#include "plugin/ledger/kinds.hpp"
#include "plugin/ledger/read/attributes.hpp"
#include "plugin/ledger/read/byte_source.hpp"
#include "plugin/ledger/read/recorded_graph.hpp"

namespace opscope {

namespace {

namespace json = simdjson::ondemand;

constexpr std::uint64_t id_limit = std::numeric_limits<std::uint32_t>::max();

// Gives numbers to kinds and dtypes outside the tables, the same for the same text.
class numbering {
 public:
  std::uint32_t number(std::string_view text) {
    const auto next = static_cast<std::uint32_t>(RLX_FIRST_UNLISTED + numbers_.size());
    return numbers_.try_emplace(std::string{text}, next).first->second;
  }
  void clear() { numbers_.clear(); }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

// Listed names are looked up by text for every node.
class name_index {
 public:
  name_index() {
    for (std::uint32_t kind = 1; kind <= rlx::kind_count; ++kind) kinds_[kind_name(kind)] = kind;
#define OPSCOPE_DTYPE_INDEX(number, name, bytes) dtypes_[#name] = number;
    RLX_DTYPES(OPSCOPE_DTYPE_INDEX)
#undef OPSCOPE_DTYPE_INDEX
  }
  std::optional<std::uint32_t> kind(std::string_view name) const { return find(kinds_, name); }
  std::optional<std::uint32_t> dtype(std::string_view name) const { return find(dtypes_, name); }

 private:
  using table = std::unordered_map<std::string_view, std::uint32_t>;
  static std::optional<std::uint32_t> find(const table& t, std::string_view name) {
    const auto at = t.find(name);
    return at == t.end() ? std::nullopt : std::optional{at->second};
  }
  table kinds_;
  table dtypes_;
};

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
  subgraphs,
  unknown
};
constexpr std::string_view member_names[] = {
    "id",    "kind",     "name", "label", "dtype",      "shape",         "inputs",
    "attrs", "origin",   "view", "slot",  "bytes_read", "bytes_written", "bytes_weights",
    "flops", "subgraphs"};
constexpr std::size_t member_count = std::size(member_names);

}  // namespace

struct graph_parser::impl {
  json::parser parser;
  numbering kinds;
  numbering dtypes;
  name_index names;
  attribute_reader attributes;
  std::unique_ptr<recorded_graph> top;

  static recorded_graph::state& state_of(recorded_graph& g) { return *g.state_; }

  void parse_node(json::object object, recorded_graph& g, unsigned depth) {
    recorded_graph::state& s = state_of(g);
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
    recorded_graph::state& s = state_of(g);
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
    std::size_t expected = 0;
    for (auto field : object) {
      const member m = member_of(field.unescaped_key(), expected);
      if (m == member::unknown) continue;  // of a later version of the schema
      expected = static_cast<std::size_t>(m) + 1;
      const std::uint32_t bit = std::uint32_t{1} << static_cast<unsigned>(m);
      if ((seen & bit) != 0)
        fail("the member " + std::string{member_names[expected - 1]} + " occurs twice");
      seen |= bit;
      json::value v = field.value();
      switch (m) {
        case member::id:
          if (v.get_uint64().value() != position) fail("its id is not its position");
          break;
        case member::kind:
          set_kind(s, n, info, v.get_string());
          break;
        case member::name:
          info.name = text_or_absent(s, v);
          break;
        case member::label:
          label = rlx::text(attribute_reader::keep(s.memory, v.get_string()));
          break;
        case member::dtype:
          set_dtype(s, n, info, v.get_string());
          break;
        case member::shape:
          set_shape(s, n, v.get_array());
          break;
        case member::inputs:
          set_inputs(s, n, v.get_array(), position);
          break;
        case member::attrs:
          attributes.read(v.get_object(), s.memory, s.attributes);
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
        case member::subgraphs:
          for (auto sub : v.get_array()) parse_subgraph(sub.get_object(), s, depth + 1);
          break;
        case member::unknown:
          break;
      }
    }
    for (std::size_t m = 0; m < member_count; ++m) {
      if (((seen >> m) & 1) == 0)
        fail("the member " + std::string{member_names[m]} + " is missing");
    }
    info.attribute_count = size32(s.attributes) - info.attributes_begin;
    info.nested_count = size32(s.nested) - info.nested_begin;
    attributes.give_table_types(n.kind, std::span{s.attributes}.subspan(info.attributes_begin),
                                s.memory);
    s.nodes.push_back(n);
    s.infos.push_back(info);
    s.costs.push_back(cost);
    s.labels.push_back(label);
  }

  template <class T>
  static std::uint32_t size32(const std::vector<T>& v) {
    if (v.size() >= id_limit) fail("an array of the graph has more than 2^32-1 entries");
    return static_cast<std::uint32_t>(v.size());
  }

  void set_kind(recorded_graph::state& s, rlx_node& n, rlx_node_info& info, std::string_view text) {
    if (const auto listed = names.kind(text)) {
      n.kind = *listed;
      info.kind_text = rlx::borrow(kind_name(n.kind));
    } else {
      n.kind = kinds.number(text);
      info.kind_text = attributes.intern(s.memory, text);
    }
  }
  void set_dtype(recorded_graph::state& s, rlx_node& n, rlx_node_info& info,
                 std::string_view text) {
    if (const auto listed = names.dtype(text)) {
      n.dtype = *listed;
      info.dtype_text = rlx::borrow(dtype_name(n.dtype));
    } else {
      n.dtype = dtypes.number(text);
      info.dtype_text = attributes.intern(s.memory, text);
    }
  }
  static rlx_string text_or_absent(recorded_graph::state& s, json::value v) {
    if (v.is_null()) return {};
    return attribute_reader::keep(s.memory, v.get_string());
  }

  static void set_shape(recorded_graph::state& s, rlx_node& n, json::array dims) {
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

  static void set_inputs(recorded_graph::state& s, rlx_node& n, json::array inputs,
                         std::uint32_t position) {
    n.inputs_begin = size32(s.inputs);
    for (auto input : inputs) {
      const std::uint64_t id = input.get_uint64();
      if (id >= position) fail("an operand does not come before it");
      s.inputs.push_back(static_cast<std::uint32_t>(id));
    }
    n.input_count = size32(s.inputs) - n.inputs_begin;
  }

  void set_origin(recorded_graph::state& s, rlx_node_info& info, json::object origin) {
    for (auto field : origin) {
      const std::string_view key = field.unescaped_key();
      json::value v = field.value();
      if (key == "hir") info.origin_hir = count_or_null(v).value_or(RLX_UNKNOWN);
      if (key == "label" && !v.is_null())
        info.origin_label = attributes.intern(s.memory, v.get_string());
      if (key == "pass" && !v.is_null())
        info.origin_pass = attributes.intern(s.memory, v.get_string());
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
  static void set_figure(node_cost& cost, unsigned column, json::value v) {
    if (const auto count = count_or_null(v)) {
      cost.raw[column] = *count;
    } else {
      cost.unknown |= std::uint32_t{1} << column;
    }
  }

  void parse_subgraph(json::object object, recorded_graph::state& outer, unsigned depth) {
    if (depth > RLX_MAX_GRAPH_DEPTH) fail("graphs are nested more than 64 deep");
    recorded_graph body;
    recorded_graph::state& s = state_of(body);
    rlx_nested_graph nested{};
    unsigned seen = 0;
    for (auto field : object) {
      const std::string_view key = field.unescaped_key();
      json::value v = field.value();
      if (key == "role") {
        seen |= 1;
        nested.role = attributes.intern(outer.memory, v.get_string());
      } else if (key == "name") {
        seen |= 2;
        s.name = attribute_reader::keep(s.memory, v.get_string());
      } else if (key == "outputs") {
        seen |= 4;
        for (auto output : v.get_array()) {
          const std::uint64_t id = output.get_uint64();
          if (id >= id_limit) fail("an output of a nested graph is no node");
          s.outputs.push_back(static_cast<std::uint32_t>(id));
        }
      } else if (key == "nodes") {
        seen |= 8;
        attribute_reader::scope inner{attributes};
        for (auto node : v.get_array()) parse_node(node.get_object(), body, depth);
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

void graph_parser::begin() {
  impl_->top = std::make_unique<recorded_graph>();
  impl_->kinds.clear();
  impl_->dtypes.clear();
  impl_->attributes.clear();
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
  recorded_graph::state& s = impl::state_of(result);
  s.name = attribute_reader::keep(s.memory, name);
  s.outputs = outputs;
  s.arena_bytes = arena_bytes.value_or(RLX_UNKNOWN);
  s.lend();
  if (const auto defect = rlx::find_defect(s.view)) throw line_error{*defect};
  return result;
}

}  // namespace opscope
