// `opscope history` as text, JSON and CSV.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "plugin/compare/history.hpp"
#include "plugin/ledger/json_writer.hpp"

namespace opscope {

std::string history_text(const history& h,
                         const std::function<std::string(std::string_view)>& strong);
void history_json(json_writer& out, std::string_view graph, const history& h);  // a line a record
std::string history_csv(std::string_view graph, const history& h);

}  // namespace opscope
