// Quantisation schemes and scaled formats: how many bytes stored weights take and how many
// operations it takes to read one. Block sizes are those of the public block layouts.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace opscope::need {

// How the operands of a dequantising product are laid out.
enum class quant_layout : std::uint8_t {
  packed,          // one operand: blocks with their scales inside, [N,K] with K last
  int8_blocks,     // codes [K,N], scale [ceil(K/b),N]; the fourth operand is not read
  int8_blocks_zp,  // the same with a zero point [ceil(K/b),N] that is read
  int4_blocks,     // as int8_blocks with two codes a byte
  fp8_columns,     // codes [K,N], one scale a column; the fourth operand is not read
  nvfp4_blocks,    // two codes a byte, scale [ceil(K/16),N] of one byte, one global scale
  mlx_affine,      // codes along K, scale and bias of four bytes a row and group
  mlx_scaled,      // codes along K, one scale byte a row and group; the fourth operand is not read
  mxfp4_planes,    // three operands: x, two nibble planes of together K*N bytes, two scales a group
};

struct quant_scheme {
  quant_layout layout = quant_layout::packed;
  std::uint64_t block_elements = 0;  // of a packed block; the group or block size otherwise
  std::uint64_t block_bytes = 0;     // of a packed block
  std::uint64_t code_bits = 0;       // of one code, where the layout is not packed
  // Operations that turn one code into a weight: 1 scale, 2 scale and offset; 0 where not known.
  std::uint64_t operations = 0;
};

// The scheme that an attribute's text names, plain or as JSON; nothing for one not known.
std::optional<quant_scheme> read_scheme(std::string_view text);

// Bits of one code of a ScaledFormat.
std::optional<std::uint64_t> read_scaled_format_bits(std::string_view text);

// A ScaleLayout: elements that share a scale along the last axis; 0 for one scale a tensor.
std::optional<std::uint64_t> read_scale_block(std::string_view text);

}  // namespace opscope::need
