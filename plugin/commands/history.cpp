// `opscope history`: one graph's figures from record to record.
#include "plugin/render/history.hpp"
#include "plugin/commands/options.hpp"
#include "plugin/commands/selection.hpp"

namespace opscope {

const std::string_view history_help =
    "usage: opscope history --graph NAME [OPTION]... LEDGER...\n"
    "\n"
    "Lists the records of one graph in the order of their times, one line each: its figures, and "
    "the\n"
    "change from the record before of the same target and stage. A change is not told where other\n"
    "versions of the models counted, and it is said where another model entered the compiler.\n"
    "LEDGER is a file, a folder of files, or - for standard input.\n"
    "\n"
    "Options (defaults in brackets):\n"
    "  --graph NAME            the graph; may be left out where the ledgers hold only one\n"
    "  --target NAME           only records of that target\n"
    "  --stage NAME            only source, pass or lowered [lowered]\n"
    "  --metric NAME           a figure; may be repeated [need.bytes.lo need.invariant\n"
    "                          need.work.lo rule.bytes memory.arena_bytes]\n"
    "  --format text|json|csv  json: one object a line; json and csv have exact integers [text]\n"
    "  --color WHEN            auto, always or never [auto]\n"
    "  -h, --help              this text\n"
    "\n"
    "Examples:\n"
    "  opscope history --graph llama ledgers/\n"
    "  opscope history --graph llama --metric memory.arena_bytes --format csv ledger.jsonl\n"
    "\n"
    "Exit status: 0 done, 2 wrong usage or unreadable input. Environment: NO_COLOR.\n";

void describe_history(options::options_description& known) {
  add_output_options(known, "text|json|csv");
  auto add = known.add_options();
  add("graph", options::value<std::string>(), "NAME");
  add("target", options::value<std::string>(), "NAME");
  add("stage", options::value<std::string>(), "source|pass|lowered");
  add("metric", options::value<std::vector<std::string>>(), "METRIC");
}

int run_history(const argument_list& arguments, console& out) {
  options::options_description known;
  describe_history(known);
  std::vector<std::string> ledgers;
  const options::variables_map values = parse_options(arguments, known, ledgers);
  const output_format format = chosen_format(values, out);
  if (ledgers.empty()) throw usage_error{"no LEDGER given"};
  constexpr std::string_view stages[] = {"source", "pass", "lowered"};
  const std::string stage = chosen_word(values, "stage", "lowered", stages);
  std::string graph = chosen_text(values, "graph", "");
  const bool has_graph = values.count("graph") != 0;
  std::vector<metric_index> wanted = chosen_metrics(values);
  if (wanted.empty()) {
    for (const char* name :
         {"need.bytes.lo", "need.invariant", "need.work.lo", "rule.bytes", "memory.arena_bytes"}) {
      wanted.push_back(find_metric(name).value());
    }
  }

  history h{std::move(wanted)};
  const record_filter filter{has_graph ? graph : "", stage, chosen_text(values, "target", "")};
  for (const std::string& argument : ledgers) {
    ledger_argument parsed = parse_ledger_argument(argument);
    if (!parsed.filter.stage.empty() && parsed.filter.stage != stage) {
      throw usage_error{argument + ": --stage " + parsed.filter.stage + " asks for that stage"};
    }
    for (const std::string& file : ledger_files(parsed.place)) {
      ledger_reader reader{file, [&](const std::string& text) { out.note(text); }};
      while (const auto r = reader.next()) {
        if (!filter.matches(*r) || !parsed.filter.matches(*r)) continue;
        if (!has_graph && !h.entries().empty() && r->graph != graph) {
          throw usage_error{"the ledgers hold more than one graph (" + graph + ", " + r->graph +
                            "); choose one with --graph"};
        }
        graph = r->graph;
        h.add(*r);
      }
    }
  }
  if (h.entries().empty()) {
    throw ledger_error{"there is no " + stage + " record" +
                       (has_graph ? " of the graph \"" + graph + "\"" : "") +
                       "; `opscope list` shows what is there"};
  }
  h.finish();
  if (format == output_format::json) {
    json_writer json;
    history_json(json, graph, h);
    out.print(json.pending());
  } else if (format == output_format::csv) {
    out.print(history_csv(graph, h));
  } else {
    out.print(history_text(h, [&](std::string_view s) { return out.strong(s); }));
  }
  return exit_done;
}

}  // namespace opscope
