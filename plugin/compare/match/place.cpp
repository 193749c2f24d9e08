#include "plugin/compare/match/place.hpp"

#include <algorithm>

#include "plugin/compare/match/evidence.hpp"
#include "plugin/compare/match/limits.hpp"

namespace opscope::matching {

namespace {

bool is_like(const node_context& c, std::uint32_t x, const node_context& d, std::uint32_t y,
             bool any_character) {
  return any_character ? c.kind(x) == d.kind(y) : c.character(x) == d.character(y);
}

// ---- By operands

bool has_free_twin(const pairing& pairs, std::uint32_t a, std::uint32_t operand,
                   bool any_character) {
  const node_context& c = pairs.a();
  const auto in_a = c.side().operands(a);
  const auto uses = c.uses(operand);
  return std::any_of(uses.begin(), uses.end(), [&](const node_use& u) {
    const auto in_other = c.side().operands(u.user);
    return u.user != a && pairs.is_free_a(u.user) && is_like(c, a, c, u.user, any_character) &&
           std::equal(in_a.begin(), in_a.end(), in_other.begin(), in_other.end());
  });
}

// Of nodes that read the same, how much more speaks for a pair. Readers in common outweigh all
// else.
constexpr int common_user_agrees = 8;
int agreement(const pairing& pairs, std::uint32_t x, std::uint32_t y) {
  const node_context& a = pairs.a();
  const node_context& b = pairs.b();
  return common_user_agrees * (has_common_user(pairs, x, y) ? 1 : 0) +
         4 * (a.operation(x) == b.operation(y) ? 1 : 0) +
         2 * (a.frame_below(x) == b.frame_below(y) ? 1 : 0) + (a.label(x) == b.label(y) ? 1 : 0);
}

// The operand with the fewest users, to search from; none where an operand is free, or all have
// too many.
std::uint32_t rarest_operand(const pairing& pairs, std::uint32_t a) {
  const node_context& c = pairs.a();
  std::uint32_t rarest = none;
  for (const std::uint32_t x : c.side().operands(a)) {
    if (pairs.is_free_a(x)) return none;
    if (rarest == none || c.uses(x).size() < c.uses(rarest).size()) rarest = x;
  }
  if (rarest == none || c.uses(rarest).size() > most_uses_searched ||
      pairs.b().uses(pairs.b_of(rarest)).size() > most_uses_searched) {
    return none;
  }
  return rarest;
}

// The free node like a that reads the counterparts of a's operands; of several the most alike.
std::uint32_t same_operands(const pairing& pairs, std::uint32_t a, const demand& d) {
  const std::uint32_t from = rarest_operand(pairs, a);
  if (from == none) return none;
  const auto in_a = pairs.a().side().operands(a);
  std::uint32_t found = none;
  int most = -1;
  std::uint32_t candidates = 0;
  std::uint32_t previous = none;  // an operand read twice names its user twice
  for (const node_use& u : pairs.b().uses(pairs.b_of(from))) {
    const std::uint32_t b = u.user;
    const auto in_b = pairs.b().side().operands(b);
    if (b == previous || !pairs.is_free_b(b) ||
        !is_like(pairs.a(), a, pairs.b(), b, d.any_character) ||
        !std::equal(in_a.begin(), in_a.end(), in_b.begin(), in_b.end(),
                    [&](std::uint32_t x, std::uint32_t y) { return pairs.b_of(x) == y; })) {
      continue;
    }
    previous = b;
    ++candidates;
    const int agrees = agreement(pairs, a, b);
    if (agrees <= most) continue;
    most = agrees;
    found = b;
  }
  if (d.any_twin || most >= common_user_agrees) return found;
  return candidates == 1 && !has_free_twin(pairs, a, from, d.any_character) ? found : none;
}

bool match_by_operands(pairing& pairs, const demand& d) {
  const std::size_t before = pairs.free_count();
  for (std::uint32_t a = 0; a < pairs.a().size() && !pairs.is_done(); ++a) {
    if (!pairs.is_free_a(a)) continue;
    if (const std::uint32_t b = same_operands(pairs, a, d); b != none) pairs.match(a, b);
  }
  return pairs.free_count() != before;
}

// ---- By users

std::uint32_t same_output(const pairing& pairs, std::uint32_t a) {
  if (pairs.a().output_hash(a) == 0) return none;
  const auto out_a = pairs.a().side().graph().outputs();
  const auto out_b = pairs.b().side().graph().outputs();
  for (std::size_t i = 0; i < std::min(out_a.size(), out_b.size()); ++i) {
    if (out_a[i] == a) return out_b[i];
  }
  return none;
}

// The free node like a that the counterparts of a's users read in its place.
std::uint32_t same_users(const pairing& pairs, std::uint32_t a, bool any_character) {
  const auto uses = pairs.a().uses(a);
  std::uint32_t found = none;
  if (uses.empty()) {
    found = same_output(pairs, a);
    if (found == none || !pairs.is_free_b(found)) return none;
  }
  for (const node_use& u : uses) {
    if (pairs.is_free_a(u.user)) return none;
    const auto there = pairs.b().side().operands(pairs.b_of(u.user));
    if (u.slot >= there.size()) return none;
    const std::uint32_t b = there[u.slot];
    if (!pairs.is_free_b(b) || (found != none && found != b)) return none;
    found = b;
  }
  const bool fits = is_like(pairs.a(), a, pairs.b(), found, any_character) &&
                    pairs.b().uses(found).size() == uses.size() &&
                    pairs.a().output_hash(a) == pairs.b().output_hash(found);
  return fits ? found : none;
}

bool match_by_users(pairing& pairs, bool any_character) {
  const std::size_t before = pairs.free_count();
  for (std::uint32_t a = pairs.a().size(); a-- != 0 && !pairs.is_done();) {
    if (!pairs.is_free_a(a)) continue;
    if (const std::uint32_t b = same_users(pairs, a, any_character); b != none) pairs.match(a, b);
  }
  return pairs.free_count() != before;
}

}  // namespace

void match_by_place(pairing& pairs, spreader& s, const demand& d) {
  bool goes_on = true;
  for (int round = 0; goes_on && round < most_rounds && !pairs.is_done(); ++round) {
    goes_on = match_by_operands(pairs, d);
    goes_on |= match_by_users(pairs, d.any_character);
    if (goes_on) s.spread();
    goes_on |= s.spread_again();
  }
}

}  // namespace opscope::matching
