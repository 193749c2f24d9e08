// Nodes as CSV: one line a node with every figure that nodes have, exact; an empty field where a
// figure is unknown or was not recorded.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <opscope/ledger_reader.hpp>

namespace opscope {

std::string nodes_csv_heading();
// Hands the lines on in pieces. `r` has its nodes.
void write_nodes_csv(const ledger_record& r, const std::function<void(std::string_view)>& print);

}  // namespace opscope
