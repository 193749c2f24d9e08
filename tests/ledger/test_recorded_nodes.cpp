// Nodes as they are read back: needs and expressions as recorded, and the fast reading of the
// writer's own bytes, which must agree with the general one wherever it takes a node.
#define BOOST_TEST_MODULE recorded_nodes
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <opscope/ledger_reader.hpp>
#include <thread>

#include "plugin/ledger/json_writer.hpp"
#include "plugin/ledger/need_members.hpp"
#include "plugin/ledger/read/byte_source.hpp"
#include "plugin/ledger/read/graph_parser.hpp"
#include "plugin/ledger/read/recorded_graph.hpp"
#include "plugin/ledger/record.hpp"
#include "tests/ledger/random_graph.hpp"
#include "tests/ledger/support.hpp"

namespace opscope::test {
namespace {

std::string line_of(const rlx_graph_view& g, bool with_need = true) {
  const graph_cost cost = analyze(rlx::graph_view{g});
  need_options options;
  options.rule = &cost;
  const graph_need need = analyze_need(rlx::graph_view{g}, options);
  const ledger_settings settings;
  const bindings unbound;
  record_context context{"2026-12-01T09:30:00.123456Z", std::nullopt, std::nullopt, &settings};
  if (with_need) {
    context.need = &need;
    context.bindings = &unbound;
  }
  json_writer out;
  write_record(out, lowered_record(g), cost, context);
  return std::string{out.pending()};
}

ledger_record read_line(const std::string& line) {
  const scratch s;
  write_text(s.path("l"), line + "\n");
  std::string said;
  ledger_reader reader{s.path("l"), [&](const std::string& note) { said += note; }};
  auto r = reader.next(true);
  BOOST_REQUIRE_MESSAGE(r.has_value(), said);
  BOOST_REQUIRE(r->nodes.has_value());
  return *std::move(r);
}

// The same record with a member of a later schema in front of each node, which the general reader
// alone takes.
std::string other_form(const std::string& line) {
  nlohmann::ordered_json r = nlohmann::ordered_json::parse(line);
  for (auto& node : r["nodes"]) {
    nlohmann::ordered_json longer{{"later", 0}};
    longer.update(node);
    node = longer;
  }
  return r.dump();
}

// All that is recorded of a graph's nodes, as text.
std::string all_of(const recorded_graph& g) {
  json_writer out;
  for (std::uint32_t id = 0; id < g.size(); ++id) {
    const rlx_node& n = g.view().node(id);
    const rlx_node_info& info = g.view().info(id);
    const auto text = [&](const rlx_string& s) {
      if (rlx::is_absent(s)) return out.raw(" absent");
      out.raw(' ');
      out.text(rlx::text(s));
    };
    const auto number = [&](std::uint64_t v) {
      out.raw(' ');
      out.number(v);
    };
    number(n.kind);
    number(n.dtype);
    text(info.kind_text);
    text(info.dtype_text);
    text(info.name);
    text(info.origin_label);
    text(info.origin_pass);
    number(info.origin_hir);
    number(n.view_root);
    number(info.view_byte_offset);
    number(info.slot_offset);
    number(info.slot_bytes);
    number(n.dynamic_dims);
    for (const std::uint64_t d : g.view().dims(n)) number(d);
    out.raw(" of");
    for (const std::uint32_t i : g.view().inputs(n)) number(i);
    for (const rlx_attribute& a : g.view().attributes(id)) {
      text(a.name);
      number(a.type);
      number(a.count);
      const rlx_attribute_type base = a.type & ~RLX_ATTRIBUTE_ARRAY;
      const bool is_text = base == RLX_ATTRIBUTE_TEXT || base == RLX_ATTRIBUTE_JSON;
      const bool is_array = (a.type & RLX_ATTRIBUTE_ARRAY) != 0;
      for (std::uint64_t i = 0; i < a.count; ++i) {
        if (is_text) {
          text(is_array ? a.value.texts[i] : a.value.text);
        } else {
          number(is_array ? a.value.u64s[i] : a.value.u64);
        }
      }
    }
    out.text(g.label(id));
    for (const figure f : {g.cost(id).bytes_read(), g.cost(id).bytes_written(),
                           g.cost(id).bytes_weights(), g.cost(id).flops()}) {
      out.count(f);
      out.raw(' ');
    }
    if (const auto need = g.need(id)) write_node_need(out, *need, true);
    if (const auto e = g.expressions(id)) write_expressions(out, *e);
    for (std::size_t i = 0; i < g.view().nested(id).size(); ++i) {
      out.raw("nested");
      out.verbatim(all_of(g.nested(id, i)));
    }
    out.raw('\n');
  }
  return std::string{out.pending()};
}

// A node of every form that the writer has for one.
void fill(view_builder& b) {
  const auto x = b.input("x \"quoted\"\t", {symbol(7), 4});
  const auto w = b.param("w", {4, 4}, b.unlisted_dtype("F8"));
  const auto m = b.node(RLX_KIND_MatMul, {x, w}, {symbol(7), 4});
  const auto r =
      b.node(RLX_KIND_Reshape, {m}, {4, symbol(7)}, RLX_DTYPE_F32, {{"new_shape", i64s({4, -1})}});
  b.alias(r, m).slot(m, 64, 1'000).slot(r, 64, 1'000).arena(1'064);
  const auto p = b.node(RLX_KIND_Rope, {r}, {4}, RLX_DTYPE_F16, {{"style", "{odd"}});
  b.origin(p, "label", std::nullopt, 5).origin(r, std::nullopt, "pass").name(p, "named");
  const auto l = b.node(b.unlisted_kind("Later"), {p}, {}, RLX_DTYPE_F16,
                        {{"u", std::uint64_t{INT64_MAX}},
                         {"i", -3},
                         {"f", 1e-7},
                         {"g", -2.5e300},
                         {"b", true},
                         {"j", json(R"({"a":[1,2]})")},
                         {"none", f64s({})},
                         {"us", u64s({1, 7})},
                         {"is", i64s({-1, 1})},
                         {"fs", f64s({0.5, 2.0, NAN})},
                         {"bs", bools({true, false})},
                         {"ts", texts({"a", ""})}});
  b.outputs({l, x});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(recorded_needs)

BOOST_AUTO_TEST_CASE(are_those_that_were_written) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    random_source random{seed};
    view_builder b{"g"};
    build(
        b,
        random_graph(random, {.nodes = 1 + seed % 30, .dynamic_percent = seed % 2 == 0 ? 0u : 20u}),
        seed);
    const graph_need need = analyze_need(b.view());
    std::vector<node_expressions> expressions = express_need(b.view());
    const ledger_record r = read_line(line_of(b.get()));
    std::size_t expressed = 0;
    for (std::uint32_t id = 0; id < need.nodes().size(); ++id) {
      const node_need wanted = need.nodes()[id];
      const auto got = r.nodes->need(id);
      BOOST_REQUIRE(got.has_value());
      BOOST_TEST((got->read == wanted.read && got->written == wanted.written));
      BOOST_TEST((got->weights == wanted.weights && got->work == wanted.work));
      BOOST_TEST((got->contraction == wanted.contraction && got->int_ops == wanted.int_ops));
      BOOST_TEST(got->is_invariant == (wanted.is_invariant && !wanted.is_leaf));
      BOOST_TEST(got->is_leaf == wanted.is_leaf);
      if (const auto e = r.nodes->expressions(id)) {
        BOOST_REQUIRE(expressed < expressions.size());
        const node_expressions& text = expressions[expressed++];
        BOOST_TEST(e->id == text.id);
        BOOST_TEST(e->read.lo == text.read.lo);
        BOOST_TEST(e->read.hi == text.read.hi);
        BOOST_TEST(e->int_ops.hi == text.int_ops.hi);
      }
    }
    BOOST_TEST(expressed == expressions.size());
  }
}

BOOST_AUTO_TEST_CASE(are_absent_where_they_were_not_recorded) {
  view_builder b{"g"};
  fill(b);
  const ledger_record r = read_line(line_of(b.get(), false));
  BOOST_TEST(!r.need.has_value());
  for (std::uint32_t id = 0; id < r.nodes->size(); ++id) {
    BOOST_TEST(!r.nodes->need(id).has_value());
    BOOST_TEST(!r.nodes->expressions(id).has_value());
  }
}

BOOST_AUTO_TEST_CASE(that_are_wrong_are_named_with_their_node) {
  view_builder b{"g"};
  fill(b);
  const auto complaint = [&](auto change) {
    nlohmann::ordered_json r = nlohmann::ordered_json::parse(line_of(b.get()));
    change(r["nodes"][2]);
    const scratch s;
    write_text(s.path("l"), r.dump());
    std::string said;
    ledger_reader reader{s.path("l"), [&](const std::string& note) { said += note; }};
    BOOST_TEST(!reader.next(true).has_value());
    return said;
  };
  const auto has = [](const std::string& text, std::string_view part) {
    BOOST_TEST(text.find(part) != std::string::npos, text);
  };
  has(complaint([](auto& n) { n["need"]["work"] = {5, 4}; }), "node 2: a need is no interval");
  has(complaint([](auto& n) { n["need"]["work"] = {5}; }), "node 2: a need is no interval");
  has(complaint([](auto& n) { n["need"]["work"] = {1, 2, 3}; }), "node 2: a need is no interval");
  has(complaint([](auto& n) { n["need"]["work"] = {-1, 4}; }), "node 2: ");
  has(complaint([](auto& n) { n["need"].erase("int_ops"); }), "node 2: its need lacks a figure");
  has(complaint([](auto& n) { n["need"] = 7; }), "node 2: ");
  has(complaint([](auto& n) { n["expr"].erase("read"); }), "node 2: its expr lacks a figure");
  has(complaint([](auto& n) { n["expr"]["read"] = {"1"}; }), "node 2: an expression is neither");
  has(complaint([](auto& n) { n["expr"]["read"] = {nullptr, "1"}; }), "node 2: ");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(fast_reading)

BOOST_AUTO_TEST_CASE(gives_what_the_general_one_gives) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    random_source random{seed};
    view_builder b{"g"};
    build(b, random_graph(random, {.nodes = 1 + seed % 40, .nested_percent = 10}), seed);
    const std::string line = line_of(b.get(), seed % 3 != 0);
    BOOST_REQUIRE_EQUAL(all_of(*read_line(line).nodes), all_of(*read_line(other_form(line)).nodes));
  }
  view_builder b{"g"};
  fill(b);
  const std::string line = line_of(b.get());
  BOOST_TEST(all_of(*read_line(line).nodes) == all_of(*read_line(other_form(line)).nodes));
}

// A node's bytes with the zeros behind them that a window has.
std::string padded(std::string_view node) {
  return std::string{node} + std::string(byte_source::padding, '\0');
}

std::vector<std::string> nodes_of(const std::string& line) {
  std::vector<std::string> all;
  std::size_t at = line.find("\"nodes\":[") + 9;
  while (line.compare(at, 6, "{\"id\":") == 0) {
    std::size_t end = line.find(",{\"id\":", at);
    if (end == std::string::npos) end = line.size() - 2;
    all.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return all;
}

BOOST_AUTO_TEST_CASE(takes_what_the_writer_writes) {
  view_builder b{"g"};
  const auto x = b.input("x", {symbol(0), 4});
  const auto w = b.param("model.w", {4, 4}, RLX_DTYPE_F16);
  const auto m = b.node(RLX_KIND_MatMul, {x, w}, {symbol(0), 4});
  const auto s = b.node(RLX_KIND_RmsNorm, {m, w}, {3, 4}, RLX_DTYPE_F32, {{"eps", 1e-5f}});
  b.slot(m, 64, 1'000).arena(1'064);
  b.origin(m, "label", "pass", 5).name(m, "named").outputs({s});
  for (const bool with_need : {true, false}) {
    graph_parser parser;
    parser.begin(0);
    const std::vector<std::string> nodes = nodes_of(line_of(b.get(), with_need));
    BOOST_REQUIRE(nodes.size() == 4u);
    for (const std::string& node : nodes) {
      const std::string text = padded(node);
      BOOST_TEST(parser.add_canonical_node(text.data(), node.size()) == node.size(), node);
    }
  }
}

BOOST_AUTO_TEST_CASE(leaves_to_the_general_one_what_is_cut) {
  view_builder b{"g"};
  b.outputs({b.input("x", {3, 4})});
  const std::string node = nodes_of(line_of(b.get())).front();
  graph_parser parser;
  parser.begin(0);
  for (std::size_t cut = 0; cut < node.size(); ++cut) {
    const std::string text = padded(std::string_view{node}.substr(0, cut));
    BOOST_REQUIRE(parser.add_canonical_node(text.data(), cut) == 0u);
    // Also where the bytes behind the end happen to go on as a node would.
    BOOST_REQUIRE(parser.add_canonical_node(padded(node).data(), cut) == 0u);
  }
  BOOST_TEST(parser.add_canonical_node(padded(node).data(), node.size()) == node.size());
}

// What one reading makes of the nodes; nothing where it takes one not.
std::optional<std::string> read_nodes(const std::vector<std::string>& nodes, bool is_fast) {
  graph_parser parser;
  parser.begin(0);
  for (const std::string& node : nodes) {
    const std::string text = padded(node);
    if (is_fast) {
      if (parser.add_canonical_node(text.data(), node.size()) != node.size()) return std::nullopt;
    } else {
      parser.add_node({text.data(), node.size()});
    }
  }
  return all_of(parser.finish("g", {}, std::nullopt));
}

BOOST_AUTO_TEST_CASE(takes_nothing_that_the_general_one_would_not) {
  view_builder b{"g"};
  fill(b);
  const std::vector<std::string> nodes = nodes_of(line_of(b.get()));
  constexpr std::string_view bytes = "\"\\{}[],:0-9.eE+\n\x01\xC3 tnu?";
  std::size_t taken = 0;
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    random_source random{seed};
    std::vector<std::string> changed(nodes.begin(), nodes.begin() + 3);
    std::string& node = changed[random.below(3)];
    const std::size_t at = random.below(node.size());
    if (random.chance(70)) {
      node[at] = bytes[random.below(bytes.size())];
    } else if (random.chance(50)) {
      node.insert(at, 1, bytes[random.below(bytes.size())]);
    } else {
      node.erase(at, 1);
    }
    const auto fast = read_nodes(changed, true);
    if (!fast) continue;
    ++taken;
    try {
      BOOST_REQUIRE_EQUAL(*fast, *read_nodes(changed, false));
    } catch (const line_error& e) {
      BOOST_REQUIRE_MESSAGE(false, "seed " << seed << ": " << e.what() << ": " << node);
    }
  }
  BOOST_TEST(taken > 300u);  // or nothing was compared
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(readers)

BOOST_AUTO_TEST_CASE(in_several_threads_do_not_meet) {
  const scratch s;
  view_builder b{"g"};
  fill(b);
  const std::string line = line_of(b.get());
  const std::string wanted = all_of(*read_line(line).nodes);
  std::string text;
  for (int i = 0; i < 40; ++i) text += (i % 2 == 0 ? line : other_form(line)) + "\n";
  write_text(s.path("l"), text);
  std::vector<std::size_t> equal(3);
  std::vector<std::thread> threads;
  for (std::size_t& count : equal) {
    threads.emplace_back([&count, &wanted, path = s.path("l")] {
      ledger_reader reader{path, nullptr};
      while (const auto r = reader.next(true)) count += all_of(*r->nodes) == wanted;
    });
  }
  for (std::thread& t : threads) t.join();
  for (const std::size_t count : equal) BOOST_TEST(count == 40u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace opscope::test
