#include "host/cli/driver.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "host/cli/source.hpp"
#include "host/emit/json.hpp"
#include "host/emit/text.hpp"
#include "host/graph/view.hpp"

namespace rlx::cli {

namespace {

rlx_string lend(std::string_view s) { return {s.data() == nullptr ? "" : s.data(), s.size()}; }

// `0=1,3=128`, by symbol.
std::string bindings_text(std::vector<binding> bindings) {
  std::ranges::sort(bindings, {}, &binding::symbol);
  std::string text;
  for (const binding& b : bindings) {
    text += (text.empty() ? "" : ",") + std::to_string(b.symbol) + '=' + std::to_string(b.size);
  }
  return text;
}

}  // namespace

void driver::compile(const std::string& path, const note_function& note) {
  module m = load_source(path, options_);
  for (const std::string& sentence : m.notes) note(sentence);
  // Nothing behind the lowering of its blocks looks at HIR again.
  const std::optional<hir_module> hir = std::exchange(m.hir, std::nullopt);
  const compilation c{lowering_, std::move(m), observer()};
  std::exception_ptr not_written;
  if (options_.emit != emit_form::none) {
    // Written before any hook runs, so that no plugin can have a hand in it.
    const std::string text = emitted(c, hir ? &*hir : nullptr);
    try {
      output_->write(text);
    } catch (const error&) {
      not_written = std::current_exception();  // the graph is compiled all the same
    }
  }
  call_plugins(c);
  if (not_written) std::rethrow_exception(not_written);
}

pass_observer driver::observer() const {
  if (options_.print_after.empty() && !verifies(options_)) return {};
  return [this](std::string_view pass, const graph& g, bool changed) {
    if (changed && verifies(options_)) {
      check_graph(g, "the graph after " + std::string{pass}, options_.verify);
    }
    if (options_.print_after != "all" && options_.print_after != pass) return;
    std::string text = "after " + std::string{pass} + (changed ? ":\n" : ": unchanged\n");
    if (changed) append_graph_listing(text, g);
    text += '\n';
    std::fwrite(text.data(), 1, text.size(), stderr);
  };
}

std::string driver::emitted(const compilation& c, const hir_module* hir) const {
  std::string text;
  const graph* const source = c.source();
  switch (options_.emit) {
    case emit_form::none:
      break;
    case emit_form::hir:
      if (hir == nullptr) {
        throw error{"the input is no HIR module, so there is none to emit; use --emit mir"};
      }
      append_hir_json(text, *hir);
      break;
    case emit_form::mir:
      append_mir_json(text, source != nullptr ? *source : c.result().graph);
      break;
    case emit_form::text:
      if (source != nullptr) {
        append_mir_text(text, *source);
      } else {
        append_lir_text(text, c.result().graph, *c.result().plan);
      }
      break;
    case emit_form::dump:
      if (source == nullptr) throw error{"the input is lowered already; use --emit text"};
      if (!c.report()) throw not_lowered("lowered form", "dump");
      append_pipeline_text(text, {.hir = hir,
                                  .lowered = *source,
                                  .optimized = c.result().graph,
                                  .plan = *c.result().plan,
                                  .fusion_report = c.report()->text()});
      break;
    case emit_form::lir:
      if (!c.result().plan) throw not_lowered("buffer plan", "lir");
      append_lir_json(text, c.result());
      break;
    case emit_form::fusion_report:
      if (!c.report()) throw not_lowered("fusion report", "fusion-report");
      text = c.report()->text();
  }
  return text;
}

error driver::not_lowered(const char* what, const char* form) const {
  return error{std::string{"there is no "} + what + " to emit as " + form + ", since pipeline \"" +
               options_.pipeline + "\" lowers nothing; use --emit mir or another --pipeline"};
}

void driver::call_plugins(const compilation& c) const {
  const graph* source = c.source();
  const graph& result = c.result().graph;
  const bool was_lowered = source != nullptr && source != &result;
  const std::uint32_t stages = rlx_session_stages(&session_);
  const bool wants_source = source != nullptr && (stages & RLX_STAGE_SOURCE) != 0;
  const bool wants_passes = was_lowered && (stages & RLX_STAGE_PASS) != 0;
  const bool wants_lowered = (stages & RLX_STAGE_LOWERED) != 0;
  if (!wants_source && !wants_passes && !wants_lowered) return;

  auto options = was_lowered ? lowering_.recorded_options()
                             : std::vector<std::pair<std::string, std::string>>{};
  if (!options_.bindings.empty()) {
    options.emplace_back("bind", bindings_text(options_.bindings));
    std::ranges::sort(options);
  }
  std::vector<rlx_option> lent_options;
  for (const auto& [name, value] : options) lent_options.push_back({lend(name), lend(value)});

  const lent_view result_view{result, c.result().plan ? &*c.result().plan : nullptr};
  std::optional<lent_view> lowered_from;
  if (was_lowered) lowered_from.emplace(*source);
  rlx_compile_record record{};
  record.struct_size = sizeof record;
  if (source != nullptr) record.source = was_lowered ? &lowered_from->get() : &result_view.get();
  record.target = lend(options_.target);
  record.compiler_name = lend("rlxc");
  record.compiler_version = lend(RLXC_VERSION);
  record.pipeline = lend(was_lowered ? lowering_.pipeline()->name() : "none");
  record.options = lent_options.data();
  record.option_count = lent_options.size();
  record.option_stride = sizeof(rlx_option);
  record.sequence = rlx_session_next_sequence(&session_, lend(result.name()));
  const auto call = [&](rlx_stage stage, const rlx_graph_view& g, std::string_view pass = {}) {
    record.stage = stage;
    record.graph = &g;
    record.pass = stage == RLX_STAGE_PASS ? lend(pass) : rlx_string{nullptr, 0};
    rlx_session_compile(&session_, &record);
  };
  if (wants_source) call(RLX_STAGE_SOURCE, *record.source);
  if (wants_passes) {
    // A repetition, so that all that is emitted was written before any plugin saw a thing.
    c.repeat([&](std::string_view pass, const graph& g, bool changed) {
      if (!changed) return;
      const lent_view view{g};
      call(RLX_STAGE_PASS, view.get(), pass);
    });
  }
  if (wants_lowered) call(RLX_STAGE_LOWERED, result_view.get());
}

}  // namespace rlx::cli
