// The gate options, the same for every command that has them, and what they mean for its end.
#pragma once

#include "plugin/commands/options.hpp"
#include "plugin/compare/gate.hpp"

namespace opscope {

// --fail-over, --fail-on-new, --fail-on-missing, --skip-missing-metrics, --allow.
void add_gate_options(options::options_description& known);
// Throws usage_error.
gate_settings chosen_gates(const options::variables_map& values);
// The reason that --allow gives, where it does. Throws usage_error where it is empty.
std::optional<std::string> chosen_allowance(const options::variables_map& values);

// The exit status; what could not be decided is said on standard error.
int end_gates(const gate_result& g, console& out);

}  // namespace opscope
