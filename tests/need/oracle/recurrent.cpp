// Recurrences, step by step.
#include "tests/need/oracle/index.hpp"

namespace opscope::test {

namespace {

constexpr std::uint32_t f32 = RLX_DTYPE_F32;

void selective_scan(trial& t) {
  const std::uint64_t b = t.size(2), s = t.size(3), h = t.size(3), n = t.size(3);
  t.attribute("state_size", n);
  tensor_trace& x = t.operand({b, s, h});
  tensor_trace& delta = t.operand({b, s, h});
  tensor_trace& a = t.operand({h, n});
  tensor_trace& in = t.operand({b, s, n});
  tensor_trace& c = t.operand({b, s, n});
  tensor_trace& o = t.output({b, s, h});
  each(o.shape, [&](const sizes& at) {
    x.read(flat(o.shape, at));
    delta.read(flat(o.shape, at));
    t.work(1);  // delta * x
    for (std::uint64_t i = 0; i < n; ++i) {
      a.read(at[2] * n + i);
      in.read((at[0] * s + at[1]) * n + i);
      c.read((at[0] * s + at[1]) * n + i);
      t.work(2 + 1 + 1 + 1);  // exp(delta*a), times state, input, sum
      t.multiply_add(f32);    // into y
    }
    o.write(flat(o.shape, at));
  });
}

void delta_net(trial& t) {
  const std::uint64_t b = t.size(2), s = t.size(3), h = t.size(2), n = t.size(3);
  const bool carries = t.coin(), by_channel = t.coin();
  t.attribute("state_size", n);
  t.attribute("carry_state", carries);
  t.attribute("gate_per_channel", by_channel);
  const sizes shape = {b, s, h, n};
  tensor_trace* in[3];
  for (auto& x : in) x = &t.operand(shape);
  tensor_trace& g = t.operand(by_channel ? shape : sizes{b, s, h});
  tensor_trace& beta = t.operand({b, s, h});
  tensor_trace* state = carries ? &t.own_operand({b, h, n, n}, f32) : nullptr;
  tensor_trace& o = t.output(shape);
  if (state != nullptr) {
    state->read_all();
    state->write_all();
  }
  for (auto* x : in) x->read_all();
  g.read_all();
  beta.read_all();
  for (std::uint64_t step = 0; step < b * s * h; ++step) {
    t.work(by_channel ? n : 1);  // exp(g)
    t.work(n * n);               // decay
    t.multiply_add(f32, n * n);  // S'k
    t.work(2 * n);               // v - that, times beta
    t.work(2 * n * n);           // S + k d'
    t.multiply_add(f32, n * n);  // S'q
    t.work(n);                   // over sqrt n
  }
  o.write_all();
}

// Gates of a recurrent layer: `gates` rows of H each, products with input and state.
void gated(trial& t, std::uint64_t gates, std::uint64_t biases, std::uint64_t states,
           std::uint64_t pointwise) {
  t.allows_aliases = false;
  const std::uint64_t b = t.size(2), s = t.size(3), in = t.size(3), h = t.size(3);
  const std::uint64_t layers = t.size(3), directions = t.coin() ? 2 : 1;
  const bool carries = t.coin();
  t.attribute("hidden_size", h);
  t.attribute("num_layers", layers);
  t.attribute("bidirectional", directions == 2);
  t.attribute("carry", carries);
  std::uint64_t input_weights = 0, state_weights = 0;
  for (std::uint64_t l = 0; l < layers; ++l) {
    const std::uint64_t width = l == 0 ? in : directions * h;
    input_weights += directions * gates * h * width;
    state_weights += directions * gates * h * h;
    for (std::uint64_t step = 0; step < directions * b * s; ++step) {
      for (std::uint64_t row = 0; row < gates * h; ++row) t.multiply_add(f32, width + h);
      t.work(pointwise * h);
    }
  }
  t.operand({b, s, in}).read_all();
  t.operand({input_weights}).read_all();
  t.operand({state_weights}).read_all();
  for (std::uint64_t i = 0; i < biases; ++i) {
    t.operand({layers * directions * gates * h}).read_all();
  }
  for (std::uint64_t i = 0; carries && i < states; ++i) {
    tensor_trace& state = t.operand({layers * directions, b, h});
    state.read_all();
    state.write_all();
  }
  t.output({b, s, directions * h}).write_all();
}

// Sums of the two products and the bias 8H, three sigmoids and a tanh 4H, the cell 3H, the output
// 2H.
void lstm(trial& t) { gated(t, 4, 1, 2, 17); }
void gru(trial& t) { gated(t, 3, 2, 1, 16); }
void rnn(trial& t) {
  t.attribute("relu", false);
  gated(t, 1, 1, 1, 3);
}

void mamba2(trial& t) {
  const std::uint64_t b = t.size(2), s = t.size(3), h = t.size(2), p = t.size(3), n = t.size(3);
  t.attribute("head_dim", p);
  t.attribute("state_size", n);
  tensor_trace& x = t.operand({b, s, h, p});
  tensor_trace& dt = t.operand({b, s, h});
  tensor_trace& a = t.operand({h});
  tensor_trace& in = t.operand({b, s, h, n});
  tensor_trace& c = t.operand({b, s, h, n});
  tensor_trace& o = t.output(x.shape);
  each({b, s, h}, [&](const sizes& at) {
    const std::uint64_t step = flat({b, s, h}, at);
    dt.read(step);
    a.read(at[2]);
    t.work(2);  // exp(dt*a)
    for (std::uint64_t i = 0; i < p; ++i) {
      x.read(step * p + i);
      t.work(1);  // dt*x
      for (std::uint64_t j = 0; j < n; ++j) {
        in.read(step * n + j);
        c.read(step * n + j);
        t.work(3);            // decay, outer product, sum
        t.multiply_add(f32);  // S*c
      }
      o.write(step * p + i);
    }
  });
}

void swiglu(trial& t) {
  const bool converts = t.coin();
  if (converts) t.attribute("cast_to", "F16");
  t.attribute("gate_first", t.coin());
  tensor_trace& x = t.operand({t.size_or_none(), 2 * t.size()});
  const std::uint64_t n = x.shape[1] / 2;
  tensor_trace& o = t.output({x.shape[0], n}, converts ? RLX_DTYPE_F16 : RLX_DTYPE_F32);
  each(o.shape, [&](const sizes& at) {
    x.read(at[0] * 2 * n + at[1]);
    x.read(at[0] * 2 * n + n + at[1]);
    t.work(converts ? 3 : 2);
    o.write(flat(o.shape, at));
  });
}

constexpr oracle table[] = {
    {RLX_KIND_SelectiveScan, selective_scan},
    {RLX_KIND_GatedDeltaNet, delta_net},
    {RLX_KIND_Lstm, lstm},
    {RLX_KIND_Gru, gru},
    {RLX_KIND_Rnn, rnn},
    {RLX_KIND_Mamba2, mamba2},
    {RLX_KIND_FusedSwiGLU, swiglu},
};

}  // namespace

std::span<const oracle> recurrent_oracles() { return table; }

}  // namespace opscope::test
