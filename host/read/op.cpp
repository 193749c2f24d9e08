#include "host/read/op.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "host/error.hpp"
#include "host/read/attribute.hpp"
#include "host/read/fields.hpp"
#include "host/read/reader.hpp"

namespace rlx::json {

namespace {

rlx_string lend(std::string_view s) { return {s.data(), s.size()}; }

// Whether no white space stands between the tokens of `json` (which stage 1 has seen).
bool is_compact(std::string_view json) {
  bool any = false;
  for (const char ch : json) any |= static_cast<unsigned char>(ch) <= 0x20;
  if (!any) return true;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '"') {
      in_string = !in_string;
    } else if (in_string && json[i] == '\\') {
      ++i;
    } else if (!in_string && static_cast<unsigned char>(json[i]) <= 0x20) {
      return false;
    }
  }
  return true;
}

bool is_named_leaf(std::uint32_t kind) { return kind == RLX_KIND_Input || kind == RLX_KIND_Param; }

// One operation being read.
struct draft {
  struct entry {
    std::size_t rank;  // position among the kind's fields; all others come after
    rlx_attribute attribute;
  };
  std::uint32_t kind = 0;
  std::string_view kind_text;
  std::span<const field_spec> fields;
  std::vector<entry> entries;
  std::vector<nested_graph> nested;
  bool is_malformed = false;

  void clear_payload() {
    entries.clear();
    nested.clear();
  }
};

std::unique_ptr<graph> read_nested(context& c, od::value& v, const place& at, depth d) {
  if (d.graphs >= RLX_MAX_GRAPH_DEPTH) {
    at.fail("graphs nested more than " + std::to_string(RLX_MAX_GRAPH_DEPTH) +
            " deep, which is beyond this reader's limit: flatten them");
  }
  auto body = std::make_unique<graph>(c.store, "");
  read_graph(c, v, at, {d.values, d.graphs + 1}, *body);
  return body;
}

void read_field(context& c, draft& op, std::string_view name, od::value& v, const place& at,
                depth d) {
  const auto spec = std::ranges::find(op.fields, name, &field_spec::name);
  const bool is_listed = spec != op.fields.end();
  const auto rank = static_cast<std::size_t>(spec - op.fields.begin());
  if (is_listed && spec->type == field_type::graph) {
    if (type(c, v) == od::json_type::object) {
      const bool again = std::ranges::find(op.nested, name, &nested_graph::role) != op.nested.end();
      op.nested.push_back({spec->name, read_nested(c, v, at, d)});
      op.is_malformed |= again;
    } else {
      check(c, v, at, d.values);
      op.is_malformed |= !is_null(token(c, v));
    }
    return;
  }
  rlx_attribute a{};
  a.name = lend(name);
  a.count = 1;
  const attribute_state state = is_listed ? read_attribute(c, v, at, d.values, *spec, a)
                                          : read_attribute_by_form(c, v, at, d.values, a);
  if (state == attribute_state::wrong_type) {
    op.is_malformed = true;
    return;
  }
  const auto same = [&](const draft::entry& e) {
    return std::string_view{e.attribute.name.data, e.attribute.name.size} == name;
  };
  const auto before = std::ranges::find_if(op.entries, same);
  if (before != op.entries.end()) {
    op.is_malformed = true;
    op.entries.erase(before);  // the last one counts
  }
  if (state == attribute_state::present) op.entries.push_back({rank, a});
}

// The payload of a variant, by the kind's fields or, where these are empty, by form.
void read_payload(context& c, draft& op, od::value& v, const place& at, depth d) {
  const bool is_newtype = op.fields.size() == 1 && op.fields[0].name == "value";
  const od::json_type t = type(c, v);
  if (t == od::json_type::null) {
    check(c, v, at, d.values);
    op.is_malformed |= is_newtype;
    return;
  }
  if (is_newtype || t != od::json_type::object) {
    op.is_malformed |= !is_newtype;
    read_field(c, op, "value", v, at, d);
    return;
  }
  od::object o = read_object(c, v, at);
  each_member(c, o, [&](std::string_view name, od::value& m) {
    read_field(c, op, name, m, place::member(at, name), d.inside());
  });
}

op_id finish(context& c, draft& op, std::string_view raw) {
  storage& s = c.store;
  const auto limit = std::numeric_limits<std::uint32_t>::max();
  std::ranges::sort(op.entries, [](const draft::entry& a, const draft::entry& b) {
    if (a.rank != b.rank) return a.rank < b.rank;
    return std::string_view{a.attribute.name.data, a.attribute.name.size} <
           std::string_view{b.attribute.name.data, b.attribute.name.size};
  });
  std::ranges::stable_sort(op.nested, {}, [&](const nested_graph& n) {
    return std::ranges::find(op.fields, n.role, &field_spec::name) - op.fields.begin();
  });
  if (s.attributes().size() > limit - op.entries.size() ||
      s.nested().size() > limit - op.nested.size()) {
    throw error{"module: more than 2^32 attributes, split the module"};
  }
  operation o{};
  o.kind = op.kind;
  o.kind_text = op.kind_text;
  o.json = raw;
  o.attributes_begin = static_cast<std::uint32_t>(s.attributes().size());
  o.attribute_count = static_cast<std::uint32_t>(op.entries.size());
  o.nested_begin = static_cast<std::uint32_t>(s.nested().size());
  o.nested_count = static_cast<std::uint32_t>(op.nested.size());
  for (const draft::entry& e : op.entries) s.attributes().push_back(e.attribute);
  for (nested_graph& n : op.nested) s.nested().push_back(std::move(n));
  const op_id id = s.add_op(o);
  if (o.nested_count == 0 && !is_named_leaf(o.kind)) s.intern_op(raw, id);
  return id;
}

void start(context& c, draft& op, std::string_view kind_text) {
  op.kind_text = kind_text;
  op.kind = c.store.kind_number(kind_text);
  op.fields = fields_of(op.kind);
}

// From here on the operation counts as one of an unlisted kind.
void start_malformed(context& c, draft& op) {
  op.clear_payload();
  op.kind = c.store.unlisted_kind_number(op.kind_text);
  op.fields = {};
}

}  // namespace

op_id read_operation(context& c, od::value& v, const place& at, depth d) {
  const od::json_type t = type(c, v);
  if (t == od::json_type::string) {
    const std::string_view raw = token(c, v);
    if (const op_id known = c.store.find_op(raw); known != storage::no_op) return known;
    draft op;
    start(c, op, read_string(c, v, at));
    return finish(c, op, raw);
  }
  if (t != od::json_type::object) fail_not(c, v, at, "an operation");
  od::object o = read_object(c, v, at);
  const std::string_view raw = raw_text(c, o);
  if (const op_id known = c.store.find_op(raw); known != storage::no_op) return known;
  return read_operation(c, o, raw, at, d);
}

op_id read_operation(context& c, od::object& o, std::string_view raw, const place& at, depth d) {
  if (!is_compact(raw)) throw not_compact{};
  draft op;
  const auto read = [&](bool by_form) {
    if (const auto e = o.reset().error()) c.doc.fail(e);
    std::size_t members = 0;
    each_member(c, o, [&](std::string_view kind_text, od::value& payload) {
      if (++members > 1) at.fail("an operation of two names, leave one of them out");
      if (!by_form) start(c, op, kind_text);
      read_payload(c, op, payload, place::member(at, kind_text), d.inside());
    });
    if (members == 0) at.fail("an operation without a name, write one as RLX does");
  };
  read(false);
  if (op.is_malformed && !op.fields.empty()) {
    start_malformed(c, op);
    read(true);
  } else if (op.is_malformed) {  // a kind without fields
    op.kind = c.store.unlisted_kind_number(op.kind_text);
  }
  if (op.is_malformed) {
    c.notes.note(at, op.kind_text,
                 "a form of " + quoted(op.kind_text) +
                     " that this version does not know, taken for an unknown operation");
  }
  return finish(c, op, raw);
}

// `text` is padded, lives in the storage, and wraps the operation in a list.
static op_id read_lone_operation(storage& s, std::string_view text) {
  document doc{text};
  note_book notes;
  context c{doc, s, notes};
  const place at = place::member(place{}, "operation");
  op_id id = storage::no_op;
  std::size_t count = 0;
  doc.each_root_element([&](od::value& v) {
    if (++count > 1) at.fail("more than one value, give a single operation");
    id = read_operation(c, v, at, {1, 0});
  });
  if (count == 0) at.fail("no text, write an operation as RLX does");
  doc.expect_end();
  return id;
}

static void check_lone_value(storage& s, std::string_view text) {
  document doc{text};
  note_book notes;
  context c{doc, s, notes};
  doc.each_root_element([&](od::value& v) { check(c, v, place{}, 1); });
  doc.expect_end();
}

}  // namespace rlx::json

namespace rlx {

op_id read_op(storage& s, std::string_view json) {
  if (const op_id known = s.find_op(json); known != storage::no_op) return known;
  if (json.size() > json::max_bytes) json::make_buffer(json.size());  // throws
  const auto keep = [&](std::string_view text) {
    const std::span<char> copy = s.allocate<char>(text.size() + simdjson::SIMDJSON_PADDING);
    char* const end = std::ranges::copy(text, copy.data()).out;
    std::memset(end, 0, simdjson::SIMDJSON_PADDING);
    return std::string_view{copy.data(), text.size()};
  };
  // On-Demand reads a lone scalar by other rules than one inside a list, hence the brackets.
  const std::string_view text = keep('[' + std::string{json} + ']');
  try {
    return json::read_lone_operation(s, text);
  } catch (const json::not_compact&) {
    json::check_lone_value(s, text);
    return json::read_lone_operation(s, keep(json::compact(text).text()));
  }
}

}  // namespace rlx
