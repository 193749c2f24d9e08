// Writes one record of the ledger: every member of opscope-ledger/1, in the schema's order.
#pragma once

#include <rlx/plugin.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <opscope/cost.hpp>
#include <opscope/ledger.hpp>

#include "plugin/ledger/json_writer.hpp"

namespace opscope {

// What a record holds beside the compile record and the costs.
struct record_context {
  std::string_view time;                   // ISO 8601, UTC
  std::optional<std::string_view> source;  // fingerprints
  std::optional<std::string_view> lowered;
  const ledger_settings* settings;
};

// Writes the record without its newline.
void write_record(json_writer& out, const rlx_compile_record& compile, const graph_cost& cost,
                  const record_context& context);

// The member `totals`, here and where readers print a record.
void write_totals(json_writer& out, const totals& t, const memory_figures& m);

// `2026-12-01T09:30:00.123456Z`; the year is held between 1970 and 9999.
std::string iso_time(std::uint64_t microseconds_since_epoch);

}  // namespace opscope
