#include "plugin/cost/need/quant.hpp"

#include <iterator>

#include "plugin/cost/need/json.hpp"

namespace opscope::need {

namespace {

struct packed_scheme {
  std::string_view name;
  std::uint16_t elements;
  std::uint16_t bytes;
  std::uint8_t operations;
};

constexpr packed_scheme packed_schemes[] = {
    {"GgufQ4K", 256, 144, 2},   {"GgufQ5K", 256, 176, 2},   {"GgufQ6K", 256, 210, 1},
    {"GgufQ8K", 256, 292, 1},   {"GgufQ2K", 256, 84, 2},    {"GgufQ3K", 256, 110, 1},
    {"GgufQ4_0", 32, 18, 1},    {"GgufQ8_0", 32, 34, 1},    {"GgufQ4_1", 32, 20, 2},
    {"GgufQ5_0", 32, 22, 1},    {"GgufQ5_1", 32, 24, 2},    {"GgufIQ4NL", 32, 18, 1},
    {"GgufIQ4XS", 256, 136, 1}, {"GgufIQ2XXS", 256, 66, 1}, {"GgufIQ2XS", 256, 74, 1},
    {"GgufIQ2S", 256, 82, 1},   {"GgufIQ3XXS", 256, 98, 1}, {"GgufIQ3S", 256, 110, 1},
    {"GgufIQ1S", 256, 50, 2},   {"GgufIQ1M", 256, 56, 2},   {"GgufTQ1_0", 256, 54, 1},
    {"GgufTQ2_0", 256, 66, 1},  {"GgufMXFP4", 32, 17, 1},   {"GgufNVFP4", 16, 9, 1},
    {"GgufQ1_0", 128, 18, 1},   {"GgufQ2_0", 128, 34, 1},   {"GgufFV5", 256, 104, 1},
    {"GgufFV5B", 256, 260, 1},  {"GgufG8_0", 32, 16, 0},    {"GgufPtq1_0", 128, 28, 0},
};

struct grouped_scheme {
  std::string_view name;
  std::string_view size_field;
  quant_layout layout;
  std::uint8_t code_bits;  // 0: the field `bits` says
  std::uint8_t operations;
};

constexpr grouped_scheme grouped_schemes[] = {
    {"Int8Block", "block_size", quant_layout::int8_blocks, 8, 1},
    {"Int8BlockAsym", "block_size", quant_layout::int8_blocks_zp, 8, 2},
    {"Int4Block", "block_size", quant_layout::int4_blocks, 4, 1},
    {"MlxAffine", "group_size", quant_layout::mlx_affine, 0, 2},
    {"MlxMxfp4", "group_size", quant_layout::mlx_scaled, 4, 1},
    {"MlxMxfp8", "group_size", quant_layout::mlx_scaled, 8, 1},
    {"MxFp4x2Block", "group_size", quant_layout::mxfp4_planes, 8, 2},
};

}  // namespace

std::optional<quant_scheme> read_scheme(std::string_view text) {
  const auto v = read_variant(text);
  if (!v) return std::nullopt;
  if (v->fields.empty()) {
    for (const packed_scheme& p : packed_schemes) {
      if (p.name == v->name) {
        return quant_scheme{quant_layout::packed, p.elements, p.bytes, 0, p.operations};
      }
    }
    if (v->name == "Fp8E4m3" || v->name == "Fp8E5m2") {
      return quant_scheme{quant_layout::fp8_columns, 0, 0, 8, 1};
    }
    if (v->name == "Nvfp4Block") return quant_scheme{quant_layout::nvfp4_blocks, 16, 0, 4, 1};
    return std::nullopt;
  }
  for (const grouped_scheme& g : grouped_schemes) {
    if (g.name != v->name) continue;
    const auto size = v->field(g.size_field);
    if (!size || *size == 0) return std::nullopt;
    std::uint64_t bits = g.code_bits;
    if (bits == 0) {
      const auto said = v->field("bits");
      if (!said || *said == 0 || *said > 32) return std::nullopt;
      bits = *said;
    }
    return quant_scheme{g.layout, *size, 0, bits, g.operations};
  }
  return std::nullopt;
}

std::optional<std::uint64_t> read_scaled_format_bits(std::string_view text) {
  const auto v = read_variant(text);
  if (!v) return std::nullopt;
  if (v->name == "Custom") {
    const auto exponent = v->field("exp_bits");
    const auto mantissa = v->field("mant_bits");
    if (!exponent || !mantissa || *exponent > 7 || *mantissa > 7) return std::nullopt;
    const std::uint64_t bits = 1 + *exponent + *mantissa;
    return bits <= 8 ? std::optional{bits} : std::nullopt;
  }
  if (!v->fields.empty()) return std::nullopt;
  for (const std::string_view name : {"F8E4M3", "F8E5M2", "F8E4M3Fnuz", "F8E5M2Fnuz"}) {
    if (v->name == name) return 8;
  }
  if (v->name == "F6E2M3" || v->name == "F6E3M2") return 6;
  if (v->name == "F4E2M1") return 4;
  return std::nullopt;
}

std::optional<std::uint64_t> read_scale_block(std::string_view text) {
  const auto v = read_variant(text);
  if (!v) return std::nullopt;
  if (v->name == "PerTensor") return 0;
  std::optional<std::uint64_t> size;
  if (v->name == "BlockMxE8M0") size = v->field("block");
  if (v->name == "Nvfp4") size = v->field("group");
  return size && *size != 0 ? size : std::nullopt;
}

}  // namespace opscope::need
