#include "plugin/compare/match/evidence.hpp"

#include <algorithm>
#include <span>

#include "plugin/compare/match/limits.hpp"

namespace opscope::matching {

namespace {

std::span<const node_use> searched_uses(const node_context& c, std::uint32_t id) {
  const auto uses = c.uses(id);
  return uses.first(std::min(uses.size(), most_uses_searched));
}

}  // namespace

bool has_common_user(const pairing& pairs, std::uint32_t a, std::uint32_t b) {
  const auto uses = searched_uses(pairs.a(), a);
  return std::any_of(uses.begin(), uses.end(), [&](const node_use& u) {
    if (pairs.is_free_a(u.user)) return false;
    const auto there = pairs.b().side().operands(pairs.b_of(u.user));
    return u.slot < there.size() && there[u.slot] == b;
  });
}

bool has_common_neighbour(const pairing& pairs, std::uint32_t a, std::uint32_t b) {
  const auto in_a = pairs.a().side().operands(a);
  const auto in_b = pairs.b().side().operands(b);
  for (std::size_t slot = 0; slot < std::min(in_a.size(), in_b.size()); ++slot) {
    if (pairs.b_of(in_a[slot]) == in_b[slot]) return true;
  }
  if (has_common_user(pairs, a, b)) return true;
  return pairs.a().output_hash(a) != 0 && pairs.a().output_hash(a) == pairs.b().output_hash(b);
}

bool has_fitting_operands(const pairing& pairs, std::uint32_t a, std::uint32_t b) {
  const auto in_a = pairs.a().side().operands(a);
  const auto in_b = pairs.b().side().operands(b);
  return std::equal(in_a.begin(), in_a.end(), in_b.begin(), in_b.end(),
                    [&](std::uint32_t x, std::uint32_t y) {
                      return pairs.b_of(x) == y || (pairs.is_free_a(x) && pairs.is_free_b(y));
                    });
}

bool is_contradicted(const pairing& pairs, std::uint32_t a, std::uint32_t b) {
  const auto in_a = pairs.a().side().operands(a);
  const auto in_b = pairs.b().side().operands(b);
  for (std::size_t slot = 0; slot < std::min(in_a.size(), in_b.size()); ++slot) {
    const std::uint32_t x = in_a[slot];
    const std::uint32_t y = in_b[slot];
    if (pairs.b_of(x) != y && !pairs.is_free_a(x) && !pairs.is_free_b(y)) return true;
  }
  for (const node_use& u : searched_uses(pairs.a(), a)) {
    if (pairs.is_free_a(u.user)) continue;
    const auto there = pairs.b().side().operands(pairs.b_of(u.user));
    if (u.slot < there.size() && there[u.slot] != b && !pairs.is_free_b(there[u.slot])) return true;
  }
  return false;
}

}  // namespace opscope::matching
