#include "plugin/cost/need/symbolic.hpp"

#include <algorithm>

namespace opscope::need {

namespace {

wide_integer magnitude(wide_integer v) { return v < 0 ? -v : v; }

wide_integer greatest_common_divisor(wide_integer a, wide_integer b) {
  a = magnitude(a);
  b = magnitude(b);
  while (b != 0) std::swap(a %= b, b);
  return a;
}

std::string decimal(wide_integer v) {
  v = magnitude(v);
  std::string digits;
  do {
    digits.push_back(static_cast<char>('0' + static_cast<int>(v % 10)));
    v /= 10;
  } while (v != 0);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::optional<polynomial> sum(const std::optional<polynomial>& a,
                              const std::optional<polynomial>& b) {
  return a && b ? polynomial::add(*a, *b, +1) : std::nullopt;
}

bool is_at_most(const polynomial& a, const polynomial& b) {
  const auto rest = polynomial::add(b, a, -1);
  return rest && rest->is_surely_not_negative();
}

bool is_below(const polynomial& a, const polynomial& b) {
  const auto next = polynomial::add(a, polynomial{1}, +1);
  return next && is_at_most(*next, b);
}

}  // namespace

polynomial::polynomial(std::uint64_t constant) {
  if (constant != 0) terms_.push_back({{}, static_cast<wide_integer>(constant)});
}

polynomial polynomial::symbol(std::uint64_t s) {
  polynomial p;
  p.terms_.push_back({{{s, 1}}, 1});
  return p;
}

// Sorts terms, merges equal monomials, reduces the fraction. False where it does not fit.
bool polynomial::normalise() {
  std::sort(terms_.begin(), terms_.end(),
            [](const term& a, const term& b) { return a.powers < b.powers; });
  std::vector<term> merged;
  for (term& t : terms_) {
    if (!merged.empty() && merged.back().powers == t.powers) {
      if (__builtin_add_overflow(merged.back().coefficient, t.coefficient,
                                 &merged.back().coefficient)) {
        return false;
      }
    } else {
      merged.push_back(std::move(t));
    }
    if (merged.back().coefficient == 0) merged.pop_back();
  }
  terms_ = std::move(merged);
  if (terms_.size() > most_terms) return false;
  wide_integer common = denominator_;
  for (const term& t : terms_) common = greatest_common_divisor(common, t.coefficient);
  if (terms_.empty()) {
    denominator_ = 1;
  } else if (common > 1) {
    denominator_ /= common;
    for (term& t : terms_) t.coefficient /= common;
  }
  return true;
}

std::optional<polynomial> polynomial::add(const polynomial& a, const polynomial& b, int sign) {
  polynomial r;
  const wide_integer common = greatest_common_divisor(a.denominator_, b.denominator_);
  const wide_integer scale_a = b.denominator_ / common;
  const wide_integer scale_b = a.denominator_ / common;
  if (__builtin_mul_overflow(a.denominator_, scale_a, &r.denominator_)) return std::nullopt;
  const auto take = [&r](const polynomial& p, wide_integer scale) {
    for (const term& t : p.terms_) {
      term scaled = t;
      if (__builtin_mul_overflow(t.coefficient, scale, &scaled.coefficient)) return false;
      r.terms_.push_back(std::move(scaled));
    }
    return true;
  };
  if (!take(a, scale_a) || !take(b, sign * scale_b) || !r.normalise()) return std::nullopt;
  return r;
}

std::optional<polynomial> polynomial::multiply(const polynomial& a, const polynomial& b) {
  polynomial r;
  if (a.terms_.size() * b.terms_.size() > 16 * most_terms) return std::nullopt;
  if (__builtin_mul_overflow(a.denominator_, b.denominator_, &r.denominator_)) return std::nullopt;
  for (const term& x : a.terms_) {
    for (const term& y : b.terms_) {
      term t;
      if (__builtin_mul_overflow(x.coefficient, y.coefficient, &t.coefficient)) return std::nullopt;
      t.powers = x.powers;
      for (const auto& power : y.powers) {
        const auto at = std::lower_bound(t.powers.begin(), t.powers.end(),
                                         std::pair{power.first, std::uint32_t{0}});
        if (at != t.powers.end() && at->first == power.first) {
          at->second += power.second;
        } else {
          t.powers.insert(at, power);
        }
      }
      r.terms_.push_back(std::move(t));
    }
  }
  return r.normalise() ? std::optional{std::move(r)} : std::nullopt;
}

std::optional<polynomial> polynomial::divide(std::uint64_t c) const {
  polynomial r = *this;
  if (c == 0 ||
      __builtin_mul_overflow(denominator_, static_cast<wide_integer>(c), &r.denominator_)) {
    return std::nullopt;
  }
  return r.normalise() ? std::optional{std::move(r)} : std::nullopt;
}

std::optional<std::uint64_t> polynomial::constant() const {
  if (terms_.empty()) return 0;
  if (terms_.size() != 1 || !terms_[0].powers.empty() || denominator_ != 1) return std::nullopt;
  const wide_integer c = terms_[0].coefficient;
  if (c < 0 || c > static_cast<wide_integer>(UINT64_MAX)) return std::nullopt;
  return static_cast<std::uint64_t>(c);
}

bool polynomial::is_surely_not_negative() const {
  const auto all_positive = [](const polynomial& p) {
    return std::all_of(p.terms_.begin(), p.terms_.end(),
                       [](const term& t) { return t.coefficient > 0; });
  };
  if (all_positive(*this)) return true;
  // With s = 1 + t, t >= 0 in place of every symbol.
  polynomial shifted;
  for (const term& t : terms_) {
    polynomial product;
    product.terms_.push_back({{}, t.coefficient});
    for (const auto& [s, exponent] : t.powers) {
      if (exponent > 16) return false;
      const auto factor = add(symbol(s), polynomial{1}, +1);
      for (std::uint32_t e = 0; e < exponent; ++e) {
        auto next = factor ? multiply(product, *factor) : std::nullopt;
        if (!next) return false;
        product = std::move(*next);
      }
    }
    auto next = add(shifted, product, +1);
    if (!next) return false;
    shifted = std::move(*next);
  }
  return all_positive(shifted);
}

std::string polynomial::text() const {
  if (terms_.empty()) return "0";
  std::vector<const term*> order;
  for (const term& t : terms_) order.push_back(&t);
  const auto degree = [](const term& t) {
    std::uint64_t d = 0;
    for (const auto& power : t.powers) d += power.second;
    return d;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const term* a, const term* b) { return degree(*a) > degree(*b); });
  std::string s;
  for (const term* t : order) {
    const bool is_negative = t->coefficient < 0;
    s += s.empty() ? (is_negative ? "-" : "") : (is_negative ? " - " : " + ");
    std::string factors;
    if (magnitude(t->coefficient) != 1 || t->powers.empty()) factors = decimal(t->coefficient);
    for (const auto& [symbol, exponent] : t->powers) {
      if (!factors.empty()) factors += '*';
      factors += '?' + std::to_string(symbol);
      if (exponent != 1) factors += '^' + std::to_string(exponent);
    }
    s += factors;
  }
  if (denominator_ == 1) return s;
  return "(" + s + ")/" + decimal(denominator_);
}

symbolic symbolic::hull(const symbolic& a, const symbolic& b) {
  symbolic r = unknown();
  if (is_at_most(a.lo_, b.lo_)) {
    r.lo_ = a.lo_;
  } else if (is_at_most(b.lo_, a.lo_)) {
    r.lo_ = b.lo_;
  }
  if (a.hi_ && b.hi_) {
    if (is_at_most(*a.hi_, *b.hi_)) {
      r.hi_ = b.hi_;
    } else if (is_at_most(*b.hi_, *a.hi_)) {
      r.hi_ = a.hi_;
    }
  }
  return r;
}

symbolic operator+(const symbolic& a, const symbolic& b) {
  const auto lo = polynomial::add(a.lo_, b.lo_, +1);
  return {lo ? *lo : polynomial{}, sum(a.hi_, b.hi_)};
}

symbolic operator*(const symbolic& a, const symbolic& b) {
  // Nothing of something unbounded is nothing, as for intervals.
  if (a.is_zero() || b.is_zero()) return {};
  const auto lo = polynomial::multiply(a.lo_, b.lo_);
  const auto hi = a.hi_ && b.hi_ ? polynomial::multiply(*a.hi_, *b.hi_) : std::nullopt;
  return {lo ? *lo : polynomial{}, hi};
}

symbolic minus(const symbolic& a, const symbolic& b) {
  symbolic r = symbolic::unknown();
  if (b.hi_ && is_at_most(*b.hi_, a.lo_)) {
    if (const auto lo = polynomial::add(a.lo_, *b.hi_, -1)) r.lo_ = *lo;
  }
  if (a.hi_) {
    if (is_at_most(b.lo_, *a.hi_)) {
      r.hi_ = polynomial::add(*a.hi_, b.lo_, -1);
    } else if (is_at_most(*a.hi_, b.lo_)) {
      r.hi_ = polynomial{};
    } else {
      r.hi_ = a.hi_;
    }
  }
  return r;
}

symbolic floor_divide(const symbolic& a, const symbolic& b) {
  const auto c = b.exact();
  if (!c || *c == 0) return symbolic::unknown();
  if (const auto v = a.exact()) return symbolic{*v / *c};
  symbolic r = symbolic::unknown();
  if (const auto lo = a.lo_.divide(*c); lo && lo->has_integer_coefficients()) r.lo_ = *lo;
  // Rounded down, so the fraction itself is a high end; only an integer one is shown.
  if (a.hi_) {
    if (const auto hi = a.hi_->divide(*c); hi && hi->has_integer_coefficients()) r.hi_ = hi;
  }
  return r;
}

symbolic ceil_divide(const symbolic& a, const symbolic& b) {
  const auto c = b.exact();
  if (!c || *c == 0) return symbolic::unknown();
  if (const auto v = a.exact()) return symbolic{*v / *c + (*v % *c != 0)};
  return floor_divide(a, b);
}

symbolic divide_exactly(const symbolic& a, std::uint64_t c) {
  symbolic r = symbolic::unknown();
  if (const auto lo = a.lo_.divide(c)) r.lo_ = *lo;
  if (a.hi_) r.hi_ = a.hi_->divide(c);
  return r;
}

symbolic minimum(const symbolic& a, const symbolic& b) {
  symbolic r = symbolic::unknown();
  if (is_at_most(a.lo_, b.lo_)) {
    r.lo_ = a.lo_;
  } else if (is_at_most(b.lo_, a.lo_)) {
    r.lo_ = b.lo_;
  }
  if (a.hi_ && b.hi_) {
    if (is_at_most(*a.hi_, *b.hi_)) {
      r.hi_ = a.hi_;
    } else if (is_at_most(*b.hi_, *a.hi_)) {
      r.hi_ = b.hi_;
    }
  }
  return r;
}

symbolic maximum(const symbolic& a, const symbolic& b) {
  symbolic r = symbolic::hull(a, b);
  if (is_at_most(a.lo_, b.lo_)) {
    r.lo_ = b.lo_;
  } else if (is_at_most(b.lo_, a.lo_)) {
    r.lo_ = a.lo_;
  }
  return r;
}

truth at_most(const symbolic& a, const symbolic& b) {
  if (a.hi_ && is_at_most(*a.hi_, b.lo_)) return truth::yes;
  if (b.hi_ && is_below(*b.hi_, a.lo_)) return truth::no;
  return truth::undecided;
}

truth equal(const symbolic& a, const symbolic& b) {
  if (a.is_exact() && b.is_exact() && a.lo_ == b.lo_) return truth::yes;
  if (a.hi_ && is_below(*a.hi_, b.lo_)) return truth::no;
  if (b.hi_ && is_below(*b.hi_, a.lo_)) return truth::no;
  return truth::undecided;
}

}  // namespace opscope::need
