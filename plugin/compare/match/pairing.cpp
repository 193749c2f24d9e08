#include "plugin/compare/match/pairing.hpp"

namespace opscope::matching {

pairing::pairing(const node_context& a, const node_context& b)
    : a_{a}, b_{b}, free_a_{a.size()}, free_b_{b.size()} {
  to_.new_of.assign(a.size(), none);
  to_.base_of.assign(b.size(), none);
}

void pairing::unmatch(std::uint32_t a) {
  to_.base_of[to_.new_of[a]] = none;
  to_.new_of[a] = none;
  ++free_a_;
  ++free_b_;
}

}  // namespace opscope::matching
