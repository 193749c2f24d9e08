// The lowering against what the published compiler made of the same modules.
#define BOOST_TEST_MODULE lower_vectors
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>

#include "host/error.hpp"
#include "host/read/read.hpp"
#include "tests/lower/support.hpp"
#include "tests/read/json_equal.hpp"

namespace fs = std::filesystem;
using namespace lower_test;
using rlx_test::find_difference;

namespace {

const std::string golden = OPSCOPE_TEST_DATA "/golden/";
constexpr std::string_view all_targets[] = {"cpu", "metal", "mlx", "wgpu", "cuda", "rocm", "tpu"};

std::vector<std::string> golden_cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator{golden}) {
    if (entry.is_directory()) names.push_back(entry.path().filename());
  }
  std::ranges::sort(names);
  return names;
}

// Lines, the groups of matmuls sorted among themselves: the compiler lists them in hash order.
std::vector<std::string> report_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  const auto is_group = [](const std::string& line) {
    return line.starts_with("    shared_input_matmul ");
  };
  const auto first = std::ranges::find_if(lines, is_group);
  std::sort(first, std::find_if_not(first, lines.end(), is_group));
  return lines;
}

struct tally {
  std::string what;
  std::size_t passed = 0;
  std::size_t total = 0;
  void count(bool ok) {
    ++total;
    passed += ok ? 1 : 0;
  }
  ~tally() { std::cout << what << ": " << passed << " of " << total << " equal\n"; }
};

// Lowers every module of a file of vectors for its four targets.
void check_lines(const std::string& file) {
  std::ifstream lines{golden + file};
  BOOST_REQUIRE(lines);
  tally done{file};
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    const json vector = json::parse(line);
    if (!vector.contains("mir")) continue;  // the compiler refused to lower its HIR
    for (const std::string target : {"cpu", "metal", "cuda", "tpu"}) {
      const json& expected = vector.at(target);
      const rlx::graph g = graph_of(vector.at("mir"));
      const std::string label = file + ":" + std::to_string(number) + " " + target;
      bool ok = false;
      try {
        const json got = json::parse(lir_text(lower(g, *rlx::find_target(target))));
        if (expected == "abort") {
          BOOST_ERROR(label << ": lowered where the compiler yields no module");
        } else if (const std::string d = find_difference(got, expected); !d.empty()) {
          BOOST_ERROR(label << ": " << d.substr(0, 500));
        } else {
          ok = true;
        }
      } catch (const rlx::error& e) {
        ok = expected == "abort";
        if (!ok) BOOST_ERROR(label << ": " << e.what());
        const std::string where = "module \"" + std::string{g.name()} + "\": pass ";
        BOOST_TEST(std::string{e.what()}.starts_with(where), label << ": " << e.what());
        BOOST_TEST(std::string{e.what()}.find(": node ") != std::string::npos);
      }
      done.count(ok);
    }
  }
  BOOST_TEST(done.total > 0U);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(vectors)

BOOST_AUTO_TEST_CASE(lowers_every_golden_case_for_every_target) {
  tally done{"golden cases"};
  for (const std::string& name : golden_cases()) {
    if (!fs::exists(golden + name + "/mir.json")) continue;
    for (const std::string_view target : all_targets) {
      const std::string path = golden + name + "/" + std::string{target};
      if (!fs::exists(path + ".lir.json")) continue;
      const rlx::module source = rlx::read_file(golden + name + "/mir.json");
      const rlx::lowered made = lower(source.graph, *rlx::find_target(target));
      const std::string d =
          find_difference(json::parse(lir_text(made)), read_json(path + ".lir.json"));
      if (!d.empty()) BOOST_ERROR(name << " " << target << ": " << d.substr(0, 500));
      done.count(d.empty());
    }
  }
  BOOST_TEST(done.total >= 70U);
}

BOOST_AUTO_TEST_CASE(reports_fusion_of_every_golden_case_for_every_target) {
  tally done{"fusion reports"};
  for (const std::string& name : golden_cases()) {
    if (!fs::exists(golden + name + "/mir.json")) continue;
    for (const std::string_view target : all_targets) {
      const std::string path = golden + name + "/" + std::string{target} + ".fusion.txt";
      if (!fs::exists(path)) continue;
      const rlx::module source = rlx::read_file(golden + name + "/mir.json");
      const rlx::lowered made = lower(source.graph, *rlx::find_target(target));
      // The vectors hold one newline more than the compiler's text.
      const auto got = report_lines(made.report.text() + "\n");
      const auto expected = report_lines(read_text_file(path));
      BOOST_TEST(got == expected, name << " " << target << ":\n" << made.report.text());
      done.count(got == expected);
    }
  }
  BOOST_TEST(done.total >= 70U);
}

BOOST_AUTO_TEST_CASE(lowers_the_random_modules) { check_lines("random.jsonl"); }

BOOST_AUTO_TEST_CASE(lowers_the_probes) { check_lines("probes.jsonl"); }

BOOST_AUTO_TEST_SUITE_END()
