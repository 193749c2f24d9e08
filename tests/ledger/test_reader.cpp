// Reading back: what was written, what is torn, what is foreign, what is hostile.
#define BOOST_TEST_MODULE ledger_reader
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <opscope/ledger_reader.hpp>

#include "plugin/ledger/json_writer.hpp"
#include "plugin/ledger/read/long_number.hpp"
#include "plugin/ledger/read/scanner.hpp"
#include "plugin/ledger/record.hpp"
#include "tests/ledger/random_graph.hpp"
#include "tests/ledger/support.hpp"

namespace opscope::test {
namespace {

using nlohmann::ordered_json;

std::string line_of(const rlx_graph_view& g) {
  const ledger_settings settings;
  json_writer out;
  write_record(
      out, lowered_record(g), analyze(rlx::graph_view{g}),
      {"2026-12-01T09:30:00.123456Z", std::nullopt, fingerprint(rlx::graph_view{g}), &settings});
  return std::string{out.pending()};
}

// Every kind of member that a node can have.
void fill_with_everything(view_builder& b) {
  const auto x = b.input("x\n\"y\"", {symbol(7), 4});
  const auto w = b.param("w", {4, 4}, b.unlisted_dtype("F8"));
  const auto c = b.constant({4}, RLX_DTYPE_I8, 4);
  const auto m = b.node(RLX_KIND_MatMul, {x, w}, {symbol(7), 4});
  const auto r =
      b.node(RLX_KIND_Reshape, {m}, {4, symbol(7)}, RLX_DTYPE_F32, {{"new_shape", i64s({4, -1})}});
  b.alias(r, m).slot(m, 64, 1'000).slot(r, 64, 1'000).arena(1'064);
  const auto p =
      b.node(RLX_KIND_Rope, {r}, {4}, RLX_DTYPE_F16, {{"head_dim", 64u}, {"style", "{odd"}});
  b.origin(p, "label", std::nullopt, 5).origin(r, std::nullopt, "pass");
  const auto d = b.node(RLX_KIND_DequantMatMul, {p, c}, {4}, RLX_DTYPE_F16,
                        {{"scheme", json(R"({"Int8Block":{"block_size":32}})")}});
  const auto l = b.node(b.unlisted_kind("Later"), {d}, {4}, RLX_DTYPE_F16,
                        {{"u", UINT64_MAX},
                         {"i", -3},
                         {"f", 0.1},
                         {"b", true},
                         {"t", "text"},
                         {"j", json("[[1,2]]")},
                         {"us", u64s({1, UINT64_MAX})},
                         {"is", i64s({-1, 1})},
                         {"fs", f64s({0.5, 2.0})},
                         {"bs", bools({true, false})},
                         {"ts", texts({"a", "\xE2\x82\xAC"})}});
  const auto s =
      b.node(RLX_KIND_Scan, {l}, {4}, RLX_DTYPE_F16, {{"length", 3u}, {"save_trajectory", false}});
  view_builder& body = b.nested(s, "body");
  const auto y = body.input("y", {symbol(7)});
  const auto e = body.node(RLX_KIND_If, {y}, {4});
  view_builder& branch = body.nested(e, "then_branch");
  branch.outputs({branch.input("z", {4})});
  body.nested(e, "else_branch").outputs({});
  body.outputs({e, y});
  b.outputs({s, s, x});
}

struct notes {
  std::vector<std::string> all;
  note_function taker() {
    return [this](const std::string& text) { all.push_back(text); };
  }
  std::string joined() const {
    std::string text;
    for (const std::string& n : all) text += n + "\n";
    return text;
  }
};

struct read_result {
  std::vector<ledger_record> records;
  notes said;
};

read_result read_ledger(const std::string& path, bool with_nodes) {
  read_result result;
  ledger_reader reader{path, result.said.taker()};
  while (auto r = reader.next(with_nodes)) result.records.push_back(*std::move(r));
  BOOST_TEST(reader.skipped_lines() == result.said.all.size());
  return result;
}

read_result read_text_as_ledger(std::string_view text, bool with_nodes = true) {
  const scratch s;
  write_text(s.path("l"), text);
  return read_ledger(s.path("l"), with_nodes);
}

// The one note about a one-line ledger.
std::string complaint(const std::string& line, bool with_nodes = true) {
  const read_result r = read_text_as_ledger(line + "\n", with_nodes);
  BOOST_TEST(r.records.empty());
  BOOST_REQUIRE(r.said.all.size() == 1u);
  return r.said.all.front();
}

void expect_text(const std::string& text, std::string_view part) {
  BOOST_TEST(text.find(part) != std::string::npos, "\"" << text << "\" lacks \"" << part << "\"");
}

ordered_json plain_record() {
  view_builder b{"g"};
  const auto x = b.input("x", {4});
  b.outputs({b.node(RLX_KIND_Softmax, {x}, {4}, RLX_DTYPE_F32, {{"axis", -1}})});
  return ordered_json::parse(line_of(b.get()));
}

BOOST_AUTO_TEST_SUITE(reading_back)

BOOST_AUTO_TEST_CASE(gives_what_was_written_to_the_letter) {
  view_builder b{"graph \x01 name"};
  fill_with_everything(b);
  BOOST_REQUIRE(!rlx::find_defect(b.get()));
  const std::string line = line_of(b.get());
  const read_result r = read_text_as_ledger(line + "\n");
  BOOST_TEST(r.said.joined() == "");
  BOOST_REQUIRE(r.records.size() == 1u);
  const ledger_record& record = r.records.front();
  BOOST_REQUIRE(record.nodes.has_value());
  BOOST_TEST(record.graph == "graph \x01 name");
  BOOST_TEST(record.line == 1u);
  BOOST_TEST(*record.lowered == fingerprint(b.view()));
  BOOST_TEST(fingerprint(record.nodes->view()) == fingerprint(b.view()));
  BOOST_TEST(line_of(record.nodes->raw()) == line);
}

BOOST_AUTO_TEST_CASE(gives_random_graphs_back) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    random_source random{seed};
    view_builder b{"g"};
    build(b, random_graph(random, {.nodes = 1 + seed % 40, .nested_percent = 10}), seed);
    const std::string line = line_of(b.get());
    const read_result r = read_text_as_ledger(line);  // no newline at the end: still a record
    BOOST_REQUIRE_MESSAGE(r.records.size() == 1u, r.said.joined());
    BOOST_REQUIRE(line_of(r.records.front().nodes->raw()) == line);
  }
}

BOOST_AUTO_TEST_CASE(keeps_costs_labels_and_nested_graphs_as_recorded) {
  ordered_json r = plain_record();
  r["nodes"][1]["bytes_read"] = 12'345;
  r["nodes"][1]["flops"] = nullptr;
  r["nodes"][1]["label"] = "given";
  const read_result read = read_text_as_ledger(r.dump());
  BOOST_REQUIRE(read.records.size() == 1u);
  const recorded_graph& g = *read.records.front().nodes;
  BOOST_TEST((g.cost(1).bytes_read() == figure{12'345}));
  BOOST_TEST(!g.cost(1).flops().has_value());
  BOOST_TEST(g.label(1) == "given");
}

BOOST_AUTO_TEST_CASE(takes_members_in_any_order_and_unknown_ones) {
  view_builder b{"g"};
  fill_with_everything(b);
  const std::string line = line_of(b.get());
  nlohmann::json sorted = nlohmann::json::parse(line);
  sorted["aaa"] = {{"later", {1, 2, 3}}};
  sorted["nodes"][3]["zzz"] = "later";
  const read_result r = read_text_as_ledger(sorted.dump());
  BOOST_REQUIRE_MESSAGE(r.records.size() == 1u, r.said.joined());
  BOOST_TEST(fingerprint(r.records.front().nodes->view()) == fingerprint(b.view()));
}

BOOST_AUTO_TEST_CASE(reads_graphs_longer_than_any_buffer) {
  view_builder b{"long"};
  auto last = b.input("x", {4});
  const std::string name(300, 'n');
  for (int i = 0; i < 10'000; ++i) {
    last = b.node(RLX_KIND_Softmax, {last}, {4});
    b.name(last, name);
  }
  const std::string line = line_of(b.get());
  BOOST_TEST(line.size() > 5'000'000u);
  for (const bool with_nodes : {true, false}) {
    const read_result r = read_text_as_ledger(line + "\n" + line + "\n", with_nodes);
    BOOST_REQUIRE_MESSAGE(r.records.size() == 2u, r.said.joined());
    BOOST_TEST(r.records[1].nodes.has_value() == with_nodes);
    BOOST_TEST(r.records[1].offset == line.size() + 1);
    if (with_nodes) BOOST_TEST(r.records[1].nodes->size() == 10'001u);
  }
}

BOOST_AUTO_TEST_CASE(finds_a_record_again_by_its_offset) {
  const scratch s;
  const std::string line = plain_record().dump();
  write_text(s.path("l"), "foreign\n" + line + "\n\n" + line + "\n");
  notes said;
  ledger_reader reader{s.path("l"), said.taker()};
  const auto first = reader.next();
  const auto second = reader.next();
  BOOST_REQUIRE((first && second && !reader.next()));
  BOOST_TEST(first->line == 2u);
  BOOST_TEST(second->line == 4u);
  BOOST_TEST(!second->nodes.has_value());
  const auto again = reader.read_at(first->offset, first->line);
  BOOST_REQUIRE(again.has_value());
  BOOST_TEST(again->nodes->size() == 2u);
  BOOST_TEST(said.all.size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(torn_and_foreign_lines)

BOOST_AUTO_TEST_CASE(every_cut_is_stepped_over_and_the_rest_is_used) {
  view_builder b{"g"};
  fill_with_everything(b);
  const std::string line = line_of(b.get());
  const scratch s;
  for (std::size_t cut = 1; cut < line.size(); ++cut) {
    write_text(s.path("l"), line.substr(0, cut) + "\n" + line + "\n" + line.substr(0, cut));
    const read_result r = read_ledger(s.path("l"), cut % 2 == 0);
    BOOST_REQUIRE_MESSAGE(r.records.size() == 1u, "cut at " << cut);
    BOOST_REQUIRE_MESSAGE(r.said.all.size() == 2u, "cut at " << cut);
    BOOST_REQUIRE(r.said.all[0].find("/l:1: ") != std::string::npos);
    BOOST_REQUIRE(r.said.all[1].find("/l:3: ") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(a_torn_line_is_called_one) {
  const std::string line = plain_record().dump();
  expect_text(complaint(line.substr(0, line.size() - 20)), "ends early (its writer was stopped");
  expect_text(complaint(line.substr(0, 30)), "ends early");
}

BOOST_AUTO_TEST_CASE(lines_of_others_are_noted_and_left_out) {
  const std::string line = plain_record().dump();
  const std::vector<std::pair<std::string, std::string>> others{
      {"hello", "no ledger record (it is no JSON object)"},
      {"[1,2]", "no ledger record (it is no JSON object)"},
      {"{}", "it has no member schema"},
      {R"({"a":1})", "it has no member schema"},
      {R"({"schema":7})", "schema is no text"},
      {R"({"schema":"other/1"})", "its schema is another one"},
      {R"({"schema":"opscope-ledger/2"})", "its schema is opscope-ledger/2"},
      {R"({"schema":"opscope-ledger/1"})", "the member opscope is missing"},
      {R"({"schema":"opscope-ledger/1",})", "a member has no name"},
      {R"({"schema" "opscope-ledger/1"})", "a member has no value"},
      {R"({"schema":"opscope-ledger/1"} x)", "more than one record"},
      {R"({"schema":tru})", "not JSON"},
      {line + line, "more than one record"},
      {"\xEF\xBB\xBF" + line, "no JSON object"},
      {std::string(3, '\0'), "no JSON object"},
      {std::string(100'000, '['), "no JSON object"},
      {"{\"schema\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}", "not JSON"},
      {"{\"schema\":" + std::string(1'000, '1') + "}", "the member schema holds a number beyond"},
      {"{\"schema\":\"\xFF\"}", "not JSON"}};
  for (const auto& [text, what] : others) {
    const read_result r = read_text_as_ledger(line + "\n" + text + "\n\n  \n" + line + "\n");
    BOOST_TEST(r.records.size() == 2u, text.substr(0, 80));
    BOOST_REQUIRE_MESSAGE(r.said.all.size() == 1u, text.substr(0, 80));
    expect_text(r.said.all.front(), "/l:2: ");
    expect_text(r.said.all.front(), what);
  }
}

BOOST_AUTO_TEST_CASE(an_empty_file_has_no_records) {
  BOOST_TEST(read_text_as_ledger("").records.empty());
  BOOST_TEST(read_text_as_ledger("\n\n \n").said.all.empty());
}

BOOST_AUTO_TEST_CASE(files_that_cannot_be_read_are_named) {
  const scratch s;
  const auto message = [&](const std::string& path) -> std::string {
    try {
      ledger_reader reader{path, nullptr};
      reader.next();
    } catch (const ledger_error& e) {
      return e.what();
    }
    return "no error";
  };
  expect_text(message(s.path("missing")), "missing: cannot be opened: No such file");
  expect_text(message(s.folder().string()), "is a folder");
  BOOST_CHECK_EXCEPTION(ledger_files(s.folder().string()), ledger_error, [](const auto& e) {
    return std::string{e.what()}.find("no file in the folder") != std::string::npos;
  });
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(hostile_records)

// Changes one member of a sound record; the note about it.
template <class Change>
std::string complaint_after(Change change, bool with_nodes = true) {
  ordered_json r = plain_record();
  change(r);
  return complaint(r.dump(), with_nodes);
}

BOOST_AUTO_TEST_CASE(name_the_member_that_is_wrong) {
  expect_text(complaint_after([](ordered_json& r) { r["graph"] = 1; }),
              "the member graph is no text");
  expect_text(complaint_after([](ordered_json& r) { r["seq"] = -1; }),
              "the member seq is no count");
  expect_text(complaint_after([](ordered_json& r) { r["seq"] = 1.0; }),
              "the member seq is no count");
  expect_text(complaint_after([](ordered_json& r) { r["totals"]["bytes"] = "1"; }),
              "the member totals.bytes is no count");
  expect_text(complaint_after([](ordered_json& r) { r["totals"].erase("memory"); }),
              "the member totals.memory is missing");
  expect_text(complaint_after([](ordered_json& r) { r["by_kind"][0]["count"] = nullptr; }),
              "the member by_kind[0].count is no count");
  expect_text(complaint_after([](ordered_json& r) { r["compiler"]["options"]["x"] = 1; }),
              "the member compiler.options holds something that is no text");
  expect_text(complaint_after([](ordered_json& r) { r["tags"] = "x"; }),
              "the member tags is no object");
}

BOOST_AUTO_TEST_CASE(name_the_number_that_no_64_bits_hold) {
  for (const char* number : {"18446744073709551616", "-9223372036854775809", "1e999"}) {
    const auto with = [&](std::string line, std::string_view place, std::string_view old) {
      const std::size_t at = line.find(place);
      BOOST_REQUIRE(at != std::string::npos);
      return line.replace(at + place.size(), old.size(), number);
    };
    const std::string plain = plain_record().dump();
    expect_text(complaint(with(plain, "\"seq\":", "0")),
                "the member seq holds a number beyond 64 bits");
    expect_text(complaint(with(plain, "\"views\":", "0")),
                "the member totals.memory.views holds a number beyond 64 bits");
    expect_text(complaint(with(plain, "\"by_kind\":[{\"kind\":\"Softmax\",\"count\":", "1")),
                "the member by_kind.count holds a number beyond 64 bits");
  }
  // Numbers in texts are none.
  ordered_json r = plain_record();
  r["graph"] = "\"18446744073709551616";
  BOOST_TEST(!find_long_number(r.dump()).has_value());
  BOOST_TEST(!find_long_number("{\"a\":18446744073709551615,\"b\":-9223372036854775808}"));
  for (const char* torn : {"", "{", "\"", "\"\\", "]]}", "{\"a\":-", "1"}) {
    BOOST_TEST(!find_long_number(torn).has_value());
  }
}

BOOST_AUTO_TEST_CASE(have_a_stage_and_a_time) {
  for (const char* stage : {"zzz", "", "Lowered", "lowered "}) {
    expect_text(complaint_after([&](ordered_json& r) { r["stage"] = stage; }),
                "the member stage is none of source, pass and lowered");
  }
  for (const char* time :
       {"yesterday", "", "2026-12-01T09:30:00Z", "2026-12-01T09:30:00.123456", "2026-12-01",
        "2026-12-01 09:30:00.123456Z", "2026-13-01T09:30:00.123456Z", "2026-00-01T09:30:00.123456Z",
        "2026-12-32T09:30:00.123456Z", "2026-12-00T09:30:00.123456Z", "2026-12-01T24:30:00.123456Z",
        "2026-12-01T09:60:00.123456Z", "2026-12-01T09:30:61.123456Z", "2026-12-01T09:30:00.12345:Z",
        "2026-12-01T09:30:00.123456ZZ"}) {
    expect_text(complaint_after([&](ordered_json& r) { r["time"] = time; }),
                "the member time is no time such as 2026-");
  }
  ordered_json r = plain_record();
  for (const char* stage : {"source", "pass", "lowered"}) {
    r["stage"] = stage;
    r["time"] = "9999-12-31T23:59:60.999999Z";
    BOOST_TEST(read_text_as_ledger(r.dump()).records.size() == 1u);
  }
}

BOOST_AUTO_TEST_CASE(name_the_node_that_is_wrong) {
  const auto node = [](auto change) {
    return complaint_after([&](ordered_json& r) { change(r["nodes"][1]); });
  };
  using json = ordered_json;
  expect_text(node([](json& n) { n["id"] = 7; }), "node 1: its id is not its position");
  expect_text(node([](json& n) { n["inputs"] = {1}; }), "node 1: an operand does not come before");
  expect_text(node([](json& n) { n["inputs"] = {-1}; }), "node 1: ");
  expect_text(node([](json& n) { n["inputs"] = {UINT64_MAX}; }), "node 1: an operand");
  expect_text(node([](json& n) { n["shape"] = {"?"}; }), "node 1: a dim is neither");
  expect_text(node([](json& n) { n["shape"] = {"4"}; }), "node 1: a dim is neither");
  expect_text(node([](json& n) { n["shape"] = {1.5}; }), "node 1: ");
  expect_text(node([](json& n) { n["shape"] = json(std::vector<int>(65, 1)); }),
              "rank is above 64");
  expect_text(node([](json& n) { n.erase("flops"); }), "node 1: the member flops is missing");
  expect_text(node([](json& n) { n["view"] = {{"root", 1}, {"offset", 0}}; }), "view root");
  expect_text(node([](json& n) { n["attrs"]["x"] = {{"y", 1}}; }), "an attribute holds an object");
  expect_text(node([](json& n) { n["attrs"]["x"] = {1, "a"}; }), "mixes numbers, texts");
  expect_text(node([](json& n) { n["attrs"]["x"] = {-1, UINT64_MAX}; }), "no common type");
  expect_text(node([](json& n) { n["subgraphs"] = {{{"role", "body"}}}; }), "a nested graph lacks");
  expect_text(complaint_after([](json& r) { r["nodes"][0] = 1; }), "a node is no object");
  expect_text(complaint_after([](json& r) { r["nodes"] = 1; }), "its nodes are no array");
  expect_text(complaint_after([](json& r) { r["outputs"] = {2}; }), "an output is no node");
  expect_text(complaint_after([](json& r) { r["totals"]["nodes"] = 3; }), "it holds 2 nodes");
}

BOOST_AUTO_TEST_CASE(do_not_nest_without_end) {
  const auto nested = [](int depth) {
    std::string nodes = "[]";
    for (int i = 0; i < depth; ++i) {
      nodes =
          R"([{"id":0,"kind":"Scan","name":null,"label":"","dtype":"F32","shape":[],"inputs":[],)"
          R"("attrs":{},"origin":null,"view":null,"slot":null,"bytes_read":0,)"
          R"("bytes_written":0,"bytes_weights":0,"flops":0,"subgraphs":[{"role":"body",)"
          R"("name":"","outputs":[],"nodes":)" +
          nodes + "}]}]";
    }
    ordered_json r = plain_record();
    r.erase("nodes");
    r["totals"]["nodes"] = 1;
    r["outputs"] = ordered_json::array();
    std::string line = r.dump();
    line.pop_back();
    return line + ",\"nodes\":" + nodes + "}";
  };
  BOOST_TEST(read_text_as_ledger(nested(64)).records.size() == 1u);
  expect_text(complaint(nested(65)), "nested more than 64 deep");
  expect_text(complaint(nested(2'000)), "/l:1: ");
}

BOOST_AUTO_TEST_CASE(do_not_crash_where_bytes_are_changed) {
  view_builder b{"g"};
  fill_with_everything(b);
  const std::string line = line_of(b.get());
  const scratch s;
  for (std::uint64_t seed = 0; seed < 3'000; ++seed) {
    random_source random{seed};
    std::string changed = line;
    for (std::uint32_t i = 0; i <= random.below(3); ++i) {
      constexpr std::string_view bytes = "\"\\{}[],:0-9.e\n\x01\xC3 tn";
      changed[random.below(changed.size())] = bytes[random.below(bytes.size())];
    }
    write_text(s.path("l"), changed);
    const read_result r = read_ledger(s.path("l"), true);
    for (const ledger_record& record : r.records) {
      if (record.nodes) BOOST_REQUIRE(!rlx::find_defect(record.nodes->raw()));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(scanner)

// The same, a byte at a time.
bracket_scanner::result scan_plainly(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  bool escaped = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') return {bracket_scanner::found::newline, i};
    if (escaped) {
      escaped = false;
    } else if (in_string) {
      escaped = c == '\\';
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth <= 1) return {bracket_scanner::found::end, i + 1};
      --depth;
    }
  }
  return {bracket_scanner::found::nothing, text.size()};
}

BOOST_AUTO_TEST_CASE(agrees_with_a_plain_scan_in_any_pieces) {
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    random_source random{seed};
    // Alphabets of different densities, so that whole blocks go by without an event.
    const std::string_view alphabet = seed % 3 == 0   ? "{}[]\"\\\n"
                                      : seed % 3 == 1 ? "aaaaaaaaaaa\"\"{}[]"
                                                      : "aaaaaaaaaaaaaaaaaaaaaaaaaaaa{{}\"\\";
    std::string text = "{";
    const std::uint32_t size = 1 + random.below(400);
    while (text.size() < size) text += alphabet[random.below(alphabet.size())];
    const auto expected = scan_plainly(text);
    bracket_scanner s;
    std::size_t done = 0;
    bracket_scanner::result r{bracket_scanner::found::nothing, 0};
    while (done < text.size() && r.what == bracket_scanner::found::nothing) {
      const std::size_t piece = std::min<std::size_t>(1 + random.below(200), text.size() - done);
      r = s.scan(text.data() + done, piece);
      done += r.used;
    }
    BOOST_REQUIRE_MESSAGE(r.what == expected.what, "seed " << seed);
    BOOST_REQUIRE_MESSAGE(done == expected.used, "seed " << seed);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace opscope::test
