// What the ledger's tests share: a scratch folder, a compile record over a built view, files.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <opscope/ledger.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/view_builder.hpp"

namespace opscope::test {

// A new folder, removed with all it holds.
class scratch {
 public:
  scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "opscope-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error{"mkdtemp failed"};
    folder_ = pattern;
  }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  const std::filesystem::path& folder() const { return folder_; }
  std::string path(std::string_view name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_;
};

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
}
inline void write_text(const std::filesystem::path& path, std::string_view text) {
  std::ofstream out{path, std::ios::binary};
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
}
inline std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary};
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The record of a `lowered` hook call whose source is the graph itself, as pipeline `none` makes
// it.
inline rlx_compile_record lowered_record(const rlx_graph_view& graph) {
  rlx_compile_record r{};
  r.struct_size = sizeof r;
  r.stage = RLX_STAGE_LOWERED;
  r.graph = &graph;
  r.source = &graph;
  r.target = rlx::borrow("cpu");
  r.compiler_name = rlx::borrow("rlxc");
  r.compiler_version = rlx::borrow("0.2.2");
  r.pipeline = rlx::borrow("none");
  r.option_stride = sizeof(rlx_option);
  return r;
}

// Appends one record of the graph to `place`; the problem, or an empty text.
inline std::string append_graph(const std::string& place, const rlx_graph_view& graph,
                                ledger_settings settings = {}) {
  settings.place = place;
  ledger log{std::move(settings)};
  return log.append(lowered_record(graph), analyze(rlx::graph_view{graph})).value_or("");
}

}  // namespace opscope::test
