// From pairs to the nodes beside them, along operands and users.
#pragma once

#include <cstdint>
#include <vector>

#include "plugin/compare/match/keyed_node.hpp"
#include "plugin/compare/match/pairing.hpp"

namespace opscope::matching {

class spreader {
 public:
  explicit spreader(pairing& pairs) : pairs_{pairs} {}

  // Matches equal operations beside pairs that were made since the last call, and beside those.
  void spread();
  // What was ambiguous beside a pair may be so no more: beside all pairs that have a free node
  // beside them. True where it was so.
  bool spread_again();
  // From now on: equal nodes that nothing tells apart, in the order of their ids.
  void take_twins() { takes_twins_ = true; }

 private:
  void spread_to_operands(std::uint32_t a, std::uint32_t b);
  void spread_to_users(std::uint32_t a, std::uint32_t b);
  void match_only_fits(keyed_nodes in_a, keyed_nodes in_b);

  pairing& pairs_;
  bool takes_twins_ = false;
  std::vector<keyed_node> users_a_;
  std::vector<keyed_node> users_b_;
};

}  // namespace opscope::matching
