// `opscope list`: one line a record, streamed.
#include "plugin/render/list.hpp"
#include "plugin/commands/options.hpp"
#include "plugin/commands/selection.hpp"

namespace opscope {

const std::string_view list_help =
    "usage: opscope list [OPTION]... LEDGER...\n"
    "\n"
    "Lists the records of ledgers in the order they were written, one line each. LEDGER is a "
    "file,\n"
    "a folder of files, - for standard input, or FILE#GRAPH@STAGE for a part of one. A line that "
    "is\n"
    "no record is stepped over and noted on standard error.\n"
    "\n"
    "Options (defaults in brackets):\n"
    "  --graph NAME            only records of that graph\n"
    "  --target NAME           only records of that target\n"
    "  --stage NAME            only source, pass or lowered\n"
    "  --format text|json|csv  json: one object a line; json and csv have exact integers [text]\n"
    "  --color WHEN            auto, always or never [auto]\n"
    "  -h, --help              this text\n"
    "\n"
    "Examples:\n"
    "  opscope list ledger.jsonl\n"
    "  opscope list --stage lowered --format csv ledgers/ > all.csv\n"
    "\n"
    "bytes, weights and FLOPs are the rule's: each node alone, operands and result once.\n"
    "Exit status: 0 done, 2 wrong usage or unreadable input. Environment: NO_COLOR.\n";

void describe_list(options::options_description& known) {
  add_output_options(known, "text|json|csv");
  auto add = known.add_options();
  add("graph", options::value<std::string>(), "NAME");
  add("target", options::value<std::string>(), "NAME");
  add("stage", options::value<std::string>(), "source|pass|lowered");
}

int run_list(const argument_list& arguments, console& out) {
  options::options_description known;
  describe_list(known);
  std::vector<std::string> ledgers;
  const options::variables_map values = parse_options(arguments, known, ledgers);
  const output_format format = chosen_format(values, out);
  if (ledgers.empty()) throw usage_error{"no LEDGER given"};
  constexpr std::string_view stages[] = {"", "source", "pass", "lowered"};
  const record_filter filter{chosen_text(values, "graph", ""),
                             chosen_word(values, "stage", "", stages),
                             chosen_text(values, "target", "")};

  std::vector<std::pair<std::string, record_filter>> files;
  for (const std::string& argument : ledgers) {
    const ledger_argument parsed = parse_ledger_argument(argument);
    for (std::string& file : ledger_files(parsed.place)) {
      files.emplace_back(std::move(file), parsed.filter);
    }
  }
  const print_function print = [&](std::string_view text) { out.print(text); };
  const auto list = [&]() -> std::unique_ptr<record_list> {
    if (format == output_format::json) return json_record_list(print);
    if (format == output_format::csv) return csv_record_list(print);
    return text_record_list(
        print, [&](std::string_view s) { return out.strong(s); }, files.size() > 1);
  }();
  bool is_ledger = false;
  std::uint64_t lines_left_out = 0;
  for (const auto& [file, part] : files) {
    ledger_reader reader{file, [&](const std::string& text) { out.note(text); }};
    while (const auto r = reader.next()) {
      is_ledger = true;
      if (filter.matches(*r) && part.matches(*r)) list->add(*r);
    }
    lines_left_out += reader.skipped_lines();
  }
  list->finish();
  if (!is_ledger && lines_left_out != 0) {
    std::string what;
    for (const std::string& a : ledgers) what.append(what.empty() ? "" : ", ").append(a);
    throw ledger_error{what + ": there is no record in it"};
  }
  return exit_done;
}

}  // namespace opscope
