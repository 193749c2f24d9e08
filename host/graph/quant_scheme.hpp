// What RLX calls a quantisation scheme in text, from its serde form.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rlx {

struct quant_scheme {
  bool is_gguf;      // one packed operand beside x, not three
  std::string text;  // `gguf_q4k`, `int8/32`
};

// json is the compact serde form: `"GgufQ4K"`, `{"Int8Block":{"block_size":32}}`. Nothing where
// the scheme is none of RLX 0.2.2 and the later ones whose text is known.
std::optional<quant_scheme> find_quant_scheme(std::string_view json);

}  // namespace rlx
