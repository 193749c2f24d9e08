// `opscope recost`: records again, costed from the graphs they hold.
#include <opscope/need.hpp>

#include "plugin/commands/options.hpp"
#include "plugin/commands/selection.hpp"
#include "plugin/commands/unmet_symbols.hpp"
#include "plugin/ledger/record.hpp"

namespace opscope {

const std::string_view recost_help =
    "usage: opscope recost [OPTION]... LEDGER...\n"
    "\n"
    "Costs the records of ledgers again, from the graphs they hold and with the models of this\n"
    "version, and prints the new records. What was recorded of the compile stays: time, compiler,\n"
    "options, tags, fingerprints. A record without nodes (OPSCOPE_NODES=0) cannot be costed again "
    "and\n"
    "is left out with a note.\n"
    "\n"
    "Options (defaults in brackets):\n"
    "  --bind S=N,S=N    sizes for the symbols of dynamic dims [none]\n"
    "  --color WHEN      auto, always or never [auto]\n"
    "  -h, --help        this text\n"
    "\n"
    "Examples:\n"
    "  opscope recost old.jsonl > new.jsonl\n"
    "  opscope recost --bind 0=1,1=128 ledger.jsonl | opscope show -\n"
    "\n"
    "Exit status: 0 done, 2 wrong usage, unreadable input, or nothing that could be costed.\n"
    "Environment: NO_COLOR.\n";

namespace {

rlx_stage stage_of(const std::string& name) {
  if (name == "source") return RLX_STAGE_SOURCE;
  if (name == "pass") return RLX_STAGE_PASS;
  return RLX_STAGE_LOWERED;
}

// The compile record that `r` was written of.
rlx_compile_record compile_of(const ledger_record& r, std::vector<rlx_option>& compiler_options) {
  compiler_options.clear();
  for (const auto& [name, value] : r.options) {
    compiler_options.push_back({rlx::borrow(name), rlx::borrow(value)});
  }
  rlx_compile_record c{};
  c.struct_size = sizeof c;
  c.stage = stage_of(r.stage);
  c.graph = &r.nodes->raw();
  if (r.pass) c.pass = rlx::borrow(*r.pass);
  c.target = rlx::borrow(r.target);
  c.compiler_name = rlx::borrow(r.compiler_name);
  c.compiler_version = rlx::borrow(r.compiler_version);
  c.pipeline = rlx::borrow(r.pipeline);
  c.options = compiler_options.data();
  c.option_count = compiler_options.size();
  c.option_stride = sizeof(rlx_option);
  c.sequence = r.sequence;
  return c;
}

}  // namespace

void describe_recost(options::options_description& known) {
  auto add = known.add_options();
  add("help,h", "");
  add("bind", options::value<std::string>(), "SYMBOL=SIZE");
  add("color", options::value<std::string>(), "auto|always|never");
}

int run_recost(const argument_list& arguments, console& out) {
  options::options_description known;
  describe_recost(known);
  std::vector<std::string> ledgers;
  const options::variables_map values = parse_options(arguments, known, ledgers);
  out.set_color(chosen_text(values, "color", "auto"));
  if (ledgers.empty()) throw usage_error{"no LEDGER given"};
  need_options wish;
  const bindings chosen = chosen_bindings(values);

  unmet_symbols unmet{chosen};
  graph_cost cost;
  graph_need need;
  json_writer json;
  std::vector<rlx_option> compiler_options;
  std::uint64_t costed = 0;
  for (const std::string& argument : ledgers) {
    const ledger_argument parsed = parse_ledger_argument(argument);
    for (const std::string& file : ledger_files(parsed.place)) {
      ledger_reader reader{file, [&](const std::string& text) { out.note(text); }};
      while (const auto r = reader.next(true)) {
        if (!parsed.filter.matches(*r)) continue;
        if (!r->nodes) {
          out.note(file + ":" + std::to_string(r->line) +
                   ": the record has no nodes and cannot be costed again; it is left out");
          continue;
        }
        const rlx::graph_view graph = r->nodes->view();
        unmet.see(graph);
        analyze(graph, cost);
        wish.rule = &cost;
        wish.bindings = chosen.empty() ? r->bound : chosen;
        analyze_need(graph, wish, need);
        ledger_settings settings;
        settings.tags = r->tags;
        json.clear();
        write_record(json, compile_of(*r, compiler_options), cost,
                     {r->time, r->source, r->lowered, &settings, &need, &wish.bindings});
        json.raw('\n');
        out.print(json.pending());
        ++costed;
      }
    }
  }
  if (costed == 0) throw ledger_error{"no record could be costed; give ledgers that have nodes"};
  if (const std::string note = unmet.note(); !note.empty()) out.note(note);
  return exit_done;
}

}  // namespace opscope
