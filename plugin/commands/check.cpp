// `opscope check`: a ledger against a budget that is kept beside the sources.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "plugin/commands/file_output.hpp"
#include "plugin/commands/gates.hpp"
#include "plugin/commands/selection.hpp"
#include "plugin/compare/budget.hpp"
#include "plugin/compare/comparison.hpp"
#include "plugin/render/gate.hpp"

namespace opscope {

const std::string_view check_help =
    "usage: opscope check --budget FILE [OPTION]... LEDGER...\n"
    "\n"
    "Holds the newest lowered record of each graph against a budget: a JSON file of figures that\n"
    "none may exceed, kept beside the sources. LEDGER is a file, a folder of files, - for "
    "standard\n"
    "input, or FILE#GRAPH@STAGE for a part of one.\n"
    "\n"
    "Options (defaults in brackets):\n"
    "  --budget FILE     the budget\n"
    "  --update          write the ledger's figures into the budget instead, which is made where "
    "it\n"
    "                    is not there; its tolerances, and graphs the ledger lacks, stay\n"
    "  --metric NAME     with --update: hold this metric (may be repeated; then only these)\n"
    "  --fail-on-new     fail for a graph that the budget lacks\n"
    "  --across-models   hold it though another graph entered the compiler than when it was set\n"
    "  --allow REASON    what is beyond passes; the output keeps the reason\n"
    "  --format text|json|md  [text]\n"
    "  --color WHEN      auto, always or never [auto]\n"
    "  -h, --help        this text\n"
    "\n"
    "Examples:\n"
    "  opscope check --budget budget.json --update ledger.jsonl\n"
    "  opscope check --budget budget.json ledger.jsonl\n"
    "\n"
    "A tolerance in the budget, \"tolerance\": {\"need.bytes.lo\": \"0.5,4096\"}, lets a metric "
    "grow "
    "by\n"
    "0.5 % or 4096 bytes, whichever is more.\n"
    "Exit status: 0 within, 1 beyond, 2 wrong usage, unreadable input or what cannot be told.\n"
    "Environment: NO_COLOR.\n";

namespace {

constexpr std::uintmax_t longest_budget = std::uintmax_t{64} << 20;

std::string read_budget_text(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) throw ledger_error{path + ": cannot be read: " + error.message()};
  if (size > longest_budget) throw ledger_error{path + ": is longer than 64 MiB and no budget"};
  std::ifstream in{path, std::ios::binary};
  std::string text(static_cast<std::size_t>(size), '\0');
  if (!in.read(text.data(), static_cast<std::streamsize>(size))) {
    throw ledger_error{path + ": cannot be read: " + std::strerror(errno)};
  }
  return text;
}

void update(const std::string& path, std::span<const ledger_record> records,
            const std::vector<metric_index>& metrics_wanted, console& out) {
  budget b;
  b.metrics = default_budget_metrics();
  const bool is_there = std::filesystem::is_regular_file(path);
  if (is_there) b = parse_budget(read_budget_text(path), path);
  if (!metrics_wanted.empty()) b.metrics = metrics_wanted;
  for (const std::string& note : update_budget(b, records)) out.note(note);
  file_output file{path};
  file.write(write_budget(b));
  file.finish();
  out.print(path + (is_there ? ": updated, " : ": made, ") + std::to_string(b.entries.size()) +
            (b.entries.size() == 1 ? " graph\n" : " graphs\n"));
}

// A record that its own nodes contradict has no figure to be held to a budget, or to make one of.
void refuse_contradictions(record_selection& selection) {
  for (const ledger_record& head : selection.records()) {
    if (!head.has_nodes) continue;
    if (const auto problem = find_contradiction(selection.load(head))) {
      throw ledger_error{*problem};
    }
  }
}

}  // namespace

void describe_check(options::options_description& known) {
  add_output_options(known, "text|json|md");
  auto add = known.add_options();
  add("budget", options::value<std::string>(), "FILE");
  add("update", "");
  add("metric", options::value<std::vector<std::string>>(), "METRIC");
  add("fail-on-new", "");
  add("across-models", "");
  add("allow", options::value<std::string>(), "REASON");
}

int run_check(const argument_list& arguments, console& out) {
  options::options_description known;
  describe_check(known);
  std::vector<std::string> ledgers;
  const options::variables_map values = parse_options(arguments, known, ledgers);
  constexpr std::string_view modes[] = {"auto", "always", "never"};
  constexpr std::string_view formats[] = {"text", "json", "md"};
  out.set_color(chosen_word(values, "color", "auto", modes));
  const std::string format = chosen_word(values, "format", "text", formats);
  const std::string path = chosen_text(values, "budget", "");
  if (path.empty()) throw usage_error{"no --budget FILE given"};
  if (ledgers.empty()) throw usage_error{"no LEDGER given"};
  const std::vector<metric_index> metrics_wanted = chosen_metrics(values);
  const bool is_update = values.count("update") != 0;
  if (!metrics_wanted.empty() && !is_update) throw usage_error{"--metric goes with --update"};
  budget_settings settings;
  settings.fail_on_new = values.count("fail-on-new") != 0;
  settings.across_models = values.count("across-models") != 0;
  settings.allow = chosen_allowance(values);

  if (is_update) {
    record_filter lowered;
    lowered.stage = "lowered";
    record_selection selection{ledgers, lowered, false,
                               [&](const std::string& text) { out.note(text); }};
    if (selection.lines_left_out() != 0) {
      throw ledger_error{
          "a line of the ledger was left out, and what stood there would be missing "
          "in the budget; compile again, or remove the line"};
    }
    refuse_contradictions(selection);
    update(path, selection.records(), metrics_wanted, out);
    return exit_done;
  }
  const budget b = parse_budget(read_budget_text(path), path);
  record_selection selection{ledgers, {}, false, [&](const std::string& text) { out.note(text); }};
  refuse_contradictions(selection);
  settings.lines_left_out = selection.lines_left_out();
  const gate_result result = check_budget(b, selection.records(), settings);
  if (format == "json") {
    json_writer json;
    gate_json(json, result);
    json.raw('\n');
    out.print(json.pending());
  } else if (format == "md") {
    out.print(gate_markdown(result));
  } else {
    out.print(gate_text(result, [&](std::string_view s) { return out.strong(s); }));
  }
  return end_gates(result, out);
}

}  // namespace opscope
