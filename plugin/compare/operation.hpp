// What a node does, apart from what it is called and what it reads: kind, element type, shape,
// attributes, nested graphs. Hashed to find equal nodes, compared to tell what differs.
#pragma once

#include <cstdint>
#include <rlx/view.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace opscope {

// Folds a value into a hash. Not made against attackers: who writes the ledger writes its figures.
inline std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  __extension__ using u128 = unsigned __int128;
  const u128 product = u128{hash ^ 0x9E3779B97F4A7C15u} * (value ^ 0xD6E8FEB86659FD93u);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64) ^
         (value << 1);
}
std::uint64_t text_hash(std::string_view text);

// Kind, attributes and nested graphs: what a node goes on being when sizes change. A leaf's name
// and attributes at their default do not count.
std::uint64_t character_hash(const rlx::graph_view& g, std::uint32_t id);
// All of it, given the node's character. Of a dynamic dim counts only that it is one.
std::uint64_t operation_hash(const rlx::graph_view& g, std::uint32_t id, std::uint64_t character);

// What two nodes of one kind differ in, as bits.
enum difference : std::uint32_t {
  differs_in_dtype = 1,
  differs_in_shape = 2,
  differs_in_attributes = 4,
  differs_in_nested_graphs = 8,
};
std::uint32_t find_differences(const rlx::graph_view& a, std::uint32_t id_a,
                               const rlx::graph_view& b, std::uint32_t id_b);
// The names of attributes that one has and the other has not, or that have other values.
std::vector<std::string> changed_attributes(const rlx::graph_view& a, std::uint32_t id_a,
                                            const rlx::graph_view& b, std::uint32_t id_b);
// `[2,?0,64]`.
std::string shape_text(const rlx::graph_view& g, std::uint32_t id);

}  // namespace opscope
