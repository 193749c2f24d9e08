#include "host/cli/driver.hpp"

#include <optional>
#include <string_view>

#include "host/emit/json.hpp"
#include "host/graph/view.hpp"
#include "host/read/read.hpp"

namespace rlx::cli {

namespace {

rlx_string lend(std::string_view s) { return {s.data() == nullptr ? "" : s.data(), s.size()}; }

}  // namespace

void driver::compile(const std::string& path) {
  const module m = read_file(path);
  // Pipeline `none`: the module is its own lowered form.
  std::optional<error> not_written;
  if (options_.emit != emit_form::none) {
    // Written before any hook runs, so that no plugin can have a hand in it.
    const std::string text = emitted(m);
    try {
      output_->write(text);
    } catch (const broken_pipe&) {
      throw;
    } catch (const error& e) {
      not_written = e;  // the graph is compiled all the same
    }
  }
  call_plugins(m);
  if (not_written) throw *not_written;
}

std::string driver::emitted(const module& m) const {
  std::string text;
  if (options_.emit == emit_form::mir) {
    append_mir_json(text, m.graph);
  } else if (m.plan) {
    append_lir_json(text, m);
  } else {
    throw error{"there is no buffer plan to emit as lir, since pipeline \"" + options_.pipeline +
                "\" lowers nothing; use --emit mir or another --pipeline"};
  }
  return text;
}

void driver::call_plugins(const module& m) const {
  const std::uint32_t stages = rlx_session_stages(&session_);
  const bool has_source = m.level == level::mir;  // of a lowered module nobody knows it
  const bool wants_source = has_source && (stages & RLX_STAGE_SOURCE) != 0;
  const bool wants_lowered = (stages & RLX_STAGE_LOWERED) != 0;
  if (!wants_source && !wants_lowered) return;

  const lent_view view{m.graph, m.plan ? &*m.plan : nullptr};
  rlx_compile_record record{};
  record.struct_size = sizeof record;
  record.graph = &view.get();
  record.source = has_source ? &view.get() : nullptr;
  record.target = lend(options_.target);
  record.compiler_name = lend("rlxc");
  record.compiler_version = lend(RLXC_VERSION);
  record.pipeline = lend(options_.pipeline);
  record.option_stride = sizeof(rlx_option);  // pipeline `none` has no options
  record.sequence = rlx_session_next_sequence(&session_, lend(m.graph.name()));
  if (wants_source) {
    record.stage = RLX_STAGE_SOURCE;
    rlx_session_compile(&session_, &record);
  }
  if (wants_lowered) {
    record.stage = RLX_STAGE_LOWERED;
    rlx_session_compile(&session_, &record);
  }
}

}  // namespace rlx::cli
