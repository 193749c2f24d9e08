// The head of a record, as `list` and `show` print it in JSON: the members have the names and types
// of the ledger's schema.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <opscope/ledger_reader.hpp>

#include "plugin/ledger/json_writer.hpp"

namespace opscope {

// Members only, without the braces.
void write_record_head(json_writer& out, const ledger_record& r);
// Which record is meant: `"graph":..,"target":..,"stage":..,"pass":..`, the pass null where there
// is none.
void write_record_key(json_writer& out, std::string_view graph, std::string_view target,
                      std::string_view stage, const std::optional<std::string>& pass);

}  // namespace opscope
