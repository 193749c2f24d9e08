// Gates: every kind fires, and passes one byte below; what cannot be told is never a pass.
#define BOOST_TEST_MODULE gate
#include "plugin/compare/gate.hpp"

#include <boost/test/unit_test.hpp>

namespace opscope::test {
namespace {

growth_limit limit(std::string_view text) {
  std::string problem;
  const auto parsed = parse_growth_limit(text, problem);
  BOOST_REQUIRE_MESSAGE(parsed.has_value(), problem);
  return *parsed;
}

std::string problem_of(std::string_view text) {
  std::string problem;
  BOOST_TEST(!parse_growth_limit(text, problem).has_value(), text);
  return problem;
}

// A record of which nodes need `bytes`, all in `read`.
ledger_record record(std::string graph, interval bytes, std::uint64_t unknown_nodes = 0) {
  ledger_record r;
  r.graph = std::move(graph);
  r.target = "cpu";
  r.stage = "lowered";
  r.totals.bytes = bytes.lo();
  recorded_need& need = r.need.emplace();
  need.version = need_version;
  need.totals.read = bytes;
  need.totals.unknown_nodes = unknown_nodes;
  return r;
}

gate_result run(const std::vector<std::string>& limits, const ledger_record& base,
                const ledger_record& next, gate_settings settings = {}) {
  for (const std::string& l : limits) settings.limits.push_back(limit(l));
  return run_gates({{{&base, &next}}, {}, {}, 0}, settings);
}

bool fires(const std::string& l, const ledger_record& base, const ledger_record& next) {
  const gate_result r = run({l}, base, next);
  BOOST_TEST(r.trouble.empty());
  BOOST_TEST(r.checked == 1u);
  return r.is_beyond();
}

constexpr std::uint64_t kib = 1024;

BOOST_AUTO_TEST_SUITE(limits)

BOOST_AUTO_TEST_CASE(are_read_exactly) {
  const growth_limit plain = limit("rule.bytes=2");
  BOOST_TEST(metrics()[plain.metric].name == "rule.bytes");
  BOOST_TEST(plain.percent == 2u);
  BOOST_TEST(plain.decimals == 0u);
  BOOST_TEST(plain.absolute == 0u);
  BOOST_TEST(!plain.of_total);
  const growth_limit all = limit("total:need.bytes.lo=0.250,1048576");
  BOOST_TEST(all.of_total);
  BOOST_TEST(all.percent == 25u);
  BOOST_TEST(all.decimals == 2u);
  BOOST_TEST(all.absolute == 1048576u);
  BOOST_TEST(limit("nodes=0").percent == 0u);
  BOOST_TEST(limit("nodes=0.000000001").decimals == 9u);
}

BOOST_AUTO_TEST_CASE(of_another_form_are_refused_with_the_reason) {
  const auto has = [](std::string_view text, std::string_view part) {
    const std::string problem = problem_of(text);
    BOOST_TEST(problem.find(part) != std::string::npos, problem);
  };
  has("", "METRIC=PERCENT[,ABSOLUTE]");
  has("rule.bytes", "METRIC=PERCENT[,ABSOLUTE]");
  has("bytes=1", "\"bytes\" is no metric; there are: need.bytes.lo ");
  has("total:=1", "\"\" is no metric");
  for (const char* percent : {"", "x", "-1", "+1", "1e2", " 1", "1 ", "1.", ".5", "0.0000000001",
                              "1000000000000000001", "1%", "nan", "0x1"}) {
    has(std::string{"rule.bytes="} + percent, "is no percentage");
  }
  for (const char* absolute : {"", "x", "-1", "1.5", "18446744073709551616", "1,2", "1k"}) {
    has(std::string{"rule.bytes=1,"} + absolute, "is no whole number");
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(growth)

BOOST_AUTO_TEST_CASE(over_the_percentage_fires_and_one_byte_below_passes) {
  const ledger_record base = record("g", 1000 * kib);
  BOOST_TEST(!fires("need.bytes.lo=1", base, record("g", 1000 * kib + 10 * kib)));
  BOOST_TEST(fires("need.bytes.lo=1", base, record("g", 1000 * kib + 10 * kib + 1)));
  BOOST_TEST(!fires("need.bytes.lo=0", base, base));
  BOOST_TEST(fires("need.bytes.lo=0", base, record("g", 1000 * kib + 1)));
  BOOST_TEST(!fires("need.bytes.lo=0", base, record("g", 1000 * kib - 1)));
}

BOOST_AUTO_TEST_CASE(must_be_over_the_absolute_too) {
  const ledger_record base = record("g", 1000);
  BOOST_TEST(!fires("need.bytes.lo=1,100", base, record("g", 1100)));
  BOOST_TEST(fires("need.bytes.lo=1,100", base, record("g", 1101)));
  BOOST_TEST(!fires("need.bytes.lo=20,100", base, record("g", 1200)));
  BOOST_TEST(fires("need.bytes.lo=20,100", base, record("g", 1201)));
}

BOOST_AUTO_TEST_CASE(from_0_is_over_every_percentage) {
  const ledger_record base = record("g", 0);
  BOOST_TEST(fires("need.bytes.lo=1000000", base, record("g", 1)));
  BOOST_TEST(!fires("need.bytes.lo=1000000", base, record("g", 0)));
  BOOST_TEST(!fires("need.bytes.lo=0,1", base, record("g", 1)));
  BOOST_TEST(fires("need.bytes.lo=0,1", base, record("g", 2)));
}

BOOST_AUTO_TEST_CASE(is_exact_where_floating_point_is_not) {
  // 2^53 + 1 is no double; a tenth of a percent of 10^18 is 10^15.
  const std::uint64_t odd = (std::uint64_t{1} << 53) + 1;
  BOOST_TEST(fires("need.bytes.lo=0", record("g", odd - 1), record("g", odd)));
  const std::uint64_t large = 1'000'000'000'000'000'000;
  BOOST_TEST(
      !fires("need.bytes.lo=0.1", record("g", large), record("g", large + 1'000'000'000'000'000)));
  BOOST_TEST(
      fires("need.bytes.lo=0.1", record("g", large), record("g", large + 1'000'000'000'000'001)));
}

BOOST_AUTO_TEST_CASE(is_exact_at_the_ends_of_64_bits) {
  const std::uint64_t top = UINT64_MAX;
  growth_limit l = limit("rule.bytes=100.000000001");
  BOOST_TEST(!is_beyond(l, top / 2, top - 1));  // just 100 %
  BOOST_TEST(is_beyond(l, top / 4, top));
  BOOST_TEST(is_beyond(l, 0, top));
  BOOST_TEST(!is_beyond(l, top, top));
  BOOST_TEST(!is_beyond(l, top, 0));
  l = limit("rule.bytes=1000000000,18446744073709551615");
  BOOST_TEST(!is_beyond(l, 0, top));  // no growth is over that absolute
  BOOST_TEST(is_beyond(limit("rule.bytes=0,18446744073709551614"), 0, top));
}

BOOST_AUTO_TEST_CASE(of_every_metric_is_held) {
  const auto with_all = [](std::uint64_t to) {
    ledger_record r = record("g", to);
    r.totals.nodes = r.totals.dynamic_nodes = r.totals.overflow_nodes = to;
    r.totals.bytes_weights = r.totals.flops = r.totals.bytes = to;
    r.memory = {to, to, to, 0};
    need_totals& t = r.need->totals;
    t.weights = t.work = t.contraction = t.int_ops = t.invariant = t.graph_io = t.written = to;
    t.unknown_nodes = to;
    return r;
  };
  for (const metric& m : metrics()) {
    const std::string l = std::string{m.name} + "=100";
    BOOST_TEST(!fires(l, with_all(100), with_all(200)), m.name);
    BOOST_TEST(fires(l, with_all(100), with_all(201)), m.name);
  }
}

BOOST_AUTO_TEST_CASE(of_the_total_is_held_over_all_graphs) {
  const ledger_record a = record("a", 1000);
  const ledger_record a_more = record("a", 1100);
  const ledger_record b = record("b", 1000);
  const ledger_record b_less = record("b", 910);
  gate_settings settings;
  settings.limits = {limit("total:need.bytes.lo=0.4")};
  const auto beyond = [&](const ledger_record& next) {
    const gate_result r = run_gates({{{&a, &a_more}, {&b, &next}}, {}, {}, 0}, settings);
    BOOST_TEST(r.trouble.empty());
    BOOST_TEST(r.checked == 1u);
    return r.is_beyond();
  };
  // 2000 may grow by 8.
  BOOST_TEST(!beyond(record("b", 908)));
  BOOST_TEST(beyond(b_less));
  // A total beyond 64 bits that was known cannot be told any more.
  BOOST_TEST(beyond(record("b", UINT64_MAX - 1)));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(unknown)

BOOST_AUTO_TEST_CASE(after_known_fires) {
  ledger_record next = record("g", 100);
  next.totals.bytes = std::nullopt;
  BOOST_TEST(fires("rule.bytes=1000000,1000000", record("g", 100), next));
  BOOST_TEST(
      fires("need.bytes.hi=1000000", record("g", 100), record("g", interval::at_least(100))));
}

BOOST_AUTO_TEST_CASE(after_known_fires_also_where_the_low_end_fell) {
  const ledger_record base = record("g", 1000);
  BOOST_TEST(fires("need.bytes.lo=50", base, record("g", interval::at_least(10), 1)));
  // Open before: one node more that is open fires, as many do not.
  const ledger_record open = record("g", interval::at_least(1000), 3);
  BOOST_TEST(fires("need.bytes.lo=50", open, record("g", interval::at_least(1000), 4)));
  BOOST_TEST(!fires("need.bytes.lo=50", open, record("g", interval::at_least(1000), 3)));
  BOOST_TEST(!fires("need.bytes.lo=50", open, record("g", interval::at_least(1500), 3)));
  BOOST_TEST(fires("need.bytes.lo=50", open, record("g", interval::at_least(1501), 3)));
}

BOOST_AUTO_TEST_CASE(before_known_is_trouble_unless_it_grew_not_even_from_what_is_sure) {
  ledger_record base = record("g", 100);
  base.totals.bytes = std::nullopt;
  const ledger_record next = record("g", 100);
  gate_result r = run({"rule.bytes=1000"}, base, next);
  BOOST_REQUIRE(r.trouble.size() == 1u);
  BOOST_TEST(r.trouble[0].find("g for cpu: rule.bytes was unknown, or open upward") == 0u);
  BOOST_TEST(!r.is_beyond());
  BOOST_TEST(!fires("rule.bytes=0,100", base, next));

  const ledger_record open = record("g", interval::at_least(64), 1);
  r = run({"need.bytes.lo=1"}, open, record("g", 1475));
  BOOST_TEST(r.trouble.size() == 1u);
  BOOST_TEST(r.offences.empty());
  BOOST_TEST(!fires("need.bytes.lo=1", open, record("g", 64)));
  BOOST_TEST(!fires("need.bytes.lo=0,1411", open, record("g", 1475)));
  BOOST_TEST(run({"need.bytes.lo=0,1410"}, open, record("g", 1475)).trouble.size() == 1u);
  // In the total over graphs too.
  BOOST_TEST(run({"total:need.bytes.lo=1"}, open, record("g", 1475)).trouble.size() == 1u);
}

BOOST_AUTO_TEST_CASE(on_both_sides_is_trouble) {
  ledger_record r = record("g", 100);
  r.totals.bytes = std::nullopt;
  const gate_result result = run({"rule.bytes=0"}, r, r);
  BOOST_REQUIRE(result.trouble.size() == 1u);
  BOOST_TEST(result.trouble[0].find("g for cpu: rule.bytes is unknown on both sides") == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(trouble)

BOOST_AUTO_TEST_CASE(is_a_metric_that_a_side_lacks) {
  const ledger_record whole = record("g", 100);
  ledger_record bare = record("g", 100);
  bare.need.reset();
  using sides = std::tuple<const ledger_record*, const ledger_record*, const char*>;
  const sides lacking[] = {{&whole, &bare, "NEW says nothing"},
                           {&bare, &whole, "BASE says nothing"},
                           {&bare, &bare, "neither side says anything"}};
  for (const auto& [base, next, who] : lacking) {
    const gate_result r = run({"need.bytes.lo=1"}, *base, *next);
    BOOST_REQUIRE(r.trouble.size() == 1u);
    BOOST_TEST(r.trouble[0].find(who) != std::string::npos, r.trouble[0]);
    BOOST_TEST(!r.is_beyond());
    gate_settings skip;
    skip.skip_missing_metrics = true;
    const gate_result skipped = run({"need.bytes.lo=1", "rule.bytes=1"}, *base, *next, skip);
    BOOST_TEST(skipped.trouble.empty());
    BOOST_TEST(skipped.skipped.size() == 1u);
    BOOST_TEST(skipped.checked == 1u);
    // A gate that holds nothing cannot fail, and is none.
    const gate_result nothing = run({"need.bytes.lo=1"}, *base, *next, skip);
    BOOST_REQUIRE(nothing.trouble.size() == 1u);
    BOOST_TEST(nothing.trouble[0] == "no figure is left to hold against a limit");
  }
}

BOOST_AUTO_TEST_CASE(is_a_graph_that_is_gone_unless_the_limits_say_what_then) {
  const ledger_record a = record("a", 1);
  const ledger_record gone = record("gone", 1);
  gated_graphs graphs{{{&a, &a}}, {&gone}, {}, 0};
  gate_settings settings;
  settings.limits = {limit("need.bytes.lo=1")};
  gate_result r = run_gates(graphs, settings);
  BOOST_REQUIRE(r.trouble.size() == 1u);
  BOOST_TEST(r.trouble[0].find("gone for cpu: NEW has no such graph") == 0u);

  settings.fail_on_missing = true;
  r = run_gates(graphs, settings);
  BOOST_TEST(r.trouble.empty());
  BOOST_REQUIRE(r.offences.size() == 1u);
  BOOST_TEST((r.offences[0].what == offence::kind::graph_is_missing));
  BOOST_TEST(r.offences[0].graph == "gone");
  BOOST_TEST(r.is_beyond());

  settings.fail_on_missing = false;
  settings.allow = "retired";
  r = run_gates(graphs, settings);
  BOOST_TEST(r.trouble.empty());
  BOOST_TEST(!r.is_beyond());
  BOOST_REQUIRE(r.skipped.size() == 1u);
  BOOST_TEST(r.skipped[0] == "gone for cpu: NEW has no such graph; allowed");

  graphs.only_base.clear();
  settings = {};
  settings.fail_on_missing = true;
  BOOST_TEST(!run_gates(graphs, settings).is_beyond());
}

BOOST_AUTO_TEST_CASE(is_no_graph_at_all_and_a_line_left_out) {
  gate_settings settings;
  settings.limits = {limit("need.bytes.lo=1")};
  BOOST_TEST(run_gates({}, settings).trouble.size() == 1u);
  const ledger_record a = record("a", 1);
  BOOST_TEST(run_gates({{{&a, &a}}, {}, {}, 0}, settings).trouble.empty());
  const gate_result r = run_gates({{{&a, &a}}, {}, {}, 1}, settings);
  BOOST_REQUIRE(r.trouble.size() == 1u);
  BOOST_TEST(r.trouble[0].find("1 line was no record") == 0u);
}

BOOST_AUTO_TEST_CASE(is_not_taken_away_by_allowing) {
  const ledger_record whole = record("g", 100);
  ledger_record bare = record("g", 100);
  bare.need.reset();
  gate_settings settings;
  settings.allow = "whatever";
  BOOST_TEST(run({"need.bytes.lo=1"}, whole, bare, settings).trouble.size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(offences)

BOOST_AUTO_TEST_CASE(of_new_graphs_fire_only_where_asked_for) {
  const ledger_record a = record("a", 1);
  const ledger_record fresh = record("fresh", 1);
  gate_settings settings;
  settings.fail_on_new = true;
  const gate_result r = run_gates({{{&a, &a}}, {}, {&fresh}, 0}, settings);
  BOOST_REQUIRE(r.offences.size() == 1u);
  BOOST_TEST((r.offences[0].what == offence::kind::graph_is_new));
  BOOST_TEST(r.is_beyond());
  BOOST_TEST(!run_gates({{{&a, &a}}, {}, {}, 0}, settings).is_beyond());
  settings.fail_on_new = false;
  settings.limits = {limit("need.bytes.lo=1")};
  const gate_result without = run_gates({{{&a, &a}}, {}, {&fresh}, 0}, settings);
  BOOST_TEST(without.trouble.empty());
  BOOST_TEST(!without.is_beyond());
  BOOST_REQUIRE(without.skipped.size() == 1u);
  BOOST_TEST(without.skipped[0] ==
             "1 record is only in NEW and held by no limit; --fail-on-new fails on it");
  BOOST_TEST(r.skipped.empty());
}

BOOST_AUTO_TEST_CASE(come_largest_first) {
  const ledger_record graphs[][2] = {
      {record("third", 1000), record("third", 1100)},
      {record("first", 1000), record("first", interval::at_least(10), 1)},
      {record("second", 0), record("second", 5)},
      {record("fourth", 1'000'000), record("fourth", 1'090'000)},
      {record("within", 1000), record("within", 1010)}};
  gated_graphs all;
  for (const auto& [base, next] : graphs) all.pairs.push_back({&base, &next});
  gate_settings settings;
  settings.limits = {limit("need.bytes.lo=1")};
  const gate_result r = run_gates(all, settings);
  BOOST_REQUIRE(r.offences.size() == 4u);
  BOOST_TEST(r.checked == 5u);
  BOOST_TEST(r.offences[0].graph == "first");
  BOOST_TEST(r.offences[1].graph == "second");
  BOOST_TEST(r.offences[2].graph == "third");
  BOOST_TEST(r.offences[3].graph == "fourth");
}

BOOST_AUTO_TEST_CASE(pass_where_a_reason_allows_them) {
  gate_settings settings;
  settings.allow = "wider heads, agreed in review";
  const gate_result r = run({"need.bytes.lo=1"}, record("g", 100), record("g", 200), settings);
  BOOST_TEST(r.offences.size() == 1u);
  BOOST_TEST(!r.is_beyond());
  BOOST_TEST(*r.allowed == "wider heads, agreed in review");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace opscope::test
