#include "plugin/ledger/read/scanner.hpp"

#include <bit>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace opscope {

namespace {

constexpr std::size_t block_size = 64;

// One bit for each of 64 bytes.
struct block_masks {
  std::uint64_t quotes = 0;
  std::uint64_t backslashes = 0;
  std::uint64_t opening = 0;
  std::uint64_t closing = 0;
  std::uint64_t newlines = 0;
};

#ifdef __SSE2__
block_masks classify(const char* data) {
  block_masks m;
  for (unsigned i = 0; i < 4; ++i) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(data + 16 * i));
    const auto bits = [&](__m128i matches) {
      return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(matches)))
             << (16 * i);
    };
    const auto equal = [&](char c) { return _mm_cmpeq_epi8(v, _mm_set1_epi8(c)); };
    // '[' and '{' differ in bit 5 only, as do ']' and '}'.
    const __m128i folded = _mm_or_si128(v, _mm_set1_epi8(0x20));
    m.quotes |= bits(equal('"'));
    m.backslashes |= bits(equal('\\'));
    m.opening |= bits(_mm_cmpeq_epi8(folded, _mm_set1_epi8('{')));
    m.closing |= bits(_mm_cmpeq_epi8(folded, _mm_set1_epi8('}')));
    m.newlines |= bits(equal('\n'));
  }
  return m;
}
#else
block_masks classify(const char* data) {
  block_masks m;
  for (unsigned i = 0; i < block_size; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    const char c = data[i];
    if (c == '"') m.quotes |= bit;
    if (c == '\\') m.backslashes |= bit;
    if (c == '{' || c == '[') m.opening |= bit;
    if (c == '}' || c == ']') m.closing |= bit;
    if (c == '\n') m.newlines |= bit;
  }
  return m;
}
#endif

// Bit i of the result is the parity of bits 0 .. i: set from each opening quote to its closing one.
std::uint64_t prefix_parity(std::uint64_t bits) {
  for (unsigned shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

}  // namespace

bracket_scanner::result bracket_scanner::scan(const char* data, std::size_t size) {
  std::size_t at = 0;
  for (; at + block_size <= size; at += block_size) {
    const block_masks m = classify(data + at);
    const std::uint64_t strings = prefix_parity(m.quotes) ^ (in_string_ ? ~std::uint64_t{0} : 0);
    // Blocks with an escape or a newline go byte by byte.
    if (m.backslashes != 0 || m.newlines != 0 || after_backslash_) {
      const result r = scan_bytes(data, at, at + block_size);
      if (r.what != found::nothing) return r;
      continue;
    }
    const std::uint64_t closing = m.closing & ~strings;
    for (std::uint64_t all = closing | (m.opening & ~strings); all != 0; all &= all - 1) {
      const std::uint64_t lowest = all & (0 - all);
      if ((closing & lowest) == 0) {
        ++depth_;
      } else if (depth_ > 1) {
        --depth_;
      } else {
        depth_ = 0;
        return {found::end, at + static_cast<std::size_t>(std::countr_zero(lowest)) + 1};
      }
    }
    in_string_ = (strings >> 63) != 0;
  }
  const result r = scan_bytes(data, at, size);
  return r.what == found::nothing ? result{found::nothing, size} : r;
}

bracket_scanner::result bracket_scanner::scan_bytes(const char* data, std::size_t begin,
                                                    std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    const char c = data[i];
    if (c == '\n') return {found::newline, i};
    if (after_backslash_) {
      after_backslash_ = false;
    } else if (in_string_) {
      after_backslash_ = c == '\\';
      in_string_ = c != '"';
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if (c == '}' || c == ']') {
      if (depth_ <= 1) {
        depth_ = 0;
        return {found::end, i + 1};
      }
      --depth_;
    }
  }
  return {found::nothing, end};
}

}  // namespace opscope
