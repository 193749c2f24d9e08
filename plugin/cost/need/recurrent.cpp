// Recurrences: per step and head, sums over the state are contractions, the rest is element-wise.
#include "plugin/cost/need/formulas.hpp"
#include "plugin/cost/need/site.hpp"

namespace opscope::need {

namespace {

// Gated recurrent layers: per step a row needs `gates` products with input and state, and
// `pointwise` operations a unit.
template <class N>
void gated_layers(site<N>& n, std::uint64_t gates, std::uint64_t pointwise, unsigned states_from,
                  unsigned states) {
  const N h = n.number(attr::hidden_size);
  const N directions{n.flag(attr::bidirectional) ? 2u : 1u};
  const N layers = n.number(attr::num_layers);
  const N steps = n.extent(0, 0, 2);  // batch and sequence
  const N upper = minus(layers, N{1}) * (directions * h + h);
  const N rows = directions * steps * N{gates} * h;
  n.contraction(N{2} * rows * (n.dim(0, 2) + h + upper));
  n.work(directions * layers * steps * N{pointwise} * h);
  n.dtype(states_from - 1);
  if (n.flag(attr::carry)) {
    for (unsigned i = states_from; i < states_from + states; ++i) n.also_writes(n.bytes(i));
    n.breaks_invariance();
  }
}

}  // namespace

// x, delta [b,s,h], a [h,n], b, c [b,s,n]
constexpr formula selective_scan = make_formula([]<class N>(site<N>& n) {
  n.dtype(4);
  const N steps = n.elements(0);
  const N state = n.number(attr::state_size);
  n.work(steps * (N{5} * state + N{1}));
  n.contraction(steps * N{2} * state);  // y = sum of c*h
});

// q, k, v [b,s,h,n], g, beta [, state [b,h,n,n]]
constexpr formula gated_delta_net = make_formula([]<class N>(site<N>& n) {
  n.dtype(4);
  const N state = n.number(attr::state_size);
  const N steps = n.extent(2, 0, -1);
  const N decays = n.flag(attr::gate_per_channel) ? state : N{1};
  n.work(steps * (N{3} * state * state + N{3} * state + decays));
  n.contraction(steps * N{4} * state * state);  // S'k and S'q
  if (n.flag(attr::carry_state)) {
    n.also_writes(n.bytes(5));
    n.breaks_invariance();
  }
});

// Forward states again, then a reverse sweep of 15 n^2 a step; lower terms are not settled.
constexpr formula gated_delta_net_backward = make_formula([]<class N>(site<N>& n) {
  n.dtype(5);
  const N state = n.number(attr::state_size);
  const N steps = n.extent(2, 0, -1);
  const N least = N{20} * state * state;
  n.work(steps * from_to(least, least + N{24} * state + N{8}));
});

constexpr formula lstm = make_formula([]<class N>(site<N>& n) { gated_layers(n, 4, 17, 4, 2); });
constexpr formula gru = make_formula([]<class N>(site<N>& n) { gated_layers(n, 3, 16, 5, 1); });
constexpr formula rnn = make_formula([]<class N>(site<N>& n) { gated_layers(n, 1, 3, 4, 1); });

// x [b,s,h,p], dt [b,s,h], a [h], b, c [b,s,h,n]
constexpr formula mamba2 = make_formula([]<class N>(site<N>& n) {
  n.dtype(4);
  const N steps = n.extent(0, 0, -1);
  const N p = n.dim(0, -1);
  const N state = n.number(attr::state_size);
  n.work(steps * (N{3} * p * state + p + N{2}));
  n.contraction(steps * N{2} * p * state);  // y = S*c
});

}  // namespace opscope::need
