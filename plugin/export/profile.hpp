// What an exported profile holds: samples, each a stack of names with one value a metric. Built
// from records, written by pprof.hpp and csv.hpp. No files.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <opscope/ledger_reader.hpp>

#include "plugin/compare/metrics.hpp"

namespace opscope {

struct profile_value {
  std::string_view name;    // as pprof's -sample_index takes it
  std::string_view unit;    // bytes, or operations
  std::string_view metric;  // in the table of metrics
};
inline constexpr std::array<profile_value, 5> profile_values{{
    {"need", "bytes", "need.bytes.lo"},
    {"rule", "bytes", "rule.bytes"},
    {"weights", "bytes", "need.weights.lo"},
    {"invariant", "bytes", "need.invariant"},
    {"work", "operations", "need.work.lo"},
}};

struct profile {
  // Innermost first: kind, the label's parts from the last to the first, graph and target.
  using stack = std::vector<std::uint32_t>;  // in names
  std::vector<std::string> names;
  // By stack, in the order of the stacks: the same records are the same bytes.
  std::map<stack, std::array<std::uint64_t, profile_values.size()>> samples;
  std::string time;                   // of the last record
  std::vector<std::string> comments;  // of the records, sentences
  // Nodes whose value is unknown, or beyond what the format holds; it is then as low as is known.
  std::array<std::uint64_t, profile_values.size()> unknown_nodes{};
};

class profile_builder {
 public:
  // `r` has its nodes. Leaves move nothing and are left out.
  void add(const ledger_record& r);
  profile take() { return std::move(profile_); }

 private:
  std::uint32_t name(std::string text);
  profile profile_;
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
};

// `model`, `layers.3`, `self_attn`, `q_proj` of `model.layers.3.self_attn.q_proj`: a number stays
// with what it counts. Dots inside braces do not part.
std::vector<std::string_view> label_parts(std::string_view label);

}  // namespace opscope
