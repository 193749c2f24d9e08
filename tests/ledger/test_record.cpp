// The record's members, one by one, as a JSON reader sees them.
#define BOOST_TEST_MODULE record
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <opscope/ledger.hpp>

#include "plugin/ledger/json_writer.hpp"
#include "plugin/ledger/record.hpp"
#include "tests/ledger/support.hpp"

namespace opscope::test {
namespace {

using nlohmann::ordered_json;

std::vector<std::string> keys(const ordered_json& object) {
  std::vector<std::string> all;
  for (const auto& [key, value] : object.items()) all.push_back(key);
  return all;
}

ordered_json record_of(const rlx_compile_record& r, const ledger_settings& settings = {}) {
  const graph_cost cost = analyze(rlx::graph_view{*r.graph});
  json_writer out;
  write_record(out, r, cost, {"2026-12-01T09:30:00.123456Z", std::nullopt, "fp1:x", &settings});
  return ordered_json::parse(out.pending());
}
ordered_json record_of(const rlx_graph_view& g, const ledger_settings& settings = {}) {
  return record_of(lowered_record(g), settings);
}

std::string written(std::string_view text) {
  json_writer out;
  out.text(text);
  return std::string{out.pending()};
}
std::string written(double v) {
  json_writer out;
  out.real(v);
  return std::string{out.pending()};
}

BOOST_AUTO_TEST_SUITE(record)

BOOST_AUTO_TEST_CASE(has_every_member_of_the_schema_in_its_order) {
  view_builder b{"g"};
  const auto x = b.input("x", {2, 3});
  const auto w = b.param("w", {3, 5});
  b.outputs({b.node(RLX_KIND_MatMul, {x, w}, {2, 5})});
  const ordered_json r = record_of(b.get());
  using list = std::vector<std::string>;
  BOOST_TEST(keys(r) == (list{"schema", "opscope", "time", "graph", "seq", "stage", "pass",
                              "target", "compiler", "tags", "source", "lowered", "totals",
                              "by_kind", "outputs", "nodes"}),
             boost::test_tools::per_element());
  BOOST_TEST(keys(r["opscope"]) == (list{"version", "rule"}), boost::test_tools::per_element());
  BOOST_TEST(keys(r["compiler"]) == (list{"name", "version", "pipeline", "options"}),
             boost::test_tools::per_element());
  BOOST_TEST(keys(r["totals"]) ==
                 (list{"nodes", "bytes", "bytes_read", "bytes_written", "bytes_weights", "flops",
                       "intensity", "dynamic_nodes", "overflow_nodes", "memory"}),
             boost::test_tools::per_element());
  BOOST_TEST(keys(r["by_kind"][0]) == (list{"kind", "count", "bytes", "flops"}),
             boost::test_tools::per_element());
  BOOST_TEST(keys(r["nodes"][2]) == (list{"id", "kind", "name", "label", "dtype", "shape", "inputs",
                                          "attrs", "origin", "view", "slot", "bytes_read",
                                          "bytes_written", "bytes_weights", "flops", "subgraphs"}),
             boost::test_tools::per_element());
  BOOST_TEST(r["schema"] == "opscope-ledger/1");
  BOOST_TEST(r["opscope"]["rule"] == "rlx-opscope 0.2.18");
  BOOST_TEST(r["time"] == "2026-12-01T09:30:00.123456Z");
  BOOST_TEST(r["source"].is_null());
  BOOST_TEST(r["lowered"] == "fp1:x");
  BOOST_TEST(r["outputs"] == (std::vector<int>{2}));
}

BOOST_AUTO_TEST_CASE(figures_are_those_of_the_rule) {
  view_builder b{"g"};
  const auto x = b.input("x", {2, 3});
  const auto w = b.param("w", {3, 5});
  b.outputs({b.node(RLX_KIND_MatMul, {x, w}, {2, 5})});
  const ordered_json r = record_of(b.get());
  const ordered_json& n = r["nodes"][2];
  BOOST_TEST(n["bytes_read"] == 4 * (2 * 3 + 3 * 5));
  BOOST_TEST(n["bytes_written"] == 4 * 2 * 5);
  BOOST_TEST(n["bytes_weights"] == 4 * 3 * 5);
  BOOST_TEST(n["flops"] == 2 * 2 * 5 * 3);
  BOOST_TEST(r["totals"]["bytes"] == 4 * (2 * 3 + 3 * 5 + 2 * 5));
  BOOST_TEST(r["totals"]["flops"] == 2 * 2 * 5 * 3);
  BOOST_TEST(r["totals"]["nodes"] == 3);
  BOOST_TEST(r["by_kind"][0]["kind"] == "MatMul");
  BOOST_TEST(r["by_kind"][0]["count"] == 1);
}

BOOST_AUTO_TEST_CASE(unknown_is_null_and_large_is_exact) {
  view_builder b{"g"};
  const std::uint64_t huge = std::uint64_t{1} << 62;
  const auto x = b.input("x", {huge}, RLX_DTYPE_F32);  // 2^64 bytes: not a number here
  const auto y = b.input("y", {huge}, RLX_DTYPE_U8);   // 2^62 bytes: one
  b.node(RLX_KIND_Activation, {x}, {huge}, RLX_DTYPE_F32, {{"value", "Relu"}});
  b.node(RLX_KIND_Activation, {y}, {huge}, RLX_DTYPE_U8, {{"value", "Relu"}});
  const ordered_json r = record_of(b.get());
  BOOST_TEST(r["nodes"][2]["bytes_read"].is_null());
  BOOST_TEST(r["nodes"][3]["bytes_read"].get<std::uint64_t>() == huge);
  BOOST_TEST(r["totals"]["bytes"].is_null());
  BOOST_TEST(r["totals"]["intensity"].is_null());
  BOOST_TEST(r["totals"]["overflow_nodes"] == 1);
}

BOOST_AUTO_TEST_CASE(attributes_keep_their_types) {
  view_builder b{"g"};
  const auto x = b.input("x", {4});
  const auto n = b.node(b.unlisted_kind("Later"), {x}, {4}, RLX_DTYPE_F32,
                        {{"u", UINT64_MAX},
                         {"i", INT64_MIN},
                         {"f", 1.0},
                         {"e", static_cast<double>(1e-5f)},
                         {"b", true},
                         {"s", "text"},
                         {"p", bytes(77)},
                         {"j", json(R"({"Int8Block":{"block_size":32}})")},
                         {"us", u64s({1, 2})},
                         {"is", i64s({-1, 2})},
                         {"fs", f64s({0.5, 2.0})},
                         {"bs", bools({true, false})},
                         {"ss", texts({"a", "b\n"})}});
  const ordered_json r = record_of(b.get());
  const ordered_json& a = r["nodes"][n]["attrs"];
  BOOST_TEST(r["nodes"][n]["kind"] == "Later");
  BOOST_TEST(a["u"].get<std::uint64_t>() == UINT64_MAX);
  BOOST_TEST(a["i"].get<std::int64_t>() == INT64_MIN);
  BOOST_TEST(a["f"].is_number_float());
  BOOST_TEST(a["e"].get<double>() == static_cast<double>(1e-5f));
  BOOST_TEST(a["b"] == true);
  BOOST_TEST(a["s"] == "text");
  BOOST_TEST(a["p"] == 77);
  BOOST_TEST(a["j"] == R"({"Int8Block":{"block_size":32}})");
  BOOST_TEST(a["us"].dump() == "[1,2]");
  BOOST_TEST(a["is"].dump() == "[-1,2]");
  BOOST_TEST(a["fs"].dump() == "[0.5,2.0]");
  BOOST_TEST(a["bs"].dump() == "[true,false]");
  BOOST_TEST(a["ss"].dump() == R"(["a","b\n"])");
}

BOOST_AUTO_TEST_CASE(shapes_views_slots_and_origins_are_told) {
  view_builder b{"g"};
  const auto x = b.input("x", {symbol(3), 16});
  const auto r0 = b.node(RLX_KIND_Reshape, {x}, {symbol(3), 4, 4}, RLX_DTYPE_F32,
                         {{"new_shape", i64s({-1, 4, 4})}});
  b.alias(r0, x, RLX_UNKNOWN);
  b.slot(x, 64, 128);
  b.origin(r0, std::nullopt, "fold", 7);
  const ordered_json r = record_of(b.get());
  BOOST_TEST(r["nodes"][0]["shape"].dump() == R"(["?3",16])");
  BOOST_TEST(r["nodes"][0]["view"].is_null());
  BOOST_TEST(r["nodes"][0]["slot"].dump() == R"({"offset":64,"bytes":128})");
  BOOST_TEST(r["nodes"][0]["origin"].is_null());
  BOOST_TEST(r["nodes"][1]["view"].dump() == R"({"root":0,"offset":null})");
  BOOST_TEST(r["nodes"][1]["slot"].is_null());
  BOOST_TEST(r["nodes"][1]["origin"].dump() == R"({"hir":7,"label":null,"pass":"fold"})");
}

BOOST_AUTO_TEST_CASE(memory_is_unknown_without_a_plan_and_measured_with_one) {
  view_builder b{"g"};
  const auto x = b.input("x", {4});
  const auto a = b.node(RLX_KIND_Activation, {x}, {4});
  const auto v = b.node(RLX_KIND_Reshape, {a}, {2, 2});
  const auto c = b.node(RLX_KIND_Activation, {v}, {2, 2});
  const auto d = b.node(RLX_KIND_Activation, {c}, {2, 2});
  b.alias(v, a).outputs({d});
  const auto memory = [&] { return record_of(b.get())["totals"]["memory"]; };
  BOOST_TEST(memory().dump() ==
             R"({"arena_bytes":null,"unshared_bytes":null,"peak_live_bytes":null,"views":1})");
  b.slot(x, 0, 16).slot(a, 64, 100).slot(v, 64, 100).slot(c, 192, 30).slot(d, 64, 7).arena(222);
  // Alive at the step of c: x, a (through its view) and c; at that of d: x, c and d.
  BOOST_TEST(memory()["arena_bytes"] == 222);
  BOOST_TEST(memory()["unshared_bytes"] == 16 + 100 + 30 + 7);
  BOOST_TEST(memory()["peak_live_bytes"] == 16 + 100 + 30);
}

BOOST_AUTO_TEST_CASE(nested_graphs_have_nodes_of_the_same_form) {
  view_builder b{"outer"};
  const auto x = b.input("x", {4});
  const auto loop = b.node(RLX_KIND_Scan, {x}, {4}, RLX_DTYPE_F32, {{"length", 5u}});
  view_builder& body = b.nested(loop, "body");
  const auto y = body.input("y", {4});
  body.outputs({body.node(RLX_KIND_Binary, {y, y}, {4}, RLX_DTYPE_F32, {{"value", "Add"}})});
  const ordered_json r = record_of(b.get());
  const ordered_json& sub = r["nodes"][loop]["subgraphs"];
  BOOST_REQUIRE(sub.size() == 1u);
  BOOST_TEST(keys(sub[0]) == (std::vector<std::string>{"role", "name", "outputs", "nodes"}),
             boost::test_tools::per_element());
  BOOST_TEST(sub[0]["role"] == "body");
  BOOST_TEST(sub[0]["outputs"].dump() == "[1]");
  BOOST_TEST(keys(sub[0]["nodes"][1]) == keys(r["nodes"][0]), boost::test_tools::per_element());
  BOOST_TEST(sub[0]["nodes"][1]["bytes_read"] == 4 * (4 + 4));
}

BOOST_AUTO_TEST_CASE(nodes_can_be_left_out) {
  view_builder b{"g"};
  b.outputs({b.input("x", {4})});
  ledger_settings settings;
  settings.with_nodes = false;
  const ordered_json r = record_of(b.get(), settings);
  BOOST_TEST(!r.contains("nodes"));
  BOOST_TEST(!r.contains("outputs"));
  BOOST_TEST(r["totals"]["nodes"] == 1);
}

BOOST_AUTO_TEST_CASE(options_tags_stage_and_pass_are_told) {
  view_builder b{"g"};
  const rlx_option options[] = {{rlx::borrow("disable-pass"), rlx::borrow("x")},
                                {rlx::borrow("fuse"), rlx::borrow("\"1\"")}};
  rlx_compile_record c = lowered_record(b.get());
  c.stage = RLX_STAGE_PASS;
  c.pass = rlx::borrow("FuseIt");
  c.sequence = UINT64_MAX;
  c.options = options;
  c.option_count = 2;
  ledger_settings settings;
  settings.tags = {{"commit", "abc"}, {"run", "1"}};
  const ordered_json r = record_of(c, settings);
  BOOST_TEST(r["stage"] == "pass");
  BOOST_TEST(r["pass"] == "FuseIt");
  BOOST_TEST(r["seq"].get<std::uint64_t>() == UINT64_MAX);
  BOOST_TEST(r["tags"].dump() == R"({"commit":"abc","run":"1"})");
  BOOST_TEST(r["compiler"]["options"].dump() == R"({"disable-pass":"x","fuse":"\"1\""})");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(writer)

BOOST_AUTO_TEST_CASE(escapes_what_must_be_escaped) {
  BOOST_TEST(written("plain and long enough for words") == "\"plain and long enough for words\"");
  BOOST_TEST(written("a\"b\\c\n\r\t\b\x01\x1f\x7f/") ==
             "\"a\\\"b\\\\c\\n\\r\\t\\u0008\\u0001\\u001f\x7f/\"");
  BOOST_TEST(written(std::string_view{"\0x", 2}) == "\"\\u0000x\"");
  BOOST_TEST(written("grüße €😀") == "\"grüße €😀\"");
}

BOOST_AUTO_TEST_CASE(replaces_what_is_no_utf8) {
  const std::string mark = "\xEF\xBF\xBD";
  BOOST_TEST(written("a\xFF") == "\"a" + mark + "\"");
  BOOST_TEST(written("\xC3") == "\"" + mark + "\"");                        // cut short
  BOOST_TEST(written("\xC0\xAF") == "\"" + mark + mark + "\"");             // overlong
  BOOST_TEST(written("\xED\xA0\x80") == "\"" + mark + mark + mark + "\"");  // a surrogate
  BOOST_TEST(written("\xF4\x90\x80\x80") == "\"" + mark + mark + mark + mark + "\"");
}

BOOST_AUTO_TEST_CASE(finds_every_special_byte_at_every_place) {
  for (int c = 0; c < 256; ++c) {
    for (std::size_t at = 0; at < 20; ++at) {
      std::string s(20, 'x');
      s[at] = static_cast<char>(c);
      const std::string json = written(s);
      BOOST_REQUIRE(ordered_json::accept(json));
      const std::string back = ordered_json::parse(json).get<std::string>();
      BOOST_REQUIRE(c >= 0x80 ? back != s : back == s);
    }
  }
}

BOOST_AUTO_TEST_CASE(numbers_and_pairs_of_them_are_exact) {
  for (std::uint64_t v : {0ULL, 9ULL, 10ULL, 99ULL, 100ULL, 4'096ULL, 1ULL << 63, ~0ULL - 1}) {
    json_writer out;
    out.number(v);
    out.raw(' ');
    out.pair_of(v);
    const std::string digits = std::to_string(v);
    BOOST_TEST(out.pending() == digits + " [" + digits + "," + digits + "]");
  }
}

BOOST_AUTO_TEST_CASE(doubles_are_shortest_and_never_look_like_integers) {
  BOOST_TEST(written(1.0) == "1.0");
  BOOST_TEST(written(-0.0) == "-0.0");
  BOOST_TEST(written(0.1) == "0.1");
  BOOST_TEST(written(1e-5) == "1e-05");
  BOOST_TEST(written(1e22) == "1e+22");
  BOOST_TEST(written(std::numeric_limits<double>::max()) == "1.7976931348623157e+308");
  BOOST_TEST(written(std::numeric_limits<double>::denorm_min()) == "5e-324");
  BOOST_TEST(written(std::nan("")) == "null");
  BOOST_TEST(written(-HUGE_VAL) == "null");
}

BOOST_AUTO_TEST_CASE(chunks_add_up_to_the_whole) {
  struct joined final : byte_sink {
    std::string all;
    std::size_t chunks = 0;
    void take(std::string_view bytes) override {
      all.append(bytes);
      ++chunks;
    }
  };
  joined sink;
  json_writer chunked{&sink, 64};
  json_writer whole{nullptr, 1};
  for (std::uint64_t i = 0; i < 1'000; ++i) {
    for (json_writer* w : {&chunked, &whole}) {
      w->number(i * i * i * i * i);
      w->raw(',');
      w->text(std::string(i % 100, 'a'));
      w->signed_number(-static_cast<std::int64_t>(i));
    }
  }
  chunked.flush();
  BOOST_TEST(sink.all == whole.pending());
  BOOST_TEST(sink.chunks > 100u);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(time)

BOOST_AUTO_TEST_CASE(is_iso_8601_in_utc_with_microseconds) {
  BOOST_TEST(iso_time(0) == "1970-01-01T00:00:00.000000Z");
  BOOST_TEST(iso_time(951'782'400'000'001) == "2000-02-29T00:00:00.000001Z");
  BOOST_TEST(iso_time(1'796'117'400'123'456) == "2026-12-01T09:30:00.123456Z");
  BOOST_TEST(iso_time(253'402'300'799'000'000) == "9999-12-31T23:59:59.000000Z");
  BOOST_TEST(iso_time(UINT64_MAX).starts_with("9999-12-31T23:59:59."));
}

BOOST_AUTO_TEST_CASE(source_date_epoch_fixes_it) {
  view_builder b{"g"};
  scratch s;
  ::setenv("SOURCE_DATE_EPOCH", "951782400", 1);
  BOOST_TEST(append_graph(s.path("l"), b.get()) == "");
  BOOST_TEST(append_graph(s.path("l"), b.get()) == "");
  ::setenv("SOURCE_DATE_EPOCH", "yesterday", 1);
  BOOST_TEST(append_graph(s.path("l"), b.get()) == "");
  ::unsetenv("SOURCE_DATE_EPOCH");
  const auto lines = lines_of(s.path("l"));
  BOOST_REQUIRE(lines.size() == 3u);
  BOOST_TEST(ordered_json::parse(lines[0])["time"] == "2000-02-29T00:00:00.000000Z");
  BOOST_TEST(lines[0] == lines[1]);
  BOOST_TEST(ordered_json::parse(lines[2])["time"] != "2000-02-29T00:00:00.000000Z");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace opscope::test
