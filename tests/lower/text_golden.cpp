// The text listings against those of the real compiler, byte for byte.
#define BOOST_TEST_MODULE text_golden
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "host/emit/text.hpp"
#include "host/lower/hir/lower.hpp"
#include "host/read/read.hpp"
#include "tests/support/golden.hpp"

namespace {

// The first line that differs, for messages.
std::string first_difference(std::string_view made, std::string_view wanted) {
  std::istringstream a{std::string{made}};
  std::istringstream b{std::string{wanted}};
  std::string line_a;
  std::string line_b;
  for (int number = 1;; ++number) {
    const bool has_a = static_cast<bool>(std::getline(a, line_a));
    const bool has_b = static_cast<bool>(std::getline(b, line_b));
    if (has_a != has_b) return "line " + std::to_string(number) + " is missing on one side";
    if (!has_a) return made == wanted ? "" : "the ends differ";
    if (line_a != line_b) {
      return "line " + std::to_string(number) + ":\n  " + line_a + "\nagainst\n  " + line_b;
    }
  }
}

// The text without the fingerprint line, its plan's rows sorted.
std::string with_sorted_rows(const std::string& text) {
  std::istringstream in{text};
  std::string out;
  std::vector<std::string> rows;
  for (std::string line; std::getline(in, line);) {
    if (line.find('\t') != std::string::npos && line.find('#') == std::string::npos) {
      rows.push_back(line);
      continue;
    }
    std::ranges::sort(rows);
    for (const std::string& row : rows) (out += row) += '\n';
    rows.clear();
    if (line.rfind("  fingerprint: ", 0) != 0) (out += line) += '\n';
  }
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(text)

BOOST_AUTO_TEST_CASE(equals_the_listing_of_every_golden_graph) {
  const auto cases = golden::cases_with("mir.ir.txt");
  for (const auto& folder : cases) {
    std::string out;
    rlx::append_mir_text(out, rlx::read_file((folder / "mir.json").string()).graph);
    const std::string difference = first_difference(out, golden::read(folder / "mir.ir.txt"));
    BOOST_CHECK_MESSAGE(difference.empty(), folder.filename() << ": " << difference);
  }
  BOOST_TEST_MESSAGE("listings compared: " << cases.size());
  BOOST_CHECK_EQUAL(cases.size(), 17U);
}

// RLX_IR_DUMP of the real compiler, made anew from what the vectors hold of each stage. Left out
// are its fingerprint and the arbitrary order of rows with one offset.
BOOST_AUTO_TEST_CASE(equals_the_pipeline_dump_of_every_hir_case) {
  std::size_t compared = 0;
  for (const auto& folder : golden::cases_with("hir.json")) {
    for (const std::string target : {"cpu", "wgpu"}) {
      const auto dump = folder / (target + ".ir.txt");
      if (!exists(dump)) continue;
      const rlx::module hir = rlx::read_file((folder / "hir.json").string());
      const rlx::module lir = rlx::read_file((folder / (target + ".lir.json")).string());
      const rlx::graph lowered = rlx::lower_hir(*hir.hir);
      std::string report = golden::read(folder / (target + ".fusion.txt"));
      report.pop_back();  // the files end in one line feed more than the report
      std::string out;
      rlx::append_pipeline_text(out, {.hir = &*hir.hir,
                                      .lowered = lowered,
                                      .optimized = lir.graph,
                                      .plan = *lir.plan,
                                      .fusion_report = report});
      const std::string difference =
          first_difference(with_sorted_rows(out), with_sorted_rows(golden::read(dump)));
      BOOST_CHECK_MESSAGE(difference.empty(), dump << ": " << difference);
      ++compared;
    }
  }
  BOOST_TEST_MESSAGE("pipeline dumps compared: " << compared);
  BOOST_CHECK_EQUAL(compared, 10U);
}

BOOST_AUTO_TEST_SUITE_END()
