// Operations from their serde form: kinds, attribute types and forms, interning, what is kept of
// the unknown.
#define BOOST_TEST_MODULE op
#include "host/read/op.hpp"

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <limits>
#include <string>

#include "host/error.hpp"
#include "host/graph/graph.hpp"

namespace {

std::string text(const rlx_string& s) { return {s.data, s.size}; }

std::string number(double v) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%a", v);
  return buffer;
}

// `name:type=value`, floats as exact hexadecimal.
std::string describe(const rlx_attribute& a) {
  std::string out = text(a.name) + ":";
  const auto list = [&](auto&& one) {
    std::string items;
    for (std::uint64_t i = 0; i < a.count; ++i) items += (i == 0 ? "" : ",") + one(i);
    return "[" + items + "]";
  };
  switch (a.type) {
    case RLX_ATTRIBUTE_U64:
      return out + "u=" + std::to_string(a.value.u64);
    case RLX_ATTRIBUTE_I64:
      return out + "i=" + std::to_string(a.value.i64);
    case RLX_ATTRIBUTE_F64:
      return out + "f=" + number(a.value.f64);
    case RLX_ATTRIBUTE_BOOL:
      return out + "b=" + std::to_string(a.value.u64);
    case RLX_ATTRIBUTE_TEXT:
      return out + "s=" + text(a.value.text);
    case RLX_ATTRIBUTE_JSON:
      return out + "j=" + text(a.value.text);
    case RLX_ATTRIBUTE_BYTES:
      return out + "bytes=" + std::to_string(a.value.u64);
    case RLX_ATTRIBUTE_ARRAY | RLX_ATTRIBUTE_U64:
      return out + "u*=" + list([&](auto i) { return std::to_string(a.value.u64s[i]); });
    case RLX_ATTRIBUTE_ARRAY | RLX_ATTRIBUTE_I64:
      return out + "i*=" + list([&](auto i) { return std::to_string(a.value.i64s[i]); });
    case RLX_ATTRIBUTE_ARRAY | RLX_ATTRIBUTE_F64:
      return out + "f*=" + list([&](auto i) { return number(a.value.f64s[i]); });
    case RLX_ATTRIBUTE_ARRAY | RLX_ATTRIBUTE_BOOL:
      return out + "b*=" + list([&](auto i) { return std::to_string(a.value.u64s[i]); });
    case RLX_ATTRIBUTE_ARRAY | RLX_ATTRIBUTE_TEXT:
      return out + "s*=" + list([&](auto i) { return text(a.value.texts[i]); });
    default:
      return out + "?";
  }
}

struct fixture {
  rlx::storage store;

  const rlx::operation& read(std::string_view json) { return store.op(rlx::read_op(store, json)); }

  // Kind text and attributes, `~` before a kind that counts as unlisted.
  std::string of(std::string_view json) {
    const rlx::operation op = read(json);
    std::string out{op.kind >= RLX_FIRST_UNLISTED ? "~" : ""};
    out += op.kind_text;
    for (std::uint32_t i = 0; i < op.attribute_count; ++i) {
      out += " " + describe(store.attributes()[op.attributes_begin + i]);
    }
    return out;
  }

  std::string refusal(std::string_view json) {
    try {
      rlx::read_op(store, json);
    } catch (const rlx::error& e) {
      return e.what();
    }
    return "accepted";
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(op, fixture)

BOOST_AUTO_TEST_CASE(reads_every_serde_form) {
  BOOST_TEST(of(R"("MatMul")") == "MatMul");
  BOOST_TEST(read(R"("MatMul")").kind == RLX_KIND_MatMul);
  BOOST_TEST(of(R"({"Gather":{"axis":0}})") == "Gather axis:u=0");
  BOOST_TEST(read(R"({"Gather":{"axis":0}})").kind == RLX_KIND_Gather);
  BOOST_TEST(of(R"({"Binary":"Add"})") == "Binary value:s=Add");
  BOOST_TEST(of(R"({"Activation":"Gelu"})") == "Activation value:s=Gelu");
  BOOST_TEST(of(R"({"Compare":"Ge"})") == "Compare value:s=Ge");
  BOOST_TEST(of(R"({"MatMul":null})") == "MatMul");
  BOOST_TEST(of(R"({"MatMul":{}})") == "MatMul");
}

BOOST_AUTO_TEST_CASE(types_fields_by_the_table) {
  BOOST_TEST(of(R"({"Softmax":{"axis":1}})") == "Softmax axis:i=1");
  BOOST_TEST(of(R"({"Softmax":{"axis":-9223372036854775808}})") ==
             "Softmax axis:i=-9223372036854775808");
  BOOST_TEST(
      of(R"({"Sample":{"top_k":0,"top_p":1,"temperature":0.5,"seed":18446744073709551615}})") ==
      "Sample top_k:u=0 top_p:f=0x1p+0 temperature:f=0x1p-1 seed:u=18446744073709551615");
  BOOST_TEST(of(R"({"Reduce":{"op":"Sum","axes":[1,2],"keep_dim":true}})") ==
             "Reduce op:s=Sum axes:u*=[1,2] keep_dim:b=1");
  BOOST_TEST(of(R"({"Reshape":{"new_shape":[-1,64]}})") == "Reshape new_shape:i*=[-1,64]");
  BOOST_TEST(of(R"({"Reduce":{"op":"Sum","axes":[],"keep_dim":false}})") ==
             "Reduce op:s=Sum axes:u*=[] keep_dim:b=0");
  BOOST_TEST(of(R"({"Quantize":{"axis":1,"scales":[0.5,2],"zero_points":[0,-3]}})") ==
             "Quantize axis:u=1 scales:f*=[0x1p-1,0x1p+1] zero_points:i*=[0,-3]");
  BOOST_TEST(of(R"({"Constant":{"data":[0,255,7]}})") == "Constant data:bytes=3");
  BOOST_TEST(of(R"({"Constant":{"data":[]}})") == "Constant data:bytes=0");
  BOOST_TEST(of(R"({"DequantMatMul":{"scheme":"GgufQ4K"}})") == "DequantMatMul scheme:s=GgufQ4K");
  BOOST_TEST(of(R"({"DequantMatMul":{"scheme":{"Int8Block":{"block_size":32}}}})") ==
             R"(DequantMatMul scheme:j={"Int8Block":{"block_size":32}})");
}

BOOST_AUTO_TEST_CASE(orders_attributes_by_the_table_then_by_name) {
  BOOST_TEST(of(R"({"Narrow":{"len":3,"zz":1,"start":2,"aa":1,"axis":1}})") ==
             "Narrow axis:u=1 start:u=2 len:u=3 aa:u=1 zz:u=1");
}

BOOST_AUTO_TEST_CASE(rounds_floats_once_to_f32) {
  // Through double first, this decimal would round to the other neighbour of the tie.
  const std::string tie = "1.00000017881393432617187499";
  BOOST_TEST(of(R"({"LoraMatMul":{"scale":)" + tie + "}}") ==
             "LoraMatMul scale:f=" + number(1.00000011920928955078125f));
  BOOST_TEST(of(R"({"LoraMatMul":{"scale":0.1}})") == "LoraMatMul scale:f=" + number(0.1f));
  BOOST_TEST(of(R"({"LoraMatMul":{"scale":-0.0}})") == "LoraMatMul scale:f=-0x0p+0");
  BOOST_TEST(of(R"({"LoraMatMul":{"scale":3.4028235e38}})") ==
             "LoraMatMul scale:f=" + number(std::numeric_limits<float>::max()));
  BOOST_TEST(of(R"({"LoraMatMul":{"scale":1e-999}})") == "LoraMatMul scale:f=0x0p+0");
  BOOST_TEST(of(R"({"LoraMatMul":{"scale":-1e-46}})") == "LoraMatMul scale:f=-0x0p+0");
  BOOST_TEST(of(R"({"LoraMatMul":{"scale":1.4e-45}})") ==
             "LoraMatMul scale:f=" + number(std::numeric_limits<float>::denorm_min()));
  BOOST_TEST(
      of(R"({"LoraMatMul":{"scale":0.0000000000000000000000000000000000000000000001e46}})") ==
      "LoraMatMul scale:f=0x1p+0");
}

BOOST_AUTO_TEST_CASE(leaves_out_what_is_absent) {
  BOOST_TEST(of(R"({"Dequantize":{"axis":null,"scales":[1],"zero_points":[0]}})") ==
             "Dequantize scales:f*=[0x1p+0] zero_points:i*=[0]");
  BOOST_TEST(of(R"({"LoraMatMul":{"scale":null}})") == "LoraMatMul");
  BOOST_TEST(of(R"({"LoraMatMul":{"scale":1e39}})") == "LoraMatMul");
  BOOST_TEST(of(R"({"LoraMatMul":{"scale":-1e999999999999999999999}})") == "LoraMatMul");
  BOOST_TEST(of(R"("ScatterAdd")") == "ScatterAdd");
  BOOST_TEST(of(R"({"Gather":{}})") == "Gather");
}

BOOST_AUTO_TEST_CASE(writes_nested_values_as_canonical_json) {
  BOOST_TEST(of(R"({"Foo":{"x":{"b":1,"a":{"d":[1,{"z":0,"y":0}],"c":"\u0041\u001f\/\n"}}}})") ==
             R"(~Foo x:j={"a":{"c":"A\u001f/\n","d":[1,{"y":0,"z":0}]},"b":1})");
  BOOST_TEST(
      of(R"({"Foo":{"x":{"v":[1,-1,1.0,1e0,0.99,1e-12,3.4028235e38,1e400,-0,true,null]}}})") ==
      R"(~Foo x:j={"v":[1,-1,1.0,1.0,0.99,1e-12,3.4028235e38,null,-0.0,true,null]})");
  // The switch between the two forms of Rust's {:?}.
  BOOST_TEST(of(R"({"Foo":{"y":{"v":[1e15,1e16,1.5e16,0.0001,0.00001,99999999999999999999]}}})") ==
             R"(~Foo y:j={"v":[1000000000000000.0,1e16,1.5e16,0.0001,1e-5,1e20]})");
  const std::string chain =
      R"([{"Binary":["Mul",{"Input":0},{"Input":1}]},{"Activation":["Tanh",{"Step":0}]}])";
  BOOST_TEST(of(R"({"ElementwiseRegion":{"chain":)" + chain +
                R"(,"num_inputs":2,"scalar_input_mask":2,"input_modulus":[0,1]}})") ==
             "ElementwiseRegion chain:j=" + chain +
                 " num_inputs:u=2 scalar_input_mask:u=2 input_modulus:u*=[0,1]");
}

BOOST_AUTO_TEST_CASE(orders_members_at_every_level) {
  BOOST_TEST(
      of(R"({"Foo":{"x":{"c":[{"b":{"q":1,"p":2},"a":3},{"a":1,"b":2}],"b":{"z":{"n":0,"m":0}},"a":0}}})") ==
      R"(~Foo x:j={"a":0,"b":{"z":{"m":0,"n":0}},"c":[{"a":3,"b":{"p":2,"q":1}},{"a":1,"b":2}]})");
  BOOST_TEST(of(R"({"Foo":{"x":{"a":{"z":1,"y":2},"b":{"x":1,"w":{}}}}})") ==
             R"(~Foo x:j={"a":{"y":2,"z":1},"b":{"w":{},"x":1}})");
}

BOOST_AUTO_TEST_CASE(types_unknown_fields_by_their_form) {
  BOOST_TEST(of(R"({"Foo":{"a":1,"b":-1,"c":1.5,"d":true,"e":"t","f":[1,2],"g":[1,-2],"h":[1,2.5],)"
                R"("i":[true,false],"j":["x","y"],"k":[],"l":[1,"x"],"m":[[1]],"n":null}})") ==
             "~Foo a:u=1 b:i=-1 c:f=0x1.8p+0 d:b=1 e:s=t f:u*=[1,2] g:i*=[1,-2] "
             "h:f*=[0x1p+0,0x1.4p+1] i:b*=[1,0] j:s*=[x,y] k:j=[] l:j=[1,\"x\"] m:j=[[1]]");
  BOOST_TEST(of(R"({"Foo":{"a":[18446744073709551615,-1],"b":18446744073709551616}})") ==
             "~Foo a:f*=[0x1p+64,-0x1p+0] b:f=0x1p+64");
  BOOST_TEST(of(R"({"Foo":7})") == "~Foo value:u=7");
  BOOST_TEST(of(R"({"Foo":["Mul",{"Step":1}]})") == R"(~Foo value:j=["Mul",{"Step":1}])");
  BOOST_TEST(of(R"("Bar")") == "~Bar");
}

BOOST_AUTO_TEST_CASE(takes_an_unknown_form_of_a_known_kind_for_an_unknown_operation) {
  BOOST_TEST(of(R"({"Gather":{"axis":"x"}})") == "~Gather axis:s=x");
  BOOST_TEST(of(R"({"Gather":{"axis":-1}})") == "~Gather axis:i=-1");
  BOOST_TEST(of(R"({"Gather":{"axis":1.0}})") == "~Gather axis:f=0x1p+0");
  BOOST_TEST(of(R"({"Gather":{"axis":1,"axis":2}})") == "~Gather axis:u=2");
  BOOST_TEST(of(R"({"Gather":0})") == "~Gather value:u=0");
  BOOST_TEST(of(R"({"MatMul":"x"})") == "~MatMul value:s=x");
  BOOST_TEST(of(R"({"Binary":{"Add":1}})") == "~Binary Add:u=1");
  BOOST_TEST(of(R"({"Binary":null})") == "~Binary");
  BOOST_TEST(of(R"({"Constant":{"data":[256]}})") == "~Constant data:u*=[256]");
  BOOST_TEST(of(R"({"Constant":{"data":"AA=="}})") == "~Constant data:s=AA==");
  BOOST_TEST(of(R"({"Reduce":{"op":"Sum","axes":[1,"x"]}})") ==
             R"(~Reduce axes:j=[1,"x"] op:s=Sum)");
  BOOST_TEST(of(R"({"Scan":{"body":3,"length":2}})") == "~Scan body:u=3 length:u=2");
  // One number for one text, and not that of the good form.
  BOOST_TEST(read(R"({"Gather":{"axis":"x"}})").kind == read(R"({"Gather":7})").kind);
  BOOST_TEST(read(R"({"Gather":{"axis":"x"}})").kind != read(R"({"Softmax":7})").kind);
}

BOOST_AUTO_TEST_CASE(reads_nested_graphs_of_the_fields_that_are_graphs) {
  const std::string body =
      R"({"name":"b","nodes":[{"id":0,"op":{"Input":{"name":"c"}},"inputs":[],)"
      R"("shape":{"dims":[],"dtype":"F32"},"name":null,"origin":null}],"outputs":[0]})";
  const rlx::operation op =
      read(R"({"While":{"body":)" + body + R"(,"cond":)" + body + R"(,"max_iterations":3}})");
  BOOST_TEST(op.kind == RLX_KIND_While);
  BOOST_REQUIRE_EQUAL(op.nested_count, 2u);
  // In the order of the table, whatever the order read.
  BOOST_TEST(store.nested()[op.nested_begin].role == "cond");
  BOOST_TEST(store.nested()[op.nested_begin + 1].role == "body");
  BOOST_TEST(store.nested()[op.nested_begin].body->name() == "b");
  BOOST_TEST(store.nested()[op.nested_begin].body->size() == 1u);
  BOOST_TEST(op.attribute_count == 1u);
}

BOOST_AUTO_TEST_CASE(leaves_out_an_absent_nested_graph) {
  const rlx::operation op = read(R"({"CustomFn":{"vjp_body":null,"num_inputs":1}})");
  BOOST_TEST(op.kind == RLX_KIND_CustomFn);
  BOOST_TEST(op.nested_count == 0u);
}

BOOST_AUTO_TEST_CASE(shares_equal_operations) {
  const auto first = rlx::read_op(store, R"({"Gather":{"axis":0}})");
  BOOST_TEST(rlx::read_op(store, R"({"Gather":{"axis":0}})") == first);
  BOOST_TEST(rlx::read_op(store, R"({"Gather":{"axis":1}})") != first);
  BOOST_TEST(rlx::read_op(store, " { \"Gather\" : {\n\"axis\":\t0 } } ") == first);
}

BOOST_AUTO_TEST_CASE(keeps_the_text_without_white_space) {
  BOOST_TEST(read(R"({ "Param" : { "name" : "a b\" c" } })").json ==
             R"({"Param":{"name":"a b\" c"}})");
  BOOST_TEST(of(R"({ "Constant" : { "data" : [ 1 , 2 ] } })") == "Constant data:bytes=2");
}

BOOST_AUTO_TEST_CASE(copies_the_text) {
  std::string json = R"({"Param":{"name":"w"}})";
  const auto id = rlx::read_op(store, json);
  std::memset(json.data(), 'x', json.size());
  BOOST_TEST(store.op(id).json == R"({"Param":{"name":"w"}})");
  BOOST_TEST(describe(*store.attribute(id, "name")) == "name:s=w");
}

BOOST_AUTO_TEST_CASE(unescapes_names) {
  BOOST_TEST(of(R"({"Param":{"name":"\ud83d\ude00\u00e9\b\\"}})") ==
             "Param name:s=\xf0\x9f\x98\x80\xc3\xa9\b\\");
  BOOST_TEST(of(R"({"Par\u0061m":{"n\u0061me":"w"}})") == "Param name:s=w");
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_operation) {
  BOOST_TEST(refusal("") == "operation: no text, write an operation as RLX does");
  BOOST_TEST(refusal("7") == "operation: 7 is not an operation, write one there");
  BOOST_TEST(refusal("null") == "operation: null is not an operation, write one there");
  BOOST_TEST(refusal("[]") == "operation: a list is not an operation, write one there");
  BOOST_TEST(refusal("{}") == "operation: an operation without a name, write one as RLX does");
  BOOST_TEST(refusal(R"({"A":1,"B":2})") ==
             "operation: an operation of two names, leave one of them out");
  BOOST_TEST(refusal(R"("A","B")") == "operation: more than one value, give a single operation");
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_json) {
  for (const std::string_view json : {"{",
                                      "}",
                                      "[",
                                      "]",
                                      "\"",
                                      "\"A",
                                      "{\"A\"}",
                                      "{\"A\":}",
                                      "{\"A\":1,}",
                                      "{\"A\":[1,]}",
                                      "{\"A\":[1 2]}",
                                      "{\"A\":01}",
                                      "{\"A\":1.}",
                                      "{\"A\":.5}",
                                      "{\"A\":+1}",
                                      "{\"A\":nul}",
                                      "{\"A\":truee}",
                                      "{\"A\":\"\\x\"}",
                                      "{\"A\":\"\\ud800\"}",
                                      "{\"A\":\"\\udc00\"}",
                                      "{\"A\":\"\\u12g4\"}",
                                      "{\"A\":{\"b\":[\"c\":1]}}",
                                      "{\"A\":{\"b\":[}]}",
                                      "\"A\"]",
                                      "\"A\"]]",
                                      "{\"A\":1}}",
                                      "{\"A\":\"\x01\"}",
                                      "{\"A\":\"\xff\"}",
                                      "\"A\" x",
                                      "{'A':1}",
                                      "{\"A\":{\"b\":1e}}",
                                      "{\"A\":{\"b\":-}}",
                                      "\"\\u00\"",
                                      "{\"\\x\":1}",
                                      "{1:2}",
                                      "{\"MatMul\":truex}",
                                      "{\"Constant\":{\"data\":[1,,2]}}",
                                      "{\"Constant\":{\"data\":[1,2,]}}",
                                      "{\"Constant\":{\"data\":[1 2]}}",
                                      "{\"Constant\":{\"data\":[01]}}"}) {
    BOOST_TEST_CONTEXT(json) {
      const std::string sentence = refusal(json);
      BOOST_TEST(sentence != "accepted");
      BOOST_TEST(sentence.find(": ") != std::string::npos);
    }
  }
}

BOOST_AUTO_TEST_CASE(refuses_control_characters_between_tokens) {
  using namespace std::string_view_literals;
  for (const std::string_view json :
       {"{\"Constant\":{\"data\":[0,25\0\0]}}"sv, "{\"A\":1\0}"sv, "{\"A\":1}\0"sv, "\"A\"\0"sv,
        "{\"A\":{\"b\":[1\x0b]}}"sv, "{\"A\":{\"b\":true\x0c}}"sv, "{\"A\"\0:1}"sv}) {
    BOOST_TEST(refusal(json) != "accepted");
  }
}

BOOST_AUTO_TEST_CASE(refuses_text_before_a_string) {
  BOOST_TEST(refusal("t\"dMaM\"u") != "accepted");
}

BOOST_AUTO_TEST_CASE(refuses_json_beyond_its_depth) {
  const auto nested = [](std::size_t depth) {
    return R"({"Foo":{"x":)" + std::string(depth, '[') + std::string(depth, ']') + "}}";
  };
  // The operation, its payload and the bracket that read_op puts around it are levels too.
  BOOST_TEST(refusal(nested(1000)) == "accepted");
  BOOST_TEST(refusal(nested(1100)) ==
             "operation.Foo.x: JSON nested more than 1024 deep, which is beyond this reader's "
             "limit: flatten it");
  BOOST_TEST(refusal(nested(1'000'000)).starts_with("operation.Foo.x: JSON nested more than"));
}

BOOST_AUTO_TEST_SUITE_END()
