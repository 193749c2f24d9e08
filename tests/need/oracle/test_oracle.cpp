// Holds every formula against an execution: what the figures say exactly must be equal, what they
// say as an interval must contain what was counted. Ends with the share of kinds so held.
#define BOOST_TEST_MODULE need_oracle
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <iostream>
#include <map>
#include <set>

#include "tests/need/oracle/build.hpp"
#include "tests/need/oracle/trial.hpp"
#include "tests/need/support.hpp"

using namespace opscope;
using namespace opscope::test;

namespace {

constexpr int trials_a_kind = 400;

std::uint64_t count(const std::vector<bool>& marks) {
  return static_cast<std::uint64_t>(std::count(marks.begin(), marks.end(), true));
}

struct counted {
  std::uint64_t read = 0;
  std::uint64_t written = 0;
};

counted count_bytes(const trial& t) {
  counted c;
  std::set<const storage*> seen;
  for (const trial::placed& p : t.operands) {
    if (!seen.insert(p.tensor->bytes.get()).second) continue;
    c.read += count(p.tensor->bytes->is_read);
    c.written += count(p.tensor->bytes->is_written);
  }
  c.read += t.body_leaf_bytes;
  c.written += count(t.result->bytes->is_written);
  return c;
}

bool agrees(const interval& figure, std::uint64_t value) {
  return figure.is_exact() ? figure.lo() == value : figure.contains(value);
}

// What the intervals of a kind were seen to be.
struct observed {
  bool bytes_exact = true;
  bool work_exact = true;
  bool is_bounded = true;
};

observed run_kind(std::uint32_t kind, void (*run)(trial&)) {
  observed seen;
  const std::string_view name = kind_models()[kind - 1].name;
  for (int i = 0; i < trials_a_kind; ++i) {
    trial t{kind * 1000003u + static_cast<std::uint64_t>(i)};
    run(t);
    built b;
    build(t, kind, b);
    const node_need n = analyze_need(b.builder.view()).nodes()[b.id];
    const counted c = count_bytes(t);
    const struct {
      const char* what;
      interval figure;
      std::uint64_t value;
    } checks[] = {{"read", n.read, c.read},
                  {"written", n.written, c.written},
                  {"work", n.work, t.work_done},
                  {"contraction", n.contraction, t.contraction},
                  {"int_ops", n.int_ops, t.int_ops}};
    for (const auto& check : checks) {
      BOOST_TEST(agrees(check.figure, check.value), name << ", trial " << i << ": " << check.what
                                                         << " is " << check.figure << ", counted "
                                                         << check.value);
      if (!agrees(check.figure, check.value)) return seen;
    }
    // What is left alone is inside as well: contraction is part of work, weights of reads.
    BOOST_TEST(n.contraction.lo() <= n.work.lo(), name << ": contraction above work");
    BOOST_TEST(n.weights.lo() <= n.read.lo(), name << ": weights above reads");
    seen.is_bounded = seen.is_bounded && n.is_bounded();
    // Parts of tensors that overlap are told apart only as far as intervals go.
    if (t.has_aliases()) continue;
    seen.bytes_exact = seen.bytes_exact && n.read.is_exact() && n.written.is_exact();
    seen.work_exact = seen.work_exact && n.work.is_exact() && n.int_ops.is_exact();
  }
  return seen;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(formulas_against_execution)

BOOST_AUTO_TEST_CASE(figures_agree_and_cover_nine_in_ten_bounded_kinds) {
  std::uint64_t bounded = 0, covered = 0, exact = 0;
  for (const kind_model& m : kind_models()) {
    const bool is_leaf = rlx::is_leaf_kind(m.kind);
    const bool is_bounded = m.bytes != certainty::unknown && m.work != certainty::unknown;
    if (is_leaf || !is_bounded) continue;
    ++bounded;
    const auto at = oracles().find(m.kind);
    if (at == oracles().end()) {
      BOOST_TEST_MESSAGE("no oracle for " << m.name);
      continue;
    }
    ++covered;
    const observed seen = run_kind(m.kind, at->second);
    // The table's words of certainty hold for what was seen.
    BOOST_TEST(seen.is_bounded, m.name << " is said to be bounded and is not");
    if (m.bytes == certainty::exact) {
      BOOST_TEST(seen.bytes_exact, m.name << " is said to have exact bytes and has not");
    }
    if (m.work == certainty::exact) {
      BOOST_TEST(seen.work_exact, m.name << " is said to have exact work and has not");
    }
    if (seen.bytes_exact && seen.work_exact) ++exact;
  }
  std::cout << "oracle: " << covered << " of " << bounded << " kinds with a high end held against "
            << trials_a_kind << " executions each, " << exact << " of them exact\n";
  BOOST_TEST(10 * covered >= 9 * bounded);
  BOOST_TEST(bounded >= 150u);  // of 184 kinds that are no leaves
}

// The comparison itself must be able to fail.
BOOST_AUTO_TEST_CASE(disagreement_is_seen) {
  trial t{1};
  t.operand({4}).read_all();
  t.output({4}).write_all();
  t.work(5);  // one too many
  built b;
  build(t, RLX_KIND_StopGradient, b);
  const node_need n = analyze_need(b.builder.view()).nodes()[b.id];
  BOOST_TEST(agrees(n.read, count_bytes(t).read));
  BOOST_TEST(!agrees(n.work, t.work_done));
  BOOST_TEST(!agrees(interval::between(1, 4), 5));
  BOOST_TEST(!agrees(interval::between(6, 8), 5));
}

BOOST_AUTO_TEST_SUITE_END()
