// Element-wise kinds, regions, quantisation helpers, complex numbers, splines.
#include <cmath>
#include <string>

#include "tests/need/oracle/index.hpp"

namespace opscope::test {

namespace {

constexpr std::uint32_t f32 = RLX_DTYPE_F32;

// out = f(x), `price` operations an element.
void unary(trial& t, std::uint32_t dtype, std::uint64_t price, std::uint32_t out_dtype) {
  tensor_trace& x = t.operand(t.shape(0, 3), dtype);
  tensor_trace& o = t.output(x.shape, out_dtype);
  for (std::uint64_t i = 0; i < o.size(); ++i) {
    x.read(i);
    t.operations(price, dtype);
    o.write(i);
  }
}

void activation(trial& t) {
  const auto d = t.any_number();
  t.attribute("value", t.pick({"Gelu", "Silu", "Exp", "Neg", "Brand_new"}));
  unary(t, d, 1, d);
}

void copy_through(trial& t) {
  const auto d = t.any_number();
  unary(t, d, 0, d);
}

void clamp(trial& t) { unary(t, f32, 2, f32); }

void cast(trial& t) {
  const auto from = t.any_number();
  const auto to = t.pick<std::uint32_t>({RLX_DTYPE_F32, RLX_DTYPE_F16, RLX_DTYPE_I32});
  const bool is_identity = from == to;
  const bool is_integer = from != RLX_DTYPE_F32 && from != RLX_DTYPE_F16 && from != RLX_DTYPE_F64 &&
                          to == RLX_DTYPE_I32;
  tensor_trace& x = t.operand(t.shape(0, 3), from);
  tensor_trace& o = t.output(x.shape, to);
  for (std::uint64_t i = 0; i < o.size(); ++i) {
    x.read(i);
    o.write(i);
    if (is_identity) continue;
    is_integer ? t.integer(1) : t.work(1);
  }
}

void binary_into(trial& t, std::uint32_t out_dtype, std::uint32_t dtype) {
  const sizes shape = t.shape(0, 3);
  tensor_trace& a = t.operand(shape, dtype);
  tensor_trace& b = t.operand(broadcastable(t, shape), dtype);
  tensor_trace& o = t.output(shape, out_dtype);
  each(shape, [&](const sizes& at) {
    a.read(flat(shape, at));
    b.read(broadcast_at(b.shape, at));
    t.operations(1, dtype);
    o.write(flat(shape, at));
  });
}

void binary(trial& t) {
  const auto d = t.any_number();
  t.attribute("value", "Add");
  binary_into(t, d, d);
}

void compare(trial& t) {
  t.attribute("value", "Lt");
  binary_into(t, RLX_DTYPE_Bool, t.any_number());
}

void where(trial& t) {
  const auto d = t.any_number();
  const sizes shape = t.shape(1, 3);
  tensor_trace& c = t.own_operand(shape, RLX_DTYPE_Bool);
  tensor_trace& a = t.operand(broadcastable(t, shape), d);
  tensor_trace& b = t.operand(broadcastable(t, shape), d);
  tensor_trace& o = t.output(shape, d);
  const double bias = t.real() * 2;  // from all false to all true
  each(shape, [&](const sizes& at) {
    const bool chosen = c.read(flat(shape, at)) > bias;
    (chosen ? a : b).read(broadcast_at((chosen ? a : b).shape, at));
    t.operations(1, d);
    o.write(flat(shape, at));
  });
}

void three_equal(trial& t, std::uint64_t price) {
  const auto d = t.any_number();
  const sizes shape = t.shape(0, 3);
  tensor_trace* in[3];
  for (auto& x : in) x = &t.operand(shape, d);
  tensor_trace& o = t.output(shape, d);
  for (std::uint64_t i = 0; i < o.size(); ++i) {
    for (auto* x : in) x->read(i);
    t.operations(price, d);
    o.write(i);
  }
}
void fma(trial& t) { three_equal(t, 2); }

// A random region: externals that are full, scalar or periodic; any kind of step.
void region(trial& t) {
  struct step_info {
    int form;  // 0 activation, 1 binary, 2 compare, 3 where, 4 cast to F32
    std::vector<std::pair<bool, std::size_t>> operands;  // is a step, index
  };
  sizes shape = t.shape(1, 3);
  for (auto& d : shape) d = std::max<std::uint64_t>(d, 1);
  const std::uint64_t whole = product(shape);
  const std::size_t inputs = t.between(1, 4);
  std::vector<tensor_trace*> in;
  for (std::size_t i = 0; i < inputs; ++i) {
    switch (i == 0 ? 0 : t.between(0, 2)) {
      case 0:
        in.push_back(&t.operand(shape, f32));
        break;
      case 1:
        in.push_back(&t.operand({1}, f32));
        break;
      default:
        in.push_back(&t.operand({shape.back()}, f32));
    }
  }
  std::vector<step_info> steps(t.between(1, t.coin(0.1) ? 40 : 5));
  std::string chain = "[";
  for (std::size_t s = 0; s < steps.size(); ++s) {
    steps[s].form = static_cast<int>(t.between(0, 4));
    const int count = steps[s].form == 0 || steps[s].form == 4 ? 1 : steps[s].form == 3 ? 3 : 2;
    std::string texts;
    for (int o = 0; o < count; ++o) {
      const bool is_step = s > 0 && t.coin(0.6);
      const std::size_t index =
          is_step ? (t.coin() ? s - 1 : t.between(0, s - 1)) : t.between(0, inputs - 1);
      steps[s].operands.emplace_back(is_step, index);
      if (o != 0) texts += ',';
      texts += std::string(is_step ? R"({"Step":)" : R"({"Input":)") + std::to_string(index) + '}';
    }
    const char* const heads[] = {R"({"Activation":["Tanh",)", R"({"Binary":["Mul",)",
                                 R"({"Compare":["Lt",)", R"({"Where":[)", R"({"Cast":["F32",)"};
    if (s != 0) chain += ',';
    chain += heads[steps[s].form] + texts + "]}";
  }
  t.attribute("chain", json(chain + "]"));
  t.attribute("num_inputs", inputs);

  // Evaluated from the last step back, an element at a time: only what is asked for is read.
  std::vector<std::uint64_t> extent(steps.size());
  std::vector<std::uint32_t> dtype(steps.size());
  for (std::size_t s = 0; s < steps.size(); ++s) {
    for (std::size_t o = 0; o < steps[s].operands.size(); ++o) {
      const auto [is_step, i] = steps[s].operands[o];
      extent[s] = std::max(extent[s], is_step ? extent[i] : in[i]->size());
    }
    const auto type_of = [&](std::size_t o) {
      const auto [is_step, i] = steps[s].operands[o];
      return is_step ? dtype[i] : in[i]->dtype;
    };
    dtype[s] = steps[s].form == 2   ? std::uint32_t{RLX_DTYPE_Bool}
               : steps[s].form == 4 ? f32
               : steps[s].form == 3 ? type_of(1)
                                    : type_of(0);
  }
  std::vector<bool> is_used(steps.size());
  is_used.back() = true;
  for (std::size_t s = steps.size(); s-- > 0;) {
    if (!is_used[s]) continue;
    for (const auto& [is_step, i] : steps[s].operands) {
      if (is_step) is_used[i] = true;
    }
    const auto [first_is_step, first] = steps[s].operands[0];
    const auto of = steps[s].form == 3 ? dtype[s] : first_is_step ? dtype[first] : f32;
    if (steps[s].form == 4 && of == f32) continue;  // a cast to what it is
    steps[s].form == 4 ? t.work(extent[s]) : t.operations(extent[s], of);
  }
  std::vector<std::vector<double>> known(steps.size(), std::vector<double>(whole, NAN));
  std::function<double(bool, std::size_t, std::uint64_t)> value = [&](bool is_step, std::size_t s,
                                                                      std::uint64_t i) -> double {
    if (!is_step) return in[s]->read(i % in[s]->size());
    double& v = known[s][i];
    if (!std::isnan(v)) return v;
    const auto operand = [&](std::size_t o) {
      return value(steps[s].operands[o].first, steps[s].operands[o].second, i);
    };
    switch (steps[s].form) {
      case 1:
        return v = operand(0) * operand(1);
      case 2:
        return v = operand(0) < operand(1) ? 1 : 0;
      case 3:
        return v = operand(0) > 0.3 ? operand(1) : operand(2);
      default:
        return v = std::tanh(operand(0));
    }
  };
  tensor_trace& o = t.output(shape, dtype.back());
  for (std::uint64_t i = 0; i < whole; ++i) {
    value(true, steps.size() - 1, i);
    o.write(i);
  }
}

void batch_region(trial& t) {
  const std::uint64_t slices = t.between(1, 3);
  const sizes slice = {1, t.size(), t.size()};
  for (std::uint64_t s = 0; s < slices; ++s) t.operand(slice).read_all();
  const std::size_t steps = t.between(1, 4);
  std::string chain = "[";
  for (std::size_t s = 0; s < steps; ++s) {
    chain += s == 0 ? R"({"Activation":["Tanh",{"Input":0}]})"
                    : R"(,{"Activation":["Tanh",{"Step":)" + std::to_string(s - 1) + "}]}";
  }
  t.attribute("chain", json(chain + "]"));
  tensor_trace& o = t.output({slices, slice[1], slice[2]});
  o.write_all();
  t.work(o.size() * steps);
}

void transform_region(trial& t) {
  tensor_trace& x = t.operand({1, t.size(), t.size(), t.size()});
  t.attribute("steps", json(R"([{"ResizeNearest2x":{"Input":0}}])"));
  t.attribute("num_inputs", 1u);
  tensor_trace& o = t.output({1, x.shape[1], 2 * x.shape[2], 2 * x.shape[3]});
  each(o.shape, [&](const sizes& at) {
    x.read(flat(x.shape, {0, at[1], at[2] / 2, at[3] / 2}));
    o.write(flat(o.shape, at));
  });
}

void gated_residual(trial& t) {
  const sizes shape = t.shape(1, 3);
  tensor_trace& x = t.operand(shape);
  tensor_trace& y = t.operand(shape);
  tensor_trace& gate = t.operand(broadcastable(t, shape));
  tensor_trace& o = t.output(shape);
  each(shape, [&](const sizes& at) {
    x.read(flat(shape, at));
    y.read(flat(shape, at));
    gate.read(broadcast_at(gate.shape, at));
    t.work(2);
    o.write(flat(shape, at));
  });
}

void gated_residual_backward(trial& t) {
  const sizes shape = {t.size(), t.size()};
  t.operand(shape);
  tensor_trace& y = t.operand(shape);
  tensor_trace& gate = t.operand(shape);
  tensor_trace& dy = t.operand(shape);
  tensor_trace& o = t.output({3 * product(shape)});
  for (std::uint64_t i = 0; i < dy.size(); ++i) {
    dy.read(i);    // dx is dy
    gate.read(i);  // times the gate
    t.work(1);
    y.read(i);  // times y, summed where the gate was broadcast
    t.work(2);
  }
  o.write_all();
}

void spline(trial& t) {
  const std::uint64_t g = t.size();
  tensor_trace& x = t.operand({t.size_or_none(), t.size()});
  tensor_trace& coeff = t.operand({x.shape[1], g});
  tensor_trace& o = t.output(x.shape);
  t.attribute("num_basis", g);
  each(x.shape, [&](const sizes& at) {
    x.read(flat(x.shape, at));
    for (std::uint64_t b = 0; b < g; ++b) {
      coeff.read(at[1] * g + b);
      t.work(6);  // subtract, divide, square, exponential, multiply, add
    }
    o.write(flat(x.shape, at));
  });
}

void spline_backward_x(trial& t) {
  const std::uint64_t g = t.size();
  tensor_trace& x = t.operand({t.size(), t.size()});
  tensor_trace& coeff = t.operand({x.shape[1], g});
  tensor_trace& up = t.operand(x.shape);
  tensor_trace& o = t.output(x.shape);
  t.attribute("num_basis", g);
  each(x.shape, [&](const sizes& at) {
    x.read(flat(x.shape, at));
    for (std::uint64_t b = 0; b < g; ++b) {
      coeff.read(at[1] * g + b);
      t.work(8);
    }
    up.read(flat(x.shape, at));
    t.work(1);
    o.write(flat(x.shape, at));
  });
}

void spline_backward_coeff(trial& t) {
  const std::uint64_t g = t.size();
  tensor_trace& x = t.operand({t.size(), t.size()});
  tensor_trace& up = t.operand(x.shape);
  t.attribute("num_basis", g);
  tensor_trace& o = t.output({x.shape[1], g});
  each(x.shape, [&](const sizes& at) {
    x.read(flat(x.shape, at));
    up.read(flat(x.shape, at));
    t.work(6 * g);
  });
  o.write_all();
}

void quantize(trial& t) {
  tensor_trace& x = t.operand(t.shape(1, 3));
  tensor_trace& o = t.output(x.shape, RLX_DTYPE_I8);
  for (std::uint64_t i = 0; i < x.size(); ++i) {
    x.read(i);
    t.work(2);
    t.integer(1);
    o.write(i);
  }
}

void dequantize(trial& t) {
  tensor_trace& x = t.operand(t.shape(1, 3), RLX_DTYPE_I8);
  tensor_trace& o = t.output(x.shape);
  for (std::uint64_t i = 0; i < x.size(); ++i) {
    x.read(i);
    t.integer(1);
    t.work(1);
    o.write(i);
  }
}

void fake_quantize(trial& t) {
  t.allows_aliases = false;
  const sizes shape = {t.size(), t.size(), t.size()};
  const bool by_channel = t.coin();
  const std::uint64_t axis = t.between(0, 2);
  const std::uint64_t channels = by_channel ? shape[axis] : 1;
  const int mode = static_cast<int>(t.between(0, 2));
  if (by_channel) t.attribute("axis", axis);
  t.attribute("ste", "Identity");
  t.attribute("scale_mode", mode == 0   ? attribute_value{"PerBatch"}
                            : mode == 1 ? json(R"({"EMA":{"decay":0.9}})")
                                        : attribute_value{"Fixed"});
  tensor_trace& x = t.operand(shape);
  tensor_trace* state = mode != 0 ? &t.operand({channels}) : nullptr;
  tensor_trace& o = t.output(shape);
  for (std::uint64_t c = 0; c < channels; ++c) {
    if (state != nullptr) state->read(c);
    if (mode == 0) t.work(1);  // the scale
    if (mode == 1) {           // blended with the state, then kept
      t.work(4);
      state->write(c);
    }
  }
  for (std::uint64_t i = 0; i < x.size(); ++i) {
    x.read(i);
    t.work(mode == 2 ? 3 : 4);  // the largest magnitude; divide, round, multiply
    o.write(i);
  }
}

void fake_quantize_lsq(trial& t) {
  tensor_trace& x = t.operand({t.size(), t.size()});
  tensor_trace& scale = t.operand({1});
  tensor_trace& o = t.output(x.shape);
  for (std::uint64_t i = 0; i < x.size(); ++i) {
    x.read(i);
    scale.read(0);
    t.work(3);
    o.write(i);
  }
}

void lsq_backward_x(trial& t) {
  tensor_trace& x = t.operand({t.size(), t.size()});
  tensor_trace& scale = t.operand({1});
  tensor_trace& dy = t.operand(x.shape);
  tensor_trace& o = t.output(x.shape);
  for (std::uint64_t i = 0; i < x.size(); ++i) {
    if (std::abs(x.read(i) / scale.read(0)) <= 1) dy.read(i);
    t.work(2);
    o.write(i);
  }
}

void lsq_backward_scale(trial& t) {
  tensor_trace& x = t.operand({t.size(), t.size()});
  tensor_trace& scale = t.operand({1});
  tensor_trace& dy = t.operand(x.shape);
  tensor_trace& o = t.output({1});
  for (std::uint64_t i = 0; i < x.size(); ++i) {
    x.read(i);
    scale.read(0);
    dy.read(i);
    t.work(5);
  }
  o.write(0);
}

void fake_quantize_backward(trial& t) {
  const char* const rule = t.pick({"Identity", "ClippedIdentity", "HardTanh", "Tanh"});
  t.attribute("ste", rule);
  tensor_trace& x = t.operand({t.size(), t.size()});
  tensor_trace& dy = t.operand(x.shape);
  tensor_trace& o = t.output(x.shape);
  const std::string s = rule;
  for (std::uint64_t i = 0; i < x.size(); ++i) {
    if (s != "Identity") {
      const double v = x.read(i);
      t.work(s == "ClippedIdentity" ? 3 : s == "HardTanh" ? 5 : 6);
      if (s != "Tanh" && std::abs(v) > 0.5) {
        o.write(i);
        continue;
      }
    }
    dy.read(i);
    o.write(i);
  }
}

void complex_in(trial& t, std::uint32_t out_dtype, std::uint64_t price, bool has_gradient) {
  const sizes shape = t.shape(1, 2);
  tensor_trace& z = t.operand(shape, RLX_DTYPE_C64);
  tensor_trace* g = has_gradient ? &t.operand(shape) : nullptr;
  tensor_trace& o = t.output(shape, out_dtype);
  for (std::uint64_t i = 0; i < o.size(); ++i) {
    z.read(i);
    if (g != nullptr) g->read(i);
    t.work(price);
    o.write(i);
  }
}
void complex_norm(trial& t) { complex_in(t, f32, 3, false); }
void complex_norm_backward(trial& t) { complex_in(t, RLX_DTYPE_C64, 2, true); }
void conjugate(trial& t) { complex_in(t, RLX_DTYPE_C64, 1, false); }

void relu_backward(trial& t) {
  tensor_trace& x = t.operand(t.shape(1, 3));
  tensor_trace& dy = t.operand(x.shape);
  tensor_trace& o = t.output(x.shape);
  for (std::uint64_t i = 0; i < o.size(); ++i) {
    if (x.read(i) > 0) dy.read(i);
    t.work(1);
    o.write(i);
  }
}

void activation_backward(trial& t) {
  const bool is_relu = t.coin();
  t.attribute("kind", is_relu ? "Relu" : "Gelu");
  tensor_trace& x = t.operand(t.shape(1, 3));
  tensor_trace& dy = t.operand(x.shape);
  tensor_trace& o = t.output(x.shape);
  for (std::uint64_t i = 0; i < o.size(); ++i) {
    if (x.read(i) > 0 || !is_relu) dy.read(i);
    t.work(2);
    o.write(i);
  }
}

constexpr oracle table[] = {
    {RLX_KIND_Activation, activation},
    {RLX_KIND_StopGradient, copy_through},
    {RLX_KIND_Clamp, clamp},
    {RLX_KIND_Cast, cast},
    {RLX_KIND_Binary, binary},
    {RLX_KIND_Compare, compare},
    {RLX_KIND_Where, where},
    {RLX_KIND_Fma, fma},
    {RLX_KIND_ElementwiseRegion, region},
    {RLX_KIND_BatchElementwiseRegion, batch_region},
    {RLX_KIND_TransformRegion, transform_region},
    {RLX_KIND_GatedResidual, gated_residual},
    {RLX_KIND_GatedResidualBackward, gated_residual_backward},
    {RLX_KIND_SplineActivation, spline},
    {RLX_KIND_SplineActivationBackwardX, spline_backward_x},
    {RLX_KIND_SplineActivationBackwardCoeff, spline_backward_coeff},
    {RLX_KIND_Quantize, quantize},
    {RLX_KIND_Dequantize, dequantize},
    {RLX_KIND_FakeQuantize, fake_quantize},
    {RLX_KIND_FakeQuantizeLSQ, fake_quantize_lsq},
    {RLX_KIND_FakeQuantizeLSQBackwardX, lsq_backward_x},
    {RLX_KIND_FakeQuantizeLSQBackwardScale, lsq_backward_scale},
    {RLX_KIND_FakeQuantizeBackward, fake_quantize_backward},
    {RLX_KIND_ComplexNormSq, complex_norm},
    {RLX_KIND_ComplexNormSqBackward, complex_norm_backward},
    {RLX_KIND_Conjugate, conjugate},
    {RLX_KIND_ReluBackward, relu_backward},
    {RLX_KIND_ActivationBackward, activation_backward},
};

}  // namespace

std::span<const oracle> elementwise_oracles() { return table; }

}  // namespace opscope::test
