// The block operations of RLX 0.2.2 in one place, and what the functions behind them share.
#include <algorithm>

#include "host/error.hpp"
#include "host/graph/quant_scheme.hpp"
#include "host/lower/hir/block.hpp"

namespace rlx {

namespace {

std::string pair_label(const op_fields& fields) {
  return "shared_linear_pair[" + std::to_string(fields.u64("slot")) + ']';
}

std::string dequant_label(const op_fields& fields) {
  const std::string json = fields.json("scheme");
  const auto scheme = find_quant_scheme(json);
  return "dequant_matmul(" + (scheme ? scheme->text : json) + ')';
}

std::string delta_net_label(const op_fields& fields) {
  return fields.flag("carry_state") ? "gated_delta_net_carry" : "gated_delta_net";
}

constexpr block_rule rules[] = {
    {"Linear", "linear", nullptr, lower_linear},
    {"LinearFused", "linear_fused", nullptr, lower_linear_fused},
    {"SharedLinearPair", "shared_linear_pair", pair_label, lower_shared_linear_pair},
    {"SwiGLU", "swiglu_ffn", nullptr, lower_swiglu},
    {"ResidualRmsNorm", "residual_rms_norm", nullptr, lower_residual_rms_norm},
    {"Attention", "attention", nullptr, lower_attention},
    {"DepthwiseConv1dCausal", "depthwise_conv1d_causal", nullptr, lower_depthwise_conv1d_causal},
    {"DequantMatMul", "dequant_matmul", dequant_label, lower_dequant_matmul},
    {"GatedDeltaNet", "gated_delta_net", delta_net_label, lower_gated_delta_net},
    {"RoPE", "rope", nullptr, lower_rope},
    {"RmsNorm", "rms_norm", nullptr, lower_rms_norm},
    {"LlamaDecoderBlock", "llama_decoder_block", nullptr, lower_llama_decoder_block},
    {"Qwen35MtpHead", "qwen35_mtp_head", nullptr, lower_qwen35_mtp_head},
};

}  // namespace

const block_rule* find_block_rule(std::string_view kind) {
  const auto* const found =
      std::ranges::find_if(rules, [&](const block_rule& rule) { return rule.kind == kind; });
  return found == std::end(rules) ? nullptr : found;
}

void block::require_inputs(std::size_t count, std::string_view expected) const {
  if (in.size() == count) return;
  throw error{std::string{fields.kind()} + ": expected " +
              (expected.empty() ? std::to_string(count) : std::string{expected}) + " inputs, got " +
              std::to_string(in.size())};
}

std::optional<std::string> block::activation() const {
  if (!fields.has("activation")) return std::nullopt;
  return fields.json("activation");
}

std::string block::mask(std::string_view field, std::size_t count,
                        std::string_view expected) const {
  const auto kind = fields.mask(field).kind;
  if (kind == mask_kind::unknown) {
    throw error{"the mask " + fields.json(field) +
                " is none of None, Causal, SlidingWindow, Custom, Bias"};
  }
  const bool is_tensor = kind == mask_kind::custom || kind == mask_kind::bias;
  require_inputs(count + (is_tensor ? 1 : 0), expected);
  return fields.json(field);
}

}  // namespace rlx
