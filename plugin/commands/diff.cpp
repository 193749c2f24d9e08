// `opscope diff`: two ledgers, graph by graph and node by node.
#include "plugin/render/diff.hpp"

#include <algorithm>
#include <future>
#include <mutex>
#include <opscope/units.hpp>

#include "plugin/commands/gates.hpp"
#include "plugin/commands/progress.hpp"
#include "plugin/commands/selection.hpp"
#include "plugin/compare/gate_nodes.hpp"
#include "plugin/render/diff_waterfall.hpp"
#include "plugin/render/gate.hpp"

namespace opscope {

const std::string_view diff_help =
    "usage: opscope diff [OPTION]... BASE NEW\n"
    "\n"
    "Compares two ledgers: which graphs need more or less, and which nodes did it. Nodes are\n"
    "matched whatever their ids and names; what has no counterpart is told as what it became.\n"
    "BASE and NEW are a file, a folder of files, - for standard input, or LEDGER#GRAPH@STAGE.\n"
    "Of each graph, target, stage and pass the newest record counts; where both sides have the\n"
    "lowered graph, that is compared. Two stages of one ledger are compared too.\n"
    "\n"
    "Options (defaults in brackets):\n"
    "  --map OLD=NEW           the graph OLD of BASE is NEW in NEW; may be repeated\n"
    "  --graph, --target, --stage NAME   only these\n"
    "  --all-stages            compare source and passes as well as the lowered graph\n"
    "  --by node|pass          pass: compare what each pass did, for ledgers with all stages "
    "[node]\n"
    "  --sort METRIC           order of rows and graphs, such as rule.bytes [need.bytes.lo]\n"
    "  --top N                 rows a graph, and graphs in full; 0 is all [10]\n"
    "  --across-models         compare though another graph entered the compiler; output says so\n"
    "  --across-versions       compare though another version of a cost model counted; says so\n"
    "  --across-bindings       compare though dynamic dims were given other sizes; says so\n"
    "  --fail-over METRIC=PERCENT[,ABSOLUTE]  fail where a graph's figure grew by more than both;\n"
    "                          may be repeated; total:METRIC=.. for the sum over graphs\n"
    "  --fail-on-new, --fail-on-missing  fail for a graph that only one side has\n"
    "  --skip-missing-metrics  leave a metric out that a side lacks; output says so\n"
    "  --allow REASON          what is beyond its limit passes; the output keeps the reason\n"
    "  --format text|md|json|csv  md: for a pull request; json, csv: exact integers [text]\n"
    "  --quiet                 print nothing; the exit status tells\n"
    "  --color WHEN            auto, always or never [auto]\n"
    "  -h, --help              this text\n"
    "\n"
    "Examples:\n"
    "  opscope diff all.jsonl#llama@source all.jsonl#llama@lowered\n"
    "  opscope diff --fail-over need.bytes.lo=1 --fail-over need.work.lo=0 main.jsonl "
    "branch.jsonl\n"
    "\n"
    "Exit status: 0 compared and within the limits; 1 beyond one; 2 wrong usage, unreadable "
    "input,\n"
    "nothing to compare, not comparable, or what a limit needs is missing. Environment: "
    "NO_COLOR.\n";

namespace {

// Notes of two threads that read at once.
class note_collector {
 public:
  explicit note_collector(console& out, progress& p) : out_{out}, progress_{p} {}
  note_function function() {
    return [this](const std::string& text) {
      const std::lock_guard lock{mutex_};
      progress_.wipe();
      out_.note(text);
    };
  }

 private:
  std::mutex mutex_;
  console& out_;
  progress& progress_;
};

// Runs both, at once where there can be a second thread.
template <class F, class G>
auto both(const F& f, const G& g) {
  std::future<std::invoke_result_t<F>> first;
  try {
    first = std::async(std::launch::async, f);
  } catch (const std::system_error&) {
    first = std::async(std::launch::deferred, f);
  }
  auto second = g();
  return std::pair{first.get(), std::move(second)};
}

graph_renames chosen_renames(const options::variables_map& values) {
  graph_renames renames;
  if (values.count("map") == 0) return renames;
  for (const std::string& text : values["map"].as<std::vector<std::string>>()) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      throw usage_error{"--map is \"" + text + "\", and may be OLD=NEW, two names of graphs"};
    }
    renames.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return renames;
}

metric_index chosen_metric(const options::variables_map& values) {
  const std::string name = chosen_text(values, "sort", "need.bytes.lo");
  const auto m = find_metric(name);
  if (m && node_metric_place(*m)) return *m;
  std::string list;
  for (const metric_index known : node_metrics()) {
    list.append(list.empty() ? "" : ", ").append(metrics()[known].name);
  }
  throw usage_error{"--sort is \"" + name + "\", and may be: " + list};
}

struct diff_options {
  bool across_models;
  bool across_versions;
  bool across_bindings;
};

// Throws ledger_error where the pair may not be compared; what an option allowed is returned.
std::vector<found_obstacle> check_obstacles(const record_pair& pair, const diff_options& options) {
  std::vector<found_obstacle> found = find_obstacles(pair);
  for (const found_obstacle& o : found) {
    const auto [is_allowed, option] = o.what == obstacle::other_source
                                          ? std::pair{options.across_models, "--across-models"}
                                      : o.what == obstacle::other_versions
                                          ? std::pair{options.across_versions, "--across-versions"}
                                          : std::pair{options.across_bindings, "--across-bindings"};
    if (is_allowed) continue;
    throw ledger_error{shown_name(pair.base->graph) + " for " + shown_name(pair.base->target) +
                       ": " + shown_name(o.text, 400) + "; " + option + " compares nevertheless"};
  }
  return found;
}

// Where a side was asked for one stage, the other's further stages of the same graph are not
// missed.
void leave_out_unchosen_stages(record_pairs& pairs) {
  const auto erase = [&](std::vector<const ledger_record*>& only, auto record_pair::*side) {
    std::erase_if(only, [&](const ledger_record* r) {
      return std::ranges::any_of(pairs.pairs, [&](const record_pair& p) {
        return (p.*side)->graph == r->graph && (p.*side)->target == r->target;
      });
    });
  };
  erase(pairs.only_base, &record_pair::base);
  erase(pairs.only_new, &record_pair::next);
}

// Throws ledger_error where a graph is on both sides, and only its targets differ.
void refuse_other_targets(const record_pairs& pairs) {
  for (const ledger_record* a : pairs.only_base) {
    for (const ledger_record* b : pairs.only_new) {
      if (a->graph != b->graph || a->target == b->target) continue;
      throw ledger_error{"there is nothing to compare: " + a->graph + " is for " + a->target +
                         " in BASE and for " + b->target +
                         " in NEW; LEDGER#GRAPH on both sides compares two targets, where each "
                         "side has one of the graph"};
    }
  }
}

void compare_nodes(graph_comparison& g, record_selection& base, record_selection& next) {
  for (const ledger_record* r : {g.records.base, g.records.next}) {
    if (r->has_nodes) continue;
    g.no_diff = "no nodes to compare: " + r->file + ":" + std::to_string(r->line) +
                " has none (OPSCOPE_NODES=0 left them out)";
    return;
  }
  const auto [a, b] =
      both([&] { return base.load(*g.records.base); }, [&] { return next.load(*g.records.next); });
  g.diff = compare_graphs(graph_side{*a.nodes}, graph_side{*b.nodes});
  for (const auto& [r, sum] :
       {std::pair{g.records.base, &g.diff->base}, {g.records.next, &g.diff->next}}) {
    if (const auto problem = find_contradiction(*r, *sum)) throw ledger_error{*problem};
  }
}

std::optional<gate_result> held_against(const gate_settings& gates, const comparison& c,
                                        std::uint64_t lines_left_out) {
  if (!gates.is_wanted()) return std::nullopt;
  gated_graphs graphs;
  for (const graph_comparison& g : c.graphs) {
    graphs.pairs.push_back({g.records.base, g.records.next});
  }
  graphs.only_base = c.only_base;
  graphs.only_new = c.only_new;
  graphs.lines_left_out = lines_left_out;
  gate_result result = run_gates(graphs, gates);
  name_offending_nodes(result, c);
  return result;
}

// The compiles of one graph and target on both sides, side by side.
void compare_passes(const std::vector<std::string>& ledgers, const record_filter& filter,
                    const graph_renames& renames, const diff_options& allowed,
                    std::string_view format, bool is_quiet, console& out) {
  if (!filter.stage.empty()) {
    throw usage_error{"--by pass compares all stages of a compile; leave --stage out"};
  }
  const note_function note = [&](const std::string& text) { out.note(text); };
  const record_selection base{{ledgers[0]}, filter, true, note};
  const record_selection next{{ledgers[1]}, filter, true, note};
  check_renames(base.records(), next.records(), renames);
  std::vector<waterfall_pair> pairs;
  const std::vector<compile_steps> others = find_compiles(next.records(), false);
  for (const compile_steps& steps : find_compiles(base.records(), false)) {
    const ledger_record& first = *steps.front();
    const auto renamed = std::ranges::find(renames, first.graph, &graph_renames::value_type::first);
    const std::string& name = renamed == renames.end() ? first.graph : renamed->second;
    const auto at = std::ranges::find_if(others, [&](const compile_steps& s) {
      return s.front()->graph == name && s.front()->target == first.target;
    });
    if (at == others.end()) continue;
    for (const found_obstacle& o : check_obstacles({&first, at->front()}, allowed)) {
      out.note(shown_name(first.graph) + ": compared although " + shown_name(o.text, 400));
    }
    pairs.push_back({steps, *at});
  }
  if (pairs.empty()) {
    throw ledger_error{
        "there is no graph of which both ledgers have more than one stage; compile with "
        "OPSCOPE_STAGES=all to record the source and each pass"};
  }
  if (is_quiet) return;
  if (format == "csv") out.print(waterfall_diff_csv_heading());
  for (const waterfall_pair& w : pairs) {
    if (format == "json") {
      json_writer json;
      waterfall_diff_json(json, w);
      out.print(json.pending());
    } else if (format == "csv") {
      out.print(waterfall_diff_csv(w));
    } else {
      if (&w != &pairs.front()) out.print("\n");
      out.print(format == "md"
                    ? waterfall_diff_markdown(w)
                    : waterfall_diff_text(w, [&](std::string_view s) { return out.strong(s); }));
    }
  }
}

std::string print_in(std::string_view format, const comparison& c, const diff_wish& wish,
                     const gate_result* gate, const console& out) {
  if (format == "json") {
    json_writer json;
    diff_json(json, c, wish, gate);
    return std::string{json.pending()};
  }
  if (format == "csv") return diff_csv(c, wish);
  const auto strong = [&](std::string_view s) { return out.strong(s); };
  if (format == "md") {
    return diff_markdown(c, wish) + (gate != nullptr ? "\n" + gate_markdown(*gate) : "");
  }
  const auto faint = [&](std::string_view s) { return out.faint(s); };
  return diff_text(c, wish, {strong, faint}) +
         (gate != nullptr ? "\n" + gate_text(*gate, strong) : "");
}

// CSV has no place for a verdict.
void note_gate(const gate_result& gate, console& out) {
  std::string text = gate_text(gate, [](std::string_view s) { return std::string{s}; });
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out.note(text.substr(0, end));
    text.erase(0, end + 1);
  }
}

}  // namespace

void describe_diff(options::options_description& known) {
  add_output_options(known, "text|md|json|csv");
  auto add = known.add_options();
  add("map", options::value<std::vector<std::string>>(), "OLD=NEW");
  add("graph", options::value<std::string>(), "NAME");
  add("target", options::value<std::string>(), "NAME");
  add("stage", options::value<std::string>(), "source|pass|lowered");
  add("all-stages", "");
  add("by", options::value<std::string>(), "node|pass");
  add("sort", options::value<std::string>(), "NODE_METRIC");
  add("top", options::value<std::string>(), "NUMBER");
  add("across-models", "");
  add("across-versions", "");
  add("across-bindings", "");
  add("quiet", "");
  add_gate_options(known);
}

int run_diff(const argument_list& arguments, console& out) {
  options::options_description known;
  describe_diff(known);
  std::vector<std::string> ledgers;
  const options::variables_map values = parse_options(arguments, known, ledgers);
  constexpr std::string_view modes[] = {"auto", "always", "never"};
  constexpr std::string_view formats[] = {"text", "md", "json", "csv"};
  constexpr std::string_view stages[] = {"", "source", "pass", "lowered"};
  constexpr std::string_view groupings[] = {"node", "pass"};
  out.set_color(chosen_word(values, "color", "auto", modes));
  const std::string format = chosen_word(values, "format", "text", formats);
  const std::string by = chosen_word(values, "by", "node", groupings);
  const record_filter filter{chosen_text(values, "graph", ""),
                             chosen_word(values, "stage", "", stages),
                             chosen_text(values, "target", "")};
  if (ledgers.size() != 2) {
    throw usage_error{"two ledgers are compared, BASE and NEW, and " +
                      std::to_string(ledgers.size()) + " given"};
  }
  if (parse_ledger_argument(ledgers[0]).place == "-" &&
      parse_ledger_argument(ledgers[1]).place == "-") {
    throw usage_error{"standard input can be one of BASE and NEW, not both"};
  }
  diff_wish wish;
  wish.base_place = ledgers[0];
  wish.new_place = ledgers[1];
  wish.by = chosen_metric(values);
  wish.top = chosen_count(values, "top", 10);
  const diff_options allowed{values.count("across-models") != 0,
                             values.count("across-versions") != 0,
                             values.count("across-bindings") != 0};
  const gate_settings gates = chosen_gates(values);
  const graph_renames renames = chosen_renames(values);
  const bool every_stage = values.count("all-stages") != 0 || !filter.stage.empty();

  if (by == "pass") {
    if (gates.is_wanted()) {
      throw usage_error{"limits are for graphs as a whole; leave --by pass out to hold them"};
    }
    compare_passes(ledgers, filter, renames, allowed, format, values.count("quiet") != 0, out);
    return exit_done;
  }

  comparison c;
  std::optional<record_selection> base;
  std::optional<record_selection> next;
  {
    progress shown;
    note_collector notes{out, shown};
    shown.at("reading " + ledgers[0] + " and " + ledgers[1]);
    const auto select = [&](std::size_t i) {
      return record_selection{{ledgers[i]}, filter, false, notes.function()};
    };
    auto selections = both([&] { return select(0); }, [&] { return select(1); });
    base = std::move(selections.first);
    next = std::move(selections.second);
    const bool names_graphs = std::ranges::all_of(ledgers, [&](const std::string& ledger) {
      return !filter.graph.empty() || !parse_ledger_argument(ledger).filter.graph.empty();
    });
    record_pairs pairs =
        pair_records(base->records(), next->records(), renames, every_stage, names_graphs);
    if (std::ranges::any_of(ledgers, [](const std::string& ledger) {
          return !parse_ledger_argument(ledger).filter.stage.empty();
        })) {
      leave_out_unchosen_stages(pairs);
    }
    if (pairs.pairs.empty()) {
      refuse_other_targets(pairs);
      throw ledger_error{"there is nothing to compare: " + ledgers[0] + " and " + ledgers[1] +
                         " have no graph of one name and target in common; --map OLD=NEW tells "
                         "which was renamed, `opscope list` shows what is there"};
    }
    for (const record_pair& pair : pairs.pairs) {
      graph_comparison& g = c.graphs.emplace_back();
      g.records = pair;
      g.allowed = check_obstacles(pair, allowed);
    }
    const bool is_itself = std::ranges::all_of(pairs.pairs, [](const record_pair& p) {
      return p.base->file == p.next->file && p.base->line == p.next->line;
    });
    if (is_itself && values.count("quiet") == 0) {
      notes.function()("BASE and NEW are the same records of the same file, so nothing can differ");
    }
    std::size_t done = 0;
    for (graph_comparison& g : c.graphs) {
      shown.at("comparing " + shown_name(g.records.base->graph) + " (" + std::to_string(++done) +
               " of " + std::to_string(c.graphs.size()) + ")");
      compare_nodes(g, *base, *next);
    }
    c.only_base = std::move(pairs.only_base);
    c.only_new = std::move(pairs.only_new);
    c.notes = std::move(pairs.notes);
    for (const auto& [selection, place] : {std::pair{&*base, &ledgers[0]}, {&*next, &ledgers[1]}}) {
      const std::uint64_t n = selection->superseded();
      if (n == 0) continue;
      c.notes.push_back(
          *place + ": " + std::to_string(n) +
          (n == 1 ? " older record of the same is" : " older records of the same are") +
          " left out");
    }
    sort_graphs(c.graphs, wish.by);
    for (graph_comparison& g : c.graphs) {
      if (g.diff) sort_rows(g.diff->rows, wish.by);
    }
  }
  const std::uint64_t lines_left_out = base->lines_left_out() + next->lines_left_out();
  const std::optional<gate_result> gate = held_against(gates, c, lines_left_out);
  if (values.count("quiet") == 0) {
    out.print(print_in(format, c, wish, gate ? &*gate : nullptr, out));
    if (gate && format == "csv") note_gate(*gate, out);
  }
  return gate ? end_gates(*gate, out) : exit_done;
}

}  // namespace opscope
