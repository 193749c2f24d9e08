#include "host/read/read.hpp"

#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "host/error.hpp"
#include "host/read/file.hpp"
#include "host/read/reader.hpp"
#include "host/read/scan.hpp"

namespace rlx {

namespace json {

namespace {

// The outermost members that tell the kinds of module apart.
constexpr std::array<std::string_view, 7> telling{"name",  "nodes", "outputs", "fusion_policy",
                                                  "inner", "mir",   "buffers"};
enum : std::uint32_t {
  has_nodes = 1u << 1,
  has_outputs = 1u << 2,
  has_fusion_policy = 1u << 3,
  has_inner = 1u << 4,
  has_mir = 1u << 5,
  has_buffers = 1u << 6
};

// Throws unless `text` is one JSON object from end to end.
void check_document(std::string_view text) {
  storage scratch;
  document doc{text};
  note_book notes;
  context c{doc, scratch, notes};
  od::object o = doc.root();
  each_member(c, o, [&](std::string_view, od::value& v) { check(c, v, place{}, 1); });
  doc.expect_end();
}

// Looks at the outermost names only.
std::uint32_t survey(context& c) {
  std::uint32_t seen = 0;
  try {
    od::object o = c.doc.root();
    each_member(c, o, [&](std::string_view key, od::value&) {
      for (std::size_t i = 0; i < telling.size(); ++i) {
        if (telling[i] == key) seen |= 1u << i;
      }
    });
  } catch (const error&) {
    // Values are only stepped over above: where they are wrong, look for the very place.
    check_document(c.doc.text());
    throw;
  }
  return seen;
}

// `{"inner":GRAPH}`
void read_mir_module(context& c, od::object& o, const place& at, depth d, graph& g) {
  constexpr std::array<std::string_view, 1> members{"inner"};
  const std::uint32_t seen =
      read_members(c, o, at, members, d.values,
                   [&](std::size_t, od::value& m) { read_graph(c, m, at, d.inside(), g); });
  require(seen, 0b1, members, at);
}

// The plan needs the graph, so where `buffers` comes first it is stepped over and read in a second
// round.
void read_lir_module(context& c, const place& at, module& m) {
  constexpr std::array<std::string_view, 2> members{"mir", "buffers"};
  bool has_graph = false;
  for (int round = 0; round < 2 && !m.plan; ++round) {
    od::object o = c.doc.root();
    const std::uint32_t seen = read_members(c, o, at, members, 0, [&](std::size_t i, od::value& v) {
      if (i == 0 && !has_graph) {
        od::object mir = read_object(c, v, at);
        read_mir_module(c, mir, at, {1, 0}, m.graph);
        has_graph = true;
      } else if (i == 1 && has_graph) {
        const place here = place::member(at, "buffers");
        od::object buffers = read_object(c, v, here);
        m.plan = read_plan(c, buffers, here, {1, 0}, m.graph);
      }
    });
    require(seen, 0b11, members, at);
  }
}

// Refuses by name what RLX writes beside modules.
void expect_json_module(std::string_view text) {
  constexpr std::pair<std::string_view, std::string_view> others[] = {
      {"\xef\xbb\xbf", "a byte order mark before the JSON, remove it"},
      {"\u2550", "a text dump of RLX, which loses attributes: give the module as JSON"},
      {"hir @", "a text dump of RLX, which loses attributes: give the module as JSON"},
      {"mir @", "a text dump of RLX, which loses attributes: give the module as JSON"},
      {"lir @", "a text dump of RLX, which loses attributes: give the module as JSON"},
      {"graph @", "a text listing of RLX, which is not read: give the module as JSON"},
      {"RLX", "a binary file of RLX, which is not read: give the module as JSON"},
      {"PK\x03\x04", "a ZIP file, which is not read: give the module as JSON"},
      {"# arena_size=", "a plan report of RLX, which has no graph: give the module as JSON"},
      {"fusion report:", "a fusion report of RLX, which has no graph: give the module as JSON"}};
  for (const auto& [start, what] : others) {
    if (text.starts_with(start)) throw error{"module: " + std::string{what}};
  }
}

module read_document(document& doc, const std::shared_ptr<storage>& store) {
  module m{level::mir, graph{store}, std::nullopt};
  note_book notes;
  context c{doc, *store, notes};
  const place at;
  const std::uint32_t seen = survey(c);
  if ((seen & (has_mir | has_buffers)) == (has_mir | has_buffers)) {
    m.level = level::lir;
    read_lir_module(c, at, m);
  } else if ((seen & has_inner) != 0) {
    od::object o = doc.root();
    read_mir_module(c, o, at, {}, m.graph);
  } else if ((seen & has_fusion_policy) != 0) {
    m.level = level::hir;
    m.hir = hir_module{graph{m.graph.shared_storage()}, {}, fusion_policy::direct};
    od::object o = doc.root();
    read_hir(c, o, at, {}, *m.hir);
  } else if ((seen & has_nodes) != 0 || (seen & has_outputs) != 0) {
    od::object o = doc.root();
    read_graph(c, o, at, {}, m.graph);
  } else {
    at.fail(
        "no module (neither nodes and outputs, nor inner, nor mir and buffers), "
        "give a HIR, MIR or LIR module as RLX writes it");
  }
  doc.expect_end();
  m.notes = std::move(notes).take();
  return m;
}

module read_buffer(const buffer& b) {
  if (auto m = scan_module(b)) return std::move(*m);
  expect_json_module(b.text());
  const auto read = [](const buffer& text) {
    auto store = std::make_shared<storage>();
    store->adopt(text.data, text.text());
    document doc{text.text()};
    return read_document(doc, store);
  };
  try {
    return read(b);
  } catch (const not_compact&) {
    check_document(b.text());
    return read(compact(b.text()));
  }
}

}  // namespace

}  // namespace json

module read_text(std::string_view json) {
  json::buffer b = json::make_buffer(json.size());
  std::memcpy(b.data.get(), json.data(), json.size());
  return json::read_buffer(b);
}

module read_file(const std::string& path) { return json::read_buffer(json::load(path)); }

}  // namespace rlx
