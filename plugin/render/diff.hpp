// A comparison of ledgers in four formats, one file each. No policy: what is compared, allowed and
// beyond a threshold was decided before.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "plugin/compare/comparison.hpp"
#include "plugin/compare/gate.hpp"
#include "plugin/ledger/json_writer.hpp"

namespace opscope {

inline constexpr std::string_view diff_schema = "opscope-diff/1";

struct diff_wish {
  std::string_view base_place;  // as the command line names them
  std::string_view new_place;
  metric_index by = 0;   // rows are in the order of this metric
  std::size_t top = 10;  // rows a graph, and graphs in full; 0 is all
};

struct diff_colours {
  std::function<std::string(std::string_view)> strong;
  std::function<std::string(std::string_view)> faint;
};

std::string diff_text(const comparison& c, const diff_wish& wish, const diff_colours& colours);
std::string diff_markdown(const comparison& c, const diff_wish& wish);
// With newline. `gate`: what was held against limits, where something was.
void diff_json(json_writer& out, const comparison& c, const diff_wish& wish,
               const gate_result* gate = nullptr);
std::string diff_csv(const comparison& c, const diff_wish& wish);

}  // namespace opscope
