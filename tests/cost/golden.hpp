// The vectors: each graph with the reference ledger that the published rule made of it.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

namespace opscope::test {

struct golden_case {
  std::filesystem::path graph;   // mir.json or TARGET.lir.json
  std::filesystem::path ledger;  // mir.ledger.json or TARGET.ledger.json
  std::string target;            // of a MIR graph, which has none: cpu

  std::string name() const {
    return graph.parent_path().filename().string() + '/' + graph.filename().string();
  }
};

inline std::ostream& operator<<(std::ostream& out, const golden_case& c) { return out << c.name(); }

// Every ledger in the folder, in the order of names. A ledger without its graph is an entry that
// fails when it is opened.
inline std::vector<golden_case> golden_cases() {
  namespace fs = std::filesystem;
  constexpr std::string_view suffix = ".ledger.json";
  std::vector<golden_case> cases;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator{OPSCOPE_TEST_DATA "/golden"}) {
    const std::string file = entry.path().filename().string();
    if (!file.ends_with(suffix)) continue;
    const std::string stem = file.substr(0, file.size() - suffix.size());
    const bool is_mir = stem == "mir";
    cases.push_back({entry.path().parent_path() / (is_mir ? "mir.json" : stem + ".lir.json"),
                     entry.path(), is_mir ? "cpu" : stem});
  }
  std::ranges::sort(cases, {}, &golden_case::ledger);
  return cases;
}

inline nlohmann::json read_json(const std::filesystem::path& path) {
  std::ifstream in{path};
  if (!in) throw std::runtime_error{path.string() + " cannot be read"};
  return nlohmann::json::parse(in);
}

}  // namespace opscope::test
