// What the host makes of a plugin's table, hook and words, with real shared objects that break the
// contract in one point each.
#define BOOST_TEST_MODULE contract
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <string>
#include <thread>

#include "tests/plugins/loading.hpp"

extern "C" const char* drive_contract_from_c(const char* plugin_path);

namespace opscope::test {
namespace {

using log_lines = std::vector<heard>;

void check_log(loaded& s, const log_lines& expected) {
  BOOST_TEST(s.take_log() == expected, boost::test_tools::per_element());
}

void check_refused(const std::string& name, const std::string& why) {
  const loaded s{fixture(name)};
  BOOST_TEST(s.status != RLX_OK);
  BOOST_TEST((s.session == nullptr));
  BOOST_TEST(s.message == "plugin " + fixture(name) + " refused: " + why);
}

std::string named(const std::string& name, const std::string& file) {
  return "plugin " + name + " (" + fixture(file) + ")";
}

BOOST_AUTO_TEST_SUITE(table)

BOOST_AUTO_TEST_CASE(rejects_other_abi_major_and_names_both) {
  check_refused("other_major",
                "it was built for plugin ABI 7.3, this host has 0.1, and the major numbers must "
                "agree; install a build of it for this version");
}

BOOST_AUTO_TEST_CASE(rejects_plugin_that_refuses_the_host) {
  check_refused("refuses_host",
                "it does not work with a host of plugin ABI 0.1; install a build of it for this "
                "version");
}

BOOST_AUTO_TEST_CASE(accepts_newer_minor_with_longer_table) {
  loaded s{fixture("newer_minor")};
  BOOST_TEST(s.status == RLX_OK, s.message);
  BOOST_TEST(s.plugin(0).abi == RLX_PLUGIN_ABI + 5);
  BOOST_TEST(s.plugin(0).stages == (RLX_STAGE_LOWERED | 0x80000000u));
  s.compile("g");
  check_log(s, {{RLX_INFO, "newer_minor", "called"}});
}

BOOST_AUTO_TEST_CASE(rejects_table_shorter_than_the_first_version) {
  check_refused("short_table_56",
                "its table has 56 bytes, fewer than the 64 of version 0.1; rebuild it against "
                "rlx/plugin.h");
  check_refused("short_table_8",
                "its table is too short to hold a version (8 bytes); rebuild it against "
                "rlx/plugin.h");
}

BOOST_AUTO_TEST_CASE(rejects_name_outside_the_alphabet) {
  check_refused("bad_name",
                "its name \"Bad\\x0aname\" is not made of 1 to 64 of the characters a-z 0-9 _ -");
}

BOOST_AUTO_TEST_CASE(rejects_table_without_functions) {
  check_refused("no_create", "its table has no create function");
}

BOOST_AUTO_TEST_CASE(contains_query_that_throws) {
  check_refused("throwing_query", "rlx_plugin_query threw an exception: a bad question");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(starting)

BOOST_AUTO_TEST_CASE(stops_where_create_fails_and_ends_the_others) {
  loaded s{fixture("counting") + ":" + fixture("failing_create")};
  BOOST_TEST(s.status != RLX_OK);
  BOOST_TEST((s.session == nullptr));
  BOOST_TEST(s.message == named("failing_create", "failing_create") +
                              " cannot start: its create function returned 3; its own messages say "
                              "why, or take it out of RLX_PLUGINS");
  // The one that had started is ended; the one that failed is not.
  check_log(s, {{RLX_INFO, "failing_create", "the moon is in the wrong house"},
                {RLX_INFO, "counting", "0 calls"}});
}

BOOST_AUTO_TEST_CASE(contains_create_that_throws) {
  const loaded s{fixture("throwing_create")};
  BOOST_TEST(s.status != RLX_OK);
  BOOST_TEST(s.message == named("throwing", "throwing_create") +
                              " cannot start: its create function threw an exception: a bad start");
}

BOOST_AUTO_TEST_CASE(starts_nothing_where_a_later_table_is_refused) {
  loaded s{fixture("counting") + ":" + fixture("other_major")};
  BOOST_TEST(s.status != RLX_OK);
  check_log(s, {});
}

BOOST_AUTO_TEST_CASE(takes_one_hook_a_plugin) {
  loaded s{fixture("two_hooks")};
  BOOST_TEST(s.status == RLX_OK, s.message);
  const std::string who = named("two_hooks", "two_hooks");
  const std::string nothing =
      who + " called register_hook without a hook or without a stage; that was refused";
  check_log(s, {{RLX_WARNING, "", nothing},
                {RLX_WARNING, "", nothing},
                {RLX_WARNING, "", who + " called register_hook a second time; that was refused"}});
  s.compile("g");
  check_log(s, {{RLX_INFO, "two_hooks", "first hook"}});
}

BOOST_AUTO_TEST_CASE(starts_a_plugin_anew_in_a_later_session) {
  for (int i = 0; i < 3; ++i) {
    loaded s{fixture("counting")};
    BOOST_TEST(s.status == RLX_OK, s.message);
    s.compile("g");
    s.compile("g");
    s.end();
    check_log(s, {{RLX_INFO, "counting", "2 calls"}});
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(hooks)

BOOST_AUTO_TEST_CASE(failing_hook_is_warned_of_once_and_switched_off) {
  loaded s{fixture("failing_hook") + ":" + fixture("print_names")};
  BOOST_TEST(s.status == RLX_OK, s.message);
  BOOST_TEST(rlx_session_stages(s.session) == RLX_STAGE_LOWERED);
  for (const char* graph : {"good", "bad", "bad", "good"}) {
    BOOST_TEST(s.compile(graph) == RLX_OK);
  }
  check_log(s, {{RLX_INFO, "failing_hook", "called"},
                {RLX_INFO, "print_names", "good: 1 nodes for cpu"},
                {RLX_INFO, "failing_hook", "called"},
                {RLX_WARNING, "",
                 named("failing_hook", "failing_hook") +
                     ": its hook returned 5 for graph \"bad\"; it is switched off and the compile "
                     "goes on"},
                {RLX_INFO, "print_names", "bad: 1 nodes for cpu"},
                {RLX_INFO, "print_names", "bad: 1 nodes for cpu"},
                {RLX_INFO, "print_names", "good: 1 nodes for cpu"}});
}

BOOST_AUTO_TEST_CASE(stages_no_longer_hold_what_a_failed_plugin_asked_for) {
  loaded s{fixture("failing_hook")};
  s.compile("bad");
  BOOST_TEST(rlx_session_stages(s.session) == 0u);
  BOOST_TEST(rlx_session_plugin_count(s.session) == 1u);
}

BOOST_AUTO_TEST_CASE(contains_hook_that_throws) {
  for (const auto& [name, what] : {std::pair{"throwing_hook", "threw an exception: a bad day"},
                                   std::pair{"throwing_hook_int", "threw an exception"}}) {
    loaded s{fixture(name)};
    BOOST_TEST(s.compile("g") == RLX_OK);
    BOOST_TEST(s.compile("g") == RLX_OK);
    check_log(s, {{RLX_WARNING, "",
                   named("throwing", name) + ": its hook " + what +
                       " for graph \"g\"; it is switched off and the compile goes on"}});
  }
}

BOOST_AUTO_TEST_CASE(contains_destroy_that_throws) {
  loaded s{fixture("throwing_destroy")};
  s.end();
  check_log(s, {{RLX_WARNING, "",
                 named("throwing", "throwing_destroy") +
                     ": its destroy function threw an exception: a bad end"}});
}

BOOST_AUTO_TEST_CASE(refuses_reentry_and_does_not_hang) {
  loaded s{fixture("reentrant")};
  char address[32];
  std::snprintf(address, sizeof address, "%p", static_cast<void*>(s.session));
  ::setenv("FIXTURE_SESSION", address, 1);
  BOOST_TEST(s.compile("g") == RLX_OK);
  ::unsetenv("FIXTURE_SESSION");
  const std::string who = named("reentrant", "reentrant");
  check_log(s, {{RLX_WARNING, "",
                 who + " called register_hook outside its create function; that was refused"},
                {RLX_WARNING, "",
                 who + " called rlx_session_compile from inside a call into it; that was refused"},
                {RLX_INFO, "reentrant", "rlx_session_create was called from inside a plugin"}});
  BOOST_TEST(rlx_session_stages(s.session) == RLX_STAGE_LOWERED);
}

BOOST_AUTO_TEST_CASE(calls_only_the_stages_asked_for) {
  loaded s{fixture("recording") + ":" + fixture("print_names")};
  view_builder b{"g"};
  b.outputs({b.input("x", {4})}).arena(64);
  for (const rlx_stage stage : {RLX_STAGE_SOURCE, RLX_STAGE_PASS, RLX_STAGE_LOWERED, 0x40u}) {
    BOOST_TEST(s.compile(b.get(), stage) == RLX_OK);
  }
  const auto record = [](int stage) {
    return "g stage " + std::to_string(stage) +
           " source none pass none target cpu compiler   pipeline  options 0 sequence 0 nodes 1 "
           "arena 64";
  };
  check_log(s, {{RLX_INFO, "recording", record(1)},
                {RLX_INFO, "recording", record(4)},
                {RLX_INFO, "print_names", "g: 1 nodes for cpu"}});
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(words)

BOOST_AUTO_TEST_CASE(splits_lines_and_escapes_what_spoils_a_terminal) {
  loaded s{fixture("loud")};
  s.compile("g");
  const auto loud = [](std::string line) { return heard{RLX_INFO, "loud", std::move(line)}; };
  check_log(s, {loud("two"),
                loud("lines"),
                loud(""),
                loud("bell \\x07 escape \\x1b[31m return \\x0d tab \\x09 delete \\x7f"),
                loud("next line \\u{0085} reversed \\u{202e} overlong \\xc0\\xaf cut \\xe2\\x82"),
                loud("kept: \\ \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
                {RLX_ERROR, "loud", std::string(1u << 20, 'x')}});
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(c_face)

BOOST_AUTO_TEST_CASE(is_driven_from_c) {
  const char* const defect = drive_contract_from_c(fixture("print_names").c_str());
  BOOST_TEST((defect == nullptr), (defect == nullptr ? "" : defect));
}

BOOST_AUTO_TEST_CASE(rejects_records_it_cannot_pass_on) {
  loaded s{fixture("recording")};
  view_builder b{"g"};
  const rlx_graph_view whole = b.get();
  rlx_graph_view short_graph = whole;
  short_graph.struct_size = RLX_GRAPH_VIEW_SIZE_0_1 - 1;
  const rlx_option option{};
  rlx_compile_record good{};
  good.struct_size = RLX_COMPILE_RECORD_SIZE_0_1;
  good.stage = RLX_STAGE_LOWERED;
  good.graph = &whole;
  const auto with = [&](auto change) {
    rlx_compile_record r = good;
    change(r);
    return rlx_session_compile(s.session, &r);
  };
  BOOST_TEST(with([](auto&) {}) == RLX_OK);
  BOOST_TEST(s.take_log().size() == 1u);
  BOOST_TEST(with([](auto& r) { --r.struct_size; }) == RLX_FAILED);
  BOOST_TEST(with([](auto& r) { r.stage = 0; }) == RLX_FAILED);
  BOOST_TEST(with([](auto& r) { r.graph = nullptr; }) == RLX_FAILED);
  BOOST_TEST(with([&](auto& r) { r.graph = &short_graph; }) == RLX_FAILED);
  BOOST_TEST(with([&](auto& r) { r.source = &short_graph; }) == RLX_FAILED);
  BOOST_TEST(with([](auto& r) { r.option_count = 1, r.option_stride = 32; }) == RLX_FAILED);
  BOOST_TEST(with([&](auto& r) {
               r.options = &option, r.option_count = 1, r.option_stride = 24;
             }) == RLX_FAILED);
  BOOST_TEST(with([&](auto& r) {
               r.options = &option, r.option_count = 1, r.option_stride = 36;
             }) == RLX_FAILED);
  BOOST_TEST(rlx_session_compile(s.session, nullptr) == RLX_FAILED);
  BOOST_TEST(rlx_session_compile(nullptr, &good) == RLX_FAILED);
  check_log(s, {});
}

BOOST_AUTO_TEST_CASE(checks_sizes_of_what_the_driver_hands_over) {
  rlx_session* session = nullptr;
  char message[128];
  rlx_session_config config{RLX_SESSION_CONFIG_SIZE_0_1 - 8, nullptr, nullptr};
  BOOST_TEST(rlx_session_create(&config, &session, message, sizeof message) == RLX_FAILED);
  BOOST_TEST(std::string{message} ==
             "rlx_session_create: the configuration is shorter than version 0.1; set its "
             "struct_size");
  BOOST_TEST(rlx_session_create(nullptr, nullptr, message, sizeof message) == RLX_FAILED);
  BOOST_TEST(rlx_session_create(nullptr, nullptr, nullptr, 0) == RLX_FAILED);

  loaded s{fixture("mute")};
  rlx_plugin_info info{};
  info.struct_size = RLX_PLUGIN_INFO_SIZE_0_1 - 1;
  BOOST_TEST(rlx_session_plugin(s.session, 0, &info) == RLX_FAILED);
  info.struct_size = sizeof info;
  BOOST_TEST(rlx_session_plugin(s.session, 0, &info) == RLX_OK);
  BOOST_TEST(rlx_session_plugin(s.session, 1, &info) == RLX_FAILED);
  BOOST_TEST(rlx_session_plugin(nullptr, 0, &info) == RLX_FAILED);
  BOOST_TEST(rlx_session_plugin_count(nullptr) == 0u);
  BOOST_TEST(rlx_session_stages(nullptr) == 0u);
}

BOOST_AUTO_TEST_CASE(cuts_a_message_between_two_characters) {
  ::setenv("RLX_PLUGINS", "\xc3\xa9\xc3\xa9/x", 1);
  rlx_session* session = nullptr;
  char message[] = "................";
  // `plugin "` has 8 bytes; of the é after it only one would fit beside the NUL.
  BOOST_TEST(rlx_session_create(nullptr, &session, message, 8 + 1 + 1) == RLX_FAILED);
  ::unsetenv("RLX_PLUGINS");
  BOOST_TEST(std::string{message} == "plugin \"");
}

BOOST_AUTO_TEST_CASE(numbers_compiles_by_graph_name) {
  loaded first{""};
  loaded second{""};
  const auto next = [](loaded& s, const char* name) {
    return rlx_session_next_sequence(s.session, rlx::borrow(name));
  };
  BOOST_TEST(next(first, "numbered/a") == 0u);
  BOOST_TEST(next(first, "numbered/a") == 1u);
  BOOST_TEST(next(first, "numbered/b") == 0u);
  BOOST_TEST(next(second, "numbered/a") == 2u);  // of the process, not of the session
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(threads)

constexpr int thread_count = 8;
constexpr int calls_a_thread = 500;

void compile_from_threads(loaded& s) {
  std::vector<std::thread> threads;
  for (int t = 0; t < thread_count; ++t) {
    threads.emplace_back([&s, t] {
      view_builder b{"graph " + std::to_string(t)};
      b.outputs({b.input("x", {2, 3})});
      const rlx_graph_view& graph = b.get();
      for (int i = 0; i < calls_a_thread; ++i) {
        s.compile(graph);
        rlx_session_stages(s.session);
        rlx_session_next_sequence(s.session, graph.name);
      }
    });
  }
  for (std::thread& t : threads) t.join();
}

BOOST_AUTO_TEST_CASE(serialises_the_calls_into_a_plugin) {
  loaded s{fixture("counting") + ":" + fixture("mute") + ":" + fixture("failing_hook")};
  BOOST_TEST(s.status == RLX_OK, s.message);
  compile_from_threads(s);
  s.end();
  const log_lines log = s.take_log();
  BOOST_TEST(log.back() == (heard{RLX_INFO, "counting",
                                  std::to_string(thread_count * calls_a_thread) + " calls"}));
  BOOST_TEST(log.size() == std::size_t{thread_count} * calls_a_thread + 1);
}

BOOST_AUTO_TEST_CASE(serialises_the_calls_of_two_sessions) {
  loaded a{fixture("counting")};
  loaded b{fixture("counting")};
  std::thread other{[&] { compile_from_threads(b); }};
  compile_from_threads(a);
  other.join();
  for (loaded* s : {&a, &b}) {
    s->end();
    check_log(*s,
              {{RLX_INFO, "counting", std::to_string(thread_count * calls_a_thread) + " calls"}});
  }
}

BOOST_AUTO_TEST_CASE(warns_once_where_a_hook_fails_among_threads) {
  ::setenv("FIXTURE_FAIL_AT", "700", 1);
  loaded s{fixture("counting")};
  ::unsetenv("FIXTURE_FAIL_AT");
  compile_from_threads(s);
  s.end();
  const log_lines log = s.take_log();
  BOOST_REQUIRE(log.size() == 2u);
  BOOST_TEST(log[0].line.find("; it is switched off and the compile goes on") != std::string::npos);
  BOOST_TEST(log[1].line == "700 calls");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace opscope::test
