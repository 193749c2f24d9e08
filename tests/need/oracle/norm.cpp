// Normalisations and their gradients: rows are passed over, each pass at its price an element.
#include "tests/need/oracle/index.hpp"

namespace opscope::test {

namespace {

// Which operands there are, and which of them the result depends on.
struct row_operand {
  bool is_row;  // [D]; else as x
  bool is_needed;
};

void rows(trial& t, std::initializer_list<row_operand> operands, std::uint64_t price,
          unsigned priced, bool out_is_row) {
  const sizes x_shape = {t.size_or_none(), t.size(), t.size()};
  const sizes row_shape = {x_shape.back()};
  std::vector<tensor_trace*> all;
  for (const row_operand& o : operands) all.push_back(&t.operand(o.is_row ? row_shape : x_shape));
  tensor_trace& out = t.output(out_is_row ? row_shape : x_shape);
  std::size_t at = 0;
  for (const row_operand& o : operands) {
    tensor_trace& x = *all[at];
    if (o.is_needed && product(x_shape) != 0) {
      for (std::uint64_t i = 0; i < x.size(); ++i) x.read(i);
    }
    if (at == priced) t.work(price * x.size());
    ++at;
  }
  out.write_all();
}

void layer_norm(trial& t) {
  const sizes shape = {t.size_or_none(), t.size(), t.size()};
  tensor_trace& x = t.operand(shape);
  tensor_trace& gamma = t.operand({shape[2]});
  tensor_trace& beta = t.operand({shape[2]});
  tensor_trace& o = t.output(shape);
  each(shape, [&](const sizes& at) {
    x.read(flat(shape, at));
    t.work(3);  // centre, scale by the deviation, affine
    gamma.read(at[2]);
    beta.read(at[2]);
    o.write(flat(shape, at));
  });
}

// Over channels of NCHW.
void channel_norm(trial& t) {
  const std::uint64_t groups = t.size(2);
  const sizes shape = {t.size(3), groups * t.size(2), t.size(3), t.size(3)};
  t.attribute("num_groups", groups);
  tensor_trace& x = t.operand(shape);
  tensor_trace& gamma = t.operand({shape[1]});
  tensor_trace& beta = t.operand({shape[1]});
  tensor_trace& o = t.output(shape);
  each(shape, [&](const sizes& at) {
    x.read(flat(shape, at));
    t.work(3);
    gamma.read(at[1]);
    beta.read(at[1]);
    o.write(flat(shape, at));
  });
}

void batch_norm(trial& t) {
  const sizes shape = {t.size(), t.size(), t.size()};
  tensor_trace& x = t.operand(shape);
  tensor_trace* rows[4];
  for (auto& r : rows) r = &t.operand({shape[2]});
  tensor_trace& o = t.output(shape);
  each(shape, [&](const sizes& at) {
    x.read(flat(shape, at));
    for (auto* r : rows) r->read(at[2]);
    t.work(3);
    o.write(flat(shape, at));
  });
}

void ada_norm(trial& t) {
  const sizes shape = {t.size(), t.size(), t.size()};
  t.attribute("norm", t.pick({"LayerNorm", "RmsNorm"}));
  tensor_trace& x = t.operand(shape);
  const sizes modulation = {t.coin() ? 1 : shape[0], 1, shape[2]};
  tensor_trace& scale = t.operand(modulation);
  tensor_trace& shift = t.operand(modulation);
  tensor_trace& o = t.output(shape);
  t.work(scale.size());  // 1 + scale
  each(shape, [&](const sizes& at) {
    x.read(flat(shape, at));
    scale.read(broadcast_at(modulation, at));
    shift.read(broadcast_at(modulation, at));
    t.work(3 + 2);
    o.write(flat(shape, at));
  });
}

void ada_norm_backward(trial& t) {
  const sizes shape = {t.size(), t.size()};
  const bool is_layer = t.coin();
  t.attribute("norm", is_layer ? "LayerNorm" : "RmsNorm");
  tensor_trace& x = t.operand(shape);
  tensor_trace& scale = t.operand(shape);
  t.operand(shape);
  tensor_trace& dy = t.operand(shape);
  tensor_trace& o = t.output({x.size() + 2 * scale.size()});
  for (std::uint64_t i = 0; i < x.size(); ++i) {
    x.read(i);
    dy.read(i);
    t.work(is_layer ? 14 : 12);
  }
  pass_over(t, scale, 1);
  o.write_all();
}

void residual_norm(trial& t) {
  const sizes shape = {t.size(), t.size()};
  const bool has_bias = t.coin();
  t.attribute("has_bias", has_bias);
  tensor_trace& x = t.operand(shape);
  tensor_trace& residual = t.operand(shape);
  tensor_trace* bias = has_bias ? &t.operand({shape[1]}) : nullptr;
  tensor_trace& gamma = t.operand({shape[1]});
  tensor_trace& beta = t.operand({shape[1]});
  tensor_trace& o = t.output(shape);
  each(shape, [&](const sizes& at) {
    x.read(flat(shape, at));
    residual.read(flat(shape, at));
    t.work(1);
    if (bias != nullptr) {
      bias->read(at[1]);
      t.work(1);
    }
    t.work(3);
    gamma.read(at[1]);
    beta.read(at[1]);
    o.write(flat(shape, at));
  });
}

void layer_norm_backward_input(trial& t) {
  rows(t, {{false, true}, {true, true}, {false, true}}, 3 + 1 + 1 + 2 + 4, 0, false);
}
void norm_backward_gamma(trial& t) { rows(t, {{false, true}, {false, true}}, 3 + 2, 0, true); }
void rms_backward_input(trial& t) {
  rows(t, {{false, true}, {true, true}, {true, false}, {false, true}}, 2 + 1 + 2 + 3, 0, false);
}
void rms_backward_gamma(trial& t) {
  rows(t, {{false, true}, {true, false}, {true, false}, {false, true}}, 3 + 2, 0, true);
}
void rms_backward_beta(trial& t) {
  rows(t, {{false, false}, {true, false}, {true, false}, {false, true}}, 1, 3, true);
}
void group_backward_input(trial& t) {
  rows(t, {{false, true}, {true, true}, {true, false}, {false, true}}, 11, 0, false);
}
void group_backward_beta(trial& t) { rows(t, {{false, false}, {false, true}}, 1, 1, true); }

void batch_backward_input(trial& t) {
  const sizes shape = {t.size(), t.size()};
  t.operand(shape);
  tensor_trace& gamma = t.operand({shape[1]});
  t.operand({shape[1]});
  tensor_trace& variance = t.operand({shape[1]});
  tensor_trace& dy = t.operand(shape);
  tensor_trace& o = t.output(shape);
  for (std::uint64_t c = 0; c < shape[1]; ++c) {
    gamma.read(c);
    variance.read(c);
    t.work(3);  // sum with eps, inverse root, times gamma
  }
  pass_over(t, dy, 1);
  o.write_all();
}
void batch_backward_gamma(trial& t) {
  const sizes shape = {t.size(), t.size()};
  tensor_trace& x = t.operand(shape);
  tensor_trace& mean = t.operand({shape[1]});
  tensor_trace& variance = t.operand({shape[1]});
  tensor_trace& dy = t.operand(shape);
  tensor_trace& o = t.output({shape[1]});
  for (std::uint64_t c = 0; c < shape[1]; ++c) {
    mean.read(c);
    variance.read(c);
    t.work(3);
    for (std::uint64_t r = 0; r < shape[0]; ++r) {
      x.read(r * shape[1] + c);
      dy.read(r * shape[1] + c);
      t.work(3);  // centre, multiply, add
    }
    o.write(c);
  }
}
void batch_backward_beta(trial& t) {
  tensor_trace& dy = t.operand({t.size(), t.size()});
  tensor_trace& o = t.output({dy.shape[1]});
  pass_over(t, dy, 1);
  o.write_all();
}

constexpr oracle table[] = {
    {RLX_KIND_LayerNorm, layer_norm},
    {RLX_KIND_RmsNorm, layer_norm},
    {RLX_KIND_LayerNorm2d, channel_norm},
    {RLX_KIND_GroupNorm, channel_norm},
    {RLX_KIND_BatchNormInference, batch_norm},
    {RLX_KIND_AdaLayerNorm, ada_norm},
    {RLX_KIND_AdaLayerNormBackward, ada_norm_backward},
    {RLX_KIND_FusedResidualLN, residual_norm},
    {RLX_KIND_FusedResidualRmsNorm, residual_norm},
    {RLX_KIND_LayerNormBackwardInput, layer_norm_backward_input},
    {RLX_KIND_LayerNormBackwardGamma, norm_backward_gamma},
    {RLX_KIND_RmsNormBackwardInput, rms_backward_input},
    {RLX_KIND_RmsNormBackwardGamma, rms_backward_gamma},
    {RLX_KIND_RmsNormBackwardBeta, rms_backward_beta},
    {RLX_KIND_GroupNormBackwardInput, group_backward_input},
    {RLX_KIND_GroupNormBackwardGamma, norm_backward_gamma},
    {RLX_KIND_GroupNormBackwardBeta, group_backward_beta},
    {RLX_KIND_BatchNormInferenceBackwardInput, batch_backward_input},
    {RLX_KIND_BatchNormInferenceBackwardGamma, batch_backward_gamma},
    {RLX_KIND_BatchNormInferenceBackwardBeta, batch_backward_beta},
};

}  // namespace

std::span<const oracle> norm_oracles() { return table; }

}  // namespace opscope::test
