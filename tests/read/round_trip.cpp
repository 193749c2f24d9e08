// Every module the real compiler wrote is read, written and equal as a JSON value.
#define BOOST_TEST_MODULE round_trip
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "host/emit/json.hpp"
#include "host/graph/view.hpp"
#include "host/read/read.hpp"
#include "rlx/view.hpp"
#include "tests/read/json_equal.hpp"
#include "tests/read/same_view.hpp"

namespace fs = std::filesystem;
using rlx_test::find_difference;

namespace {

std::string slurp(const fs::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

std::string emit(const rlx::module& m) {
  std::string out;
  if (m.level == rlx::level::lir) {
    rlx::append_lir_json(out, m);
  } else {
    rlx::append_mir_json(out, m.graph);
  }
  return out;
}

// One path for each distinct text: most targets lower to the same module.
std::vector<fs::path> golden_modules() {
  std::map<std::string, fs::path> by_text;
  for (const auto& entry : fs::recursive_directory_iterator{OPSCOPE_TEST_DATA "/golden"}) {
    const std::string name = entry.path().filename();
    if (name != "mir.json" && !name.ends_with(".lir.json")) continue;
    // Plans of one module differ only in the arbitrary order of their maps.
    const auto value = nlohmann::json::parse(slurp(entry.path()));
    by_text.emplace(value.dump(), entry.path());
  }
  std::vector<fs::path> paths;
  for (const auto& [text, path] : by_text) paths.push_back(path);
  return paths;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(round_trip)

BOOST_AUTO_TEST_CASE(keeps_every_golden_module) {
  const auto paths = golden_modules();
  BOOST_REQUIRE_GE(paths.size(), 18 + 18);  // 18 cases, each with a mir.json and a plan or more
  for (const fs::path& path : paths) {
    BOOST_TEST_CONTEXT(path) {
      const std::string text = slurp(path);
      const rlx::module m = rlx::read_file(path);
      BOOST_TEST((m.level == rlx::level::lir) == path.filename().string().ends_with(".lir.json"));
      const std::string out = emit(m);
      const std::string difference =
          find_difference(nlohmann::json::parse(text), nlohmann::json::parse(out));
      BOOST_TEST(difference == "");
      BOOST_TEST(emit(rlx::read_text(out)) == out);
    }
  }
}

BOOST_AUTO_TEST_CASE(lends_every_golden_module_without_a_defect) {
  for (const fs::path& path : golden_modules()) {
    BOOST_TEST_CONTEXT(path) {
      const rlx::module m = rlx::read_file(path);
      const rlx::lent_view view{m.graph, m.plan ? &*m.plan : nullptr};
      const auto defect = rlx::find_defect(view.get());
      BOOST_TEST(defect.value_or("") == "");
      // With a space in front the general reader takes it, and sees the same.
      const rlx::module general = rlx::read_text(' ' + slurp(path));
      const rlx::lent_view other{general.graph, general.plan ? &*general.plan : nullptr};
      BOOST_TEST(rlx_test::same_view(view.get(), other.get()));
      BOOST_TEST(emit(general) == emit(m));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
