// The 128-bit hash of the ledger: XXH3-128 of libxxhash, compiled in so that the plugin needs no
// further library. Values are frozen: fingerprints and file names depend on them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace opscope {

struct hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend bool operator==(const hash128&, const hash128&) = default;

  // Modulo 2^128: the hash of a multiset is the sum of its members' hashes.
  hash128& operator+=(const hash128& other) {
    const bool carry = __builtin_add_overflow(low, other.low, &low);
    high += other.high + (carry ? 1 : 0);
    return *this;
  }
};

hash128 hash_bytes(std::string_view bytes);
std::string to_hex(const hash128& hash);  // 32 lower-case digits, high half first

}  // namespace opscope
