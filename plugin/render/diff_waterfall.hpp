// Two compiles of one graph, pass by pass and side by side: what each step added on either side, in
// rows that add up from the source graph to the result.
#pragma once

#include <string>
#include <vector>

#include "plugin/render/waterfall.hpp"

namespace opscope {

struct waterfall_pair {
  compile_steps base;
  compile_steps next;
};

// A step of both compiles, or of one: the other then has no row.
struct step_pair {
  std::optional<waterfall_row> base;
  std::optional<waterfall_row> next;
};
// In the order of both: a step that both have is one pair, as often as both have it. Steps that
// changed nothing are left out.
std::vector<step_pair> pair_steps(const waterfall_pair& w);

// Exact integers in every format.
std::string waterfall_diff_text(const waterfall_pair& w, const emphasis_function& strong);
std::string waterfall_diff_markdown(const waterfall_pair& w);
void waterfall_diff_json(json_writer& out, const waterfall_pair& w);  // with newline
std::string waterfall_diff_csv_heading();
std::string waterfall_diff_csv(const waterfall_pair& w);

}  // namespace opscope
