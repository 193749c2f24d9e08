// Normalisations: 3 operations an element; and their gradients.
//
// Gradient counts: recomputing the normalised x 3 (RMS 2), dy*gamma 1, its mean 1, the mean of its
// product with x 2, combination 4 (RMS 3); towards gamma: product and sum 2.
#include "plugin/cost/need/formulas.hpp"
#include "plugin/cost/need/site.hpp"

namespace opscope::need {

namespace {

template <class N>
void per_element(site<N>& n, std::uint64_t price) {
  n.operations(N{price} * n.elements(0), n.dtype(0));
}

}  // namespace

constexpr formula norm_with_scale_and_shift = make_closed<closed_form::per_operand(3, 3)>();
constexpr formula batch_norm = make_closed<closed_form::per_operand(5, 3)>();

// (1 + scale) a scale element, then the norm, a product and a sum an element.
constexpr formula ada_layer_norm = make_formula([]<class N>(site<N>& n) {
  n.dtype(2);
  per_element(n, 5);
  n.operations(n.elements(1), n.dtype(0));
});

constexpr formula ada_layer_norm_backward = make_formula([]<class N>(site<N>& n) {
  n.dtype(3);
  n.ignores(2);
  const std::string_view norm = n.attributes().text(attr::norm);
  if (norm != "LayerNorm" && norm != "RmsNorm") return n.give_up("an unknown norm");
  per_element(n, norm == "LayerNorm" ? 14 : 12);
  n.operations(n.elements(1), n.dtype(0));
});

// x, gamma, dy
constexpr formula layer_norm_backward_input = make_formula([]<class N>(site<N>& n) {
  n.dtype(2);
  per_element(n, 11);
});

// x, dy
constexpr formula norm_backward_gamma = make_formula([]<class N>(site<N>& n) {
  n.dtype(1);
  per_element(n, 5);
});

// x, gamma, beta, dy: beta shifts the result only.
constexpr formula rms_norm_backward_input = make_formula([]<class N>(site<N>& n) {
  n.dtype(3);
  n.ignores(2);
  per_element(n, 8);
});
constexpr formula rms_norm_backward_gamma = make_formula([]<class N>(site<N>& n) {
  n.dtype(3);
  n.ignores(1);
  n.ignores(2);
  per_element(n, 5);
});
constexpr formula rms_norm_backward_beta = make_formula([]<class N>(site<N>& n) {
  n.dtype(3);
  n.ignores(0);
  n.ignores(1);
  n.ignores(2);
  n.operations(n.elements(3), n.dtype(3));
});

constexpr formula group_norm_backward_input = make_formula([]<class N>(site<N>& n) {
  n.dtype(3);
  n.ignores(2);
  per_element(n, 11);
});
constexpr formula group_norm_backward_beta = make_formula([]<class N>(site<N>& n) {
  n.dtype(1);
  n.ignores(0);
  n.operations(n.elements(1), n.dtype(1));
});

// x, gamma, mean, var, dy: dy*gamma/sqrt(var + eps).
constexpr formula batch_norm_backward_input = make_formula([]<class N>(site<N>& n) {
  n.dtype(4);
  n.ignores(0);
  n.ignores(2);
  n.work(n.elements(4) + N{3} * n.elements(1));
});
// x, mean, var, dy
constexpr formula batch_norm_backward_gamma = make_formula([]<class N>(site<N>& n) {
  n.dtype(3);
  n.work(N{3} * n.elements(0) + N{3} * n.elements(1));
});
constexpr formula sum_backward =
    make_formula([]<class N>(site<N>& n) { n.operations(n.elements(0), n.dtype(0)); });

// x + residual [+ bias], then the norm.
constexpr formula fused_residual_norm = make_formula([]<class N>(site<N>& n) {
  const bool has_bias = n.flag(attr::has_bias);
  n.dtype(has_bias ? 4 : 3);
  per_element(n, has_bias ? 5 : 4);
});

}  // namespace opscope::need
