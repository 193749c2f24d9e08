// A count known to lie between two ends. Arithmetic keeps that promise: the true result of an
// operation on any members of the operands lies in the interval returned, also beyond 64 bits.
//
// hi may be unbounded, which is a state of its own and prints as null. Beyond 64 bits a low end
// stays at 2^64-1 (still a correct lower bound) and a high end becomes unbounded.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include <opscope/figure.hpp>

namespace opscope {

// The answer of a comparison between intervals.
enum class truth : std::uint8_t { no, yes, undecided };

class interval {
 public:
  constexpr interval() = default;  // exactly 0
  constexpr interval(std::uint64_t exact) : lo_{exact}, hi_{exact} {}
  static constexpr interval between(std::uint64_t lo, std::uint64_t hi) {
    return {std::min(lo, hi), hi, 0};
  }
  static constexpr interval at_least(std::uint64_t lo) { return {lo, unbounded, 0}; }
  static constexpr interval at_most(std::uint64_t hi) { return {0, hi, 0}; }
  static constexpr interval unknown() { return {0, unbounded, 0}; }
  // The smallest interval with both: two cases of which one holds.
  static constexpr interval hull(interval a, interval b) {
    return {std::min(a.lo_, b.lo_), std::max(a.hi_, b.hi_), 0};
  }

  constexpr std::uint64_t lo() const { return lo_; }
  constexpr figure hi() const { return hi_ == unbounded ? figure{} : figure{hi_}; }
  constexpr bool is_bounded() const { return hi_ != unbounded; }
  constexpr bool is_exact() const { return lo_ == hi_ && is_bounded(); }
  constexpr bool is_zero() const { return hi_ == 0; }
  // The value, where both ends agree.
  constexpr figure exact() const { return is_exact() ? figure{lo_} : figure{}; }
  constexpr bool contains(std::uint64_t v) const { return lo_ <= v && (v <= hi_ || !is_bounded()); }

  friend constexpr bool operator==(const interval&, const interval&) = default;

  friend constexpr interval operator+(interval a, interval b) {
    interval s;
    if (__builtin_add_overflow(a.lo_, b.lo_, &s.lo_)) s.lo_ = unbounded;
    if (__builtin_add_overflow(a.hi_, b.hi_, &s.hi_)) s.hi_ = unbounded;
    return s;
  }
  friend constexpr interval operator*(interval a, interval b) {
    return {multiply(a.lo_, b.lo_), multiply(a.hi_, b.hi_), 0};
  }
  constexpr interval& operator+=(interval b) { return *this = *this + b; }
  constexpr interval& operator*=(interval b) { return *this = *this * b; }

  // max(0, a - b): differences of counts are taken where b counts a part of a.
  friend constexpr interval minus(interval a, interval b) {
    const std::uint64_t lo = b.is_bounded() && a.lo_ > b.hi_ ? a.lo_ - b.hi_ : 0;
    const std::uint64_t hi = !a.is_bounded() ? unbounded : a.hi_ > b.lo_ ? a.hi_ - b.lo_ : 0;
    return {lo, hi, 0};
  }
  friend constexpr interval floor_divide(interval a, interval b) {
    const std::uint64_t lo = b.is_bounded() && b.hi_ != 0 ? a.lo_ / b.hi_ : 0;
    const std::uint64_t hi = !a.is_bounded() || b.lo_ == 0 ? unbounded : a.hi_ / b.lo_;
    return {lo, hi, 0};
  }
  friend constexpr interval ceil_divide(interval a, interval b) {
    const std::uint64_t lo =
        !b.is_bounded() || b.hi_ == 0 ? (a.lo_ != 0 ? 1 : 0) : a.lo_ / b.hi_ + (a.lo_ % b.hi_ != 0);
    const std::uint64_t hi =
        !a.is_bounded() || b.lo_ == 0 ? unbounded : a.hi_ / b.lo_ + (a.hi_ % b.lo_ != 0);
    return {lo, hi, 0};
  }
  // a / c where c is known to divide a.
  friend constexpr interval divide_exactly(interval a, std::uint64_t c) {
    return floor_divide(a, interval{c});
  }
  friend constexpr interval minimum(interval a, interval b) {
    return {std::min(a.lo_, b.lo_), std::min(a.hi_, b.hi_), 0};
  }
  friend constexpr interval maximum(interval a, interval b) {
    return {std::max(a.lo_, b.lo_), std::max(a.hi_, b.hi_), 0};
  }
  // From the low end of a to the high end of b: a figure that data decides.
  friend constexpr interval from_to(interval a, interval b) { return between(a.lo_, b.hi_); }

  friend constexpr truth at_most(interval a, interval b) {
    if (a.is_bounded() && a.hi_ <= b.lo_) return truth::yes;
    if (b.is_bounded() && a.lo_ > b.hi_) return truth::no;
    return truth::undecided;
  }
  friend constexpr truth equal(interval a, interval b) {
    if (a.is_exact() && a == b) return truth::yes;
    if ((a.is_bounded() && a.hi_ < b.lo_) || (b.is_bounded() && b.hi_ < a.lo_)) return truth::no;
    return truth::undecided;
  }

 private:
  static constexpr std::uint64_t unbounded = std::numeric_limits<std::uint64_t>::max();
  constexpr interval(std::uint64_t lo, std::uint64_t hi, int) : lo_{lo}, hi_{hi} {}
  // Saturates; nothing of something unbounded is nothing.
  static constexpr std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
    std::uint64_t p = 0;
    return __builtin_mul_overflow(a, b, &p) ? unbounded : p;
  }

  std::uint64_t lo_ = 0;
  std::uint64_t hi_ = 0;  // 2^64-1: unbounded
};

}  // namespace opscope
