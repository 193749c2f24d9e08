// `opscope show`: what records hold.
#include <charconv>
#include <cmath>

#include "plugin/commands/options.hpp"
#include "plugin/commands/selection.hpp"
#include "plugin/commands/unmet_symbols.hpp"
#include "plugin/ledger/recost.hpp"
#include "plugin/render/show.hpp"
#include "plugin/render/waterfall.hpp"

namespace opscope {

const std::string_view show_help =
    "usage: opscope show [OPTION]... LEDGER...\n"
    "\n"
    "Shows what records hold: totals, then the kinds, labels or nodes that move most. Of each "
    "graph,\n"
    "target, stage and pass the newest record is shown. LEDGER is a file, a folder of files, - "
    "for\n"
    "standard input, or FILE#GRAPH@STAGE for a part of one.\n"
    "\n"
    "Options (defaults in brackets):\n"
    "  --graph NAME            only records of that graph\n"
    "  --target NAME           only records of that target\n"
    "  --stage NAME            only source, pass or lowered\n"
    "  --all                   every record, not only the newest\n"
    "  --by kind|label|node    what a row is; label folds repeated layers to one row [kind]\n"
    "  --by pass               what each pass added or took away, in rows that add up; for "
    "ledgers\n"
    "                          written with OPSCOPE_STAGES=all\n"
    "  --no-fold               with --by label: a row for each layer\n"
    "  --top N                 rows; 0 is all [10]\n"
    "  --bind S=N,S=N          cost again with sizes for the symbols of dynamic dims; needs nodes\n"
    "  --ridge R               split the bytes at R FLOP per byte, the device's ridge point\n"
    "  --format text|json|csv  json: one object a line; json and csv have exact integers [text]\n"
    "  --color WHEN            auto, always or never [auto]\n"
    "  -h, --help              this text\n"
    "\n"
    "Examples:\n"
    "  opscope show --by label --top 20 ledger.jsonl\n"
    "  opscope show --graph decode --ridge 80 --format json ledger.jsonl\n"
    "\n"
    "Exit status: 0 done, 2 wrong usage or unreadable input. Environment: NO_COLOR.\n";

namespace {

std::optional<double> chosen_ridge(const options::variables_map& values) {
  if (values.count("ridge") == 0) return std::nullopt;
  const std::string text = values["ridge"].as<std::string>();
  double ridge = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ridge);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(ridge) ||
      ridge <= 0) {
    throw usage_error{"--ridge is \"" + text + "\", and may be a number above 0 (FLOP per byte)"};
  }
  return ridge;
}

void show_waterfalls(const record_selection& selection, bool every_compile, output_format format,
                     console& out) {
  const std::vector<compile_steps> compiles = find_compiles(selection.records(), every_compile);
  if (compiles.empty()) {
    throw ledger_error{
        "no compile has more than one stage in these ledgers; compile with OPSCOPE_STAGES=all to "
        "record the source and each pass"};
  }
  if (format == output_format::csv) out.print(waterfall_csv_heading());
  json_writer json;
  for (const compile_steps& steps : compiles) {
    if (format == output_format::json) {
      json.clear();
      waterfall_json(json, steps);
      out.print(json.pending());
    } else if (format == output_format::csv) {
      out.print(waterfall_csv(steps));
    } else {
      if (&steps != &compiles.front()) out.print("\n");
      out.print(waterfall_text(steps, [&](std::string_view s) { return out.strong(s); }));
    }
  }
}

}  // namespace

void describe_show(options::options_description& known) {
  add_output_options(known, "text|json|csv");
  auto add = known.add_options();
  add("graph", options::value<std::string>(), "NAME");
  add("target", options::value<std::string>(), "NAME");
  add("stage", options::value<std::string>(), "source|pass|lowered");
  add("all", "");
  add("by", options::value<std::string>(), "kind|label|node|pass");
  add("no-fold", "");
  add("top", options::value<std::string>(), "NUMBER");
  add("ridge", options::value<std::string>(), "NUMBER");
  add("bind", options::value<std::string>(), "SYMBOL=SIZE");
}

int run_show(const argument_list& arguments, console& out) {
  options::options_description known;
  describe_show(known);
  std::vector<std::string> ledgers;
  const options::variables_map values = parse_options(arguments, known, ledgers);
  const output_format format = chosen_format(values, out);
  if (ledgers.empty()) throw usage_error{"no LEDGER given"};
  constexpr std::string_view stages[] = {"", "source", "pass", "lowered"};
  constexpr std::string_view groupings[] = {"kind", "label", "node", "pass"};
  const record_filter filter{chosen_text(values, "graph", ""),
                             chosen_word(values, "stage", "", stages),
                             chosen_text(values, "target", "")};
  show_wish wish;
  const std::string by = chosen_word(values, "by", "kind", groupings);
  wish.by = by == "kind" ? grouping::kind : by == "label" ? grouping::label : grouping::node;
  wish.fold_layers = values.count("no-fold") == 0;
  wish.top = chosen_count(values, "top", 10);
  wish.ridge = chosen_ridge(values);
  wish.bound = chosen_bindings(values);
  const bool by_pass = by == "pass";
  if (by_pass && !filter.stage.empty()) {
    throw usage_error{"--by pass shows all stages of a compile; leave --stage out"};
  }
  if (by_pass && !wish.bound.empty()) {
    throw usage_error{
        "--bind does not go with --by pass; `opscope recost --bind` writes records "
        "that --by pass can show"};
  }
  for (const char* option : {"top", "ridge"}) {
    if (by_pass && values.count(option) != 0) {
      throw usage_error{"--" + std::string{option} +
                        " does not go with --by pass, the rows of which add up; leave it out"};
    }
  }
  const bool needs_nodes =
      wish.by != grouping::kind || wish.ridge.has_value() || !wish.bound.empty();

  const bool all = values.count("all") != 0;
  record_selection selection{ledgers, filter, all || by_pass,
                             [&](const std::string& text) { out.note(text); }};
  if (by_pass) {
    show_waterfalls(selection, all, format, out);
    return exit_done;
  }
  if (format == output_format::csv) out.print(show_csv_heading(wish));
  json_writer json;
  unmet_symbols unmet{wish.bound};
  bool is_first = true;
  for (const ledger_record& head : selection.records()) {
    const auto show = [&](const ledger_record& r) {
      if (format == output_format::json) {
        json.clear();
        show_json(json, r, wish);
        out.print(json.pending());
      } else if (format == output_format::csv) {
        out.print(show_csv(r, wish));
      } else {
        if (!is_first) out.print("\n");
        out.print(show_text(r, wish, [&](std::string_view s) { return out.strong(s); }));
      }
    };
    if (needs_nodes) {
      ledger_record r = selection.load(head);
      if (!wish.bound.empty()) {
        unmet.see(r.nodes->view());
        recost(r, wish.bound);
      }
      show(r);
    } else {
      show(head);
    }
    is_first = false;
  }
  if (const std::string note = unmet.note(); !note.empty()) out.note(note);
  return exit_done;
}

}  // namespace opscope
