// The conformance program itself: what keeps the contract passes, what breaks it is found out.
#define BOOST_TEST_MODULE conformance
#include <boost/test/unit_test.hpp>
#include <string>

#include "tests/support/process.hpp"

namespace opscope::test {
namespace {

ended check(const std::string& plugin) { return run({{CONFORMANCE, plugin}}); }
ended check_fixture(const std::string& name) { return check(FIXTURE_FOLDER "/" + name + ".so"); }

bool finds(const ended& e, const std::string& failure) {
  return e.status == 1 && e.out.find("FAILED  " + failure) != std::string::npos;
}

BOOST_AUTO_TEST_SUITE(conformance)

BOOST_AUTO_TEST_CASE(passes_the_sample_plugin) {
  const ended e = check_fixture("print_names");
  BOOST_TEST(e.status == 0, e.out << e.err);
  BOOST_TEST(e.out.find(" claims, 0 failed\n") != std::string::npos, e.out);
}

#ifdef OPSCOPE_PLUGIN
BOOST_AUTO_TEST_CASE(passes_libopscope) {
  const ended e = check(OPSCOPE_PLUGIN);
  BOOST_TEST(e.status == 0, e.out << e.err);
  BOOST_TEST(e.out.find(" claims, 0 failed\n") != std::string::npos, e.out);
}
#endif

BOOST_AUTO_TEST_CASE(passes_newer_minor) {
  const ended e = check_fixture("newer_minor");
  BOOST_TEST(e.status == 0, e.out << e.err);
}

BOOST_AUTO_TEST_CASE(finds_second_export_and_kept_pointers) {
  const ended e = check_fixture("retaining");
  BOOST_TEST(finds(e, "exports_only_the_query: it also exports exported_too"), e.out);
  BOOST_TEST(finds(e, "takes_an_empty_graph: it ends "), e.out);
  BOOST_TEST(e.out.find("ok      starts_and_ends_without_a_graph") != std::string::npos, e.out);
}

BOOST_AUTO_TEST_CASE(finds_writing_and_meddling) {
  const ended e = check_fixture("meddling");
  BOOST_TEST(finds(e, "takes_shapes_at_the_limits: it ends "), e.out);
  BOOST_TEST(finds(e, "leaves_the_process_as_it_is: it "), e.out);
}

BOOST_AUTO_TEST_CASE(finds_exceptions_and_failures) {
  BOOST_TEST(finds(check_fixture("throwing_hook"),
                   "takes_an_empty_graph: it throws an exception: a bad day"));
  BOOST_TEST(
      finds(check_fixture("failing_create"), "starts_and_ends_without_a_graph: create returned 3"));
  BOOST_TEST(finds(check_fixture("two_hooks"),
                   "starts_and_ends_without_a_graph: it registers no hook or no stage"));
  BOOST_TEST(finds(check_fixture("mute"), "starts_and_ends_without_a_graph: it registers no hook"));
}

BOOST_AUTO_TEST_CASE(finds_broken_tables) {
  BOOST_TEST(finds(check_fixture("other_major"), "has_a_valid_table: its table is shorter than"));
  BOOST_TEST(
      finds(check_fixture("refuses_host"), "has_a_valid_table: it refuses a host of its own"));
  BOOST_TEST(finds(check_fixture("bad_name"), "has_a_valid_table: its name is not made of"));
  BOOST_TEST(finds(check_fixture("no_create"), "has_a_valid_table: its table lacks a function"));
  BOOST_TEST(finds(check_fixture("no_entry"), "has_a_valid_table: it does not export"));
  BOOST_TEST(finds(check("/nonexistent.so"), "has_a_valid_table: it cannot be loaded"));
}

BOOST_AUTO_TEST_CASE(wants_one_path) {
  BOOST_TEST(run({{CONFORMANCE}}).status == 2);
  BOOST_TEST(check("libbare.so").status == 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace opscope::test
