// The head of a record, as `list` and `show` print it in JSON: the members have the names and types
// of the ledger's schema.
#pragma once

#include <opscope/ledger_reader.hpp>

#include "plugin/ledger/json_writer.hpp"

namespace opscope {

// Members only, without the braces.
void write_record_head(json_writer& out, const ledger_record& r);

}  // namespace opscope
