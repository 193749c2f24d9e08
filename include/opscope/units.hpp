// Figures as people read them: binary units for bytes, decimal ones for counts. Two decimals,
// half-even on the exact value; a value that would round up to the next unit is shown in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <opscope/figure.hpp>

namespace opscope {

// `0 B`, `1.50 KiB`, .. `15.99 EiB`.
std::string binary_bytes(std::uint64_t bytes);
// `999`, `1.50 K`, `4.94 G`, .. E; append the unit that is counted: `4.94 GFLOP`.
std::string decimal_count(std::uint64_t count, std::string_view unit = "");
// `unknown` where it is.
std::string binary_bytes(const figure& bytes);
std::string decimal_count(const figure& count, std::string_view unit = "");

// Fixed point, rounded half-even on the exact binary value.
std::string fixed_point(double value, int decimals);

// One line's worth of a name: controls, also of the reading order, as \n, \t, \xNN a byte, a
// backslash doubled, cut after max_bytes with `...`.
std::string shown_name(std::string_view name, std::size_t max_bytes = 120);

}  // namespace opscope
