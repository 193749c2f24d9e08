// Modules that are no modules: each is refused with a sentence that says where, what, what to do.
#define BOOST_TEST_MODULE hostile
#include <boost/test/unit_test.hpp>
#include <initializer_list>
#include <string>
#include <string_view>

#include "host/emit/json.hpp"
#include "host/error.hpp"
#include "host/graph/view.hpp"
#include "host/read/read.hpp"
#include "rlx/view.hpp"

namespace {

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  BOOST_REQUIRE_NE(at, std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string refusal(std::string_view json) {
  try {
    rlx::read_text(json);
  } catch (const rlx::error& e) {
    return e.what();
  }
  return "accepted";
}

std::string node(unsigned id, std::string_view op, std::string_view inputs = "",
                 std::string_view dims = R"({"Static":4})") {
  return R"({"id":)" + std::to_string(id) + R"(,"op":)" + std::string{op} + R"(,"inputs":[)" +
         std::string{inputs} + R"(],"shape":{"dims":[)" + std::string{dims} +
         R"(],"dtype":"F32"},"name":null,"origin":null})";
}

std::string graph(std::initializer_list<std::string> nodes, std::string_view outputs = "0") {
  std::string out = R"({"name":"g","nodes":[)";
  for (const std::string& n : nodes) out += (out.back() == '[' ? "" : ",") + n;
  return out + R"(],"outputs":[)" + std::string{outputs} + "]}";
}

const std::string input = R"({"Input":{"name":"x"}})";
const std::string good = graph({node(0, input), node(1, R"({"Activation":"Relu"})", "0")}, "1");

const std::string plan =
    R"({"arena_size":128,"assignments":{"0":{"offset":0,"size":16},"1":{"offset":64,"size":16}},)"
    R"("schedule":[0,1],"view_aliases":{},"phases":{"map":{"0":"Prologue","1":"SteadyState"}},)"
    R"("io":{"inputs":[["x",0]],"params":[],"outputs":[1]},"alignment":64,"dynamic_symbols":[]})";
const std::string lir = R"({"mir":{"inner":)" + good + R"(},"buffers":)" + plan + "}";

}  // namespace

BOOST_AUTO_TEST_SUITE(hostile)

BOOST_AUTO_TEST_CASE(accepts_the_modules_that_the_others_are_made_from) {
  BOOST_TEST(refusal(good) == "accepted");
  BOOST_TEST(refusal(lir) == "accepted");
  BOOST_TEST(refusal(R"({"inner":)" + good + "}") == "accepted");
  BOOST_TEST(refusal(graph({}, "")) == "accepted");
}

BOOST_AUTO_TEST_CASE(refuses_text_that_is_no_module) {
  BOOST_TEST(refusal("") ==
             "module: the text is empty, give a module as RLX writes it (HIR, MIR or LIR JSON)");
  BOOST_TEST(refusal("  \n ").find("module: the text is empty") == 0u);
  BOOST_TEST(refusal("[1]") ==
             "byte 0 (line 1, column 1): no JSON object, give a module as RLX writes it (HIR, "
             "MIR or LIR JSON)");
  BOOST_TEST(refusal("hello world").find("byte 0 (line 1, column 1): no JSON object") == 0u);
  BOOST_TEST(refusal(R"({"fingerprint":7})").find("module: no module (neither nodes") == 0u);
  BOOST_TEST(refusal("\xef\xbb\xbf{}") == "module: a byte order mark before the JSON, remove it");
  BOOST_TEST(refusal("mir @g {") ==
             "module: a text dump of RLX, which loses attributes: give the module as JSON");
  BOOST_TEST(refusal("RLXBAKE1\1\2") ==
             "module: a binary file of RLX, which is not read: give the module as JSON");
}

BOOST_AUTO_TEST_CASE(refuses_every_truncation) {
  for (const std::string& whole : {good, lir}) {
    for (std::size_t n = 0; n < whole.size(); ++n) {
      const std::string sentence = refusal(whole.substr(0, n));
      if (sentence == "accepted" || sentence.find(": ") == std::string::npos) {
        BOOST_ERROR("cut to " << n << " bytes: " << sentence);
      }
    }
  }
  BOOST_TEST(refusal(good.substr(0, good.size() - 1)) ==
             "module: the text ends too early, the file is cut short: write it again");
  BOOST_TEST(refusal(good.substr(0, good.find("Relu") + 2)) ==
             "module: the text ends inside a string, the file is cut short: write it again");
}

BOOST_AUTO_TEST_CASE(refuses_text_after_the_end) {
  BOOST_TEST(refusal(good + "}").find("text after the module's end") != std::string::npos);
  BOOST_TEST(refusal(good + good).find("text after the module's end") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(says_the_line_and_column_of_what_is_no_json) {
  const std::string text = "{\n\"name\":\"g\",\n\"nodes\":[}],\"outputs\":[]}";
  BOOST_TEST(refusal(text) ==
             "byte 23 (line 3, column 10): not valid JSON here, the file is damaged or no RLX "
             "JSON: write it again");
}

BOOST_AUTO_TEST_CASE(refuses_wrong_types) {
  BOOST_TEST(refusal(replaced(good, R"("name":"g")", R"("name":7)")) ==
             "name: 7 is not a text, write one there");
  BOOST_TEST(refusal(R"({"name":"g","nodes":{},"outputs":[]})") ==
             "nodes: an object is not a list, write one there");
  BOOST_TEST(refusal(replaced(good, R"("inputs":[0])", R"("inputs":"0")")) ==
             "node 1: inputs: \"0\" is not a list, write one there");
  BOOST_TEST(refusal(replaced(good, R"("dtype":"F32")", R"("dtype":null)")) ==
             "node 0: shape.dtype: null is not a text, write one there");
  BOOST_TEST(refusal(replaced(good, R"("name":null)", R"("name":[])")) ==
             "node 0: name: a list is not a text or null, write one there");
  BOOST_TEST(refusal(replaced(good, R"("origin":null)", R"("origin":3)")) ==
             "node 0: origin: 3 is not an object, write one there");
  BOOST_TEST(refusal(graph({"7"})) == "node 0: 7 is not an object, write one there");
}

BOOST_AUTO_TEST_CASE(refuses_ids_that_are_not_positions) {
  BOOST_TEST(refusal(graph({node(1, input)})) ==
             "node 0: id: 1 is not the node's position 0 in the list, number the nodes from 0 in "
             "their order");
  BOOST_TEST(refusal(replaced(good, R"("id":1)", R"("id":-1)")) ==
             "node 1: id: -1 is not an unsigned 64-bit integer, write one there");
  BOOST_TEST(refusal(replaced(good, R"("id":1)", R"("id":1.0)")) ==
             "node 1: id: 1.0 is not an unsigned 64-bit integer, write one there");
}

BOOST_AUTO_TEST_CASE(refuses_operands_that_do_not_come_before_their_node) {
  const auto with = [](std::string_view operand) {
    return refusal(graph({node(0, input), node(1, R"("MatMul")", operand)}));
  };
  const std::string advice = " does not come before the node, list the nodes in topological order";
  BOOST_TEST(with("0,1") == "node 1: inputs[1]: operand 1" + advice);
  BOOST_TEST(with("2") == "node 1: inputs[0]: operand 2" + advice);
  BOOST_TEST(with("4294967295") == "node 1: inputs[0]: operand 4294967295" + advice);
  BOOST_TEST(with("18446744073709551615") ==
             "node 1: inputs[0]: operand 18446744073709551615" + advice);
  BOOST_TEST(with("18446744073709551616") ==
             "node 1: inputs[0]: 18446744073709551616 is not an unsigned 64-bit integer, write one "
             "there");
}

BOOST_AUTO_TEST_CASE(refuses_outputs_that_are_no_nodes) {
  BOOST_TEST(refusal(graph({node(0, input)}, "0,1")) ==
             "outputs[1]: there is no node 1 among the graph's 1, name one that is there");
  BOOST_TEST(refusal(R"({"outputs":[2],"name":"g","nodes":[)" + node(0, input) + "]}") ==
             "outputs[0]: there is no node 2 among the graph's 1, name one that is there");
}

BOOST_AUTO_TEST_CASE(accepts_members_in_any_order_and_repeated_outputs) {
  BOOST_TEST(refusal(R"({"outputs":[0,0],"name":"g","nodes":[)" + node(0, input) + "]}") ==
             "accepted");
}

BOOST_AUTO_TEST_CASE(refuses_missing_members) {
  const std::string advice = " is missing, add it as RLX writes it";
  BOOST_TEST(refusal(R"({"nodes":[],"outputs":[]})") == "module: the member \"name\"" + advice);
  BOOST_TEST(refusal(R"({"name":"g","nodes":[]})") == "module: the member \"outputs\"" + advice);
  for (const auto& [member, name] :
       {std::pair{R"("id":0,)", "id"}, std::pair{R"("inputs":[],)", "inputs"},
        std::pair{R"("op":{"Input":{"name":"x"}},)", "op"},
        std::pair{R"("shape":{"dims":[{"Static":4}],"dtype":"F32"},)", "shape"}}) {
    BOOST_TEST(refusal(replaced(good, member, "")) ==
               "node 0: the member \"" + std::string{name} + "\"" + advice);
  }
  BOOST_TEST(refusal(replaced(good, R"("dims":[{"Static":4}],)", "")) ==
             "node 0: shape: the member \"dims\"" + advice);
  BOOST_TEST(refusal(replaced(good, R"(,"dtype":"F32")", "")) ==
             "node 0: shape: the member \"dtype\"" + advice);
  BOOST_TEST(refusal(replaced(good, R"(,"name":null,"origin":null)", "")) == "accepted");
}

BOOST_AUTO_TEST_CASE(refuses_members_that_occur_twice) {
  const std::string advice = " occurs twice, leave one of them out";
  BOOST_TEST(refusal(replaced(good, R"("name":"g")", R"("name":"g","name":"h")")) ==
             "module: the member \"name\"" + advice);
  BOOST_TEST(refusal(replaced(good, R"("id":0)", R"("id":0,"id":0)")) ==
             "node 0: the member \"id\"" + advice);
  BOOST_TEST(refusal(replaced(good, R"("id":0)", R"("id":0,"\u0069d":0)")) ==
             "node 0: the member \"id\"" + advice);
  BOOST_TEST(refusal(replaced(good, R"("dtype":"F32")", R"("dtype":"F32","dtype":"F32")")) ==
             "node 0: shape: the member \"dtype\"" + advice);
  BOOST_TEST(refusal(replaced(good, R"("id":0)", R"("id":0,"x":0,"x":0)")) ==
             "node 0: the member \"x\"" + advice);
}

BOOST_AUTO_TEST_CASE(refuses_dims_that_are_no_sizes) {
  const auto with = [](std::string_view dim) { return refusal(graph({node(0, input, "", dim)})); };
  const std::string at = "node 0: shape.dims[0]: ";
  const std::string advice = " is not an unsigned 64-bit integer, write one there";
  BOOST_TEST(with(R"({"Static":-1})") == at + "-1" + advice);
  BOOST_TEST(with(R"({"Static":1.5})") == at + "1.5" + advice);
  BOOST_TEST(with(R"({"Static":1.0})") == at + "1.0" + advice);
  BOOST_TEST(with(R"({"Static":1e3})") == at + "1e3" + advice);
  BOOST_TEST(with(R"({"Static":18446744073709551616})") == at + "18446744073709551616" + advice);
  BOOST_TEST(with(R"({"Static":null})") == at + "null" + advice);
  BOOST_TEST(with(R"({"Dynamic":4294967296})") ==
             at + "4294967296 is not an unsigned 32-bit integer, write one there");
  BOOST_TEST(with("4") == at + "4 is not {\"Static\":n} or {\"Dynamic\":symbol}, write one there");
  const std::string either =
      "a dim must be either {\"Static\":n} or {\"Dynamic\":symbol}, write one of them";
  BOOST_TEST(with("{}") == at + either);
  BOOST_TEST(with(R"({"Static":1,"Dynamic":0})") == at + either);
}

BOOST_AUTO_TEST_CASE(reads_sizes_whose_product_leaves_64_bits) {
  const auto m = rlx::read_text(graph(
      {node(0, input, "", R"({"Static":1099511627776},{"Static":1099511627776},{"Static":0})"),
       node(1, input, "", R"({"Static":18446744073709551615})")}));
  BOOST_TEST(!rlx::element_count(m.graph.shape(0)));
  BOOST_TEST(rlx::element_count(m.graph.shape(1)).value() == 18446744073709551615u);
  BOOST_TEST(!rlx::byte_size(m.graph.shape(1)));
}

BOOST_AUTO_TEST_CASE(limits_the_rank) {
  const auto of_rank = [](std::size_t rank) {
    std::string dims;
    for (std::size_t i = 0; i < rank; ++i) dims += i == 0 ? R"({"Static":1})" : R"(,{"Static":1})";
    return refusal(graph({node(0, input, "", dims)}));
  };
  BOOST_TEST(of_rank(64) == "accepted");
  BOOST_TEST(of_rank(65) ==
             "node 0: shape.dims: more than 64 dims, which is beyond this reader's limit: reshape "
             "the tensor");
}

BOOST_AUTO_TEST_CASE(limits_nested_graphs) {
  const auto nested = [](std::size_t depth) {
    std::string g = graph({node(0, input)});
    for (std::size_t i = 0; i < depth; ++i) {
      g = graph({node(0, R"({"Scan":{"body":)" + g + R"(,"length":2}})")});
    }
    return refusal(g);
  };
  BOOST_TEST(nested(64) == "accepted");
  const std::string sentence = nested(65);
  BOOST_TEST(sentence.find("node 0: op.Scan.body: node 0: op.Scan.body: ") == 0u);
  BOOST_TEST(sentence.find(": graphs nested more than 64 deep, which is beyond this reader's "
                           "limit: flatten them") != std::string::npos);
  BOOST_TEST(nested(2000).find("graphs nested more than 64 deep") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(names_the_place_inside_nested_graphs) {
  const std::string body = graph({node(0, input), node(1, R"("MatMul")", "5")});
  BOOST_TEST(refusal(graph({node(0, R"({"If":{"then_branch":)" + body + "}}")})) ==
             "node 0: op.If.then_branch: node 1: inputs[0]: operand 5 does not come before the "
             "node, list the nodes in topological order");
}

BOOST_AUTO_TEST_CASE(limits_the_depth_of_json_anywhere) {
  const std::string deep = std::string(2000, '[') + std::string(2000, ']');
  for (const std::string& text :
       {replaced(good, R"("id":0)", R"("id":0,"x":)" + deep),
        replaced(good, R"({"Activation":"Relu"})", R"({"Novel":{"x":)" + deep + "}}"),
        R"({"x":)" + deep + R"(,"nodes":[],"outputs":[],"name":"g"})"}) {
    BOOST_TEST(refusal(text).find("JSON nested more than 1024 deep") != std::string::npos);
  }
  // Far deeper than any stack is tall.
  const std::string bottomless = R"({"nodes":)" + std::string(5'000'000, '[');
  BOOST_TEST(refusal(bottomless) != "accepted");
}

BOOST_AUTO_TEST_CASE(refuses_control_characters_and_invalid_utf8) {
  const std::string control = replaced(good, R"("name":"g")", "\"name\":\"a\nb\"");
  BOOST_TEST(refusal(control) ==
             "byte 10 (line 1, column 11): a raw control character inside a string, write it as "
             "\\u00XX");
  for (const std::string_view bad : {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc3",
                                     "\xe2\x82", "\xf0\x80\x80\x80", "\x80"}) {
    const std::string text =
        replaced(good, R"("name":"g")", "\"name\":\"" + std::string{bad} + '"');
    BOOST_TEST(refusal(text) ==
               "byte 9 (line 1, column 10): not UTF-8, the file is damaged or no RLX JSON: write "
               "it again");
  }
}

BOOST_AUTO_TEST_CASE(keeps_a_name_of_a_million_characters) {
  const std::string name(1'000'000, 'n');
  const auto m = rlx::read_text(replaced(good, R"("name":"g")", "\"name\":\"" + name + '"'));
  BOOST_TEST(m.graph.name() == name);
  // A message stays short whatever it is about.
  const std::string sentence =
      refusal(replaced(good, R"("inputs":[0])", "\"inputs\":\"" + name + '"'));
  BOOST_TEST(sentence.size() < 200u);
  BOOST_TEST(sentence.find("... (1000000 bytes) is not a list") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(keeps_unknown_dtypes_members_and_operations) {
  std::string text = replaced(good, R"("dtype":"F32")", R"("dtype":"F8","layout":[1,{"a":2}])");
  text = replaced(text, R"({"Activation":"Relu"})", R"({"Novel":{"x":1}})");
  const auto m = rlx::read_text(text);
  const auto& s = m.graph.storage();
  BOOST_TEST(m.graph.node(0).dtype >= RLX_FIRST_UNLISTED);
  BOOST_TEST(s.dtype_text(m.graph.node(0).dtype) == "F8");
  BOOST_TEST(!rlx::byte_size(m.graph.shape(0)));
  BOOST_TEST(m.graph.kind(1) >= RLX_FIRST_UNLISTED);
  BOOST_TEST(m.graph.operation_of(1).kind_text == "Novel");
  BOOST_REQUIRE_EQUAL(m.notes.size(), 1u);
  BOOST_TEST(m.notes[0] == "node 0: shape: the member \"layout\" is not known here and left out");
}

BOOST_AUTO_TEST_CASE(notes_operations_in_an_unknown_form) {
  const auto m = rlx::read_text(replaced(good, R"({"Activation":"Relu"})", R"({"Gather":"x"})"));
  BOOST_REQUIRE_EQUAL(m.notes.size(), 1u);
  BOOST_TEST(m.notes[0] ==
             "node 1: op: a form of \"Gather\" that this version does not know, taken for an "
             "unknown operation");
  BOOST_TEST(rlx::read_text(good).notes.empty());
}

BOOST_AUTO_TEST_CASE(reads_text_with_white_space_like_text_without) {
  std::string spaced;
  for (const char c : lir) {
    spaced += c;
    if (c == '{' || c == '[' || c == ',' || c == ':') spaced += " \n\t";
  }
  std::string a, b;
  rlx::append_lir_json(a, rlx::read_text(lir));
  rlx::append_lir_json(b, rlx::read_text(spaced));
  BOOST_TEST(a == b);
  BOOST_TEST(a == lir);
}

BOOST_AUTO_TEST_CASE(refuses_white_space_inside_tokens) {
  // Compacted first, these would read as 12 and true.
  for (const std::string_view op : {R"({"Novel": {"x": [1 2]}})", R"({"Novel": {"x": tr ue}})"}) {
    BOOST_TEST(refusal(replaced(good, R"({"Activation":"Relu"})", op)).find("not valid JSON") !=
               std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(refuses_plans_that_do_not_fit_their_graph) {
  const auto with = [](std::string_view from, std::string_view to) {
    return refusal(replaced(lir, from, to));
  };
  const std::string no_node = "there is no node 2 among the graph's 2, name one that is there";
  BOOST_TEST(with(R"("1":{"offset")", R"("2":{"offset")") == "buffers.assignments.2: " + no_node);
  BOOST_TEST(with(R"("1":{"offset")", R"("x":{"offset")") ==
             "buffers.assignments.x: \"x\" is not a node's id, write it in decimal digits");
  BOOST_TEST(with(R"("1":{"offset")", R"("01":{"offset")") ==
             "buffers.assignments.01: \"01\" is not a node's id, write it in decimal digits");
  BOOST_TEST(with(R"("1":{"offset")", R"("0":{"offset")") ==
             "buffers.assignments.0: the entry occurs twice, leave one of them out");
  BOOST_TEST(with(R"("offset":64)", R"("offset":18446744073709551615)") ==
             "buffers.assignments.1: the slot ends beyond 2^64 bytes, correct its offset or size");
  BOOST_TEST(
      with(R"("offset":64)", R"("offset":-64)") ==
      "buffers.assignments.1.offset: -64 is not an unsigned 64-bit integer, write one there");
  BOOST_TEST(with(R"("schedule":[0,1])", R"("schedule":[0,2])") ==
             "buffers.schedule[1]: " + no_node);
  BOOST_TEST(with(R"(["x",0])", R"(["x",2])") == "buffers.io.inputs[0]: " + no_node);
  BOOST_TEST(with(R"(["x",0])", R"(["x"])") ==
             "buffers.io.inputs[0]: not a pair of a name and a node's id, write both");
  BOOST_TEST(with(R"(["x",0])", R"(["x",0,0])") ==
             "buffers.io.inputs[0]: more than a name and a node's id, leave the rest out");
  BOOST_TEST(with(R"("outputs":[1]},"alignment")", R"("outputs":[2]},"alignment")") ==
             "buffers.io.outputs[0]: " + no_node);
  BOOST_TEST(
      with(R"("1":"SteadyState")", R"("1":"Later")") ==
      "buffers.phases.map.1: \"Later\" is no phase, write Prologue, SteadyState or Epilogue");
  BOOST_TEST(with(R"("alignment":64,)", "") ==
             "buffers: the member \"alignment\" is missing, add it as RLX writes it");
}

BOOST_AUTO_TEST_CASE(accepts_plans_with_entries_left_out) {
  BOOST_TEST(refusal(replaced(lir, R"("1":{"offset":64,"size":16})", "")).find("JSON") !=
             std::string::npos);  // the comma before it stays: no JSON
  const auto m = rlx::read_text(replaced(lir, R"(,"1":{"offset":64,"size":16})", ""));
  BOOST_REQUIRE(m.plan);
  BOOST_TEST(m.plan->slots[0].has_value());
  BOOST_TEST(!m.plan->slots[1].has_value());
}

BOOST_AUTO_TEST_CASE(refuses_views_without_an_owner_before_them) {
  const auto with = [](std::string_view aliases) {
    return refusal(replaced(lir, R"("view_aliases":{})", aliases));
  };
  BOOST_TEST(with(R"("view_aliases":{"1":{"root":0,"byte_offset":4}})") == "accepted");
  const std::string advice = " does not come before its view, name the node that owns the storage";
  BOOST_TEST(with(R"("view_aliases":{"1":{"root":1,"byte_offset":0}})") ==
             "buffers.view_aliases.1: the root 1" + advice);
  BOOST_TEST(with(R"("view_aliases":{"0":{"root":1,"byte_offset":0}})") ==
             "buffers.view_aliases.0: the root 1" + advice);
  std::string three = graph({node(0, input), node(1, input), node(2, input)});
  std::string text = replaced(lir, good, three);
  text =
      replaced(text, R"("view_aliases":{})",
               R"("view_aliases":{"1":{"root":0,"byte_offset":0},"2":{"root":1,"byte_offset":0}})");
  BOOST_TEST(refusal(text) ==
             "buffers.view_aliases.2: its root 1 is a view itself, name the node that owns the "
             "storage");
}

BOOST_AUTO_TEST_CASE(reads_a_plan_that_stands_before_its_graph) {
  const std::string text = R"({"buffers":)" + plan + R"(,"mir":{"inner":)" + good + "}}";
  std::string out;
  rlx::append_lir_json(out, rlx::read_text(text));
  BOOST_TEST(out == lir);
}

BOOST_AUTO_TEST_CASE(shows_the_plan_in_the_view) {
  const auto m = rlx::read_text(
      replaced(lir, R"("view_aliases":{})", R"("view_aliases":{"1":{"root":0,"byte_offset":4}})"));
  const rlx::lent_view view{m.graph, &*m.plan};
  const rlx::graph_view g{view.get()};
  BOOST_TEST(!rlx::find_defect(view.get()));
  BOOST_TEST(g.node(1).view_root == 0u);
  BOOST_TEST(g.info(1).view_byte_offset == 4u);
  BOOST_TEST(g.info(1).slot_offset == 64u);
  BOOST_TEST(g.info(1).slot_bytes == 16u);
  BOOST_TEST(g.arena_bytes().value() == 128u);
}

BOOST_AUTO_TEST_SUITE_END()
