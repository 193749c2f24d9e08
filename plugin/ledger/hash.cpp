// The one place that includes libxxhash.
#include "plugin/ledger/hash.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace opscope {

hash128 hash_bytes(std::string_view bytes) {
  const XXH128_hash_t h = XXH3_128bits(bytes.data(), bytes.size());
  return {h.low64, h.high64};
}

std::string to_hex(const hash128& hash) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text(32, '0');
  for (unsigned i = 0; i < 16; ++i) {
    text[i] = digits[(hash.high >> (60 - 4 * i)) & 15];
    text[16 + i] = digits[(hash.low >> (60 - 4 * i)) & 15];
  }
  return text;
}

}  // namespace opscope
