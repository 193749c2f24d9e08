// The lowering of HIR against what the real compiler made of the same modules.
#define BOOST_TEST_MODULE hir_golden
#include <boost/test/unit_test.hpp>

#include <nlohmann/json.hpp>
#include <string>

#include "host/emit/json.hpp"
#include "host/error.hpp"
#include "host/lower/hir/lower.hpp"
#include "host/read/read.hpp"
#include "tests/read/json_equal.hpp"
#include "tests/support/golden.hpp"

namespace {

using nlohmann::json;

json lower_to_json(std::string_view hir) {
  const rlx::module m = rlx::read_text(hir);
  BOOST_REQUIRE(m.level == rlx::level::hir);
  std::string out;
  rlx::append_mir_json(out, rlx::lower_hir(*m.hir));
  return json::parse(out);
}

// Counts the modules of a JSON Lines file whose lowering is what the compiler made.
void check_lines(std::string_view file, std::size_t hir_modules, std::size_t refused_modules) {
  std::size_t seen = 0;
  std::size_t refused = 0;
  std::size_t passed = 0;
  std::size_t number = 0;
  for (const std::string& text : golden::lines(file)) {
    ++number;
    const json line = json::parse(text);
    if (!line.contains("hir")) continue;
    ++seen;
    const bool expects_refusal = line.value("lowering", "") == "error";
    refused += expects_refusal ? 1 : 0;
    std::string difference;
    try {
      const json made = lower_to_json(line["hir"].dump());
      difference = expects_refusal ? "was lowered, but the compiler refuses it"
                                   : rlx_test::find_difference(line["mir"], made);
    } catch (const rlx::error& e) {
      if (!expects_refusal) difference = e.what();
    }
    BOOST_CHECK_MESSAGE(difference.empty(), file << " line " << number << ": " << difference);
    passed += difference.empty() ? 1 : 0;
  }
  BOOST_TEST_MESSAGE(file << ": " << passed << " of " << seen << " HIR modules, of which "
                          << refused << " refused");
  BOOST_CHECK_EQUAL(seen, hir_modules);
  BOOST_CHECK_EQUAL(refused, refused_modules);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(hir_lowering)

BOOST_AUTO_TEST_CASE(equals_mir_of_every_golden_case) {
  const auto cases = golden::cases_with("hir.json");
  for (const auto& folder : cases) {
    const json made = lower_to_json(golden::read(folder / "hir.json"));
    const json wanted = json::parse(golden::read(folder / "mir.json"));
    const std::string difference = rlx_test::find_difference(wanted, made);
    BOOST_CHECK_MESSAGE(difference.empty(), folder.filename() << ": " << difference);
  }
  BOOST_TEST_MESSAGE("golden cases with HIR: " << cases.size());
  BOOST_CHECK_EQUAL(cases.size(), 6U);
}

BOOST_AUTO_TEST_CASE(equals_mir_of_every_random_module) { check_lines("random.jsonl", 150, 38); }

BOOST_AUTO_TEST_CASE(equals_mir_of_every_probe) { check_lines("probes.jsonl", 10, 3); }

BOOST_AUTO_TEST_CASE(writes_back_every_golden_module) {
  for (const auto& folder : golden::cases_with("hir.json")) {
    const std::string text = golden::read(folder / "hir.json");
    std::string out;
    rlx::append_hir_json(out, *rlx::read_text(text).hir);
    BOOST_CHECK_MESSAGE(out == text, folder.filename() << " differs when written back");
  }
}

BOOST_AUTO_TEST_SUITE_END()
