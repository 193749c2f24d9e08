// XXH3-128 without seed, as hash_bytes() gives it, of two short forms whose words are at hand: no
// text is put together in memory first, which takes longer than hashing it.
#pragma once

#include <cstdint>

#include "plugin/ledger/hash.hpp"

namespace opscope {

namespace short_hash {

// What the algorithm's default secret holds at bytes 0, 8, .. 56.
inline constexpr std::uint64_t secret[] = {
    0xbe4ba423396cfeb8, 0x1cad21f72c81017c, 0xdb979083e96dd4de, 0x1f67b3b7a4a44072,
    0x78e5c0cc4ee679cb, 0x2172ffcc7dd05a82, 0x8e2443f7744608b8, 0x4c263a81e69035e0};

inline std::uint64_t multiply_and_fold(std::uint64_t a, std::uint64_t b) {
  __extension__ using u128 = unsigned __int128;
  const u128 product = u128{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t avalanche(std::uint64_t v) {
  v = (v ^ v >> 37) * 0x165667919e3779f9;
  return v ^ v >> 32;
}

// Two little-endian words of the text.
struct words {
  std::uint64_t first;
  std::uint64_t second;
};

// The state over a text of 17 to 64 bytes.
class state {
 public:
  explicit state(std::uint64_t size) : size_{size}, low_{size * prime_1} {}
  // Mixes 16 bytes from the front and 16 from the back; `at` indexes the secret.
  void mix(words front, words back, unsigned at) {
    low_ += multiply_and_fold(front.first ^ secret[at], front.second ^ secret[at + 1]);
    low_ ^= back.first + back.second;
    high_ += multiply_and_fold(back.first ^ secret[at + 2], back.second ^ secret[at + 3]);
    high_ ^= front.first + front.second;
  }
  hash128 digest() const {
    return {avalanche(low_ + high_), 0 - avalanche(low_ * prime_1 + high_ * 0x85ebca77c2b2ae63 +
                                                   size_ * 0xc2b2ae3d27d4eb4f)};
  }

 private:
  static constexpr std::uint64_t prime_1 = 0x9e3779b185ebca87;
  std::uint64_t size_;
  std::uint64_t low_;
  std::uint64_t high_ = 0;
};

}  // namespace short_hash

// Of 21 bytes: a byte, a number of 4, a hash.
inline hash128 hash_short(std::uint8_t tag, std::uint32_t number, const hash128& h) {
  short_hash::state s{21};
  s.mix({tag | std::uint64_t{number} << 8 | h.low << 40, h.low >> 24 | h.high << 40},
        {h.low, h.high}, 0);
  return s.digest();
}

// Of 33 bytes: a byte, two hashes.
inline hash128 hash_short(std::uint8_t tag, const hash128& a, const hash128& b) {
  short_hash::state s{33};
  s.mix({a.high >> 56 | b.low << 8, b.low >> 56 | b.high << 8}, {a.low, a.high}, 4);
  s.mix({tag | a.low << 8, a.low >> 56 | a.high << 8}, {b.low, b.high}, 0);
  return s.digest();
}

}  // namespace opscope
