// Budgets: their text, the check, the update, and the command as a shell sees it.
#define BOOST_TEST_MODULE budget
#include "plugin/compare/budget.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "tests/ledger/run.hpp"

namespace opscope::test {
namespace {

using document = nlohmann::ordered_json;

void expect_text(const std::string& text, std::string_view part) {
  BOOST_TEST(text.find(part) != std::string::npos, "\"" << text << "\" lacks \"" << part << "\"");
}

ledger_record record(std::string graph, interval bytes, std::uint64_t unknown_nodes = 0) {
  ledger_record r;
  r.graph = std::move(graph);
  r.target = "cpu";
  r.stage = "lowered";
  r.rule = rule_version;
  r.source = "fp1:one";
  r.totals.nodes = 3;
  r.totals.bytes = 500;
  recorded_need& need = r.need.emplace();
  need.version = need_version;
  need.totals.read = bytes;
  need.totals.unknown_nodes = unknown_nodes;
  return r;
}

template <class... Records>
std::vector<ledger_record> all_of(Records... records) {
  std::vector<ledger_record> all;
  (all.push_back(std::move(records)), ...);
  return all;
}

budget budget_of(const std::vector<ledger_record>& records) {
  budget b;
  b.metrics = default_budget_metrics();
  update_budget(b, records);
  return parse_budget(write_budget(b), "made");
}

gate_result check(const budget& b, const std::vector<ledger_record>& records,
                  const budget_settings& settings = {}) {
  return check_budget(b, records, settings);
}

bool fires(const budget& b, ledger_record r) {
  const gate_result result = check(b, all_of(std::move(r)));
  BOOST_TEST(result.trouble.empty());
  BOOST_TEST(result.checked > 0u);
  return result.is_beyond();
}

std::string complaint(const std::string& text) {
  try {
    parse_budget(text, "budget.json");
  } catch (const ledger_error& e) {
    return e.what();
  }
  return "no error";
}

// The text of a sound budget after a change of it.
template <class Change>
std::string complaint_after(Change change) {
  document b = document::parse(write_budget(budget_of(all_of(record("g", 100)))));
  change(b);
  return complaint(b.dump());
}

BOOST_AUTO_TEST_SUITE(text)

BOOST_AUTO_TEST_CASE(is_read_as_it_was_written_and_sorted) {
  budget b;
  b.metrics = default_budget_metrics();
  update_budget(b, all_of(record("b", 7), record("a \"x\"", interval::at_least(5), 2)));
  growth_limit tolerance;
  std::string problem;
  BOOST_REQUIRE(parse_growth("0.5,4096", tolerance, problem));
  tolerance.metric = *find_metric("need.bytes.lo");
  tolerance.text = "0.5,4096";
  b.tolerance.push_back(tolerance);
  const std::string text = write_budget(b);
  const budget again = parse_budget(text, "again");
  BOOST_TEST(write_budget(again) == text);
  BOOST_REQUIRE(again.entries.size() == 2u);
  BOOST_TEST(again.entries[0].graph == "a \"x\"");
  BOOST_TEST(again.entries[0].unknown_nodes == 2u);
  BOOST_TEST(again.entries[1].graph == "b");
  BOOST_TEST(document::parse(text)["graphs"][1]["limits"]["need.bytes.lo"] == 7);
  BOOST_TEST(document::parse(text)["graphs"][0]["at_least"]["need.bytes.lo"] == 5);
  // A line a figure, so that a change of one is a change of one line.
  expect_text(text, "\n        \"need.bytes.lo\": 7,\n");
}

BOOST_AUTO_TEST_CASE(that_is_not_understood_is_refused_and_named) {
  expect_text(complaint(""), "budget.json: not JSON");
  expect_text(complaint("[]"), "budget.json: the budget is no object");
  expect_text(complaint("{}"), "no member schema");
  expect_text(complaint_after([](document& b) { b["schema"] = "opscope-budget/2"; }),
              "its schema is \"opscope-budget/2\", and this opscope reads opscope-budget/1");
  expect_text(complaint_after([](document& b) { b["limit"] = 1; }), "a member \"limit\"");
  expect_text(complaint_after([](document& b) { b["graphs"][0]["limts"] = 1; }),
              "a graph has a member \"limts\"");
  expect_text(complaint_after([](document& b) { b["graphs"][0].erase("limits"); }),
              "graph g lacks the member limits");
  expect_text(complaint_after([](document& b) { b["graphs"][0]["limits"] = document::object(); }),
              "graph g has no limits, so that nothing holds it");
  expect_text(complaint_after([](document& b) {
                b["graphs"][0]["limits"] = {{"bytes", 1}};
              }),
              "\"bytes\" is no metric; there are: ");
  expect_text(complaint_after([](document& b) { b["graphs"][0]["limits"]["nodes"] = 1.5; }),
              "nodes is no whole number");
  expect_text(complaint_after([](document& b) { b["graphs"][0]["limits"]["nodes"] = -1; }),
              "nodes is no whole number");
  expect_text(complaint_after([](document& b) {
                b["graphs"][0]["at_least"] = {{"nodes", 1}};
              }),
              "limits nodes twice");
  expect_text(complaint_after([](document& b) { b["graphs"] = document::array(); }),
              "it has no graphs");
  expect_text(complaint_after([](document& b) { b["graphs"].push_back(b["graphs"][0]); }),
              "it has g for cpu twice");
  expect_text(complaint_after([](document& b) { b["metrics"] = document::array(); }),
              "its metrics are none");
  expect_text(complaint_after([](document& b) { b["tolerance"]["nodes"] = "-1"; }),
              "tolerance of nodes: \"-1\" is no percentage");
  expect_text(complaint_after([](document& b) { b["tolerance"]["nodes"] = 2; }),
              "tolerance of nodes is no text; it may be \"0.5\", a percentage, or \"0.5,4096\"");
  expect_text(complaint_after([](document& b) { b["graphs"][0]["unknown_nodes"] = 1; }),
              "graph g says unknown_nodes twice");
  std::string twice = write_budget(budget_of(all_of(record("g", 100))));
  twice.insert(twice.find("\"stage\""), "\"stage\": \"x\", ");
  expect_text(complaint(twice), "has the member stage twice");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(checking)

BOOST_AUTO_TEST_CASE(fires_one_byte_above_and_passes_at_the_budget) {
  const budget b = budget_of(all_of(record("g", 1000)));
  BOOST_TEST(!fires(b, record("g", 1000)));
  BOOST_TEST(!fires(b, record("g", 999)));
  BOOST_TEST(fires(b, record("g", 1001)));
}

BOOST_AUTO_TEST_CASE(lets_a_metric_grow_by_its_tolerance) {
  document d = document::parse(write_budget(budget_of(all_of(record("g", 1000)))));
  d["tolerance"] = {{"need.bytes.lo", "1,20"}};
  const budget b = parse_budget(d.dump(), "budget");
  BOOST_TEST(!fires(b, record("g", 1020)));
  BOOST_TEST(fires(b, record("g", 1021)));
  ledger_record other = record("g", 1000);
  other.totals.nodes = 4;
  BOOST_TEST(fires(b, std::move(other)));  // of nodes there is no tolerance
}

BOOST_AUTO_TEST_CASE(fires_where_a_figure_turns_unknown) {
  const budget b = budget_of(all_of(record("g", 1000)));
  BOOST_TEST(fires(b, record("g", interval::at_least(10), 1)));
  const budget open = budget_of(all_of(record("g", interval::at_least(1000), 1)));
  BOOST_TEST(!fires(open, record("g", interval::at_least(1000), 1)));
  BOOST_TEST(fires(open, record("g", interval::at_least(1001), 1)));
  BOOST_TEST(fires(open, record("g", interval::at_least(900), 2)));
  // How much it grew from what was open nobody knows.
  const ledger_record resolved = record("g", 1001);
  const gate_result r_open = check_budget(open, std::span{&resolved, 1}, {});
  BOOST_TEST(r_open.offences.empty());
  BOOST_REQUIRE(r_open.trouble.size() == 1u);
  expect_text(r_open.trouble[0], "open upward when the budget was made");
  ledger_record r = record("g", 1000);
  r.totals.bytes = std::nullopt;
  BOOST_TEST(fires(b, std::move(r)));
}

BOOST_AUTO_TEST_CASE(holds_a_floor_to_the_nodes_that_were_open) {
  budget b;
  b.metrics = {*find_metric("need.bytes.lo"), *find_metric("need.bytes.hi")};
  update_budget(b, all_of(record("g", interval::at_least(1000), 2)));
  b = parse_budget(write_budget(b), "made");
  BOOST_TEST(document::parse(write_budget(b))["graphs"][0]["unknown_nodes"] == 2);
  BOOST_TEST(document::parse(write_budget(b))["graphs"][0]["limits"]["need.bytes.hi"].is_null());
  BOOST_TEST(!fires(b, record("g", interval::at_least(1000), 2)));
  BOOST_TEST(!fires(b, record("g", interval::at_least(999), 1)));
  BOOST_TEST(fires(b, record("g", interval::at_least(1001), 2)));
  BOOST_TEST(fires(b, record("g", interval::at_least(999), 3)));
  // What was unknown is held by nothing, and that is said.
  const gate_result now_known = check(b, all_of(record("g", 1000)));
  BOOST_TEST(now_known.checked == 1u);
  BOOST_REQUIRE(now_known.skipped.size() == 1u);
  expect_text(now_known.skipped[0], "need.bytes.hi is known now, and the budget has it as unknown");
  b.metrics = {*find_metric("need.bytes.hi")};
  update_budget(b, all_of(record("g", 1000)));
  BOOST_TEST(fires(b, record("g", interval::at_least(10), 1)));
  update_budget(b, all_of(record("g", interval::at_least(10), 1)));
  BOOST_REQUIRE(!check(b, all_of(record("g", 5))).trouble.empty());
  expect_text(check(b, all_of(record("g", 5))).trouble[0], "all that the budget has is unknown");
}

BOOST_AUTO_TEST_CASE(cannot_tell_where_what_it_holds_is_not_there) {
  const budget b = budget_of(all_of(record("g", 1000)));
  const auto trouble = [&](const ledger_record& r, const budget_settings& settings = {}) {
    const gate_result result = check_budget(b, std::span{&r, 1}, settings);
    BOOST_TEST(!result.is_beyond());
    return result.trouble.empty() ? std::string{} : result.trouble.front();
  };
  expect_text(trouble(record("other", 1000)), "g for cpu: the ledger has no such graph");
  ledger_record r = record("g", 1000);
  r.need.reset();
  expect_text(trouble(r), "without needs, and the budget by rlx-opscope 0.2.18, need 1");
  r = record("g", 1000);
  r.need->version = need_version + 1;
  expect_text(trouble(r), "need 2, and the budget by ");
  r = record("g", 1000);
  r.rule = "rlx-opscope 0.3.0";
  expect_text(trouble(r), "counted by rlx-opscope 0.3.0");
  r = record("g", 1000);
  r.source = "fp1:two";
  expect_text(trouble(r), "the model changed, not only the compiler");
  BOOST_TEST(trouble(r, {.across_models = true}) == "");
  r.source.reset();
  BOOST_TEST(trouble(r) == "");
  expect_text(trouble(record("g", 1000), {.lines_left_out = 1}), "were no record and left out");
}

BOOST_AUTO_TEST_CASE(tells_of_graphs_outside_the_budget) {
  const budget b = budget_of(all_of(record("g", 1000)));
  const std::vector<ledger_record> both = all_of(record("g", 1000), record("h", 1));
  const gate_result r = check(b, both);
  BOOST_TEST(!r.is_beyond());
  BOOST_REQUIRE(r.skipped.size() == 1u);
  expect_text(r.skipped[0], "h for cpu: not in the budget");
  BOOST_TEST(check(b, both, {.fail_on_new = true}).is_beyond());
  BOOST_TEST(!check(b, all_of(record("g", 1000)), {.fail_on_new = true}).is_beyond());
}

BOOST_AUTO_TEST_CASE(lets_pass_what_a_reason_allows) {
  const budget b = budget_of(all_of(record("g", 1000)));
  const gate_result r = check(b, all_of(record("g", 2000)), {.allow = "agreed"});
  BOOST_TEST(r.offences.size() == 1u);
  BOOST_TEST(!r.is_beyond());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(updating)

BOOST_AUTO_TEST_CASE(keeps_tolerances_metrics_and_graphs_that_were_not_compiled) {
  budget b = budget_of(all_of(record("g", 1000), record("h", 7)));
  b.metrics = {*find_metric("need.bytes.lo")};
  const auto notes = update_budget(b, all_of(record("g", 900)));
  BOOST_REQUIRE(notes.size() == 1u);
  expect_text(notes[0], "h for cpu: not in the ledger; kept as it was");
  BOOST_REQUIRE(b.entries.size() == 2u);
  BOOST_TEST(b.entries[0].figures.size() == 1u);
  BOOST_TEST(b.entries[0].figures[0].second.value() == 900u);
  BOOST_TEST(b.entries[1].figures.size() > 1u);
}

BOOST_AUTO_TEST_CASE(refuses_to_mix_versions) {
  budget b = budget_of(all_of(record("g", 1000), record("h", 7)));
  ledger_record later = record("g", 1000);
  later.need->version = need_version + 1;
  BOOST_CHECK_THROW(update_budget(b, std::span{&later, 1}), ledger_error);
  budget c;
  c.metrics = default_budget_metrics();
  BOOST_CHECK_THROW(update_budget(c, all_of(record("h", 7), std::move(later))), ledger_error);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(command)

struct ledgers {
  scratch place;
  std::string path(std::string_view name) const { return place.path(name); }
  // One MatMul of `rows` rows.
  std::string write(std::string_view name, std::uint64_t rows) const {
    view_builder b{"model"};
    const auto x = b.input("x", {rows, 8});
    b.outputs({b.node(RLX_KIND_MatMul, {x, b.param("w", {8, 8})}, {rows, 8})});
    const graph_cost cost = analyze(b.view());
    const graph_need need = analyze_need(b.view(), {{}, &cost});
    ledger_settings settings;
    settings.place = path(name);
    rlx_compile_record compile = lowered_record(b.get());
    compile.source = nullptr;  // the model's rows are what the test changes
    BOOST_REQUIRE(!ledger{settings}.append(compile, cost, &need));
    return path(name);
  }
};

run_result check_command(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "check");
  return opscope_command(std::move(arguments));
}

BOOST_AUTO_TEST_CASE(makes_a_budget_and_fails_beyond_it) {
  const ledgers l;
  const std::string four = l.write("four", 4);
  const std::string five = l.write("five", 5);
  const std::string budget = l.path("budget.json");
  run_result r = check_command({"--budget", budget, "--update", four});
  BOOST_TEST(r.status == 0);
  expect_text(r.out, "budget.json: made, 1 graph\n");
  const std::string made = read_text(budget);

  r = check_command({"--budget", budget, four});
  BOOST_TEST(r.status == 0);
  expect_text(r.out, " held against limits, none beyond\n");
  r = check_command({"--budget", budget, five});
  BOOST_TEST(r.status == 1);
  constexpr std::uint64_t bytes_4 = (4 * 8 + 8 * 8 + 4 * 8) * 4;
  constexpr std::uint64_t bytes_5 = (5 * 8 + 8 * 8 + 5 * 8) * 4;
  static_assert(bytes_4 == 512 && bytes_5 - bytes_4 == 64);
  expect_text(r.out,
              "BEYOND model for cpu: need.bytes.lo 512 B -> 576 B (+64 B, +12.50 %), limit 0\n");
  BOOST_TEST(read_text(budget) == made);

  r = check_command({"--budget", budget, "--allow", "one row more", five});
  BOOST_TEST(r.status == 0);
  expect_text(r.out, "allowed model for cpu: need.bytes.lo");
  expect_text(r.out, "; allowed: one row more\n");
  const document json =
      document::parse(check_command({"--budget", budget, "--format", "json", five}).out);
  BOOST_TEST(json["status"] == "beyond");
  bool is_named = false;
  for (const auto& o : json["offences"]) {
    is_named |= o["metric"] == "need.bytes.lo" && o["base"] == bytes_4 && o["new"] == bytes_5;
  }
  BOOST_TEST(is_named);

  r = check_command({"--budget", budget, "--update", five});
  BOOST_TEST(r.status == 0);
  expect_text(r.out, "updated");
  BOOST_TEST(check_command({"--budget", budget, five}).status == 0);
  BOOST_TEST(check_command({"--budget", budget, four}).status == 0);
}

BOOST_AUTO_TEST_CASE(takes_no_figure_from_a_record_that_its_nodes_contradict) {
  const ledgers l;
  const std::string sound = l.write("sound", 4);
  const std::string budget = l.path("budget.json");
  BOOST_REQUIRE(check_command({"--budget", budget, "--update", sound}).status == 0);
  const std::string made = read_text(budget);
  std::string text = read_text(sound);
  const std::string total{"\"bytes\":512"};
  const std::size_t at = text.find(total, text.find("\"totals\""));
  BOOST_REQUIRE(at < text.find("\"by_kind\""));
  const std::string edited = l.path("edited");
  write_text(edited, text.replace(at, total.size(), "\"bytes\":1"));
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--budget", budget, edited},
        std::vector<std::string>{"--budget", budget, "--update", edited}}) {
    const run_result r = check_command(arguments);
    BOOST_TEST(r.status == 2);
    expect_text(r.err, "edited:1: the record contradicts itself: its rule.bytes is 1, and");
    BOOST_TEST(read_text(budget) == made);
  }
}

BOOST_AUTO_TEST_CASE(writes_a_budget_through_a_link_and_to_a_pipe) {
  const ledgers l;
  const std::string four = l.write("four", 4);
  const std::string link = l.path("link");
  std::filesystem::create_symlink("budget.json", link);
  BOOST_TEST(check_command({"--budget", link, "--update", four}).status == 0);
  BOOST_TEST(check_command({"--budget", link, "--update", four}).status == 0);
  BOOST_TEST(std::filesystem::is_symlink(link));
  const std::string pipe = l.path("pipe");
  BOOST_REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  BOOST_REQUIRE(reader >= 0);
  BOOST_TEST(check_command({"--budget", pipe, "--update", four}).status == 0);
  std::string got(4096, '\0');
  const ssize_t n = ::read(reader, got.data(), got.size());
  ::close(reader);
  BOOST_REQUIRE(n > 0);
  got.resize(static_cast<std::size_t>(n));
  BOOST_TEST(got == read_text(l.path("budget.json")));
  BOOST_TEST(std::filesystem::is_fifo(pipe));
}

BOOST_AUTO_TEST_CASE(holds_only_records_of_the_sizes_it_was_made_with) {
  ledger_record r = record("g", 1000);
  r.totals.dynamic_nodes = 1;
  r.bound.bind(0, 4);
  const budget b = budget_of(all_of(std::move(r)));
  BOOST_TEST(b.entries[0].bound == "0=4");
  const auto trouble = [&](std::optional<std::uint64_t> size) {
    ledger_record of = record("g", 1000);
    of.totals.dynamic_nodes = 1;
    if (size) of.bound.bind(0, *size);
    const gate_result result = check(b, all_of(std::move(of)));
    return result.trouble.empty() ? std::string{} : result.trouble.front();
  };
  BOOST_TEST(trouble(4) == "");
  expect_text(trouble(5), "dynamic dims were given other sizes (0=5, in the budget 0=4)");
  expect_text(trouble(std::nullopt), "dynamic dims were given other sizes (none, in the budget");
}

// A graph of which the high ends are unknown, as a dynamic one's are.
BOOST_AUTO_TEST_CASE(passes_on_the_ledger_it_was_made_of) {
  const ledgers l;
  view_builder b{"model"};
  const auto x = b.input("x", {symbol(0), 8});
  b.outputs({b.node(RLX_KIND_MatMul, {x, b.param("w", {8, 8})}, {symbol(0), 8})});
  const graph_cost cost = analyze(b.view());
  const graph_need need = analyze_need(b.view(), {{}, &cost});
  ledger_settings settings;
  settings.place = l.path("open");
  BOOST_REQUIRE(!ledger{settings}.append(lowered_record(b.get()), cost, &need));
  const std::string budget = l.path("budget.json");
  for (const std::vector<std::string>& held : {std::vector<std::string>{"need.bytes.lo"},
                                               {"need.bytes.lo", "need.bytes.hi"},
                                               {"nodes", "need.work.hi"}}) {
    std::filesystem::remove(budget);
    std::vector<std::string> arguments{"--budget", budget, "--update"};
    for (const std::string& m : held) arguments.insert(arguments.end(), {"--metric", m});
    arguments.push_back(settings.place);
    BOOST_TEST(check_command(arguments).status == 0);
    BOOST_TEST(check_command({"--budget", budget, settings.place}).status == 0);
  }
}

BOOST_AUTO_TEST_CASE(never_passes_where_it_cannot_tell) {
  const ledgers l;
  const std::string four = l.write("four", 4);
  const std::string budget = l.path("budget.json");
  BOOST_REQUIRE(check_command({"--budget", budget, "--update", four}).status == 0);
  const auto fails = [](std::vector<std::string> arguments, std::string_view what) {
    const run_result r = check_command(std::move(arguments));
    BOOST_TEST(r.status == 2);
    expect_text(r.err, what);
  };
  fails({four}, "no --budget FILE given");
  fails({"--budget", budget}, "no LEDGER given");
  fails({"--budget", l.path("missing"), four}, "missing: cannot be read");
  fails({"--budget", four, four}, "its schema is \"opscope-ledger/1\"");
  fails({"--budget", budget, "/dev/null"}, "there is no record in it");
  fails({"--budget", budget, "--allow", " ", four}, "--allow needs a reason");
  fails({"--budget", budget, "--metric", "nodes", four}, "--metric goes with --update");
  fails({"--budget", budget, "--update", "--metric", "bytes", four}, "--metric is \"bytes\"");
  // A record whose writer was stopped.
  const std::string whole = read_text(four);
  write_text(l.path("torn"), whole + whole.substr(0, whole.size() / 2));
  fails({"--budget", budget, l.path("torn")}, "were no record and left out");
  fails({"--budget", budget, "--update", l.path("torn")}, "a line of the ledger was left out");
  write_text(l.path("half"), whole.substr(0, whole.size() / 2));
  fails({"--budget", budget, l.path("half")}, "there is no record in it");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace opscope::test
