// The checks between passes: each rule on a graph that keeps it and on one that breaks it.
#define BOOST_TEST_MODULE verify
#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>
#include <vector>

#include "host/lower/hir/lower.hpp"
#include "host/lower/hir/shape.hpp"
#include "host/lower/verify.hpp"
#include "host/read/op.hpp"
#include "host/read/read.hpp"
#include "tests/support/golden.hpp"

namespace {

using rlx::shape;
using rlx::violation;

struct fixture {
  std::shared_ptr<rlx::storage> store = std::make_shared<rlx::storage>();
  rlx::graph g{store, "g"};

  rlx::node_id add(std::string_view op, const std::vector<rlx::node_id>& inputs, const shape& s) {
    return g.add(rlx::read_op(*store, op), inputs, s.view());
  }
  rlx::node_id leaf(const shape& s) { return add(R"({"Input":{"name":"x"}})", {}, s); }
  rlx::node_id leaf(std::initializer_list<std::uint64_t> dims) {
    return leaf(shape{dims, RLX_DTYPE_F32});
  }
};

shape f32(std::initializer_list<std::uint64_t> dims) { return {dims, RLX_DTYPE_F32}; }

// Rule and sentence of each violation.
std::vector<std::string> told(const std::vector<violation>& found) {
  std::vector<std::string> all;
  for (const violation& v : found) all.push_back(std::string{v.rule} + ": " + v.sentence);
  return all;
}

void check(const std::vector<violation>& found, const std::vector<std::string>& wanted) {
  const auto made = told(found);
  BOOST_CHECK_EQUAL_COLLECTIONS(made.begin(), made.end(), wanted.begin(), wanted.end());
}

// One node of `op` over leaves of the shapes given: its violations.
std::vector<std::string> over(std::string_view op, std::initializer_list<shape> operands,
                              const shape& declared) {
  fixture f;
  std::vector<rlx::node_id> inputs;
  for (const shape& s : operands) inputs.push_back(f.leaf(s));
  f.add(op, inputs, declared);
  return told(rlx::verify_shapes(f.g));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(structure)

BOOST_AUTO_TEST_CASE(accepts_every_golden_graph) {
  for (const auto& folder : golden::cases_with("mir.json")) {
    const rlx::module m = rlx::read_file((folder / "mir.json").string());
    check(rlx::verify_structure(m.graph), {});
    check(rlx::verify_shapes(m.graph), {});
  }
}

BOOST_FIXTURE_TEST_CASE(tells_operands_that_come_too_late, fixture) {
  leaf({4});
  add(R"({"Binary":"Add"})", {0, 1}, f32({4}));
  add(R"({"Binary":"Add"})", {3, 0}, f32({4}));
  check(rlx::verify_structure(g),
        {"order: node 1 (Binary): its operand 1 does not stand before it",
         "order: node 2 (Binary): its operand 3 does not stand before it"});
}

BOOST_FIXTURE_TEST_CASE(tells_outputs_that_name_no_node, fixture) {
  leaf({4});
  g.set_outputs({0, 1, 0});
  check(rlx::verify_structure(g), {"outputs: output 1 names node 1 of 1"});
}

BOOST_AUTO_TEST_CASE(looks_into_nested_graphs) {
  const std::string body =
      R"({"name":"b","nodes":[{"id":0,"op":{"Input":{"name":"x"}},"inputs":[],)"
      R"("shape":{"dims":[{"Static":2}],"dtype":"F32"},"name":null,"origin":null},)"
      R"({"id":1,"op":{"Activation":"Neg"},"inputs":[0],)"
      R"("shape":{"dims":[{"Static":3}],"dtype":"F32"},"name":null,"origin":null}],"outputs":[1]})";
  fixture f;
  f.leaf({2});
  f.add(R"({"Scan":{"body":)" + body + R"(,"length":2,"save_trajectory":false}})", {0}, f32({2}));
  check(rlx::verify_shapes(f.g),
        {"same: node 1 (Scan): body: node 1 (Activation): it is declared [3], but its operands "
         "make [2]"});
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(shapes)

struct sample {
  std::string_view op;
  std::vector<shape> operands;
  shape fits;
  shape does_not;
  std::string complaint;
};

BOOST_AUTO_TEST_CASE(each_rule_holds_and_is_broken) {
  const shape ids{{5}, RLX_DTYPE_I64};
  const std::vector<sample> samples{
      {R"({"Activation":"Silu"})",
       {f32({2, 3})},
       f32({2, 3}),
       f32({6}),
       "same: node 1 (Activation): it is declared [6], but its operands make [2, 3]"},
      {R"({"Softmax":{"axis":-1}})",
       {f32({2, 3})},
       f32({2, 3}),
       f32({3, 2}),
       "same: node 1 (Softmax): it is declared [3, 2], but its operands make [2, 3]"},
      {R"({"Rope":{"head_dim":2,"n_rot":2}})",
       {f32({2, 4}), f32({1}), f32({1})},
       f32({2, 4}),
       f32({2, 5}),
       "same: node 3 (Rope): it is declared [2, 5], but its operands make [2, 4]"},
      {R"({"RmsNorm":{"axis":-1,"eps":1.0}})",
       {f32({2, 3, 4})},
       f32({6, 4}),
       f32({4, 6}),
       "same: node 1 (RmsNorm): it is declared [4, 6], which are not the rows of its operand [2, "
       "3, 4]"},
      {R"({"Cast":{"to":"F16"}})",
       {f32({2})},
       shape{{2}, RLX_DTYPE_F16},
       f32({2}),
       "cast: node 1 (Cast): it casts to F16, but is declared F32"},
      {R"({"Binary":"Add"})",
       {f32({2, 1}), f32({3})},
       f32({2, 3}),
       f32({3, 2}),
       "broadcast: node 2 (Binary): it is declared [3, 2], but its operands make [2, 3]"},
      {R"("Where")",
       {f32({1}), f32({2, 1}), f32({3})},
       f32({2, 3}),
       f32({2, 1}),
       "broadcast: node 3 (Where): it is declared [2, 1], but its operands make [2, 3]"},
      {R"("MatMul")",
       {f32({7, 2, 3}), f32({3, 4})},
       f32({7, 2, 4}),
       f32({7, 4, 2}),
       "matmul: node 2 (MatMul): it is declared [7, 4, 2], but its operands make [7, 2, 4]"},
      {R"({"FusedMatMulBiasAct":{"activation":null}})",
       {f32({2, 3}), f32({3, 4}), f32({4})},
       f32({2, 4}),
       f32({2, 3}),
       "matmul: node 3 (FusedMatMulBiasAct): it is declared [2, 3], but its operands make [2, 4]"},
      {R"({"Reshape":{"new_shape":[-1]}})",
       {f32({2, 3})},
       f32({6}),
       f32({5}),
       "reshape: node 1 (Reshape): it is declared [5], but its operand [2, 3] has another number "
       "of elements"},
      {R"({"Transpose":{"perm":[1,0]}})",
       {f32({2, 3})},
       f32({3, 2}),
       f32({2, 3}),
       "transpose: node 1 (Transpose): it is declared [2, 3], but its operands make [3, 2]"},
      {R"({"Narrow":{"axis":1,"start":1,"len":2}})",
       {f32({2, 3})},
       f32({2, 2}),
       f32({2, 3}),
       "narrow: node 1 (Narrow): it is declared [2, 3], but its operands make [2, 2]"},
      {R"({"Concat":{"axis":1}})",
       {f32({2, 3}), f32({2, 4})},
       f32({2, 7}),
       f32({4, 7}),
       "concat: node 2 (Concat): it is declared [4, 7], but its operands make [2, 7]"},
      {R"({"Gather":{"axis":0}})",
       {f32({9, 4}), ids},
       f32({5, 4}),
       f32({9, 4}),
       "gather: node 2 (Gather): it is declared [9, 4], but its operands make [5, 4]"},
  };
  for (const sample& s : samples) {
    fixture good;
    fixture bad;
    std::vector<rlx::node_id> inputs;
    for (const shape& operand : s.operands) {
      inputs.push_back(good.leaf(operand));
      bad.leaf(operand);
    }
    good.add(s.op, inputs, s.fits);
    bad.add(s.op, inputs, s.does_not);
    check(rlx::verify_shapes(good.g), {});
    check(rlx::verify_shapes(bad.g), {s.complaint});
  }
}

BOOST_AUTO_TEST_CASE(tells_slices_that_reach_past_the_end) {
  const std::vector<std::string> told =
      over(R"({"Narrow":{"axis":0,"start":2,"len":2}})", {f32({3, 4})}, f32({2, 4}));
  BOOST_REQUIRE_EQUAL(told.size(), 1);
  BOOST_CHECK_EQUAL(told[0], "narrow: node 1 (Narrow): it takes 2 from 2 along axis 0 of [3, 4]");
  BOOST_CHECK(
      over(R"({"Narrow":{"axis":0,"start":1,"len":2}})", {f32({3, 4})}, f32({2, 4})).empty());
}

BOOST_AUTO_TEST_CASE(tells_concat_operands_that_differ_elsewhere) {
  const std::vector<std::string> told =
      over(R"({"Concat":{"axis":0}})", {f32({2, 3}), f32({2, 4})}, f32({4, 3}));
  BOOST_REQUIRE_EQUAL(told.size(), 1);
  BOOST_CHECK_EQUAL(told[0],
                    "concat: node 2 (Concat): its operands [2, 3] and [2, 4] differ beside axis 0");
}

BOOST_AUTO_TEST_CASE(tells_missing_operands) {
  const std::vector<std::string> told = over(R"("MatMul")", {f32({2, 3})}, f32({2, 3}));
  BOOST_REQUIRE_EQUAL(told.size(), 1);
  BOOST_CHECK_EQUAL(told[0], "operands: node 1 (MatMul): it has 1 operands and reads 2");
}

BOOST_AUTO_TEST_CASE(takes_dynamic_dims_to_fit) {
  shape rows{RLX_DTYPE_F32};
  rows.push_back({0, true});
  rows.push_back({4, false});
  BOOST_CHECK(over(R"({"Activation":"Silu"})", {rows}, f32({3, 4})).empty());
  BOOST_CHECK_EQUAL(over(R"({"Activation":"Silu"})", {rows}, f32({3, 5})).size(), 1);
  BOOST_CHECK(over(R"({"Reshape":{"new_shape":[-1]}})", {rows}, f32({5})).empty());
}

BOOST_AUTO_TEST_CASE(holds_for_the_lowering_of_every_golden_module) {
  for (const auto& folder : golden::cases_with("hir.json")) {
    const rlx::module m = rlx::read_file((folder / "hir.json").string());
    check(rlx::verify_shapes(rlx::lower_hir(*m.hir)), {});
  }
}

BOOST_AUTO_TEST_SUITE_END()
