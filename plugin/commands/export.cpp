// `opscope export`: the nodes of records for other tools.
#include <unistd.h>

#include <filesystem>

#include <optional>

#include "plugin/commands/file_output.hpp"
#include "plugin/commands/options.hpp"
#include "plugin/commands/selection.hpp"
#include "plugin/export/csv.hpp"
#include "plugin/export/pprof.hpp"

namespace opscope {

const std::string_view export_help =
    "usage: opscope export --format pprof|csv [OPTION]... LEDGER...\n"
    "\n"
    "Writes the nodes of the newest record of each graph, target, stage and pass for other tools.\n"
    "pprof: a profile whose stacks are graph, label and kind; values need, rule, weights, "
    "invariant\n"
    "(bytes) and work (operations), chosen by pprof's -sample_index. csv: one line a node, exact.\n"
    "LEDGER is a file, a folder of files, - for standard input, or FILE#GRAPH@STAGE for a part.\n"
    "\n"
    "Options (defaults in brackets):\n"
    "  --format pprof|csv  what is written\n"
    "  --output FILE       - is standard output [-]\n"
    "  --graph NAME        only records of that graph\n"
    "  --target NAME       only records of that target\n"
    "  --stage NAME        only source, pass or lowered [lowered]\n"
    "  --color WHEN        auto, always or never [auto]\n"
    "  -h, --help          this text\n"
    "\n"
    "Examples:\n"
    "  opscope export --format pprof --output new.pb.gz ledger.jsonl && pprof -top new.pb.gz\n"
    "  pprof -diff_base old.pb.gz -sample_index work -http : new.pb.gz\n"
    "  opscope export --format csv ledger.jsonl > nodes.csv\n"
    "\n"
    "A value that is unknown stands at the least that is known, which is noted; in csv it is "
    "empty.\n"
    "Exit status: 0 done, 2 wrong usage or unreadable input. Environment: NO_COLOR.\n";

namespace {

// Standard output or a file.
class output {
 public:
  output(const std::string& path, console& out) : out_{out} {
    if (path != "-") file_.emplace(path);
  }
  void print(std::string_view text) { file_ ? file_->write(text) : out_.print(text); }
  void finish() {
    if (file_) file_->finish();
  }

 private:
  console& out_;
  std::optional<file_output> file_;
};

// Writing over a ledger that is read would lose it.
void refuse_to_replace_input(const std::string& path, const std::vector<std::string>& ledgers) {
  for (const std::string& l : ledgers) {
    for (const std::string& file : ledger_files(parse_ledger_argument(l).place)) {
      std::error_code not_there;
      if (std::filesystem::is_regular_file(file, not_there) &&
          std::filesystem::equivalent(path, file, not_there)) {
        throw usage_error{"--output is the ledger " + file + " itself; name another file"};
      }
    }
  }
}

void export_pprof(record_selection& selection, output& to, console& out) {
  profile_builder builder;
  for (const ledger_record& head : selection.records()) builder.add(selection.load(head));
  const profile p = builder.take();
  for (std::size_t i = 0; i < profile_values.size(); ++i) {
    if (p.unknown_nodes[i] == 0) continue;
    out.note(
        std::string{profile_values[i].name} + ": " + std::to_string(p.unknown_nodes[i]) +
        (p.unknown_nodes[i] == 1 ? " node is unknown and stands" : " nodes are unknown and stand") +
        " at the least that is known");
  }
  to.print(write_pprof(p));
}

}  // namespace

void describe_export(options::options_description& known) {
  add_output_options(known, "pprof|csv");
  auto add = known.add_options();
  add("output", options::value<std::string>(), "FILE");
  add("graph", options::value<std::string>(), "NAME");
  add("target", options::value<std::string>(), "NAME");
  add("stage", options::value<std::string>(), "source|pass|lowered");
}

int run_export(const argument_list& arguments, console& out) {
  options::options_description known;
  describe_export(known);
  std::vector<std::string> ledgers;
  const options::variables_map values = parse_options(arguments, known, ledgers);
  constexpr std::string_view modes[] = {"auto", "always", "never"};
  constexpr std::string_view formats[] = {"pprof", "csv"};
  constexpr std::string_view stages[] = {"source", "pass", "lowered"};
  out.set_color(chosen_word(values, "color", "auto", modes));
  if (values.count("format") == 0) throw usage_error{"no --format given: pprof or csv"};
  const std::string format = chosen_word(values, "format", "", formats);
  if (ledgers.empty()) throw usage_error{"no LEDGER given"};
  const std::string path = chosen_text(values, "output", "-");
  if (path.empty()) throw usage_error{"--output is empty, and may be a file or -"};
  if (path == "-" && format == "pprof" && ::isatty(STDOUT_FILENO) == 1) {
    throw usage_error{"a profile is no text for a terminal; name a file with --output"};
  }
  if (path != "-") refuse_to_replace_input(path, ledgers);
  const bool has_stage = values.count("stage") != 0;
  record_filter filter{chosen_text(values, "graph", ""),
                       chosen_word(values, "stage", "lowered", stages),
                       chosen_text(values, "target", "")};
  // `file#graph@source` says the stage as well.
  for (const std::string& l : ledgers) {
    if (!has_stage && !parse_ledger_argument(l).filter.stage.empty()) filter.stage.clear();
  }
  record_selection selection{ledgers, filter, false,
                             [&](const std::string& text) { out.note(text); }};
  output to{path, out};
  if (format == "pprof") {
    export_pprof(selection, to, out);
  } else {
    to.print(nodes_csv_heading());
    for (const ledger_record& head : selection.records()) {
      write_nodes_csv(selection.load(head), [&](std::string_view text) { to.print(text); });
    }
  }
  to.finish();
  return exit_done;
}

}  // namespace opscope
