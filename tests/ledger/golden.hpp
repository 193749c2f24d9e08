// The real compiler's graphs, read by the host and lent as it lends them.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "host/graph/view.hpp"
#include "host/read/read.hpp"

namespace opscope::test {

inline std::filesystem::path golden_folder() {
  return std::filesystem::path{OPSCOPE_TEST_DATA} / "golden";
}

class golden_graph {
 public:
  // `file` as `case/mir.json`.
  explicit golden_graph(const std::string& file)
      : module_{rlx::read_file((golden_folder() / file).string())},
        lent_{module_.graph, module_.plan ? &*module_.plan : nullptr} {}
  const rlx_graph_view& view() const { return lent_.get(); }

 private:
  rlx::module module_;
  rlx::lent_view lent_;
};

// Every MIR and LIR file of the golden cases, in order, as `case/file`.
inline std::vector<std::string> golden_files() {
  std::vector<std::string> files;
  for (const auto& folder : std::filesystem::directory_iterator{golden_folder()}) {
    if (!folder.is_directory()) continue;
    for (const auto& file : std::filesystem::directory_iterator{folder}) {
      const std::string name = file.path().filename().string();
      if (name == "mir.json" || name.ends_with(".lir.json")) {
        files.push_back(folder.path().filename().string() + "/" + name);
      }
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace opscope::test
