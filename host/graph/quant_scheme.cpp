#include "host/graph/quant_scheme.hpp"

#include "host/graph/op_fields.hpp"

namespace rlx {

namespace {

struct entry {
  std::string_view variant;
  std::string_view text;
  // Fields printed after the text, each behind a slash.
  std::string_view first_field = {};
  std::string_view second_field = {};
};

constexpr entry schemes[] = {
    {"Int8Block", "int8", "block_size"},
    {"Int8BlockAsym", "int8a", "block_size"},
    {"Int4Block", "int4", "block_size"},
    {"Fp8E4m3", "fp8e4m3"},
    {"Fp8E5m2", "fp8e5m2"},
    {"Nvfp4Block", "nvfp4/16"},
    {"GgufQ4K", "gguf_q4k"},
    {"GgufQ5K", "gguf_q5k"},
    {"GgufQ6K", "gguf_q6k"},
    {"GgufQ8K", "gguf_q8k"},
    {"GgufQ2K", "gguf_q2k"},
    {"GgufQ3K", "gguf_q3k"},
    {"GgufQ4_0", "gguf_q4_0"},
    {"GgufQ8_0", "gguf_q8_0"},
    {"GgufQ4_1", "gguf_q4_1"},
    {"GgufQ5_0", "gguf_q5_0"},
    {"GgufQ5_1", "gguf_q5_1"},
    {"GgufIQ4NL", "gguf_iq4_nl"},
    {"GgufIQ4XS", "gguf_iq4_xs"},
    {"GgufIQ2XXS", "gguf_iq2_xxs"},
    {"GgufIQ2XS", "gguf_iq2_xs"},
    {"GgufIQ2S", "gguf_iq2_s"},
    {"GgufIQ3XXS", "gguf_iq3_xxs"},
    {"GgufIQ3S", "gguf_iq3_s"},
    {"GgufIQ1S", "gguf_iq1_s"},
    {"GgufIQ1M", "gguf_iq1_m"},
    {"GgufTQ1_0", "gguf_tq1_0"},
    {"GgufTQ2_0", "gguf_tq2_0"},
    {"GgufMXFP4", "gguf_mxfp4"},
    {"GgufNVFP4", "gguf_nvfp4"},
    {"GgufQ1_0", "gguf_q1_0"},
    {"GgufQ2_0", "gguf_q2_0"},
    {"GgufFV5", "gguf_fv5"},
    {"GgufFV5B", "gguf_fv5b"},
    {"MlxAffine", "mlx_affine", "bits", "group_size"},
    {"MlxMxfp4", "mlx_mxfp4", "group_size"},
    {"MlxMxfp8", "mlx_mxfp8", "group_size"},
    {"MxFp4x2Block", "mxfp4x2", "group_size"},
};

}  // namespace

std::optional<quant_scheme> find_quant_scheme(std::string_view json) {
  const std::size_t open = json.find('"');
  if (open == std::string_view::npos) return std::nullopt;
  const std::string_view variant = json.substr(open + 1, json.find('"', open + 1) - open - 1);
  for (const entry& e : schemes) {
    if (e.variant != variant) continue;
    quant_scheme scheme{variant.starts_with("Gguf"), std::string{e.text}};
    for (const std::string_view field : {e.first_field, e.second_field}) {
      if (field.empty()) continue;
      const auto number = number_in(json, field);
      if (!number) return std::nullopt;
      scheme.text += '/';
      scheme.text += std::to_string(*number);
    }
    return scheme;
  }
  return std::nullopt;
}

}  // namespace rlx
