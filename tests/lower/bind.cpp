// Binding dynamic dims.
#define BOOST_TEST_MODULE bind
#include <boost/test/unit_test.hpp>

#include <limits>
#include <string>
#include <vector>

#include "host/emit/json.hpp"
#include "host/error.hpp"
#include "host/lower/bind.hpp"
#include "host/lower/hir/lower.hpp"
#include "host/read/read.hpp"
#include "tests/lower/hir_builder.hpp"
#include "tests/support/golden.hpp"

namespace {

using hir_test::symbol;

std::string node(int id, std::string_view op, std::string_view inputs, std::string_view dims,
                 std::string_view rest = R"("name":null,"origin":null)") {
  return R"({"id":)" + std::to_string(id) + R"(,"op":)" + std::string{op} + R"(,"inputs":)" +
         std::string{inputs} + R"(,"shape":{"dims":)" + std::string{dims} + R"(,"dtype":"F32"},)" +
         std::string{rest} + '}';
}

std::string graph(std::string_view nodes, std::string_view outputs) {
  return R"({"name":"g","nodes":[)" + std::string{nodes} + R"(],"outputs":)" +
         std::string{outputs} + '}';
}

std::string bound(const std::string& text, std::vector<rlx::binding> bindings) {
  rlx::module m = rlx::read_text(text);
  rlx::bind(m, bindings);
  std::string out;
  if (m.hir) {
    rlx::append_hir_json(out, *m.hir);
  } else {
    rlx::append_mir_json(out, m.graph);
  }
  return out;
}

template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const rlx::error& e) {
    return e.what();
  }
  return "accepted";
}

const std::string x_of_two_symbols =
    node(0, R"({"Input":{"name":"x"}})", "[]", R"([{"Dynamic":0},{"Static":4},{"Dynamic":1}])");

}  // namespace

BOOST_AUTO_TEST_SUITE(binding)

BOOST_AUTO_TEST_CASE(is_written_symbol_equals_size) {
  BOOST_CHECK_EQUAL(rlx::parse_binding("3=128").symbol, 3);
  BOOST_CHECK_EQUAL(rlx::parse_binding("3=128").size, 128);
  BOOST_CHECK_EQUAL(rlx::parse_binding("4294967295=18446744073709551615").size,
                    std::numeric_limits<std::uint64_t>::max());
  for (const auto* const text : {"", "=", "3", "3=", "=4", "a=4", "3=4x", "3= 4", "-1=4", "3=-4",
                                 "4294967296=1", "3=18446744073709551616", "3==4"}) {
    BOOST_CHECK_MESSAGE(refusal([&] { rlx::parse_binding(text); }).ends_with("and its size"), text);
  }
}

BOOST_AUTO_TEST_CASE(fixes_the_dims_of_its_symbol_alone) {
  const std::string fixed =
      node(0, R"({"Input":{"name":"x"}})", "[]", R"([{"Static":7},{"Static":4},{"Dynamic":1}])");
  BOOST_CHECK_EQUAL(bound(graph(x_of_two_symbols, "[0]"), {{0, 7}}), graph(fixed, "[0]"));
}

BOOST_AUTO_TEST_CASE(keeps_names_origins_outputs_and_fields) {
  const auto text = [](std::string_view dims) {
    return graph(node(0, R"({"Input":{"name":"x"}})", "[]", dims,
                      R"("name":"n","origin":{"hir":3,"label":"l","pass":null})") +
                     ',' +
                     node(1, R"({"Reshape":{"new_shape":[-1,4]}})", "[0]", dims,
                          R"("name":null,"origin":{"hir":null,"label":null,"pass":null})"),
                 "[1,0,1]");
  };
  BOOST_CHECK_EQUAL(bound(text(R"([{"Dynamic":5}])"), {{5, 0}}), text(R"([{"Static":0}])"));
}

BOOST_AUTO_TEST_CASE(reaches_nested_graphs_but_not_texts) {
  const auto scan = [](std::string_view dim) {
    const std::string leaf = R"({"Input":{"name":"not a dim: {\"Dynamic\":0} \\"}})";
    const std::string body = graph(node(0, leaf, "[]", '[' + std::string{dim} + ']') + ',' +
                                       node(1, R"({"Activation":"Neg"})", "[0]",
                                            '[' + std::string{dim} + R"(,{"Dynamic":1}])"),
                                   "[1]");
    return R"({"Scan":{"body":)" + body +
           R"(,"length":3,"save_trajectory":false,"num_bcast":0,"num_xs":0,"num_checkpoints":0}})";
  };
  const auto text = [&](std::string_view dim) {
    const std::string nested = R"({"If":{"then_branch":)" +
                               graph(node(0, scan(dim), "[]", "[]"), "[0]") + R"(,"else_branch":)" +
                               graph("", "[]") + "}}";
    return graph(node(0, scan(dim), "[]", "[]") + ',' + node(1, nested, "[0]", "[]"), "[1]");
  };
  const std::string open = text(R"({"Dynamic":0})");
  BOOST_CHECK_EQUAL(bound(open, {{0, 9}}), text(R"({"Static":9})"));
  rlx::module m = rlx::read_text(open);
  const std::vector<std::uint32_t> symbols{0, 1};
  const auto found = rlx::dynamic_symbols(m);
  BOOST_CHECK_EQUAL_COLLECTIONS(found.begin(), found.end(), symbols.begin(), symbols.end());
  const std::vector<rlx::binding> both{{0, 9}, {1, 2}};
  rlx::bind(m, both);
  BOOST_CHECK(rlx::dynamic_symbols(m).empty());
}

BOOST_AUTO_TEST_CASE(of_hir_comes_before_its_lowering) {
  hir_test::builder b{"Fusable"};
  const auto x = b.input("x", {symbol(0), 4});
  const auto w = b.param("w", {4, 8});
  const auto y = b.node(R"({"Linear":{"activation":"Silu","has_bias":false}})", {x, w}, {1, 8});
  rlx::module m = rlx::read_text(b.finish({y}));
  const std::vector<rlx::binding> one{{0, 3}};
  rlx::bind(m, one);
  const auto made = hir_test::lines(rlx::lower_hir(*m.hir), 2);
  const std::vector<std::string> wanted{"matmul(%0, %1) : [3, 8] f32", "Silu(%2) : [3, 8] f32"};
  BOOST_CHECK_EQUAL_COLLECTIONS(made.begin(), made.end(), wanted.begin(), wanted.end());
}

BOOST_AUTO_TEST_CASE(refuses_what_is_not_there_and_what_is_there_twice) {
  const auto bind = [&](const std::string& text, std::vector<rlx::binding> bindings) {
    return refusal([&] { bound(text, std::move(bindings)); });
  };
  BOOST_CHECK_EQUAL(bind(graph(x_of_two_symbols, "[0]"), {{2, 7}}),
                    "the symbol 2 is not in the module; its symbols are 0, 1");
  BOOST_CHECK_EQUAL(bind(graph("", "[]"), {{2, 7}}),
                    "the symbol 2 is not in the module; it has no dynamic dims");
  BOOST_CHECK_EQUAL(bind(graph(x_of_two_symbols, "[0]"), {{0, 7}, {0, 7}}),
                    "the symbol 0 is bound twice; bind it once");
}

BOOST_AUTO_TEST_CASE(refuses_a_module_with_a_plan) {
  rlx::module m = rlx::read_file((golden::folder() / "dynamic" / "cpu.lir.json").string());
  const std::vector<rlx::binding> one{{0, 3}};
  BOOST_CHECK_EQUAL(
      refusal([&] { rlx::bind(m, one); }),
      "the module is lowered already and its plan made; bind the symbols of its source");
}

BOOST_AUTO_TEST_SUITE_END()
