// opscope list and show, as a shell sees them.
#define BOOST_TEST_MODULE commands
#include <signal.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "plugin/render/show.hpp"
#include "tests/ledger/run.hpp"

namespace opscope::test {
namespace {

using nlohmann::json;

void expect_text(const std::string& text, std::string_view part) {
  BOOST_TEST(text.find(part) != std::string::npos, "\"" << text << "\" lacks \"" << part << "\"");
}

// Two layers of a MatMul and its activation; the layers' figures are equal.
void fill_layers(view_builder& b) {
  auto x = b.input("x", {2, 8});
  for (int i = 0; i < 2; ++i) {
    const auto w = b.param("layers." + std::to_string(i) + ".up.weight", {8, 8});
    x = b.node(RLX_KIND_MatMul, {x, w}, {2, 8});
    x = b.node(RLX_KIND_Activation, {x}, {2, 8}, RLX_DTYPE_F32, {{"value", "Relu"}});
  }
  b.outputs({x});
}
constexpr std::uint64_t matmul_bytes = 4 * (2 * 8 + 8 * 8 + 2 * 8);
constexpr std::uint64_t matmul_flops = 2 * 2 * 8 * 8;
constexpr std::uint64_t relu_bytes = 4 * (2 * 8 + 2 * 8);

struct one_ledger {
  scratch place;
  std::string path = place.path("ledger.jsonl");
  explicit one_ledger(std::string_view graph = "model", ledger_settings settings = {}) {
    ::setenv("SOURCE_DATE_EPOCH", "0", 1);
    view_builder b{graph};
    fill_layers(b);
    BOOST_REQUIRE(append_graph(path, b.get(), settings) == "");
  }
};

BOOST_AUTO_TEST_SUITE(command_line)

BOOST_AUTO_TEST_CASE(helps_on_one_screen_with_two_examples) {
  for (const std::vector<std::string>& c :
       std::vector<std::vector<std::string>>{{"--help"}, {"list", "--help"}, {"show", "-h"}}) {
    const run_result r = opscope_command(c);
    BOOST_TEST(r.status == 0);
    BOOST_TEST(r.err == "");
    const auto lines = split_lines(r.out);
    BOOST_TEST(lines.size() <= 40u);
    for (const std::string& line : lines) BOOST_TEST(line.size() <= 100u);
    const std::size_t examples = r.out.find("Examples:\n");
    BOOST_REQUIRE(examples != std::string::npos);
    BOOST_TEST(std::count_if(lines.begin(), lines.end(), [](const std::string& l) {
                 return l.starts_with("  opscope ");
               }) >= 2);
    expect_text(r.out, "Exit status");
  }
}

BOOST_AUTO_TEST_CASE(says_what_is_wrong_and_exits_with_2) {
  const one_ledger l;
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{}, "opscope: no command given\n"},
      {{"lst"}, "opscope: \"lst\" is no command\nopscope: `opscope --help` tells more\n"},
      {{"list"}, "opscope: list: no LEDGER given\nopscope: `opscope list --help` tells more\n"},
      {{"list", "--form", "json", l.path}, "unrecognised option '--form'"},
      {{"list", "--format", "xml", l.path}, "--format is \"xml\", and may be: text, json, csv"},
      {{"list", "--color", "red", l.path}, "--color is \"red\", and may be: auto, always, never"},
      {{"list", "--stage", "final", l.path}, "--stage is \"final\""},
      {{"list", "--graph"}, "the required argument for option '--graph' is missing"},
      {{"list", l.place.path("none")}, "none: cannot be opened: No such file or directory"},
      {{"show", "--by", "name", l.path}, "--by is \"name\", and may be: kind, label, node"},
      {{"show", "--top", "-1", l.path}, "--top is \"-1\", and may be a whole number"},
      {{"show", "--top", "1x", l.path}, "--top is \"1x\""},
      {{"show", "--ridge", "0", l.path}, "--ridge is \"0\", and may be a number above 0"},
      {{"show", "--ridge", "nan", l.path}, "--ridge is \"nan\""},
      {{"show", "--graph", "other", l.path}, "none of its 1 record is the one asked for"},
      {{"show", "/dev/null"}, "there is no record in it"}};
  for (const auto& [arguments, message] : wrong) {
    const run_result r = opscope_command(arguments);
    BOOST_TEST(r.status == 2, message);
    BOOST_TEST(r.out == "");
    expect_text(r.err, message);
  }
}

BOOST_AUTO_TEST_CASE(tells_its_version) {
  const run_result r = opscope_command({"--version"});
  BOOST_TEST(r.status == 0);
  expect_text(r.out, "opscope ");
  expect_text(r.out, "rlx-opscope 0.2.18");
}

BOOST_AUTO_TEST_CASE(a_full_disk_is_told) {
  const one_ledger l;
  const run_result r = opscope_command({"list", l.path}, "/dev/null", "/dev/full");
  BOOST_TEST(r.status == 2);
  expect_text(r.err, "standard output cannot be written: No space left on device");
}

BOOST_AUTO_TEST_CASE(a_broken_pipe_is_quiet) {
  const one_ledger l;
  std::string many;
  const std::string line = read_text(l.path);
  for (int i = 0; i < 2'000; ++i) many += line;
  write_text(l.path, many);
  int pipe_ends[2] = {};
  BOOST_REQUIRE(::pipe(pipe_ends) == 0);
  ::close(pipe_ends[0]);
  const run_result r =
      opscope_command({"list", "--format", "json", l.path}, "/dev/null", "", pipe_ends[1]);
  ::close(pipe_ends[1]);
  BOOST_TEST(r.err == "");
  BOOST_TEST(r.status == 0);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(list)

BOOST_AUTO_TEST_CASE(shows_a_line_a_record) {
  const one_ledger l;
  const run_result r = opscope_command({"list", l.path});
  BOOST_TEST(r.status == 0);
  BOOST_TEST(r.err == "");
  const auto lines = split_lines(r.out);
  BOOST_REQUIRE(lines.size() == 2u);
  // Left and right edges of columns line up.
  BOOST_TEST(lines[0].find("target") == lines[1].find("cpu"));
  BOOST_TEST(lines[0].find("compiler") == lines[1].find("rlxc 0.2.2"));
  BOOST_TEST(lines[0].find(" bytes") + 6 == lines[1].find(" KiB") + 4);
}

BOOST_AUTO_TEST_CASE(steps_over_bad_lines_with_a_note) {
  const one_ledger l;
  write_text(l.path, "foreign\n" + read_text(l.path) + "{\"schema\":\"opscope-ledger/1\",\"op");
  const run_result r = opscope_command({"list", l.path});
  BOOST_TEST(r.status == 0);
  BOOST_TEST(split_lines(r.out).size() == 2u);
  const auto notes = split_lines(r.err);
  BOOST_REQUIRE(notes.size() == 2u);
  expect_text(notes[0], "opscope: " + l.path + ":1: no ledger record");
  expect_text(notes[1], "opscope: " + l.path + ":3: the record ends early");
}

BOOST_AUTO_TEST_CASE(fails_where_no_line_is_a_record) {
  const one_ledger l;
  const std::string foreign = l.place.path("foreign");
  write_text(foreign, "{}\nno ledger\n");
  const run_result r = opscope_command({"list", foreign});
  BOOST_TEST(r.status == 2);
  expect_text(r.err, "foreign: there is no record in it");
  BOOST_TEST(opscope_command({"list", foreign, l.path}).status == 0);
  write_text(foreign, "");
  BOOST_TEST(opscope_command({"list", foreign}).status == 0);
  write_text(foreign, "\n\n");
  BOOST_TEST(opscope_command({"list", foreign}).status == 0);
  BOOST_TEST(opscope_command({"list", "--graph", "other", l.path}).status == 0);
}

BOOST_AUTO_TEST_CASE(keeps_integers_exact_in_json_and_csv) {
  const one_ledger l;
  std::string line = read_text(l.path);
  const std::string key = "\"totals\":{\"nodes\":7,\"bytes\":";
  const std::size_t at = line.find(key);
  BOOST_REQUIRE(at != std::string::npos);
  line.replace(at + key.size(), line.find(',', at + key.size()) - at - key.size(),
               "18446744073709551615");
  write_text(l.path, line);
  const run_result j = opscope_command({"list", "--format", "json", l.path});
  const json record = json::parse(j.out);
  BOOST_TEST(record["totals"]["bytes"].get<std::uint64_t>() == UINT64_MAX);
  BOOST_TEST(record["graph"] == "model");
  BOOST_TEST(record["line"] == 1);
  const run_result c = opscope_command({"list", "--format", "csv", l.path});
  const auto rows = split_lines(c.out);
  BOOST_REQUIRE(rows.size() == 2u);
  BOOST_TEST(std::count(rows[0].begin(), rows[0].end(), ',') ==
             std::count(rows[1].begin(), rows[1].end(), ','));
  expect_text(rows[1], ",18446744073709551615,");
}

BOOST_AUTO_TEST_CASE(reads_folders_in_order_and_standard_input) {
  const scratch s;
  for (const char* name : {"b", "a"}) {
    view_builder b{name};
    fill_layers(b);
    BOOST_REQUIRE(append_graph(s.path("d/"), b.get()) == "");
  }
  const auto lines = split_lines(opscope_command({"list", s.path("d")}).out);
  BOOST_REQUIRE(lines.size() == 3u);
  BOOST_TEST(lines[1].starts_with("a "));
  BOOST_TEST(lines[2].starts_with("b "));
  expect_text(lines[1], "/d/a:1");
  const run_result r = opscope_command({"list", "-"}, s.path("d/b"));
  BOOST_TEST(split_lines(r.out).size() == 2u);
  BOOST_TEST(r.status == 0);
}

BOOST_AUTO_TEST_CASE(filters) {
  const one_ledger l;
  const auto rows = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"list", "--format", "csv"});
    return split_lines(opscope_command(arguments).out).size() - 1;
  };
  BOOST_TEST(rows({l.path, "--graph", "model"}) == 1u);
  BOOST_TEST(rows({l.path, "--graph", "mode"}) == 0u);
  BOOST_TEST(rows({l.path, "--target", "cuda"}) == 0u);
  BOOST_TEST(rows({l.path, "--stage", "source"}) == 0u);
  BOOST_TEST(rows({l.path + "#model@lowered"}) == 1u);
  BOOST_TEST(rows({l.path + "#model"}) == 1u);
  BOOST_TEST(rows({l.path + "#@lowered"}) == 1u);
  BOOST_TEST(rows({l.path + "#model@source"}) == 0u);
}

BOOST_AUTO_TEST_CASE(escapes_control_characters_in_names) {
  const one_ledger l{"evil\x1b[31m\nname"};
  const run_result r = opscope_command({"list", "--color", "never", l.path});
  BOOST_TEST(r.out.find('\x1b') == std::string::npos);
  BOOST_TEST(split_lines(r.out).size() == 2u);
  const run_result shown = opscope_command({"show", l.path});
  BOOST_TEST(shown.out.find('\x1b') == std::string::npos);
}

BOOST_AUTO_TEST_CASE(colours_only_where_it_is_asked_for) {
  const one_ledger l;
  BOOST_TEST(opscope_command({"list", l.path}).out.find('\x1b') == std::string::npos);
  BOOST_TEST(opscope_command({"list", "--color=always", l.path}).out.find("\x1b[1m") !=
             std::string::npos);
  BOOST_TEST(opscope_command({"list", "--color=never", l.path}).out.find('\x1b') ==
             std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(show)

json shown(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"show", "--format", "json"});
  const run_result r = opscope_command(arguments);
  BOOST_REQUIRE_MESSAGE(r.status == 0, r.err);
  return json::parse(r.out);
}

BOOST_AUTO_TEST_CASE(groups_by_kind_label_and_node) {
  const one_ledger l;
  json r = shown({l.path});
  BOOST_TEST(r["by"] == "kind");
  BOOST_TEST(r["rows"][0]["kind"] == "MatMul");
  BOOST_TEST(r["rows"][0]["count"] == 2);
  BOOST_TEST(r["rows"][0]["bytes"] == 2 * matmul_bytes);
  BOOST_TEST(r["rows"][0]["flops"] == 2 * matmul_flops);
  BOOST_TEST(r["rows"][1]["kind"] == "Activation");
  BOOST_TEST(r["rows"][1]["bytes"] == 2 * relu_bytes);

  r = shown({"--by", "label", l.path});
  BOOST_TEST(r["rows"][0]["label"] == "layers.*.up");
  BOOST_TEST(r["rows"][0]["count"] == 2);
  BOOST_TEST(r["rows"][0]["bytes"] == 2 * matmul_bytes);
  BOOST_TEST(r["rows"][0]["bytes_weights"] == 2 * 4 * 8 * 8);
  BOOST_TEST(r["rows"][1]["label"] == "layers.*.Activation");

  r = shown({"--by", "label", "--no-fold", l.path});
  BOOST_TEST(r["rows"][0]["label"] == "layers.0.up");
  BOOST_TEST(r["rows"][1]["label"] == "layers.1.up");
  BOOST_TEST(r["rows"][0]["bytes"] == matmul_bytes);

  r = shown({"--by", "node", l.path});
  BOOST_TEST(r["rows"].size() == 4u);
  BOOST_TEST(r["rows"][0]["id"] == 2);
  BOOST_TEST(r["rows"][0]["kind"] == "MatMul");
}

BOOST_AUTO_TEST_CASE(rows_add_up_to_the_totals) {
  const one_ledger l;
  for (const char* by : {"kind", "label", "node"}) {
    const json r = shown({"--by", by, "--top", "0", l.path});
    std::uint64_t bytes = 0;
    std::uint64_t flops = 0;
    for (const json& row : r["rows"]) {
      bytes += row["bytes"].get<std::uint64_t>();
      flops += row["flops"].get<std::uint64_t>();
    }
    BOOST_TEST(bytes == r["totals"]["bytes"], by);
    BOOST_TEST(flops == r["totals"]["flops"], by);
    BOOST_TEST(r["rows_left_out"] == 0);
  }
  const run_result text = opscope_command({"show", "--by", "node", "--top", "1", l.path});
  expect_text(text.out, "[3 others]");
  expect_text(text.out, "TOTAL");
}

BOOST_AUTO_TEST_CASE(cuts_at_top) {
  const one_ledger l;
  const json r = shown({"--by", "node", "--top", "1", l.path});
  BOOST_TEST(r["rows"].size() == 1u);
  BOOST_TEST(r["rows_left_out"] == 3);
}

BOOST_AUTO_TEST_CASE(splits_at_the_ridge) {
  const one_ledger l;
  // A MatMul has 256 FLOP over 384 bytes, an activation 16 over 128.
  json r = shown({"--ridge", "0.5", l.path});
  BOOST_TEST(r["roofline"]["memory_bound_bytes"] == 2 * relu_bytes);
  BOOST_TEST(r["roofline"]["compute_bound_bytes"] == 2 * matmul_bytes);
  r = shown({"--ridge", "1", l.path});
  BOOST_TEST(r["roofline"]["memory_bound_bytes"] == 2 * (relu_bytes + matmul_bytes));
  // At the ridge itself a node is compute-bound: 16 / 128.
  r = shown({"--ridge", "0.125", l.path});
  BOOST_TEST(r["roofline"]["memory_bound_bytes"] == 0);
}

BOOST_AUTO_TEST_CASE(takes_the_newest_record_of_each_graph) {
  const one_ledger l;
  std::string newer = read_text(l.path);
  newer.replace(newer.find("\"seq\":0"), 7, "\"seq\":1");
  std::string other = read_text(l.path);
  other.replace(other.find("\"graph\":\"model\""), 15, "\"graph\":\"other\"");
  write_text(l.path, read_text(l.path) + other + newer);
  const auto seqs = [&](std::vector<std::string> arguments) {
    std::string text;
    arguments.insert(arguments.begin(), {"show", "--format", "json", "--by", "node"});
    for (const std::string& line : split_lines(opscope_command(arguments).out)) {
      const json r = json::parse(line);
      text += r["graph"].get<std::string>() + std::to_string(r["seq"].get<int>()) + " ";
    }
    return text;
  };
  BOOST_TEST(seqs({l.path}) == "model1 other0 ");
  BOOST_TEST(seqs({"--all", l.path}) == "model0 other0 model1 ");
  BOOST_TEST(seqs({"--graph", "other", l.path}) == "other0 ");
  BOOST_TEST(seqs({l.path + "#model@lowered"}) == "model1 ");
}

BOOST_AUTO_TEST_CASE(takes_the_newest_by_time_wherever_it_stands) {
  const one_ledger l;
  const std::string old = read_text(l.path);  // of 1970
  const auto at = [&](std::string_view time, int seq) {
    std::string line = old;
    line.replace(line.find("1970-01-01T00:00:00.000000Z"), 27, time);
    line.replace(line.find("\"seq\":0"), 7, "\"seq\":" + std::to_string(seq));
    return line;
  };
  const std::string newest = at("2026-01-01T00:00:00.000000Z", 1);
  const auto shown = [&](std::string_view text) {
    write_text(l.path, text);
    const run_result r = opscope_command({"show", "--format", "json", l.path});
    BOOST_REQUIRE(split_lines(r.out).size() == 1u);
    return std::pair{json::parse(r.out)["seq"].get<int>(), r.err};
  };
  BOOST_TEST(shown(old + newest).first == 1);
  BOOST_TEST(shown(old + newest).second == "");
  BOOST_TEST(shown(newest + old).first == 1);
  expect_text(shown(newest + old).second,
              "opscope: 1 record stands behind a newer one; the newest by its time counts");
  BOOST_TEST(shown(newest + old + at("2026-01-01T00:00:00.000000Z", 2)).first == 2);
  BOOST_TEST(shown(newest + at("2025-12-31T23:59:59.999999Z", 2)).first == 1);
  // By the names of files the older comes last.
  const std::string folder = l.place.path("folder");
  std::filesystem::create_directory(folder);
  write_text(folder + "/a", newest);
  write_text(folder + "/b", old);
  const run_result r = opscope_command({"show", "--format", "json", folder});
  BOOST_TEST(json::parse(r.out)["seq"] == 1);
}

BOOST_AUTO_TEST_CASE(reads_standard_input_twice_over) {
  const one_ledger l;
  const run_result file = opscope_command({"show", "--by", "node", "-"}, l.path);
  BOOST_TEST(file.status == 0);
  expect_text(file.out, "layers.0.up");
}

BOOST_AUTO_TEST_CASE(needs_nodes_only_where_it_shows_them) {
  ledger_settings settings;
  settings.with_nodes = false;
  const one_ledger l{"model", settings};
  BOOST_TEST(opscope_command({"show", l.path}).status == 0);
  const run_result r = opscope_command({"show", "--by", "label", l.path});
  BOOST_TEST(r.status == 2);
  expect_text(r.err, "ledger.jsonl:1: the record has no nodes (OPSCOPE_NODES=0 left them out)");
}

BOOST_AUTO_TEST_CASE(unknown_is_said_and_sorts_first) {
  const scratch s;
  view_builder b{"g"};
  const std::uint64_t huge = std::uint64_t{1} << 62;
  const auto x = b.input("x", {huge}, RLX_DTYPE_F32);
  const auto y = b.input("y", {1'000}, RLX_DTYPE_F32);
  b.node(RLX_KIND_Softmax, {y}, {1'000});
  b.node(RLX_KIND_Activation, {x}, {huge});
  BOOST_REQUIRE(append_graph(s.path("l"), b.get()) == "");
  const json r = shown({"--by", "node", s.path("l")});
  BOOST_TEST(r["rows"][0]["kind"] == "Activation");
  BOOST_TEST(r["rows"][0]["bytes"].is_null());
  BOOST_TEST(r["totals"]["bytes"].is_null());
  expect_text(opscope_command({"show", s.path("l")}).out, "unknown");
  const auto rows = split_lines(opscope_command({"show", "--format", "csv", s.path("l")}).out);
  expect_text(rows[1], ",Activation,1,,");
}

BOOST_AUTO_TEST_CASE(quotes_csv_fields) {
  const one_ledger l{"a,\"b\""};
  const auto rows = split_lines(opscope_command({"show", "--format", "csv", l.path}).out);
  BOOST_TEST(
      rows[0].starts_with("graph,target,stage,pass,seq,kind,count,bytes,flops,need_read_lo,"));
  BOOST_TEST(rows[1] == "\"a,\"\"b\"\"\",cpu,lowered,,0,MatMul,2," +
                            std::to_string(2 * matmul_bytes) + "," +
                            std::to_string(2 * matmul_flops) + std::string(13, ','));
}

BOOST_AUTO_TEST_CASE(folds_numbers_between_dots_only) {
  BOOST_TEST(folded_label("model.layers.12.mlp.up_proj") == "model.layers.*.mlp.up_proj");
  BOOST_TEST(folded_label("blk.0") == "blk.*");
  BOOST_TEST(folded_label("7") == "*");
  BOOST_TEST(folded_label("past_k_3") == "past_k_3");
  BOOST_TEST(folded_label("a..3") == "a..*");
  BOOST_TEST(folded_label("") == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace opscope::test
