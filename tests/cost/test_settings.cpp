// OPSCOPE_ variables: what is taken, and the sentence for each value that is not.
#define BOOST_TEST_MODULE settings
#include <boost/test/unit_test.hpp>
#include <cstdlib>

#include "plugin/settings.hpp"

namespace opscope::test {
namespace {

read_settings parse(const std::vector<variable>& variables) { return parse_settings(variables); }

// The settings of variables that must all be taken.
settings good(const std::vector<variable>& variables) {
  const read_settings read = parse(variables);
  for (const std::string& w : read.warnings) BOOST_ERROR("unexpected warning: " << w);
  return read.settings;
}

// The one warning.
std::string warning(const std::vector<variable>& variables) {
  const read_settings read = parse(variables);
  BOOST_REQUIRE_EQUAL(read.warnings.size(), 1u);
  return read.warnings[0];
}

void check_defaults(const settings& s) {
  BOOST_TEST((s.report == report_kind::summary));
  BOOST_TEST(s.top == 10u);
  BOOST_TEST(!s.ridge.has_value());
  BOOST_TEST(s.ledger.empty());
  BOOST_TEST(s.has_ledger_nodes);
  BOOST_TEST(s.tags.empty());
  BOOST_TEST(s.stages == RLX_STAGE_LOWERED);
}

BOOST_AUTO_TEST_SUITE(taken)

BOOST_AUTO_TEST_CASE(defaults_without_variables) { check_defaults(good({})); }

BOOST_AUTO_TEST_CASE(variables_of_other_prefixes_are_passed_over) {
  check_defaults(
      good({{"OPSCOP_TOP", "x"}, {"PATH", "x"}, {"opscope_top", "x"}, {"OPSCOPE", "x"}}));
}

BOOST_AUTO_TEST_CASE(an_empty_value_is_as_good_as_none) {
  for (const std::string_view name : setting_names()) check_defaults(good({{name, ""}}));
}

BOOST_AUTO_TEST_CASE(reports) {
  BOOST_TEST((good({{"OPSCOPE_REPORT", "off"}}).report == report_kind::off));
  BOOST_TEST((good({{"OPSCOPE_REPORT", "summary"}}).report == report_kind::summary));
  BOOST_TEST((good({{"OPSCOPE_REPORT", "rule"}}).report == report_kind::rule));
}

BOOST_AUTO_TEST_CASE(top) {
  BOOST_TEST(good({{"OPSCOPE_TOP", "0"}}).top == 0u);
  BOOST_TEST(good({{"OPSCOPE_TOP", "5"}}).top == 5u);
  BOOST_TEST(good({{"OPSCOPE_TOP", "007"}}).top == 7u);
  BOOST_TEST(good({{"OPSCOPE_TOP", "4294967295"}}).top == 4294967295u);
}

BOOST_AUTO_TEST_CASE(ridge) {
  BOOST_TEST(good({{"OPSCOPE_RIDGE", "12.5"}}).ridge.value() == 12.5);
  BOOST_TEST(good({{"OPSCOPE_RIDGE", "1e2"}}).ridge.value() == 100.0);
  BOOST_TEST(good({{"OPSCOPE_RIDGE", ".5"}}).ridge.value() == 0.5);
}

BOOST_AUTO_TEST_CASE(ledger_and_nodes) {
  BOOST_TEST(good({{"OPSCOPE_LEDGER", "a b.jsonl"}}).ledger == "a b.jsonl");
  BOOST_TEST(good({{"OPSCOPE_LEDGER", "/tmp/x/"}}).ledger == "/tmp/x/");
  BOOST_TEST(!good({{"OPSCOPE_NODES", "0"}}).has_ledger_nodes);
  BOOST_TEST(good({{"OPSCOPE_NODES", "1"}}).has_ledger_nodes);
}

BOOST_AUTO_TEST_CASE(stages_always_hold_the_result) {
  const auto stages = [](std::string_view value) {
    return good({{"OPSCOPE_STAGES", value}, {"OPSCOPE_LEDGER", "x"}}).stages;
  };
  BOOST_TEST(stages("lowered") == RLX_STAGE_LOWERED);
  BOOST_TEST(stages("source") == (RLX_STAGE_SOURCE | RLX_STAGE_LOWERED));
  BOOST_TEST(stages("passes") == (RLX_STAGE_PASS | RLX_STAGE_LOWERED));
  BOOST_TEST(stages("all") == (RLX_STAGE_SOURCE | RLX_STAGE_PASS | RLX_STAGE_LOWERED));
}

BOOST_AUTO_TEST_CASE(tags_are_sorted_by_key) {
  const settings s =
      good({{"OPSCOPE_TAGS", "git=abc,branch=a=b,empty=,x/y:z.0-_=\xC3\xBC \xF0\x9F\x98\x80"}});
  using tag = std::pair<std::string, std::string>;
  BOOST_REQUIRE_EQUAL(s.tags.size(), 4u);
  BOOST_TEST((s.tags[0] == tag{"branch", "a=b"}));
  BOOST_TEST((s.tags[1] == tag{"empty", ""}));
  BOOST_TEST((s.tags[2] == tag{"git", "abc"}));
  BOOST_TEST((s.tags[3] == tag{"x/y:z.0-_", "\xC3\xBC \xF0\x9F\x98\x80"}));
}

BOOST_AUTO_TEST_CASE(full_report_and_bound_dims) {
  BOOST_TEST((good({{"OPSCOPE_REPORT", "full"}}).report == report_kind::full));
  const settings s = good({{"OPSCOPE_BIND", "0=1,?1=128"}});
  BOOST_TEST(s.bindings.find(0).value() == 1u);
  BOOST_TEST(s.bindings.find(1).value() == 128u);
}

BOOST_AUTO_TEST_CASE(the_first_of_a_name_counts) {
  BOOST_TEST(good({{"OPSCOPE_TOP", "3"}, {"OPSCOPE_TOP", "x"}}).top == 3u);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(not_taken)

BOOST_AUTO_TEST_CASE(a_report_that_is_none) {
  for (const std::string value : {"Summary", "rules", "1", " rule", "rule "}) {
    BOOST_TEST(warning({{"OPSCOPE_REPORT", value}}) ==
               "OPSCOPE_REPORT: \"" + value +
                   "\" is not one of off, summary, full, rule; using summary");
    check_defaults(parse({{"OPSCOPE_REPORT", value}}).settings);
  }
}

BOOST_AUTO_TEST_CASE(a_top_that_is_no_count) {
  for (const std::string value : {"-1", "+1", "ten", "5 ", " 5", "5x", "0x10", "1e3", "1.0",
                                  "4294967296", "99999999999999999999999"}) {
    BOOST_TEST(warning({{"OPSCOPE_TOP", value}}) ==
               "OPSCOPE_TOP: \"" + value +
                   "\" is not a whole number from 0 to 4294967295; using 10");
    check_defaults(parse({{"OPSCOPE_TOP", value}}).settings);
  }
}

BOOST_AUTO_TEST_CASE(a_ridge_that_is_no_positive_number) {
  for (const std::string value : {"0", "-1", "-0", "nan", "inf", "infinity", "1e999", "1e-999",
                                  "+1", "1,5", "12.5 ", "0x1p3", "x", "1.5GB"}) {
    BOOST_TEST(warning({{"OPSCOPE_RIDGE", value}}) ==
               "OPSCOPE_RIDGE: \"" + value +
                   "\" is not a number of FLOP per byte above 0, such as 12.5; using no ridge");
    check_defaults(parse({{"OPSCOPE_RIDGE", value}}).settings);
  }
}

BOOST_AUTO_TEST_CASE(nodes_that_are_neither) {
  for (const std::string value : {"2", "no", "00", "true"}) {
    BOOST_TEST(warning({{"OPSCOPE_NODES", value}}) ==
               "OPSCOPE_NODES: \"" + value + "\" is neither 0 nor 1; using 1");
    check_defaults(parse({{"OPSCOPE_NODES", value}}).settings);
  }
}

BOOST_AUTO_TEST_CASE(stages_that_are_none) {
  for (const std::string value : {"pass", "all,source", "ALL", "0"}) {
    BOOST_TEST(warning({{"OPSCOPE_STAGES", value}, {"OPSCOPE_LEDGER", "x"}}) ==
               "OPSCOPE_STAGES: \"" + value +
                   "\" is not one of lowered, source, passes, all; using lowered");
  }
}

BOOST_AUTO_TEST_CASE(stages_without_a_ledger) {
  BOOST_TEST(warning({{"OPSCOPE_STAGES", "passes"}}) ==
             "OPSCOPE_STAGES chooses what the ledger records and there is none; set "
             "OPSCOPE_LEDGER");
  BOOST_TEST(parse({{"OPSCOPE_STAGES", "lowered"}}).warnings.empty());
}

BOOST_AUTO_TEST_CASE(sizes_that_are_no_list) {
  for (const std::string value : {"0", "0=x", "0=1,0=2"}) {
    const std::string text = warning({{"OPSCOPE_BIND", value}});
    BOOST_TEST(
        text.starts_with("OPSCOPE_BIND: \"" + value + "\" is not a list SYMBOL=SIZE,SYMBOL=SIZE: "),
        text);
    BOOST_TEST(text.ends_with("; using no sizes"), text);
    BOOST_TEST(parse({{"OPSCOPE_BIND", value}}).settings.bindings.empty());
  }
}

BOOST_AUTO_TEST_CASE(tags_that_are_no_list) {
  const auto check = [](const std::string& value, const std::string& what) {
    BOOST_TEST(warning({{"OPSCOPE_TAGS", value}}) ==
               "OPSCOPE_TAGS: \"" + value + "\" " + what + "; using no tags");
    check_defaults(parse({{"OPSCOPE_TAGS", value}}).settings);
  };
  const std::string list = "is not a list key=value,key=value: item ";
  check("abc", list + "1 has no '='");
  check("a=b,c", list + "2 has no '='");
  check("a=b,", list + "2 is empty");
  check(",a=b", list + "1 is empty");
  check("a=b,,c=d", list + "2 is empty");
  const std::string key = " has a key that is not made of letters, digits and _ . - / :";
  check("=b", list + "1" + key);
  check("a=b, c=d", list + "2" + key);
  check("\xC3\xBC=d", list + "1" + key);
  check("a=b,c=d,a=e", "names the key a twice");
  // Overlong, a surrogate, beyond U+10FFFF, cut short, a lone continuation.
  for (const std::string bytes : {"\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                                  "\xC3", "\xE2\x82", "\xF0\x9F\x98", "\x80", "\xFF"}) {
    check("a=" + bytes, list + "1 is not UTF-8");
  }
}

BOOST_AUTO_TEST_CASE(each_bad_value_is_told_and_the_good_ones_stay) {
  const read_settings read = parse({{"OPSCOPE_TOP", "x"},
                                    {"OPSCOPE_REPORT", "rule"},
                                    {"OPSCOPE_NODES", "y"},
                                    {"OPSCOPE_RIDGE", "4"}});
  BOOST_TEST(read.warnings.size() == 2u);
  BOOST_TEST((read.settings.report == report_kind::rule));
  BOOST_TEST(read.settings.ridge.value() == 4.0);
  BOOST_TEST(read.settings.top == 10u);
}

BOOST_AUTO_TEST_CASE(a_long_value_is_shown_cut_between_characters) {
  std::string value(59, 'x');
  value += "\xC3\xBC and more";
  BOOST_TEST(warning({{"OPSCOPE_TOP", value}}) ==
             "OPSCOPE_TOP: \"" + std::string(59, 'x') +
                 "...\" is not a whole number from 0 to 4294967295; using 10");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(unknown_names)

BOOST_AUTO_TEST_CASE(a_misspelt_name_is_told_its_nearest) {
  const auto check = [](const std::string& name, const std::string& meant) {
    BOOST_TEST(warning({{name, "1"}}) ==
               name + " is not a setting and is ignored; did you mean " + meant + "?");
  };
  check("OPSCOPE_REPROT", "OPSCOPE_REPORT");
  check("OPSCOPE_LEGDER", "OPSCOPE_LEDGER");
  check("OPSCOPE_TAG", "OPSCOPE_TAGS");
  check("OPSCOPE_NODE", "OPSCOPE_NODES");
  check("OPSCOPE_RIGDE", "OPSCOPE_RIDGE");
  check("OPSCOPE_Top", "OPSCOPE_TOP");
}

BOOST_AUTO_TEST_CASE(a_name_near_none_is_told_all) {
  const std::string all =
      " is not a setting and is ignored; there are OPSCOPE_REPORT, OPSCOPE_TOP, OPSCOPE_RIDGE, "
      "OPSCOPE_LEDGER, OPSCOPE_NODES, OPSCOPE_STAGES, OPSCOPE_TAGS, OPSCOPE_BIND";
  BOOST_TEST(warning({{"OPSCOPE_VERBOSITY", "1"}}) == "OPSCOPE_VERBOSITY" + all);
  const std::string endless = "OPSCOPE_" + std::string(100000, 'A');
  BOOST_TEST(warning({{endless, "1"}}) == endless.substr(0, 60) + "..." + all);
}

BOOST_AUTO_TEST_CASE(an_unknown_name_without_a_value_is_told_too) {
  BOOST_TEST(parse({{"OPSCOPE_X", ""}}).warnings.size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(environment)

BOOST_AUTO_TEST_CASE(is_read_by_name_and_prefix) {
  ::clearenv();
  ::setenv("OPSCOPE_TOP", "4", 1);
  ::setenv("OPSCOPE_REPORT", "rule", 1);
  ::setenv("OPSCOPE_TIP", "4", 1);
  ::setenv("OPSCOPE_LEDGER", "a=b", 1);
  ::setenv("XOPSCOPE_TOP", "9", 1);
  const read_settings read = settings_of_environment();
  BOOST_TEST(read.settings.top == 4u);
  BOOST_TEST((read.settings.report == report_kind::rule));
  BOOST_TEST(read.settings.ledger == "a=b");
  BOOST_REQUIRE_EQUAL(read.warnings.size(), 1u);
  BOOST_TEST(read.warnings[0] ==
             "OPSCOPE_TIP is not a setting and is ignored; did you mean OPSCOPE_TOP?");
}

BOOST_AUTO_TEST_CASE(may_be_absent_altogether) {
  ::clearenv();
  const read_settings read = settings_of_environment();
  BOOST_TEST(read.warnings.empty());
  check_defaults(read.settings);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace opscope::test
