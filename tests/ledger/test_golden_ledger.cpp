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
    {"matmul/mir.json", "fp1:03486c1f51a1e222748cc590fc814d3e"},
    {"dynamic/mir.json", "fp1:111fa594873f438ebcbfee2677b66ffd"},
    {"empty/mir.json", "fp1:5984e3322e26bf79c5a1face0ecc6953"},
    {"scan_rnn/mir.json", "fp1:370de6582bce8a836b367386fe6db415"},
    {"int8_complex/mir.json", "fp1:86103e30e5903aee57174041ed5211a0"},
    {"cnn_b8/cuda.lir.json", "fp1:e46a2467f8d6ac7442d5076a20bbe7f5"},
    {"quant_ffn_q4k/mir.json", "fp1:ba18f29581c12bcab290ddd861be14bc"},
    {"elementwise_chain/cpu.lir.json", "fp1:865e0e1926ff0567a1f3953ba049c5d9"},
    {"llama32_1b_s1/mir.json", "fp1:9043abb73b4d97b4c1b0ea610503edb6"},
    {"llama32_1b_s1/cpu.lir.json", "fp1:938de2abaa0ef1fdca2932fb81cc7c75"},
    {"bert_base_b1_s128/cuda.lir.json", "fp1:4d8d4b77b3b27bb284625e45c0d6621f"},
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
