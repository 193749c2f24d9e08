// The golden vectors: whole files, and the lines of the JSON Lines files.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace golden {

inline std::filesystem::path folder() {
  return std::filesystem::path{OPSCOPE_TEST_DATA} / "golden";
}

inline std::string read(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  if (!in) throw std::runtime_error{"cannot read " + file.string()};
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// The folders that hold a file of that name, in the order of their names.
inline std::vector<std::filesystem::path> cases_with(std::string_view file) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator{folder()}) {
    if (exists(entry.path() / file)) found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

inline std::vector<std::string> lines(std::string_view file) {
  std::istringstream in{read(folder() / file)};
  std::vector<std::string> all;
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

}  // namespace golden
