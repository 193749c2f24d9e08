// Holds every formula against an execution: what the figures say exactly must be equal, what they
// say as an interval must contain what was counted. Ends with the share of kinds so held.
#define BOOST_TEST_MODULE need_oracle
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <iostream>
#include <map>
#include <set>

#include "tests/need/oracle/trial.hpp"
#include "tests/need/support.hpp"

using namespace opscope;
using namespace opscope::test;

namespace {

constexpr int trials_a_kind = 400;

const std::map<std::uint32_t, void (*)(trial&)>& oracles() {
  static const auto all = [] {
    std::map<std::uint32_t, void (*)(trial&)> m;
    for (const auto list :
         {elementwise_oracles(), matmul_oracles(), norm_oracles(), attention_oracles(),
          movement_oracles(), reduce_oracles(), conv_oracles(), recurrent_oracles(),
          control_oracles(), linalg_oracles()}) {
      for (const oracle& o : list) {
        BOOST_TEST_REQUIRE(m.emplace(o.kind, o.run).second, "two oracles for kind " << o.kind);
      }
    }
    return m;
  }();
  return all;
}

dim_list dims_of(const sizes& s) {
  dim_list d;
  for (const std::uint64_t v : s) d.push_back(dim{v});
  return d;
}

struct built {
  view_builder builder;
  std::uint32_t id = 0;
};

// The node and its operands as a graph. Views lie in an Input of their storage's shape.
void build(const trial& t, std::uint32_t kind, built& b) {
  std::vector<std::uint32_t> roots;
  for (const auto& s : t.storages) roots.push_back(b.builder.input("s", dims_of(s.shape), s.dtype));
  id_list ids;
  for (const trial::placed& p : t.operands) {
    const tensor_trace& x = *p.tensor;
    if (p.same_as >= 0) {
      ids.push_back(ids[static_cast<std::size_t>(p.same_as)]);
    } else if (p.storage >= 0) {
      const auto root = roots[static_cast<std::size_t>(p.storage)];
      const std::uint64_t row = x.size() / std::max<std::uint64_t>(x.shape[0], 1);
      const auto id = b.builder.node(
          RLX_KIND_Narrow, {root}, dims_of(x.shape), x.dtype,
          {{"axis", 0u}, {"start", row == 0 ? 0 : x.offset / row}, {"len", x.shape[0]}});
      b.builder.alias(id, root, x.offset * x.width);
      ids.push_back(id);
    } else {
      ids.push_back(b.builder.input("x", dims_of(x.shape), x.dtype));
    }
  }
  b.id = b.builder.node(kind, ids, dims_of(t.result->shape), t.result->dtype, t.attributes);
  if (t.in_place_of >= 0) {
    const auto of = ids[static_cast<std::size_t>(t.in_place_of)];
    const std::uint64_t bytes = t.result->size() * t.result->width;
    b.builder.slot(of, 0, bytes).slot(b.id, 0, bytes);
  }
  if (t.nest) t.nest(b.builder, b.id);
  b.builder.outputs({b.id});
}

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
