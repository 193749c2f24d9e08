// What the user asked for in OPSCOPE_ variables. Read once, when the plugin is created; a value
// that is no good, and a variable nobody knows, become a warning each and never a failure.
#pragma once

#include <rlx/plugin.h>

#include <cstdint>
#include <opscope/bindings.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opscope {

enum class report_kind { off, summary, full, rule };

struct settings {
  report_kind report = report_kind::summary;  // OPSCOPE_REPORT
  std::uint32_t top = 10;        // OPSCOPE_TOP: rows of the full and of the rule's report
  std::optional<double> ridge;   // OPSCOPE_RIDGE: FLOP per byte
  std::string ledger;            // OPSCOPE_LEDGER: file, or folder/; empty: none
  bool has_ledger_nodes = true;  // OPSCOPE_NODES
  std::uint32_t stages = RLX_STAGE_LOWERED;               // OPSCOPE_STAGES: what the ledger records
  std::vector<std::pair<std::string, std::string>> tags;  // OPSCOPE_TAGS, by key
  opscope::bindings bindings;                             // OPSCOPE_BIND: sizes of dynamic dims
};

struct variable {
  std::string_view name;
  std::string_view value;
};

struct read_settings {
  opscope::settings settings;
  std::vector<std::string> warnings;  // a sentence each
};

// Pure. Variables of other prefixes are passed over, an empty value is as good as none, and of a
// name that comes twice the first counts.
read_settings parse_settings(std::span<const variable> variables);

// From the process's environment, as secure_getenv shows it (nothing in a privileged run).
read_settings settings_of_environment();

// The names of all settings, for texts that list them.
std::vector<std::string_view> setting_names();

}  // namespace opscope
