// The metrics: every figure that comparisons, gates and histories speak of by name, in one table.
// Adding one is adding a line to metrics.cpp. Reads records; compares nothing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <opscope/ledger_reader.hpp>

namespace opscope {

// A figure as a record has it. Missing: the record says nothing of it (it was written without the
// needs, or without a buffer plan). Unknown: it says that it cannot be told.
class measure {
 public:
  enum class state : std::uint8_t { missing, unknown, known };

  constexpr measure() = default;  // missing
  static constexpr measure missing() { return {}; }
  static constexpr measure unknown() { return {state::unknown, 0, false}; }
  static constexpr measure known(std::uint64_t value) { return {state::known, value, true}; }
  static constexpr measure of(const figure& f) { return f ? known(*f) : unknown(); }
  // The low end of an interval. Where the interval has no high end it is a floor only: a node may
  // have turned unknown, which makes the low end fall, and must not pass for an improvement.
  static constexpr measure low_end(const interval& i) {
    if (i.lo() == UINT64_MAX) return unknown();  // beyond 64 bits
    return {state::known, i.lo(), i.is_bounded()};
  }
  static constexpr measure high_end(const interval& i) { return of(i.hi()); }
  static constexpr measure floor(std::uint64_t value) { return low_end(interval::at_least(value)); }

  constexpr bool is_missing() const { return state_ == state::missing; }
  constexpr bool is_unknown() const { return state_ == state::unknown; }
  constexpr bool is_known() const { return state_ == state::known; }
  // A known low end of an interval without a high end.
  constexpr bool is_floor() const { return is_known() && !is_bounded_; }
  constexpr std::uint64_t value() const { return value_; }  // 0 where it is not known
  constexpr figure known_value() const { return is_known() ? figure{value_} : figure{}; }

  friend constexpr bool operator==(const measure&, const measure&) = default;

 private:
  constexpr measure(state s, std::uint64_t value, bool is_bounded)
      : state_{s}, is_bounded_{is_bounded}, value_{value} {}
  state state_ = state::missing;
  bool is_bounded_ = false;
  std::uint64_t value_ = 0;
};

enum class metric_unit : std::uint8_t { bytes, operations, count };
std::string_view text(metric_unit u);

// One node's figures under both models; `need` is null where they were not recorded.
struct node_figures {
  const node_cost* rule;
  const node_need* need;
  bool is_leaf;
};

struct metric {
  std::string_view name;     // as options and machine formats say it: `need.bytes.lo`
  std::string_view heading;  // as tables say it
  metric_unit unit;
  std::string_view meaning;  // one line for people
  measure (*of_record)(const ledger_record& r);
  // Null where only a whole graph has it. Otherwise the nodes' measures add up to the record's.
  measure (*of_node)(const node_figures& n);
};

using metric_index = std::uint32_t;

// In the order in which they are listed.
std::span<const metric> metrics();
// By qualified name; nothing for another.
std::optional<metric_index> find_metric(std::string_view name);

// The metrics that nodes have, in their order: what the rows of a comparison account for.
std::span<const metric_index> node_metrics();
// The place of a metric among node_metrics(); nothing where only a whole graph has it.
std::optional<std::uint32_t> node_metric_place(metric_index m);

}  // namespace opscope
