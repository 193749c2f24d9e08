// opscope diff, from a compile by rlxc to what a shell sees.
#define BOOST_TEST_MODULE diff
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "tests/ledger/run.hpp"

namespace opscope::test {
namespace {

using nlohmann::json;

void expect_text(const std::string& text, std::string_view part) {
  BOOST_TEST(text.find(part) != std::string::npos, "\"" << part << "\" is not in:\n" << text);
}

// A ledger of one compile by rlxc, with its source and its passes.
struct compiled {
  scratch place;
  std::string path = place.path("ledger.jsonl");
  explicit compiled(const std::string& model) {
    const run_result r = run_program(
        {"/usr/bin/env", "RLX_PLUGINS=libopscope.so", "OPSCOPE_REPORT=off", "OPSCOPE_STAGES=all",
         "OPSCOPE_LEDGER=" + path, OPSCOPE_BIN "/rlxc", OPSCOPE_TEST_DATA "/golden/" + model});
    BOOST_REQUIRE_MESSAGE(r.status == 0, r.err);
  }
};

BOOST_AUTO_TEST_SUITE(diff)

BOOST_AUTO_TEST_CASE(the_first_screen_names_what_lowering_did_to_a_llama) {
  const compiled c{"llama32_1b_s1/mir.json"};
  const std::string of = c.path + "#llama32_1b_s1@";
  const run_result r = opscope_command({"diff", of + "source", of + "lowered"});
  BOOST_TEST(r.status == 0);
  BOOST_TEST(r.err == "");
  expect_text(r.out, "stages differ: source is compared with lowered");
  // 16 of gate and up, [2048, 8192] each, and 16 of q, k and v, read and written once.
  constexpr std::uint64_t gate_and_up = 16ull * 2 * (2 * 2048 * 8192 * 2);
  constexpr std::uint64_t query_key_value = 16ull * 2 * (2048 * (2048 + 512 + 512) * 2);
  static_assert(gate_and_up + query_key_value == 2'550'136'832);
  expect_text(r.out,
              "  32 Concat of weights (16 of 2, 16 of 3 operands): 2550136832 bytes\n"
              "    by fuse_shared_input_matmul, fuse_swiglu_dual_matmul\n");
  expect_text(r.out, "[FUSED 4->3]       x16    +2.00 GiB");
  expect_text(r.out,
              "2 MatMul, Activation, Binary -> Concat, MatMul, FusedSwiGLU; by "
              "fuse_swiglu_dual_matmul");
  expect_text(r.out, "model.layers.*.mlp.{up,gate}_proj");
  expect_text(r.out, "3 MatMul -> Concat, MatMul, 3 Narrow; by fuse_shared_input_matmul");
  expect_text(r.out, "model.layers.*.self_attn.{q,k,v}_proj");
  expect_text(r.out, "Binary, RmsNorm -> FusedResidualRmsNorm; by fuse_residual_rms_norm");
  // 745 new nodes but 16 times Concat, MatMul, FusedSwiGLU, 16 times 5, and one.
  static_assert(433 + 183 == 745 - 16 * 3 - 16 * 5 - 1);
  expect_text(r.out, "433 nodes and 183 leaves are the same");
  BOOST_TEST(std::count(r.out.begin(), r.out.end(), '\n') <= 30);
}

BOOST_AUTO_TEST_CASE(a_ledger_and_itself_have_no_difference) {
  const compiled c{"cnn_b8/mir.json"};
  const run_result r = opscope_command({"diff", c.path, c.path});
  BOOST_TEST(r.status == 0);
  expect_text(r.out, "no node changed");
}

BOOST_AUTO_TEST_CASE(refuses_what_cannot_be_compared) {
  const compiled c{"cnn_b8/mir.json"};
  const compiled other{"gemm/mir.json"};
  scratch s;
  write_text(s.path("empty"), "");
  const std::vector<std::pair<std::vector<std::string>, const char*>> wrong{
      {{"diff"}, "two ledgers are compared, BASE and NEW, and 0 given"},
      {{"diff", c.path}, "and 1 given"},
      {{"diff", c.path, c.path, c.path}, "and 3 given"},
      {{"diff", c.path, s.path("none")}, "none"},
      {{"diff", c.path, s.path("empty")}, "there is no record in it"},
      {{"diff", c.path, other.path}, "--map OLD=NEW tells which was renamed"},
      {{"diff", "--sort", "bytes", c.path, c.path}, "--sort is \"bytes\", and may be: need.bytes"},
      {{"diff", "--sort", "graph_io", c.path, c.path}, "--sort is \"graph_io\""},
      {{"diff", "--map", "a", c.path, c.path}, "--map is \"a\", and may be OLD=NEW"},
      {{"diff", "--format", "xml", c.path, c.path}, "text, md, json, csv"},
      {{"diff", "-", "-"}, "standard input can be one of BASE and NEW, not both"},
      {{"diff", "--by", "pass", "--fail-over", "rule.bytes=1", c.path, c.path}, "--by pass"},
  };
  for (const auto& [arguments, message] : wrong) {
    const run_result r = opscope_command(arguments);
    BOOST_TEST(r.status == 2, message);
    BOOST_TEST(r.out == "");
    expect_text(r.err, message);
  }
}

BOOST_AUTO_TEST_CASE(machine_formats_have_exact_integers_that_add_up) {
  const compiled c{"llama32_1b_s1/mir.json"};
  const std::string of = c.path + "#llama32_1b_s1@";
  const run_result r =
      opscope_command({"diff", "--format", "json", "--top", "0", of + "source", of + "lowered"});
  BOOST_REQUIRE(r.status == 0);
  const json d = json::parse(r.out);
  BOOST_TEST(d["schema"] == "opscope-diff/1");
  BOOST_REQUIRE(d["graphs"].size() == 1u);
  const json& g = d["graphs"][0];
  BOOST_TEST(g["base"]["stage"] == "source");
  BOOST_TEST(g["new"]["stage"] == "lowered");
  BOOST_TEST(g["equal"] == false);
  BOOST_TEST(g["missing"]["base"] == json::array({"memory.arena_bytes", "memory.peak_live_bytes"}));
  BOOST_TEST(g["missing"]["new"] == json::array());
  // The published ledgers' bytes before and after lowering for cpu.
  BOOST_TEST(g["figures"]["rule.bytes"] == json::array({3'001'739'784, 5'551'540'744}));
  BOOST_TEST(g["figures"]["need.invariant"] == json::array({0, 2'550'136'832}));
  std::uint64_t metrics_seen = 0;
  for (const auto& [name, figures] : g["rows"][0]["figures"].items()) {
    std::uint64_t base = 0;
    std::uint64_t next = 0;
    for (const json& row : g["rows"]) {
      base += row["figures"][name][0].get<std::uint64_t>();
      next += row["figures"][name][1].get<std::uint64_t>();
    }
    BOOST_TEST(g["figures"][name] == json::array({base, next}), name);
    ++metrics_seen;
  }
  BOOST_TEST(metrics_seen >= 13u);
  BOOST_TEST(g["rows_left_out"] == 0);
  BOOST_TEST(g["rows"][0]["edit"] == "fused");
  BOOST_TEST(g["rows"][0]["times"] == 16);
  BOOST_TEST(g["rows"].back()["edit"] == "equal");

  const run_result csv =
      opscope_command({"diff", "--format", "csv", "--top", "0", of + "source", of + "lowered"});
  BOOST_TEST(csv.status == 0);
  BOOST_TEST(std::count(csv.out.begin(), csv.out.end(), '\n') ==
             static_cast<std::ptrdiff_t>(2 + g["rows"].size()));
  expect_text(csv.out, "llama32_1b_s1,cpu,source,lowered,total,1,,,,,,2476079624,5025683976,");
  expect_text(csv.out,
              "fused,16,\"model.layers.*.mlp.{up,gate}_proj\",\"2 MatMul, Activation, "
              "Binary\",\"Concat, MatMul, FusedSwiGLU\",,fuse_swiglu_dual_matmul,");
}

BOOST_AUTO_TEST_CASE(markdown_is_a_comment_with_its_markup_escaped) {
  const compiled c{"llama32_1b_s1/mir.json"};
  const std::string of = c.path + "#llama32_1b_s1@";
  const run_result r = opscope_command({"diff", "--format", "md", of + "source", of + "lowered"});
  BOOST_TEST(r.status == 0);
  expect_text(r.out, "| llama32\\_1b\\_s1 for cpu | 2.31 GiB → 4.68 GiB (+103.0 %) |");
  expect_text(r.out, "<details><summary>llama32_1b_s1 for cpu</summary>");
  expect_text(r.out,
              "- new invariant work: 32 Concat of weights (16 of 2, 16 of 3 operands): 2550136832 "
              "bytes, by ");
  expect_text(r.out, "| \\[FUSED 4-\\>3\\] | ×16 | model.layers.\\*.mlp.\\{up,gate\\}\\_proj |");
}

BOOST_AUTO_TEST_CASE(passes_are_compared_side_by_side) {
  const compiled c{"llama32_1b_s1/mir.json"};
  const run_result r = opscope_command({"diff", "--by", "pass", c.path, c.path});
  BOOST_TEST(r.status == 0);
  expect_text(r.out, "fuse_swiglu_dual_matmul   +2146893824  +2146893824  ");
  expect_text(r.out, ", pass by pass: rlxc 0.1.0, pipeline rlx-0.2.2 on both sides\n");
  const run_result j =
      opscope_command({"diff", "--by", "pass", "--format", "json", c.path, c.path});
  const json d = json::parse(j.out);
  BOOST_TEST(d["steps"].size() == 3u);
  for (const json& step : d["steps"]) BOOST_TEST(step["base"] == step["new"]);
  BOOST_TEST(d["schema"] == "opscope-diff-passes/1");
  BOOST_TEST(d["total"]["new"]["rule.bytes"] == json::array({3'001'739'784, 5'551'540'744}));
  const run_result none =
      opscope_command({"diff", "--by", "pass", c.path + "#llama32_1b_s1@lowered", c.path});
  BOOST_TEST(none.status == 2);
  expect_text(none.err, "compile with OPSCOPE_STAGES=all");
}

BOOST_AUTO_TEST_CASE(passes_of_other_options_say_so) {
  const compiled c{"llama32_1b_s1/mir.json"};
  std::string text = read_text(c.path);
  const std::string none{"\"options\":{}"};
  for (std::size_t at = 0; (at = text.find(none, at)) != std::string::npos;) {
    text.replace(at, none.size(), "\"options\":{\"fusion\":\"off\"}");
  }
  const std::string other = c.place.path("other");
  write_text(other, text);
  for (const char* format : {"text", "md"}) {
    const run_result r =
        opscope_command({"diff", "--by", "pass", "--format", format, c.path, other});
    BOOST_TEST(r.status == 0);
    expect_text(r.out, ", then rlxc 0.1.0, pipeline rlx-0.2.2; options fusion=off");
  }
}

BOOST_AUTO_TEST_CASE(stages_are_named_where_there_are_others_than_lowered) {
  const compiled c{"llama32_1b_s1/mir.json"};
  const compiled other{"gemm/mir.json"};
  const std::string both = c.place.path("both");
  write_text(both, read_text(c.path) + read_text(other.path));
  run_result r = opscope_command({"diff", "--all-stages", both, other.path});
  BOOST_TEST(r.status == 0);
  expect_text(r.out, "only in base: llama32_1b_s1 for cpu (5 stages)\n");
  r = opscope_command({"diff", "--all-stages", "--format", "md", other.path, both});
  expect_text(r.out, "only in new: llama32\\_1b\\_s1 for cpu (5 stages)  \n");
  r = opscope_command({"diff", "--stage", "source", both, other.path});
  expect_text(r.out, "only in base: llama32_1b_s1 for cpu (source)\n");

  // Everything counted once more in the new ledger, of which one pass has a greater arena.
  std::string text = read_text(c.path);
  const std::string pass{"\"pass\":\"fuse_swiglu_dual_matmul\""};
  const std::string arena{"\"arena_bytes\":null"};
  const std::size_t at = text.find(arena, text.find(pass));
  std::string grown = text;
  grown.replace(at, arena.size(), "\"arena_bytes\":2");
  text.replace(at, arena.size(), "\"arena_bytes\":1");
  write_text(c.path, text);
  const std::string next = c.place.path("new");
  write_text(next, grown);
  r = opscope_command({"diff", "--all-stages", "--skip-missing-metrics", "--fail-over",
                       "memory.arena_bytes=1", c.path, next});
  BOOST_TEST(r.status == 1);
  const std::string name{"llama32_1b_s1 for cpu, after fuse_swiglu_dual_matmul"};
  expect_text(r.out, "\nBEYOND " + name + ": memory.arena_bytes 1 B -> 2 B");
  expect_text(r.out, "\n" + name + "  ");
  r = opscope_command({"diff", "--all-stages", "--skip-missing-metrics", "--fail-over",
                       "memory.arena_bytes=1", "--format", "json", c.path, next});
  BOOST_TEST(json::parse(r.out)["gate"]["offences"][0]["pass"] == "fuse_swiglu_dual_matmul");
}

BOOST_AUTO_TEST_CASE(a_stage_that_was_not_asked_for_is_not_missed) {
  const compiled c{"gemm/mir.json"};
  const std::string source = c.place.path("source");
  write_text(source, split_lines(read_text(c.path)).front() + "\n");
  const std::vector<std::string> limit{"diff", "--fail-over", "rule.bytes=0"};
  const auto run = [&](const std::string& base, const std::string& next) {
    std::vector<std::string> arguments = limit;
    arguments.insert(arguments.end(), {base, next});
    return opscope_command(arguments);
  };
  // The new compile got no lowered graph: nobody can tell what became of it.
  run_result r = run(c.path, source);
  BOOST_TEST(r.status == 2);
  expect_text(r.err, "gemm for cpu: NEW has no such graph");
  BOOST_TEST(run(c.path, source + "#gemm@source").status == 0);
  BOOST_TEST(run(c.path + "#gemm@source", source).status == 0);
}

// Each column of the rows adds up to the line of totals, however few rows are shown.
BOOST_AUTO_TEST_CASE(rows_that_are_cut_still_add_up) {
  const compiled c{"llama32_1b_s1/mir.json"};
  const std::string of = c.path + "#llama32_1b_s1@";
  for (const char* top : {"1", "2", "0"}) {
    const run_result r =
        opscope_command({"diff", "--format", "csv", "--top", top, of + "source", of + "lowered"});
    std::uint64_t total[2] = {};
    std::uint64_t sum[2] = {};
    bool has_others = false;
    for (const std::string& line : split_lines(r.out)) {
      if (!line.starts_with("llama")) continue;
      // `base nodes,new nodes` come last but for unknown, dynamic and overflowing ones.
      std::vector<std::string> cells;
      for (std::size_t begin = 0; begin <= line.size();) {
        const std::size_t end = std::min(line.find(',', begin), line.size());
        cells.push_back(line.substr(begin, end - begin));
        begin = end + 1;
      }
      for (std::size_t side = 0; side < 2; ++side) {
        const std::uint64_t nodes = std::stoull(cells[cells.size() - 8 + side]);
        (line.find(",total,") != std::string::npos ? total : sum)[side] += nodes;
      }
      has_others |= line.find(",lowered,others,") != std::string::npos;
    }
    BOOST_TEST(total[0] == 730u);
    BOOST_TEST(total[1] == 745u);
    BOOST_TEST(sum[0] == total[0]);
    BOOST_TEST(sum[1] == total[1]);
    BOOST_TEST(has_others == (top != std::string_view{"0"}));
  }
  const run_result r =
      opscope_command({"diff", "--format", "md", "--top", "1", of + "source", of + "lowered"});
  // 16 times q, k and v, and the residual, which is 8 KiB less.
  expect_text(r.out,
              "| \\[2 others\\] | ×17 |  |  |  | +384.05 MiB | +384.00 MiB | = | +384.24 MiB |");
  expect_text(r.out, "| \\[ = \\] | ×1 |");
}

BOOST_AUTO_TEST_CASE(targets_are_compared_where_both_sides_name_the_graph) {
  const compiled c{"gemm/mir.json"};
  std::string text = read_text(c.path);
  const std::string cpu{"\"target\":\"cpu\""};
  for (std::size_t at = 0; (at = text.find(cpu, at)) != std::string::npos;) {
    text.replace(at, cpu.size(), "\"target\":\"metal\"");
  }
  const std::string metal = c.place.path("metal");
  write_text(metal, text);
  run_result r = opscope_command({"diff", c.path, metal});
  BOOST_TEST(r.status == 2);
  expect_text(r.err, "gemm is for cpu in BASE and for metal in NEW; LEDGER#GRAPH on both sides");
  r = opscope_command({"diff", c.path + "#gemm", metal});
  BOOST_TEST(r.status == 2);
  r = opscope_command({"diff", c.path + "#gemm", metal + "#gemm"});
  BOOST_TEST(r.status == 0);
  expect_text(r.out, "targets differ: cpu is compared with metal\n");
  expect_text(r.out, "gemm for cpu, now for metal");
  expect_text(r.out, "no node changed");
  r = opscope_command({"diff", "--graph", "gemm", "--format", "json", c.path, metal});
  BOOST_TEST(json::parse(r.out)["notes"][0] == "targets differ: cpu is compared with metal");
  // Not where a side has several: nothing says which is meant.
  write_text(metal, text + read_text(c.path));
  r = opscope_command({"diff", c.path + "#gemm", metal + "#gemm"});
  BOOST_TEST(r.out.find("targets differ") == std::string::npos);
}

// Ledgers of one MatMul, written by the library.
struct small_ledgers {
  scratch place;
  std::string append(const char* file, std::string_view graph, std::uint64_t width,
                     bool with_nodes = true) {
    view_builder b{graph};
    const auto x = b.input("x", {4, 8});
    const auto w = b.param("w", {8, width});
    b.outputs({b.node(RLX_KIND_MatMul, {x, w}, {4, width})});
    ledger_settings settings;
    settings.with_nodes = with_nodes;
    BOOST_REQUIRE(append_graph(place.path(file), b.get(), settings) == "");
    return place.path(file);
  }
};

BOOST_AUTO_TEST_CASE(another_model_is_compared_only_where_that_is_wanted_and_said) {
  small_ledgers l;
  const std::string a = l.append("a", "g", 8);
  const std::string b = l.append("b", "g", 16);
  const run_result refused = opscope_command({"diff", a, b});
  BOOST_TEST(refused.status == 2);
  BOOST_TEST(refused.out == "");
  expect_text(refused.err, "another graph entered the compiler");
  expect_text(refused.err, "--across-models compares nevertheless");
  const run_result r = opscope_command({"diff", "--across-models", a, b});
  BOOST_TEST(r.status == 0);
  expect_text(r.out, "compared although another graph entered the compiler");
  expect_text(r.out, "MatMul: shape [4,8] -> [4,16]");
  const run_result j = opscope_command({"diff", "--across-models", "--format", "json", a, b});
  BOOST_TEST(json::parse(j.out)["graphs"][0]["allowed"].size() == 1u);
}

BOOST_AUTO_TEST_CASE(another_version_of_a_model_is_compared_only_where_that_is_wanted_and_said) {
  small_ledgers l;
  const std::string a = l.append("a", "g", 8);
  std::string text = read_text(a);
  const std::string rule{"rlx-opscope 0.2.18"};
  text.replace(text.find(rule), rule.size(), "rlx-opscope 0.3.00");
  const std::string b = l.place.path("b");
  write_text(b, text);
  const run_result refused = opscope_command({"diff", a, b});
  BOOST_TEST(refused.status == 2);
  expect_text(refused.err, "(rlx-opscope 0.2.18, then rlx-opscope 0.3.00); --across-versions");
  BOOST_TEST(opscope_command({"diff", "--across-models", a, b}).status == 2);
  const run_result r = opscope_command({"diff", "--across-versions", a, b});
  BOOST_TEST(r.status == 0);
  expect_text(r.out, "compared although the rule is of other versions");
}

BOOST_AUTO_TEST_CASE(renamed_graphs_missing_ones_and_older_records_are_told) {
  small_ledgers l;
  l.append("a", "old", 8);
  l.append("a", "gone", 8);
  const std::string a = l.append("a", "old", 8);
  l.append("b", "extra", 8);
  const std::string b = l.append("b", "new", 8);
  BOOST_TEST(opscope_command({"diff", a, b}).status == 2);
  const run_result r = opscope_command({"diff", "--map", "old=new", a, b});
  BOOST_TEST(r.status == 0);
  expect_text(r.out, "old for cpu, now new");
  expect_text(r.out, "only in base: gone for cpu\n");
  expect_text(r.out, "only in new:  extra for cpu\n");
  expect_text(r.out, ": 1 older record of the same is left out");
  expect_text(r.out, "no node changed");
}

BOOST_AUTO_TEST_CASE(many_graphs_are_a_line_each_worst_first_and_those_that_changed_in_full) {
  small_ledgers l;
  l.append("a", "same", 8);
  l.append("a", "smaller", 32);
  l.append("a", "wide", 8);
  const std::string a = l.append("a", "wider", 8);
  l.append("b", "same", 8);
  l.append("b", "smaller", 16);
  l.append("b", "wide", 16);
  const std::string b = l.append("b", "wider", 64);
  const run_result r = opscope_command({"diff", "--across-models", "--sort", "rule.bytes", a, b});
  BOOST_TEST(r.status == 0);
  std::vector<std::size_t> places;
  for (const char* part :
       {"\nwider for cpu", "\nwide for cpu", "\nsmaller for cpu", "1 graph is equal\n",
        "shape [4,8] -> [4,64]", "shape [4,8] -> [4,16]", "shape [4,32] -> [4,16]"}) {
    expect_text(r.out, part);
    places.push_back(r.out.find(part));
  }
  BOOST_TEST(std::is_sorted(places.begin(), places.end()), r.out);
  BOOST_TEST(r.out.find("\nsame for cpu") == std::string::npos);
  for (const std::string& line : split_lines(r.out)) {
    BOOST_TEST((line.size() <= 100 || line.starts_with("compared although")), line);
  }
  const run_result top =
      opscope_command({"diff", "--across-models", "--top", "1", "--sort", "rule.bytes", a, b});
  expect_text(top.out, "more graphs changed; --top 0 shows all of them");
  expect_text(top.out, "shape [4,8] -> [4,64]");
  BOOST_TEST(top.out.find("shape [4,8] -> [4,16]") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(quiet_prints_nothing) {
  small_ledgers l;
  const std::string a = l.append("a", "g", 8);
  const run_result r = opscope_command({"diff", "--quiet", a, a});
  BOOST_TEST(r.status == 0);
  BOOST_TEST(r.out == "");
  BOOST_TEST(r.err == "");
}

BOOST_AUTO_TEST_CASE(one_side_may_be_standard_input) {
  small_ledgers l;
  const std::string a = l.append("a", "g", 8);
  for (const std::vector<std::string>& sides :
       std::vector<std::vector<std::string>>{{"diff", a, "-"}, {"diff", "-", a}}) {
    const run_result r = opscope_command(sides, a);
    BOOST_TEST(r.status == 0);
    expect_text(r.out, "no node changed");
  }
}

BOOST_AUTO_TEST_CASE(records_without_nodes_are_compared_by_their_totals) {
  small_ledgers l;
  const std::string a = l.append("a", "g", 8, false);
  const run_result r = opscope_command({"diff", a, a});
  BOOST_TEST(r.status == 0);
  expect_text(r.out, "rule bytes");
  expect_text(r.out, "no nodes to compare: " + a + ":1 has none");
  const json g = json::parse(opscope_command({"diff", "--format", "json", a, a}).out)["graphs"][0];
  BOOST_TEST(g["rows"] == json::array());
  BOOST_TEST(g["rows_left_out"] == 0);
  expect_text(g["no_rows"].get<std::string>(), "no nodes to compare");
}

BOOST_AUTO_TEST_CASE(lines_that_are_no_records_are_told_and_the_rest_is_compared) {
  small_ledgers l;
  const std::string a = l.append("a", "g", 8);
  const std::string b = l.place.path("b");
  write_text(b, "{\"schema\":\n" + read_text(a) + "{\"schema\":\"opscope-ledger/1\",\"graph\"");
  const run_result r = opscope_command({"diff", a, b});
  BOOST_TEST(r.status == 0);
  expect_text(r.err, b + ":1: ");
  expect_text(r.err, b + ":3: ");
  expect_text(r.out, "no node changed");
}

BOOST_AUTO_TEST_CASE(names_from_a_ledger_cannot_write_to_the_terminal_or_end_a_table) {
  small_ledgers l;
  const std::string a = l.append("a", "g\x1b[2J\n|x", 8);
  const std::string b = l.append("b", "g\x1b[2J\n|x", 16);
  for (const char* format : {"text", "md", "json", "csv"}) {
    const run_result r = opscope_command({"diff", "--across-models", "--format", format, a, b});
    BOOST_TEST(r.status == 0);
    BOOST_TEST(r.out.find('\x1b') == std::string::npos, format);
    BOOST_TEST(r.out.find("\n|x") == std::string::npos, format);
  }
  const run_result refused = opscope_command({"diff", a, b});
  BOOST_TEST(refused.status == 2);
  BOOST_TEST(refused.err.find('\x1b') == std::string::npos);
}

void append_with_needs(const std::string& place, view_builder& b) {
  const graph_cost cost = analyze(b.view());
  const graph_need need = analyze_need(b.view(), {{}, &cost});
  ledger_settings settings;
  settings.place = place;
  BOOST_REQUIRE(!ledger{settings}.append(lowered_record(b.get()), cost, &need));
}

// An activation of a known kind, and `unknown` of one that no model knows, each on its own input.
std::string append_partly_unknown(const small_ledgers& l, const char* file, int known,
                                  int unknown) {
  view_builder b{"g"};
  std::vector<std::uint32_t> outputs;
  for (int i = 0; i < known + unknown; ++i) {
    const auto x = b.input("x" + std::to_string(i), {8});
    const std::uint32_t kind =
        i < known ? std::uint32_t{RLX_KIND_Activation} : b.unlisted_kind("Teleport");
    outputs.push_back(b.node(kind, {x}, {8}));
  }
  b.outputs(outputs);
  append_with_needs(l.place.path(file), b);
  return l.place.path(file);
}

BOOST_AUTO_TEST_CASE(what_was_unknown_is_no_growth_and_what_stays_unknown_no_equality) {
  const small_ledgers l;
  const std::string known = append_partly_unknown(l, "known", 2, 0);
  const std::string one = append_partly_unknown(l, "one", 1, 1);
  const std::string two = append_partly_unknown(l, "two", 1, 2);
  const auto line_of = [](const std::string& text, std::string_view lead) -> std::string {
    for (const std::string& line : split_lines(text)) {
      if (line.starts_with(lead)) return line;
    }
    return "";
  };
  const std::string needs{"  needs  "};
  run_result r = opscope_command({"diff", "--across-models", one, known});
  expect_text(line_of(r.out, needs), "was unknown");
  BOOST_TEST(line_of(r.out, needs).find('%') == std::string::npos);
  r = opscope_command({"diff", "--across-models", known, one});
  expect_text(line_of(r.out, needs), "now unknown");
  expect_text(line_of(r.out, "TOTAL"), "now unknown");

  // A node more that is unknown: the low end may stay, the figure need not.
  r = opscope_command({"diff", "--across-models", one, two});
  BOOST_TEST(line_of(r.out, needs).find('%') == std::string::npos);
  BOOST_TEST(line_of(r.out, needs).find('=') == std::string::npos);
  BOOST_TEST(line_of(r.out, "TOTAL").find("=  ") == std::string::npos);
  expect_text(line_of(r.out, "TOTAL"), "unknown");
  r = opscope_command({"diff", "--across-models", "--format", "md", one, two});
  expect_text(line_of(r.out, "| **TOTAL**"), "unknown");
  // The same nodes are the same, known or not.
  r = opscope_command({"diff", two, two});
  expect_text(line_of(r.out, needs), "=");

  r = opscope_command({"diff", "--across-models", "--fail-over", "need.bytes.lo=1", one, known});
  BOOST_TEST(r.status == 2);
  expect_text(r.err, "need.bytes.lo was unknown, or open upward, and is known now");
}

BOOST_AUTO_TEST_CASE(a_record_of_which_the_nodes_do_not_add_up_is_trouble_and_no_comparison) {
  const scratch place;
  const std::string a = place.path("a");
  view_builder g{"g"};
  const auto x = g.input("x", {4, 8});
  g.outputs({g.node(RLX_KIND_MatMul, {x, g.param("w", {8, 8})}, {4, 8})});
  append_with_needs(a, g);
  const std::string whole = read_text(a);
  constexpr std::uint64_t read = (4 * 8 + 8 * 8) * 4;
  constexpr std::uint64_t written = 4 * 8 * 4;
  static_assert(read == 384 && read + written == 512);
  struct edit_of_total {
    std::string from;
    std::string to;
    std::string told;
  };
  const edit_of_total edits[] = {
      {"\"read\":[384,384]", "\"read\":[1,384]",
       "need.bytes.lo is 129, and its nodes add up to 512"},
      {"\"read\":[384,384]", "\"read\":[384,null]", "need.bytes.lo is at least 512, and its nodes"},
      {"\"bytes\":512", "\"bytes\":1", "rule.bytes is 1, and its nodes add up to 512"},
      {"\"bytes\":512", "\"bytes\":null", "rule.bytes is unknown, and its nodes add up to 512"}};
  const std::string b = place.path("b");
  for (const edit_of_total& e : edits) {
    const std::size_t at = whole.find(e.from, whole.find("\"totals\""));
    BOOST_REQUIRE(at < whole.find("\"by_kind\""));
    std::string text = whole;
    write_text(b, text.replace(at, e.from.size(), e.to));
    for (const auto& [base, next] : {std::pair{a, b}, std::pair{b, a}}) {
      const run_result r = opscope_command({"diff", base, next});
      BOOST_TEST(r.status == 2);
      BOOST_TEST(r.out == "");
      expect_text(r.err, b + ":1: the record contradicts itself: its " + e.told);
    }
  }
  // One node without its needs.
  std::string text = whole;
  const std::size_t at = text.find(",\"need\":{", text.find("\"nodes\":["));
  text.erase(at, text.find('}', at) + 1 - at);
  write_text(b, text);
  const run_result r = opscope_command({"diff", "--fail-over", "need.bytes.lo=0", a, b});
  BOOST_TEST(r.status == 2);
  expect_text(r.err,
              b + ":1: the record contradicts itself: its need.bytes.lo is 512, and not all");
}

BOOST_AUTO_TEST_CASE(a_record_with_broken_nodes_is_trouble_and_no_comparison) {
  small_ledgers l;
  const std::string a = l.append("a", "g", 8);
  std::string text = read_text(a);
  const std::string operands{"\"inputs\":[0,1]"};
  text.replace(text.find(operands), operands.size(), "\"inputs\":[0,9]");
  const std::string b = l.place.path("b");
  write_text(b, text);
  const run_result r = opscope_command({"diff", a, b});
  BOOST_TEST(r.status == 2);
  BOOST_TEST(r.out == "");
  expect_text(r.err, b + ":1: ");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace opscope::test
