// The attributes that formulas ask for, found once per operation and then read by position: a
// formula names a member of `attr`, never a text. Values of another type than asked are absent.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <rlx/view.hpp>
#include <span>
#include <string_view>

namespace opscope::need {

// X(name): every field of RLX_KINDS that some formula reads.
// clang-format off
#define OPSCOPE_NEED_ATTRIBUTES(X)                                                                 \
  X(activation) X(attn_logit_softcap) X(axes) X(axis) X(batch_dims) X(bidirectional) X(bits)       \
  X(carry) X(carry_state) X(cast_to) X(chain) X(diagonal) X(dilation) X(format) X(forward_body)    \
  X(fwd_body) X(gate_per_channel) X(groups) X(has_bias) X(has_residual) X(has_rope) X(head_dim)    \
  X(height) X(hidden_size) X(input_modulus) X(intermediate_size) X(inverse) X(iters) X(k)          \
  X(kernel_size) X(kind) X(len) X(length) X(lhs_contracting) X(lhs_format) X(mask_kind)            \
  X(max_iterations) X(max_list_entries) X(max_splat_steps) X(mode) X(n_fft) X(n_rot)               \
  X(n_segments) X(norm) X(num_basis) X(num_bcast) X(num_checkpoints) X(num_groups) X(num_heads)    \
  X(num_layers) X(num_xs) X(op) X(output_padding) X(padding) X(pads) X(part) X(pos) X(prologue)    \
  X(prologue_input) X(reduction) X(rhs_contracting) X(rhs_format) X(save_trajectory)               \
  X(scale_layout) X(scale_mode) X(scheme) X(size) X(start) X(state_size) X(ste) X(step) X(steps)   \
  X(stride) X(temperature) X(tile_size) X(to) X(top_k) X(top_p) X(upper) X(v_head_dim) X(value)    \
  X(width) X(wrt)
// clang-format on

enum class attr : std::uint8_t {
#define OPSCOPE_NEED_ATTRIBUTE(name) name,
  OPSCOPE_NEED_ATTRIBUTES(OPSCOPE_NEED_ATTRIBUTE)
#undef OPSCOPE_NEED_ATTRIBUTE
};

inline constexpr std::size_t attr_count = 0
#define OPSCOPE_NEED_ATTRIBUTE(name) +1
    OPSCOPE_NEED_ATTRIBUTES(OPSCOPE_NEED_ATTRIBUTE)
#undef OPSCOPE_NEED_ATTRIBUTE
    ;

inline constexpr std::size_t max_fields = 16;
inline constexpr std::uint8_t no_field = 0xff;

// Where each `attr` stands among the fields of each kind; row 0 is of kinds that are not listed.
extern const std::array<std::array<std::uint8_t, attr_count>, rlx::kind_count + 1> position_table;

inline const std::array<std::uint8_t, attr_count>& field_positions(std::uint32_t kind) {
  return position_table[kind <= rlx::kind_count ? kind : 0];
}

// The attributes of one operation, by field position; null where absent.
struct resolved_attributes {
  std::uint32_t kind = 0;
  std::uint32_t count = 0;
  std::array<const rlx_attribute*, max_fields> fields{};
};

resolved_attributes resolve(std::uint32_t kind, const rlx::strided<rlx_attribute>& attributes);

// Typed reading of one attribute; nothing where it is absent or of another type.
class attribute_reader {
 public:
  attribute_reader(std::uint32_t kind, const resolved_attributes* resolved)
      : positions_{&field_positions(kind)}, resolved_{resolved} {}

  const rlx_attribute* find(attr name) const {
    const std::uint8_t at = (*positions_)[static_cast<std::size_t>(name)];
    return at == no_field || resolved_ == nullptr ? nullptr : resolved_->fields[at];
  }
  std::optional<std::uint64_t> u64(attr name) const {
    const rlx_attribute* a = find(name);
    if (a == nullptr) return std::nullopt;
    if (a->type == RLX_ATTRIBUTE_U64) return a->value.u64;
    if (a->type == RLX_ATTRIBUTE_I64 && a->value.i64 >= 0) return a->value.u64;
    return std::nullopt;
  }
  std::optional<std::int64_t> i64(attr name) const {
    const rlx_attribute* a = find(name);
    if (a == nullptr) return std::nullopt;
    if (a->type == RLX_ATTRIBUTE_I64) return a->value.i64;
    if (a->type == RLX_ATTRIBUTE_U64 && a->value.i64 >= 0) return a->value.i64;
    return std::nullopt;
  }
  std::optional<double> f64(attr name) const;
  bool flag(attr name) const;  // false where absent
  // Text, or the JSON text of an enumeration that carries data; empty where absent.
  std::string_view text(attr name) const;
  // Element i of an array of unsigned numbers, or of a single number taken as an array of one.
  std::optional<std::uint64_t> element(attr name, std::size_t i) const;
  std::size_t array_size(attr name) const;  // 0 where absent

 private:
  const std::array<std::uint8_t, attr_count>* positions_;
  const resolved_attributes* resolved_;
};

}  // namespace opscope::need
