// The block operations that make a handful of nodes each. What they make, and which shapes are
// inferred and which declared, is RLX 0.2.2's behaviour.
#include <array>
#include <string>

#include "host/error.hpp"
#include "host/graph/quant_scheme.hpp"
#include "host/lower/hir/block.hpp"
#include "host/lower/hir/op_json.hpp"

namespace rlx {

namespace {

constexpr std::string_view silu = R"("Silu")";

// A dim that the original computes with, so that it has to be static.
std::uint64_t static_dim(const shape_view& s, std::size_t i, const char* whose) {
  if (i >= s.dims.size() || dim_of(s, i).dynamic) {
    throw error{std::string{whose} + " of shape " + dims_text(s) + " needs a static dim " +
                std::to_string(i)};
  }
  return s.dims[i];
}

std::uint64_t added(std::uint64_t a, std::uint64_t b, const char* what) {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) throw error{std::string{what} + " passes 2^64"};
  return sum;
}

node_id lower_swiglu_direct(const block& b, node_id x, node_id up, node_id gate, node_id down) {
  const shape up_shape = b.shape_of(up);
  const std::uint64_t k = static_dim(up_shape.view(), 0, "the up weight");
  const std::uint64_t up_width = static_dim(up_shape.view(), 1, "the up weight");
  const std::uint64_t gate_width = static_dim(b.shape_of(gate), 1, "the gate weight");
  const std::uint64_t width = added(up_width, gate_width, "the width of up and gate");
  const std::array weights{up, gate};
  const node_id joined = b.emit.concat(weights, 1, {{k, width}, up_shape.dtype()});

  shape product = b.shape_of(x);
  if (product.rank() == 0 || !product.is_static()) {
    throw error{"x of shape " + dims_text(product.view()) +
                " needs rank 1 or more and static dims, as the fusion policy is Direct"};
  }
  product.set(product.rank() - 1, {width});
  const node_id both = b.emit.add(R"("MatMul")", {x, joined}, product);
  shape gated = product;
  gated.set(gated.rank() - 1, {up_width});
  const node_id swiglu = b.emit.add(
      op_json{"FusedSwiGLU"}.null("cast_to").flag("gate_first", false).finish(), {both}, gated);
  return b.emit.matmul(swiglu, down);
}

}  // namespace

node_id lower_linear(const block& b) {
  const bool has_bias = b.fields.flag("has_bias");
  const auto activation = b.activation();
  b.require_inputs(has_bias ? 3 : 2);
  if (has_bias && b.policy == fusion_policy::direct) {
    return b.emit.fused_matmul_bias_act(b.in, activation.value_or("null"), b.declared);
  }
  node_id root = b.emit.matmul(b.in[0], b.in[1]);
  if (has_bias) root = b.emit.binary_add(root, b.in[2]);
  if (activation) root = b.emit.activation(*activation, root);
  return root;
}

node_id lower_linear_fused(const block& b) {
  b.require_inputs(3);
  return b.emit.fused_matmul_bias_act(b.in, b.activation().value_or("null"), b.declared);
}

node_id lower_shared_linear_pair(const block& b) {
  const std::uint64_t slot = b.fields.u64("slot");
  b.require_inputs(3);
  const auto [first, second] = b.pairs.find_or_make(b.hir_operands, [&] {
    const node_id made = b.emit.matmul(b.in[0], b.in[1]);
    return linear_pairs::pair{made, b.emit.matmul(b.in[0], b.in[2])};
  });
  return slot == 0 ? first : second;
}

node_id lower_swiglu(const block& b) {
  b.require_inputs(4);
  const node_id x = b.in[0];
  const node_id up = b.in[1];
  const node_id gate = b.in[2];
  const node_id down = b.in[3];
  if (b.policy == fusion_policy::direct) return lower_swiglu_direct(b, x, up, gate, down);
  const node_id up_product = b.emit.matmul(x, up);
  const node_id gate_product = b.emit.matmul(x, gate);
  const node_id gated = b.emit.activation(silu, gate_product);
  return b.emit.matmul(b.emit.binary_mul(up_product, gated), down);
}

node_id lower_residual_rms_norm(const block& b) {
  b.require_inputs(4);
  const float eps = b.fields.f32("eps");
  if (b.policy == fusion_policy::direct) {
    return b.emit.add(
        op_json{"FusedResidualRmsNorm"}.flag("has_bias", false).f32("eps", eps).finish(), b.in,
        b.declared);
  }
  return b.emit.rms_norm(b.emit.binary_add(b.in[0], b.in[1]), b.in[2], b.in[3], eps);
}

node_id lower_attention(const block& b) {
  const std::string mask = b.mask("mask", 3, "3 or 4");
  return b.emit.attention(b.in, b.fields.u64("num_heads"), b.fields.u64("head_dim"), mask,
                          b.declared);
}

node_id lower_depthwise_conv1d_causal(const block& b) {
  b.require_inputs(3);
  const node_id x = b.in[0];
  const shape x_shape = b.shape_of(x);
  const std::uint64_t kernel = b.fields.u64("kernel_size");
  if (x_shape.rank() != 3 || !x_shape.is_static()) {
    throw error{"the input of shape " + dims_text(x_shape.view()) +
                " must be [batch, sequence, channels], all static"};
  }
  const std::uint64_t batch = x_shape[0].value;
  const std::uint64_t sequence = x_shape[1].value;
  const std::uint64_t channels = x_shape[2].value;
  // A kernel of 0 takes one position away.
  std::uint64_t padded = added(kernel, sequence, "the padded sequence");
  if (padded-- == 0 || padded > INT64_MAX || channels > INT64_MAX || sequence > INT64_MAX ||
      batch > INT64_MAX) {
    throw error{"a kernel of " + std::to_string(kernel) + " over the shape " +
                dims_text(x_shape.view()) + " has no representable size"};
  }
  const auto as_entry = [](std::uint64_t size) { return static_cast<std::int64_t>(size); };
  const std::uint32_t dtype = x_shape.dtype();
  constexpr std::string_view swap_last = R"({"Transpose":{"perm":[0,2,1]}})";

  const std::array padding{b.in[2], x};
  const node_id joined = b.emit.concat(padding, 1, {{batch, padded, channels}, dtype});
  const node_id turned = b.emit.add(swap_last, {joined}, {{batch, channels, padded}, dtype});
  const std::array image{as_entry(batch), as_entry(channels), std::int64_t{1}, as_entry(padded)};
  const node_id as_image = b.emit.add(op_json{"Reshape"}.numbers("new_shape", image).finish(),
                                      {turned}, {{batch, channels, 1, padded}, dtype});
  const node_id convolved =
      b.emit.add(op_json{"Conv"}
                     .raw("kernel_size", "[1," + std::to_string(kernel) + "]")
                     .raw("stride", "[1,1]")
                     .raw("padding", "[0,0]")
                     .raw("dilation", "[1,1]")
                     .number("groups", channels)
                     .finish(),
                 {as_image, b.in[1]}, {{batch, channels, 1, sequence}, dtype});
  const std::array line{as_entry(batch), as_entry(channels), as_entry(sequence)};
  const node_id as_line = b.emit.add(op_json{"Reshape"}.numbers("new_shape", line).finish(),
                                     {convolved}, {{batch, channels, sequence}, dtype});
  return b.emit.add(swap_last, {as_line}, {{batch, sequence, channels}, dtype});
}

node_id lower_dequant_matmul(const block& b) {
  const std::string json = b.fields.json("scheme");
  const auto scheme = find_quant_scheme(json);
  if (!scheme) throw error{"the scheme " + json + " is not known"};
  b.require_inputs(scheme->is_gguf ? 2 : 4);
  return b.emit.add(b.op, b.in, b.declared);
}

node_id lower_gated_delta_net(const block& b) {
  b.require_inputs(b.fields.flag("carry_state") ? 6 : 5);
  return b.emit.add(b.op, b.in, b.declared);
}

node_id lower_rope(const block& b) {
  b.require_inputs(3);
  return b.emit.rope(b.in[0], b.in[1], b.in[2], b.fields.u64("head_dim"), b.fields.u64("n_rot"));
}

node_id lower_rms_norm(const block& b) {
  b.require_inputs(3);
  return b.emit.rms_norm(b.in[0], b.in[1], b.in[2], b.fields.f32("eps"));
}

}  // namespace rlx
