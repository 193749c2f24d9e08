// Kinds that hold graphs: the graph is executed as often as the trial decides.
#include "tests/need/oracle/index.hpp"

namespace opscope::test {

namespace {

constexpr std::uint32_t f32 = RLX_DTYPE_F32;

// A body [n] -> [n]: carry*w + x where there is an x; w is a Param of its own. `uses_carry` false:
// the carry is taken and not looked at.
void fill_body(view_builder& body, std::uint64_t n, std::uint64_t more_inputs, bool uses_carry) {
  const auto carry = body.input("carry", {n});
  id_list more;
  for (std::uint64_t i = 0; i < more_inputs; ++i) more.push_back(body.input("x", {n}));
  const auto w = body.param("w", {n});
  auto y = body.node(RLX_KIND_Binary, {uses_carry ? carry : w, w}, {n}, f32, {{"value", "Mul"}});
  for (const auto x : more) y = body.node(RLX_KIND_Binary, {y, x}, {n}, f32, {{"value", "Add"}});
  body.outputs({y});
}

// One execution of that body costs:
std::uint64_t body_operations(std::uint64_t n, std::uint64_t more_inputs) {
  return n * (1 + more_inputs);
}

void branch(trial& t) {
  const std::uint64_t n = t.size();
  tensor_trace& predicate = t.own_operand({1}, RLX_DTYPE_Bool);
  tensor_trace& a = t.own_operand({n}, f32);
  tensor_trace& b = t.own_operand({n}, f32);
  tensor_trace& o = t.output({n});
  // then: a*w + b; else: a*w, which captures both and needs one.
  t.nest = [n](view_builder& g, std::uint32_t id) {
    fill_body(g.nested(id, "then_branch"), n, 1, true);
    view_builder& other = g.nested(id, "else_branch");
    const auto x = other.input("a", {n});
    other.input("b", {n});
    const auto w = other.param("w", {n});
    other.outputs({other.node(RLX_KIND_Binary, {x, w}, {n}, f32, {{"value", "Mul"}})});
  };
  predicate.read_all();
  const bool takes_then = t.coin();
  for (std::uint64_t i = 0; i < n; ++i) {
    a.read(i);
    t.work(1);
    if (takes_then) {
      b.read(i);
      t.work(1);
    }
    o.write(i);
  }
  t.body_leaf_bytes = 4 * n;
}

void loop(trial& t) {
  const std::uint64_t n = t.size(), most = t.between(0, 4), rounds = t.between(0, most);
  t.attribute("max_iterations", most);
  tensor_trace& x = t.own_operand({n}, f32);
  tensor_trace& o = t.output({n});
  t.nest = [n](view_builder& g, std::uint32_t id) {
    view_builder& cond = g.nested(id, "cond");
    const auto c = cond.input("carry", {n});
    cond.outputs({cond.node(RLX_KIND_Compare, {c, c}, {n}, RLX_DTYPE_Bool, {{"value", "Lt"}})});
    fill_body(g.nested(id, "body"), n, 0, true);
  };
  x.read_all();
  o.write_all();
  if (most != 0) t.work(n);  // the condition that is looked at first
  for (std::uint64_t r = 0; r < rounds; ++r) {
    t.work(body_operations(n, 0));
    if (r + 1 < most) t.work(n);
  }
  if (rounds != 0) t.body_leaf_bytes = 4 * n;
}

void scan(trial& t) {
  const std::uint64_t n = t.size(), length = t.between(0, 5), constants = t.between(0, 1);
  const std::uint64_t sequences = t.between(0, 2);
  const bool uses_carry = t.coin(0.8);
  t.attribute("length", length);
  t.attribute("save_trajectory", false);
  t.attribute("num_bcast", constants);
  t.attribute("num_xs", sequences);
  t.attribute("num_checkpoints", 0u);
  tensor_trace& init = t.own_operand({n}, f32);
  std::vector<tensor_trace*> more;
  for (std::uint64_t i = 0; i < constants; ++i) more.push_back(&t.own_operand({n}, f32));
  for (std::uint64_t i = 0; i < sequences; ++i) more.push_back(&t.own_operand({length, n}, f32));
  tensor_trace& o = t.output({n});
  const std::uint64_t inputs = constants + sequences;
  t.nest = [=](view_builder& g, std::uint32_t id) {
    fill_body(g.nested(id, "body"), n, inputs, uses_carry);
  };
  if (length == 0 || uses_carry) init.read_all();
  for (std::uint64_t step = 0; step < length; ++step) {
    for (std::uint64_t m = 0; m < more.size(); ++m) {
      for (std::uint64_t i = 0; i < n; ++i) more[m]->read(m < constants ? i : step * n + i);
    }
    t.work(body_operations(n, inputs));
    t.body_leaf_bytes = 4 * n;
  }
  o.write_all();
}

void scan_backward(trial& t) {
  const std::uint64_t n = t.size(), length = t.size();
  const bool has_trajectory = t.coin();
  t.attribute("length", length);
  t.attribute("save_trajectory", has_trajectory);
  t.attribute("num_xs", 0u);
  t.attribute("num_checkpoints", 0u);
  t.own_operand({n}, f32).read_all();
  t.own_operand({length, n}, f32).read_all();
  t.own_operand(has_trajectory ? sizes{length, n} : sizes{n}, f32).read_all();
  t.nest = [n](view_builder& g, std::uint32_t id) {
    fill_body(g.nested(id, "body_vjp"), n, 1, true);
  };
  t.work(length * body_operations(n, 1));
  if (has_trajectory) t.work(length * n);  // the step's own upstream
  t.body_leaf_bytes = 4 * n;
  t.output({n}).write_all();
}

void function(trial& t) {
  const std::uint64_t n = t.size(), inputs = t.between(0, 2);
  const bool uses_first = t.coin(0.8);
  tensor_trace& first = t.own_operand({n}, f32);
  if (uses_first) first.read_all();
  for (std::uint64_t i = 0; i < inputs; ++i) t.own_operand({n}, f32).read_all();
  t.attribute("num_inputs", inputs + 1);
  t.nest = [=](view_builder& g, std::uint32_t id) {
    fill_body(g.nested(id, "fwd_body"), n, inputs, uses_first);
    // A gradient rule, which running forward does not run.
    fill_body(g.nested(id, "vjp_body"), n, 2, true);
  };
  t.work(body_operations(n, inputs));
  t.body_leaf_bytes = 4 * n;
  t.output({n}).write_all();
}

constexpr oracle table[] = {
    {RLX_KIND_If, branch},
    {RLX_KIND_While, loop},
    {RLX_KIND_Scan, scan},
    {RLX_KIND_ScanBackward, scan_backward},
    {RLX_KIND_ScanBackwardXs, scan_backward},
    {RLX_KIND_CustomFn, function},
};

}  // namespace

std::span<const oracle> control_oracles() { return table; }

}  // namespace opscope::test
