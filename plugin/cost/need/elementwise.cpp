// Element-wise kinds: one operation an element, whatever the function.
#include <array>

#include "plugin/cost/need/formulas.hpp"
#include "plugin/cost/need/site.hpp"

namespace opscope::need {

namespace {

// A conversion counts where it touches a floating-point number.
template <class N>
void convert(site<N>& n, N count, std::uint32_t from, std::uint32_t to) {
  if (from == to && from != 0) return;
  const bool is_integer =
      class_of(from) == number_class::integer && class_of(to) == number_class::integer;
  const bool is_unknown =
      class_of(from) == number_class::unknown && class_of(to) == number_class::unknown;
  if (is_unknown) return n.operations(count, from);
  is_integer ? n.integer(count) : n.work(count);
}

// Elements of the value that on_true and on_false are chosen for, each taken from one of them.
template <class N>
void read_branches(site<N>& n, unsigned on_true, unsigned on_false) {
  const N a = n.bytes(on_true);
  const N b = n.bytes(on_false);
  n.reads_up_to_all(on_true);
  n.reads_up_to_all(on_false);
  // Where they share storage, or the condition does, fewer distinct bytes may do.
  if (n.shares_storage(0, on_true) || n.shares_storage(0, on_false) ||
      n.shares_storage(on_true, on_false)) {
    return;
  }
  const N chosen = n.elements(out) * maximum(n.width(on_true), n.width(on_false));
  n.limits_reads(n.bytes(0) + from_to(minimum(a, b), minimum(chosen, a + b)));
}

template <class N>
struct step_value {
  N extent;
  std::uint32_t dtype = 0;
};

// A step costs its own extent: an operand that repeats makes a step that repeats.
template <class N>
void region_steps(site<N>& n, const chain& c, step_value<N>* values, bool has_prologue,
                  std::uint64_t prologue_input) {
  const N whole = n.elements(out);
  const auto value_of = [&](const chain_operand& o) -> step_value<N> {
    if (o.is_step) return values[o.index];
    if (has_prologue && o.index == prologue_input) return {whole, n.dtype(o.index)};
    return {minimum(n.elements(o.index), whole), n.dtype(o.index)};
  };
  for (std::size_t s = 0; s < c.steps.size(); ++s) {
    const chain_step& step = c.steps[s];
    if (c.step_use[s] == use::none) continue;
    step_value<N> v = value_of(step.operands[0]);
    const std::uint32_t first_dtype = v.dtype;
    for (unsigned o = 1; o < step.operand_count; ++o) {
      const step_value<N> other = value_of(step.operands[o]);
      v.extent = maximum(v.extent, other.extent);
      if (step.kind == step_kind::where && o == 1) v.dtype = other.dtype;
    }
    switch (step.kind) {
      case step_kind::cast:
        convert(n, v.extent, first_dtype, step.cast_to);
        v.dtype = step.cast_to;
        break;
      case step_kind::compare:
        n.operations(v.extent, first_dtype, step.complex_price);
        v.dtype = RLX_DTYPE_Bool;
        break;
      case step_kind::where:
        n.operations(v.extent, v.dtype, 1);
        break;
      case step_kind::activation:
      case step_kind::binary:
        n.operations(v.extent, first_dtype, step.complex_price);
        break;
    }
    values[s] = v;
  }
}

template <class N>
void region(site<N>& n) {
  const chain* c = n.said().chain.get();
  if (c == nullptr || c->steps.empty()) {
    n.give_up("the region's chain is not readable");
    return;
  }
  if (c->input_use.size() > n.operand_count()) {
    n.missing();
    return;
  }
  const std::string_view prologue = n.attributes().text(attr::prologue);
  const bool has_prologue = !prologue.empty() && prologue != "None";
  if (has_prologue && prologue != "ResizeNearest2x") {
    n.give_up("the region has a prologue that this version does not know");
    return;
  }
  for (unsigned i = 0; i < n.operand_count(); ++i) {
    const use how = i < c->input_use.size() ? c->input_use[i] : use::none;
    if (how == use::none) n.ignores(i);
    if (how == use::as_data_decides) n.reads_up_to_all(i);
  }
  const std::uint64_t prologue_input = n.number_or(attr::prologue_input, 0);
  constexpr std::size_t usual = 32;
  if (c->steps.size() <= usual) {
    std::array<step_value<N>, usual> values;
    region_steps(n, *c, values.data(), has_prologue, prologue_input);
  } else {
    std::vector<step_value<N>> values(c->steps.size());
    region_steps(n, *c, values.data(), has_prologue, prologue_input);
  }
}

// Of one operation on complex numbers.
constexpr auto price_by_function = []<class N>(site<N>& n) -> std::uint64_t {
  if (!n.has(0) || class_of(n.dtype(0)) != number_class::complex) return 0;
  return complex_price(n.attributes().text(attr::value));
};

// Number of channels an `axis` attribute quantises by; 1 where it is absent.
template <class N>
N channels(site<N>& n) {
  const auto axis = n.attributes().u64(attr::axis);
  return axis ? n.dim(0, static_cast<std::int64_t>(*axis & INT64_MAX)) : N{1};
}

}  // namespace

constexpr formula nothing = make_closed<closed_form::moves(0)>();

constexpr formula unknown_kind = make_formula([]<class N>(site<N>& n) {
  n.breaks_invariance();
  n.give_up("this version does not know the operation");
});

constexpr formula activation = make_closed<closed_form::per_output(1, 1)>(price_by_function);
constexpr formula binary = make_closed<closed_form::per_output(2, 1)>(price_by_function);
constexpr formula compare = make_closed<closed_form::per_output(2, 1)>();

constexpr formula where = make_formula([]<class N>(site<N>& n) {
  read_branches(n, 1, 2);
  n.operations(n.elements(out), n.dtype(1), 1);
});

constexpr formula cast = make_formula(
    []<class N>(site<N>& n) { convert(n, n.elements(out), n.dtype(0), n.dtype(out)); });

constexpr formula elementwise_region = make_formula([]<class N>(site<N>& n) { region(n); });

// How its chain names the slices is not known; a step costs at most all elements.
constexpr formula batch_elementwise_region = make_formula([]<class N>(site<N>& n) {
  const chain* c = n.said().chain.get();
  if (c == nullptr || c->steps.empty()) {
    n.give_up("the region's chain is not readable");
    return;
  }
  const N e = n.elements(out);
  n.operations(from_to(e, e * N{c->steps.size()}), n.dtype(out));
});

constexpr formula transform_region = make_formula([]<class N>(site<N>& n) {
  const chain* c = n.said().chain.get();
  if (c == nullptr) {
    n.give_up("the region's steps are not readable");
    return;
  }
  for (unsigned i = 0; i < n.operand_count(); ++i) {
    if (i >= c->input_use.size() || c->input_use[i] == use::none) n.ignores(i);
  }
});

constexpr formula fma = make_formula([]<class N>(site<N>& n) {
  n.dtype(2);
  n.operations(N{2} * n.elements(out), n.dtype(0), 4);
});

constexpr formula clamp = make_closed<closed_form::per_output(1, 2)>();

constexpr formula gated_residual = make_closed<closed_form::per_operand(3, 2)>();

// dx = dy, dgate = sum of dy*y, dy_in = dy*gate: x itself is not needed.
constexpr formula gated_residual_backward = make_formula([]<class N>(site<N>& n) {
  n.dtype(3);
  n.ignores(0);
  n.operations(N{3} * n.elements(0), n.dtype(0));
});

constexpr formula spline = make_formula([]<class N>(site<N>& n) {
  n.dtype(1);
  n.work(N{6} * n.elements(0) * n.number(attr::num_basis));
});

constexpr formula spline_backward_x = make_formula([]<class N>(site<N>& n) {
  n.dtype(2);
  n.work(N{8} * n.elements(0) * n.number(attr::num_basis) + n.elements(0));
});

constexpr formula spline_backward_coeff = make_formula([]<class N>(site<N>& n) {
  n.dtype(1);
  n.work(N{6} * n.elements(0) * n.number(attr::num_basis));
});

// ---- Quantisation helpers.

constexpr formula quantize = make_formula([]<class N>(site<N>& n) {
  n.work(N{2} * n.elements(0));  // divide, round
  n.integer(n.elements(0));      // zero point
});

constexpr formula dequantize = make_formula([]<class N>(site<N>& n) {
  n.work(n.elements(0));
  n.integer(n.elements(0));
});

constexpr formula fake_quantize = make_formula([]<class N>(site<N>& n) {
  const N e = n.elements(0);
  const auto ema = n.said().scale_is_ema;
  if (!ema) {
    n.give_up("the scale mode is not one this version knows");
    return;
  }
  if (*ema) {
    n.work(N{4} * e + N{4} * channels(n));
    n.also_writes(n.bytes(1));
    n.breaks_invariance();
  } else if (n.said().scale_is_fixed) {
    n.dtype(1);
    n.work(N{3} * e);
  } else {
    n.ignores(1);
    n.work(N{4} * e + channels(n));
  }
});

constexpr formula fake_quantize_lsq = make_formula([]<class N>(site<N>& n) {
  n.dtype(1);
  n.work(N{3} * n.elements(0));
});

// dy counts only where x lies on the grid.
constexpr formula fake_quantize_lsq_backward_x = make_formula([]<class N>(site<N>& n) {
  n.reads_up_to_all(2);
  n.dtype(2);
  n.work(N{2} * n.elements(0));
});

constexpr formula fake_quantize_lsq_backward_scale = make_formula([]<class N>(site<N>& n) {
  n.dtype(2);
  n.work(N{5} * n.elements(0));
});

constexpr formula fake_quantize_backward = make_formula([]<class N>(site<N>& n) {
  const std::string_view ste = n.attributes().text(attr::ste);
  const N e = n.elements(0);
  n.dtype(1);
  if (ste == "Identity") {
    n.ignores(0);
  } else if (ste == "ClippedIdentity") {
    n.reads_up_to_all(1);
    n.work(N{3} * e);
  } else if (ste == "HardTanh") {
    n.reads_up_to_all(1);
    n.work(N{5} * e);
  } else if (ste == "Tanh") {
    n.work(N{6} * e);
  } else {
    n.give_up("the straight-through rule is not one this version knows");
  }
});

constexpr formula complex_norm =
    make_formula([]<class N>(site<N>& n) { n.work(N{3} * n.elements(0)); });
constexpr formula complex_norm_backward = make_formula([]<class N>(site<N>& n) {
  n.dtype(1);
  n.work(N{2} * n.elements(0));
});
constexpr formula conjugate = make_formula([]<class N>(site<N>& n) { n.work(n.elements(0)); });

// ---- Gradients of element-wise kinds.

// dy where x > 0: dy counts only there.
constexpr formula relu_backward = make_formula([]<class N>(site<N>& n) {
  n.dtype(1);
  n.reads_up_to_all(1);
  n.operations(n.elements(out), n.dtype(0));
});

constexpr formula activation_backward = make_formula([]<class N>(site<N>& n) {
  n.dtype(1);
  if (n.attributes().text(attr::kind) == "Relu") n.reads_up_to_all(1);
  n.operations(N{2} * n.elements(out), n.dtype(0));
});

constexpr formula random_normal = make_formula([]<class N>(site<N>& n) {
  n.ignores(0);
  n.breaks_invariance();
  n.work(from_to(N{2} * n.elements(out), N::unknown()));  // scale and shift; the generator besides
  n.integer(N::unknown());
});

constexpr formula random_uniform = make_formula([]<class N>(site<N>& n) {
  n.ignores(0);
  n.breaks_invariance();
  n.work(N{2} * n.elements(out));
  n.integer(N::unknown());
});

}  // namespace opscope::need
