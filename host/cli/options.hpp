// The command line of rlxc as a value: what was asked for, checked as far as it can be without
// opening an input. Prints nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/error.hpp"
#include "host/lower/bind.hpp"

namespace rlx::cli {

// A command line that asks for nothing possible: exit status 2.
class usage_error : public error {
 public:
  using error::error;
};

enum class action { compile, list_plugins, print_options, print_passes, help, version };
enum class emit_form { none, hir, mir, lir, text, dump, fusion_report };

struct options {
  cli::action action = action::compile;
  std::string target = "cpu";
  std::string pipeline = "rlx-0.2.2";
  std::vector<std::string> disabled_passes;
  std::string print_after;  // a pass, "all", or empty
  emit_form emit = emit_form::none;
  std::string output = "-";         // "-" is standard output; used where something is emitted
  std::vector<std::string> inputs;  // "-" is standard input
  std::vector<binding> bindings;
  bool verify = false;
};

// Throws usage_error.
options parse_options(int argc, const char* const* argv);

// For completion: a line an option, `option` or `flag`, `-`, name and what it takes, by tabs.
std::string option_table();

// One screen.
std::string_view help_text();

}  // namespace rlx::cli
