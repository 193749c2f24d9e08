// What a gate found, as text, Markdown and JSON. No policy: what is beyond was decided before.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "plugin/compare/gate.hpp"
#include "plugin/ledger/json_writer.hpp"

namespace opscope {

// `within`, `beyond`, `allowed` (beyond, with a reason), `undecided` (trouble).
std::string_view gate_status(const gate_result& g);

// Lines: the offences, largest first, each with the nodes that grew; what was left out; the verdict
// last. Trouble is not in it.
std::string gate_text(const gate_result& g,
                      const std::function<std::string(std::string_view)>& strong);
std::string gate_markdown(const gate_result& g);
void gate_json(json_writer& out, const gate_result& g);  // an object

}  // namespace opscope
