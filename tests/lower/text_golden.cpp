// The text listings against those of the real compiler, byte for byte.
#define BOOST_TEST_MODULE text_golden
#include <boost/test/unit_test.hpp>

#include <string>

#include "host/emit/text.hpp"
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

BOOST_AUTO_TEST_SUITE_END()
