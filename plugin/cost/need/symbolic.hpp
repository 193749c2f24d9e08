// A count as a polynomial in the symbols of dynamic dims: both ends of an interval, each either a
// polynomial (integer coefficients over one common denominator) or unknown with a reason. The same
// operations as interval, so that one formula yields figures and expressions.
//
// Comparisons assume that every symbol is at least 1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <opscope/interval.hpp>

namespace opscope::need {

__extension__ using wide_integer = __int128;

class polynomial {
 public:
  polynomial() = default;  // 0
  explicit polynomial(std::uint64_t constant);
  static polynomial symbol(std::uint64_t s);

  // Each returns nothing where a coefficient leaves 127 bits or there are too many terms.
  static std::optional<polynomial> add(const polynomial& a, const polynomial& b, int sign);
  static std::optional<polynomial> multiply(const polynomial& a, const polynomial& b);
  std::optional<polynomial> divide(std::uint64_t c) const;

  std::optional<std::uint64_t> constant() const;  // where it has no symbols and fits
  // No member is below 0 where all symbols are at least 1: a sufficient test.
  bool is_surely_not_negative() const;
  bool is_zero() const { return terms_.empty(); }
  bool has_integer_coefficients() const { return denominator_ == 1; }

  // The value with every symbol replaced; nothing where one has no value or it leaves 64 bits.
  template <class Find>
  std::optional<std::uint64_t> evaluate(const Find& find) const;

  // `2*?0*?1 + 3*?0 + 7`, `(?0^2 + ?0)/2`.
  std::string text() const;

  friend bool operator==(const polynomial&, const polynomial&) = default;

 private:
  using monomial = std::vector<std::pair<std::uint64_t, std::uint32_t>>;  // symbol, exponent
  struct term {
    monomial powers;
    wide_integer coefficient;
    friend bool operator==(const term&, const term&) = default;
  };
  static constexpr std::size_t most_terms = 256;
  bool normalise();

  std::vector<term> terms_;  // by monomial, no zero coefficients
  wide_integer denominator_ = 1;
};

class symbolic {
 public:
  symbolic() : symbolic{std::uint64_t{0}} {}
  symbolic(std::uint64_t exact) : lo_{polynomial{exact}}, hi_{polynomial{exact}} {}
  static symbolic symbol(std::uint64_t s) { return {polynomial::symbol(s), polynomial::symbol(s)}; }
  static symbolic unknown() { return {polynomial{}, std::nullopt}; }
  static symbolic at_least(std::uint64_t lo) { return {polynomial{lo}, std::nullopt}; }
  static symbolic hull(const symbolic& a, const symbolic& b);

  const polynomial& lo() const { return lo_; }
  const std::optional<polynomial>& hi() const { return hi_; }
  bool is_exact() const { return hi_ && *hi_ == lo_; }
  bool is_bounded() const { return hi_.has_value(); }
  figure exact() const { return is_exact() ? lo_.constant() : figure{}; }
  bool is_zero() const { return hi_ && hi_->is_zero(); }

  friend symbolic operator+(const symbolic& a, const symbolic& b);
  friend symbolic operator*(const symbolic& a, const symbolic& b);
  symbolic& operator+=(const symbolic& b) { return *this = *this + b; }
  symbolic& operator*=(const symbolic& b) { return *this = *this * b; }
  friend symbolic minus(const symbolic& a, const symbolic& b);
  friend symbolic floor_divide(const symbolic& a, const symbolic& b);
  friend symbolic ceil_divide(const symbolic& a, const symbolic& b);
  friend symbolic divide_exactly(const symbolic& a, std::uint64_t c);
  friend symbolic minimum(const symbolic& a, const symbolic& b);
  friend symbolic maximum(const symbolic& a, const symbolic& b);
  friend symbolic from_to(const symbolic& a, const symbolic& b) { return {a.lo_, b.hi_}; }
  friend truth at_most(const symbolic& a, const symbolic& b);
  friend truth equal(const symbolic& a, const symbolic& b);

 private:
  symbolic(polynomial lo, std::optional<polynomial> hi) : lo_{std::move(lo)}, hi_{std::move(hi)} {}

  // lo_ falls back to 0 and hi_ to nothing where no polynomial says it.
  polynomial lo_;
  std::optional<polynomial> hi_;
};

template <class Find>
std::optional<std::uint64_t> polynomial::evaluate(const Find& find) const {
  wide_integer sum = 0;
  for (const term& t : terms_) {
    wide_integer product = t.coefficient;
    for (const auto& [symbol, exponent] : t.powers) {
      const std::optional<std::uint64_t> value = find(symbol);
      if (!value) return std::nullopt;
      for (std::uint32_t e = 0; e < exponent; ++e) {
        if (__builtin_mul_overflow(product, static_cast<wide_integer>(*value), &product)) {
          return std::nullopt;
        }
      }
    }
    if (__builtin_add_overflow(sum, product, &sum)) return std::nullopt;
  }
  if (sum < 0 || sum % denominator_ != 0) return std::nullopt;
  sum /= denominator_;
  return sum > static_cast<wide_integer>(UINT64_MAX)
             ? std::nullopt
             : std::optional{static_cast<std::uint64_t>(sum)};
}

}  // namespace opscope::need
