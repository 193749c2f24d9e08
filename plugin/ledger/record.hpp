// Writes one record of the ledger: every member of opscope-ledger/1, in the schema's order.
#pragma once

#include <rlx/plugin.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <opscope/cost.hpp>
#include <opscope/ledger.hpp>
#include <opscope/need.hpp>

#include "plugin/ledger/json_writer.hpp"

namespace opscope {

// What a record holds beside the compile record and the costs.
struct record_context {
  std::string_view time;                   // ISO 8601, UTC
  std::optional<std::string_view> source;  // fingerprints
  std::optional<std::string_view> lowered;
  const ledger_settings* settings;
  const graph_need* need = nullptr;             // of the same graph; null leaves its members out
  const opscope::bindings* bindings = nullptr;  // of dynamic dims, as `need` was made with
};

// Writes the record without its newline.
void write_record(json_writer& out, const rlx_compile_record& compile, const graph_cost& cost,
                  const record_context& context);

// The needs of a whole graph as they are written; none where totals is null.
struct need_to_write {
  const need_totals* totals = nullptr;
  std::optional<double> covered_nodes;
  std::optional<double> covered_bytes;
};
// The member `totals`, here and where readers print a record.
void write_totals(json_writer& out, const totals& t, const need_to_write& need,
                  const memory_figures& m);

// `2026-12-01T09:30:00.123456Z`; the year is held between 1970 and 9999.
std::string iso_time(std::uint64_t microseconds_since_epoch);

}  // namespace opscope
