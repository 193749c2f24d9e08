// `opscope kinds`: the table of the need, one line a kind.
#include <opscope/need.hpp>

#include "plugin/commands/options.hpp"
#include "plugin/ledger/json_writer.hpp"
#include "plugin/render/table.hpp"

namespace opscope {

const std::string_view kinds_help =
    "usage: opscope kinds [OPTION]...\n"
    "\n"
    "Lists the kinds of operations that are known, and what the need says of each: whether its\n"
    "bytes and its work are exact, an interval that data decides, or unknown, and the formula in\n"
    "words. `x, o; 3 an element` reads: moves x and the output, 3 operations an element. E(t) is\n"
    "the element count of t.\n"
    "\n"
    "Options (defaults in brackets):\n"
    "  --format text|json|csv  json: one object a line [text]\n"
    "  --color WHEN            auto, always or never [auto]\n"
    "  -h, --help              this text\n"
    "\n"
    "Examples:\n"
    "  opscope kinds\n"
    "  opscope kinds --format csv > kinds.csv\n"
    "\n"
    "Exit status: 0 done, 2 wrong usage. Environment: NO_COLOR.\n";

void describe_kinds(options::options_description& known) {
  add_output_options(known, "text|json|csv");
}

int run_kinds(const argument_list& arguments, console& out) {
  options::options_description known;
  describe_kinds(known);
  std::vector<std::string> rest;
  const options::variables_map values = parse_options(arguments, known, rest);
  const output_format format = chosen_format(values, out);
  if (!rest.empty()) throw usage_error{"\"" + rest.front() + "\" is no option, and none is needed"};
  if (format == output_format::json) {
    json_writer json;
    for (const kind_model& k : kind_models()) {
      json.raw("{\"kind\":");
      json.text(k.name);
      json.raw(",\"bytes\":");
      json.text(text(k.bytes));
      json.raw(",\"work\":");
      json.text(text(k.work));
      json.raw(",\"formula\":");
      json.text(k.words);
      json.raw("}\n");
    }
    out.print(json.pending());
    return exit_done;
  }
  if (format == output_format::csv) {
    std::string lines{"kind,bytes,work,formula\n"};
    for (const kind_model& k : kind_models()) {
      lines.append(k.name).append(",").append(text(k.bytes)).append(",");
      lines.append(text(k.work)).append(",").append(csv_field(k.words)).append("\n");
    }
    out.print(lines);
    return exit_done;
  }
  text_table table{{{"kind", align::left},
                    {"bytes", align::left},
                    {"work", align::left},
                    {"formula", align::left}}};
  for (const kind_model& k : kind_models()) {
    table.add({std::string{k.name}, std::string{text(k.bytes)}, std::string{text(k.work)},
               std::string{k.words}});
  }
  const std::string rows = table.take_rows();
  out.print(out.strong(table.heading()));
  out.print(rows);
  return exit_done;
}

}  // namespace opscope
