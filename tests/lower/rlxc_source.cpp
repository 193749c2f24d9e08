// rlxc on what comes before any pass: HIR inputs, --bind, --verify, --emit hir, mir and text.
#define BOOST_TEST_MODULE rlxc_source
#include <boost/test/unit_test.hpp>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/read/json_equal.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/process.hpp"

namespace {

opscope::test::ended rlxc(std::vector<std::string> arguments, const std::string& input = {}) {
  arguments.insert(arguments.begin(), OPSCOPE_BIN "/rlxc");
  return opscope::test::run({std::move(arguments), {}, "", input});
}

std::string error_of(std::vector<std::string> arguments, const std::string& input, int status) {
  const auto e = rlxc(std::move(arguments), input);
  BOOST_CHECK_EQUAL(e.status, status);
  BOOST_CHECK_EQUAL(e.out, "");
  return e.err;
}

const std::string dynamic_matmul =
    R"({"name":"d","nodes":[{"id":0,"op":{"Input":{"name":"x"}},"inputs":[],)"
    R"("shape":{"dims":[{"Dynamic":0},{"Static":4}],"dtype":"F32"},"name":null,"origin":null},)"
    R"({"id":1,"op":{"Activation":"Neg"},"inputs":[0],)"
    R"("shape":{"dims":[{"Dynamic":0},{"Static":5}],"dtype":"F32"},"name":null,"origin":null}],)"
    R"("outputs":[1]})";

}  // namespace

BOOST_AUTO_TEST_SUITE(source)

BOOST_AUTO_TEST_CASE(lowers_hir_before_anything_else) {
  for (const auto& folder : golden::cases_with("hir.json")) {
    const std::string hir = (folder / "hir.json").string();
    const auto e = rlxc({"--emit", "mir", hir});
    BOOST_CHECK_EQUAL(e.status, 0);
    BOOST_CHECK_EQUAL(e.err, "");
    const auto difference = rlx_test::find_difference(
        nlohmann::json::parse(golden::read(folder / "mir.json")), nlohmann::json::parse(e.out));
    BOOST_CHECK_MESSAGE(difference.empty(), hir << ": " << difference);
    BOOST_CHECK(rlxc({"--emit", "text", hir}).out == golden::read(folder / "mir.ir.txt"));
    BOOST_CHECK(rlxc({"--emit", "hir", hir}).out == golden::read(folder / "hir.json"));
  }
}

BOOST_AUTO_TEST_CASE(refused_hir_is_an_input_that_cannot_be_compiled) {
  const std::string hir =
      R"({"name":"m","nodes":[{"id":0,"op":"SwiGLU","inputs":[],)"
      R"("shape":{"dims":[],"dtype":"F32"},"name":null}],"outputs":[0],"fusion_policy":"Direct"})";
  BOOST_CHECK_EQUAL(error_of({"--emit", "mir", "-"}, hir, 1),
                    "rlxc: -: module \"m\": node 0 (swiglu_ffn): SwiGLU: expected 4 inputs, got "
                    "0\n");
}

BOOST_AUTO_TEST_CASE(has_no_hir_to_emit_of_mir) {
  BOOST_CHECK_EQUAL(
      error_of({"--emit", "hir", "-"}, dynamic_matmul, 1),
      "rlxc: -: the input is no HIR module, so there is none to emit; use --emit mir\n");
}

BOOST_AUTO_TEST_CASE(binds_symbols) {
  const auto e = rlxc({"--bind", "0=7", "--emit", "text", "-"}, dynamic_matmul);
  BOOST_CHECK_EQUAL(e.status, 0);
  BOOST_CHECK(e.out.find("Neg(%0) : [7, 5] f32") != std::string::npos);
  BOOST_CHECK_EQUAL(error_of({"--bind", "3=7", "-"}, dynamic_matmul, 1),
                    "rlxc: -: the symbol 3 is not in the module; its symbols are 0\n");
  BOOST_CHECK_EQUAL(error_of({"--bind", "x=7", "-"}, dynamic_matmul, 2),
                    "rlxc: --bind: \"x=7\" is no binding; write SYMBOL=N, the number of a dynamic "
                    "dim's symbol and its size (rlxc --help tells more)\n");
}

BOOST_AUTO_TEST_CASE(verifies_on_request) {
  BOOST_CHECK_EQUAL(rlxc({"-"}, dynamic_matmul).status, 0);
  BOOST_CHECK_EQUAL(
      error_of({"--verify", "-"}, dynamic_matmul, 1),
      "rlxc: -: the source does not verify: node 1 (Activation): it is declared [?0, 5], "
      "but its operands make [?0, 4] [same]\n");
  for (const auto& folder : golden::cases_with("mir.json")) {
    BOOST_CHECK_EQUAL(rlxc({"--verify", (folder / "mir.json").string()}).status, 0);
  }
}

BOOST_AUTO_TEST_CASE(every_pass_on_every_target_verifies) {
  std::size_t compiled = 0;
  for (const auto& folder : golden::cases_with("mir.json")) {
    for (const auto* const target : {"cpu", "metal", "cuda", "tpu"}) {
      const auto e = rlxc({"--verify", "--target", target, (folder / "mir.json").string()});
      BOOST_CHECK_EQUAL(e.err, "");
      BOOST_CHECK_EQUAL(e.status, 0);
      ++compiled;
    }
  }
  BOOST_CHECK_EQUAL(compiled, 17U * 4U);
}

BOOST_AUTO_TEST_CASE(text_of_a_lowered_module_is_its_listing_with_the_plan) {
  const auto e = rlxc({"--emit", "text", (golden::folder() / "matmul" / "cpu.lir.json").string()});
  BOOST_CHECK_EQUAL(e.status, 0);
  BOOST_CHECK(
      e.out.starts_with("lir @mm {\n\n  arena: 57344 bytes (saved 0 vs 57344 naive, "
                        "align=64)\n  schedule: 3 nodes, 0 views\n"));
}

BOOST_AUTO_TEST_CASE(dumps_every_stage) {
  const auto folder = golden::folder() / "quant_ffn_q4k";
  const auto e = rlxc({"--emit", "dump", (folder / "hir.json").string()});
  BOOST_CHECK_EQUAL(e.status, 0);
  // All but the fingerprint, which is the hash of one release of a foreign library.
  std::string wanted = golden::read(folder / "cpu.ir.txt");
  const std::size_t at = wanted.find("  fingerprint: ");
  BOOST_REQUIRE(at != std::string::npos);
  wanted.erase(at, wanted.find('\n', at) + 1 - at);
  BOOST_CHECK(e.out == wanted);
  BOOST_CHECK_EQUAL(error_of({"--pipeline", "none", "--emit", "dump", "-"}, dynamic_matmul, 1),
                    "rlxc: -: there is no lowered form to emit as dump, since pipeline \"none\" "
                    "lowers nothing; use --emit mir or another --pipeline\n");
}

BOOST_AUTO_TEST_SUITE_END()
