// Compiles one input after another and hands the results to the plugins, through the host's C face
// like any other driver. Decides nothing about the command line.
#pragma once

#include <rlx/host.h>

#include <functional>
#include <string>
#include <string_view>

#include "host/cli/lowering.hpp"
#include "host/cli/options.hpp"
#include "host/cli/output.hpp"

namespace rlx::cli {

// Takes a sentence `where: what`.
using note_function = std::function<void(std::string_view)>;

class driver {
 public:
  // `output` may be null where nothing is emitted. All must outlive the driver.
  driver(const options& o, const lowering& how, rlx_session& session, cli::output* output)
      : options_{o}, lowering_{how}, session_{session}, output_{output} {}

  // From reading to the hooks, which come in the order of the stages. Throws rlx::error `where:
  // what`; the caller puts the input's name in front. A plugin that fails is no error. What the
  // reader did not know goes to `note`.
  void compile(const std::string& path, const note_function& note);

 private:
  // Prints and checks what a pass made, as the options ask.
  pass_observer observer() const;
  // `hir` is null where the input was none.
  std::string emitted(const compilation& c, const hir_module* hir) const;
  error not_lowered(const char* what, const char* form) const;
  void call_plugins(const compilation& c) const;

  const options& options_;
  const lowering& lowering_;
  rlx_session& session_;
  cli::output* output_;
};

}  // namespace rlx::cli
