// Kinds that hold graphs: a graph runs its trip count of times, its intermediates stay on chip, its
// own weights are read once.
#include "plugin/cost/need/formulas.hpp"
#include "plugin/cost/need/site.hpp"

namespace opscope::need {

namespace {

const char* const missing_body = "a nested graph that the operation runs is missing";

// Operand `first + i` is input i of the body: not needed where the body does not need it.
template <class N>
void read_through(site<N>& n, const body_need<N>& body, unsigned first, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    if (i >= body.inputs.size()) break;
    if (body.inputs[i].is_zero()) {
      n.ignores(first + i);
    } else if (!body.whole[i]) {
      n.reads_up_to_all(first + i);
    }
  }
}

}  // namespace

// predicate, then what the branches capture.
constexpr formula branch = make_formula([]<class N>(site<N>& n) {
  const auto* a = n.body("then_branch");
  const auto* b = n.body("else_branch");
  if (a == nullptr || b == nullptr) return n.give_up(missing_body);
  n.dtype(0);
  for (unsigned i = 1; i < n.operand_count(); ++i) n.reads_up_to_all(i);
  n.also_reads(N::hull(a->leaf_bytes, b->leaf_bytes));
  n.work_is(N::hull(a->work, b->work), N::hull(a->contraction, b->contraction),
            N::hull(a->int_ops, b->int_ops));
});

// The condition is looked at once before each round and may end the loop before the first.
constexpr formula loop = make_formula([]<class N>(site<N>& n) {
  const auto* cond = n.body("cond");
  const auto* body = n.body("body");
  if (cond == nullptr || body == nullptr) return n.give_up(missing_body);
  n.dtype(0);
  const auto most = n.attributes().u64(attr::max_iterations);
  const N rounds = most ? from_to(N{}, N{*most}) : N::unknown();
  for (unsigned i = 0; i < n.operand_count(); ++i) n.reads_up_to_all(i);
  n.also_reads(from_to(N{}, cond->leaf_bytes + body->leaf_bytes));
  if (most && *most == 0) return;
  n.nested(rounds + N{1}, *cond);
  n.nested(rounds, *body);
});

// init, num_bcast constants, num_xs tensors with one slice a step.
constexpr formula scan = make_formula([]<class N>(site<N>& n) {
  const auto* body = n.body("body");
  if (body == nullptr) return n.give_up(missing_body);
  n.dtype(0);
  const N length = n.number(attr::length);
  if (length.is_zero()) {
    for (unsigned i = 1; i < n.operand_count(); ++i) n.ignores(i);
    return;
  }
  read_through(n, *body, 0, n.operand_count());
  n.also_reads(body->leaf_bytes);
  n.nested(length, *body);
});

constexpr formula scan_backward = make_formula([]<class N>(site<N>& n) {
  const auto* vjp = n.body("body_vjp");
  if (vjp == nullptr) return n.give_up(missing_body);
  n.dtype(2);
  const N length = n.number(attr::length);
  for (unsigned i = 0; i < n.operand_count(); ++i) n.reads_up_to_all(i);
  n.also_reads(from_to(N{}, vjp->leaf_bytes));
  n.nested(length, *vjp);
  if (n.flag(attr::save_trajectory)) n.operations(length * n.elements(0), n.dtype(0), 2);
  const std::uint64_t kept = n.number_or(attr::num_checkpoints, 0);
  const std::uint64_t steps = n.number_or(attr::length, 0);
  if (kept > 0 && kept < steps) {
    // What lies between checkpoints is computed again, once at least; kernels may do more.
    const auto* forward = n.body("forward_body");
    if (forward == nullptr) return n.give_up(missing_body);
    n.also_reads(from_to(N{}, forward->leaf_bytes));
    const N again = from_to(N{steps - kept}, N::unknown());
    n.nested(again, *forward);
  }
});

constexpr formula custom = make_formula([]<class N>(site<N>& n) {
  n.breaks_invariance();
  n.give_up("a custom operation is opaque");
});

constexpr formula custom_function = make_formula([]<class N>(site<N>& n) {
  const auto* body = n.body("fwd_body");
  if (body == nullptr) return n.give_up(missing_body);
  read_through(n, *body, 0, n.operand_count());
  n.also_reads(body->leaf_bytes);
  n.nested(N{1}, *body);
});

}  // namespace opscope::need
