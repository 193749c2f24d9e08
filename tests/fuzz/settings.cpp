// Environment values, any bytes at all: each line of the input is a NAME=VALUE. Whatever they are,
// the settings stay in their ranges and each warning is one short line.
#include <cmath>
#include <cstdlib>
#include <set>

#include "plugin/settings.hpp"

namespace {

void require(bool claim) {
  if (!claim) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace opscope;
  constexpr std::size_t max_warning_bytes = 400;
  std::vector<variable> variables;
  std::string_view text{reinterpret_cast<const char*>(data), size};
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t equals = line.find('=');
    variables.push_back({line.substr(0, equals), equals == std::string_view::npos
                                                     ? std::string_view{}
                                                     : line.substr(equals + 1)});
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  const read_settings read = parse_settings(variables);
  require(read.warnings.size() <= variables.size() + 1);
  for (const std::string& warning : read.warnings) {
    require(!warning.empty() && warning.size() <= max_warning_bytes);
    require(warning.find('\n') == std::string::npos);
  }
  const settings& s = read.settings;
  require(!s.ridge || (std::isfinite(*s.ridge) && *s.ridge > 0.0));
  require((s.stages & RLX_STAGE_LOWERED) != 0);
  std::set<std::string> keys;
  for (const auto& [key, value] : s.tags) {
    require(!key.empty() && value.find(',') == std::string::npos);
    require(keys.empty() || *keys.rbegin() < key);
    keys.insert(key);
  }
  require(parse_settings(variables).warnings == read.warnings);
  return 0;
}
