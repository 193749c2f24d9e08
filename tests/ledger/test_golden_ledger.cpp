// Ledgers of the real compiler's graphs: read back to the letter, and their frozen fingerprints.
#define BOOST_TEST_MODULE golden_ledger
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <map>
#include <opscope/ledger_reader.hpp>

#include "tests/ledger/golden.hpp"
#include "tests/ledger/support.hpp"

namespace opscope::test {
namespace {

BOOST_AUTO_TEST_SUITE(golden_ledger)

BOOST_AUTO_TEST_CASE(every_graph_is_read_back_as_it_was) {
  const std::vector<std::string> files = golden_files();
  BOOST_TEST(files.size() >= 90u);
  for (const std::string& file : files) {
    const golden_graph g{file};
    const scratch s;
    ::setenv("SOURCE_DATE_EPOCH", "0", 1);
    BOOST_REQUIRE(append_graph(s.path("l"), g.view()) == "");
    ledger_reader reader{s.path("l"), [](const std::string& note) { BOOST_ERROR(note); }};
    const auto r = reader.next(true);
    BOOST_REQUIRE(r.has_value());
    BOOST_TEST(*r->lowered == fingerprint(rlx::graph_view{g.view()}), file);
    BOOST_TEST(fingerprint(r->nodes->view()) == *r->lowered, file);
    BOOST_REQUIRE(append_graph(s.path("again"), r->nodes->raw()) == "");
    BOOST_TEST((read_text(s.path("again")) == read_text(s.path("l"))), file);
    const graph_cost again = analyze(r->nodes->view());
    for (std::uint32_t id = 0; id < r->nodes->size(); ++id) {
      BOOST_REQUIRE((again.nodes()[id].bytes() == r->nodes->cost(id).bytes()));
      BOOST_REQUIRE((again.nodes()[id].flops() == r->nodes->cost(id).flops()));
    }
  }
}

// Frozen with the prefix fp1: a difference here is a defect, or asks for fp2.
const std::map<std::string, std::string> frozen{
    {"matmul/mir.json", "fp1:b008d654eb7ec06113849423c72f6d1f"},
    {"dynamic/mir.json", "fp1:c7b273151b6332dd6709f7deaa4ea4b2"},
    {"empty/mir.json", "fp1:5984e3322e26bf79c5a1face0ecc6953"},
    {"scan_rnn/mir.json", "fp1:8760147eb6c8c9f9b7b5a57ab40be754"},
    {"int8_complex/mir.json", "fp1:c1807f52da5e7975da44d0d0ac2510c7"},
    {"cnn_b8/cuda.lir.json", "fp1:e1c98020aadfab6b0a93e704f6f272c1"},
    {"quant_ffn_q4k/mir.json", "fp1:e78e344668dea6ff06a87645d1519ef1"},
    {"elementwise_chain/cpu.lir.json", "fp1:af037ffbf6752f5ac774402a9e6a0747"},
    {"llama32_1b_s1/mir.json", "fp1:6a462b5ebf3f750f3270ff29ac18f1d1"},
    {"llama32_1b_s1/cpu.lir.json", "fp1:95e2ce0df65b16beb48e531713cb04d6"},
    {"bert_base_b1_s128/cuda.lir.json", "fp1:c9ff9873509d59dacdad989b6ff3adb7"},
};

BOOST_AUTO_TEST_CASE(fingerprints_are_frozen) {
  for (const auto& [file, print] : frozen) {
    const golden_graph g{file};
    BOOST_TEST(fingerprint(rlx::graph_view{g.view()}) == print, file);
  }
}

BOOST_AUTO_TEST_CASE(targets_that_lower_alike_have_one_fingerprint) {
  const auto print = [](const std::string& file) {
    const golden_graph g{file};
    return fingerprint(rlx::graph_view{g.view()});
  };
  BOOST_TEST(print("llama32_1b_s1/cuda.lir.json") == print("llama32_1b_s1/rocm.lir.json"));
  BOOST_TEST(print("llama32_1b_s1/cpu.lir.json") != print("llama32_1b_s1/mir.json"));
}

BOOST_AUTO_TEST_SUITE_END()

// A ledger of every schema that was ever released is kept, and stays readable.
BOOST_AUTO_TEST_SUITE(kept_ledgers)

BOOST_AUTO_TEST_CASE(schema_1_is_read) {
  const std::string path = OPSCOPE_TEST_SOURCES "/data/ledger-1.jsonl";
  ledger_reader reader{path, [](const std::string& note) { BOOST_ERROR(note); }};
  std::size_t records = 0;
  while (const auto r = reader.next(true)) {
    ++records;
    BOOST_REQUIRE(r->nodes.has_value());
    BOOST_TEST(fingerprint(r->nodes->view()) == *r->lowered, r->graph);
  }
  BOOST_TEST(records == 5u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace opscope::test
