// The buffer plan of a lowered module: where in the arena each node's result lies, and when.
// Field for field what RLX's LIR JSON holds under `buffers`.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace rlx {

struct slot {
  std::uint64_t offset;  // bytes from the arena's start
  std::uint64_t bytes;
  friend bool operator==(const slot&, const slot&) = default;
};

struct view_alias {
  std::uint32_t root;         // the owning node, chains resolved
  std::uint64_t byte_offset;  // from the start of the root's slot
  friend bool operator==(const view_alias&, const view_alias&) = default;
};

enum class phase : std::uint8_t { absent, prologue, steady_state, epilogue };

struct buffer_plan {
  std::uint64_t arena_bytes = 0;  // end of the highest slot, not rounded up
  std::uint64_t alignment = 64;
  // By node id; as long as the graph has nodes.
  std::vector<std::optional<slot>> slots;
  std::vector<std::optional<view_alias>> views;
  std::vector<phase> phases;
  std::vector<std::uint32_t> schedule;
  std::vector<std::pair<std::string_view, std::uint32_t>> inputs;
  std::vector<std::pair<std::string_view, std::uint32_t>> params;
  std::vector<std::uint32_t> outputs;
  std::vector<std::uint32_t> dynamic_symbols;  // ascending, distinct
};

}  // namespace rlx
