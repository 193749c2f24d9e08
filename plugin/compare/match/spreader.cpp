#include "plugin/compare/match/spreader.hpp"

#include <algorithm>
#include <array>

#include "plugin/compare/match/evidence.hpp"
#include "plugin/compare/match/limits.hpp"
#include "plugin/compare/operation.hpp"

namespace opscope::matching {

void spreader::spread() {
  while (!pairs_.is_done()) {
    const std::uint32_t a = pairs_.take_fresh();
    if (a == none) break;
    const std::uint32_t b = pairs_.b_of(a);
    if (b == none) continue;
    spread_to_operands(a, b);
    spread_to_users(a, b);
  }
  pairs_.clear_fresh();
}

void spreader::spread_to_operands(std::uint32_t a, std::uint32_t b) {
  const auto in_a = pairs_.a().side().operands(a);
  const auto in_b = pairs_.b().side().operands(b);
  for (std::size_t slot = 0; slot < std::min(in_a.size(), in_b.size()); ++slot) {
    const std::uint32_t x = in_a[slot];
    const std::uint32_t y = in_b[slot];
    if (pairs_.is_free_a(x) && pairs_.is_free_b(y) &&
        pairs_.a().operation(x) == pairs_.b().operation(y)) {
      pairs_.match(x, y);
    }
  }
}

void spreader::spread_to_users(std::uint32_t a, std::uint32_t b) {
  const auto collect_users = [](const node_context& c, const std::vector<std::uint32_t>& to,
                                std::uint32_t id, std::vector<keyed_node>& users) {
    users.clear();
    for (const node_use& u : c.uses(id)) {
      if (to[u.user] == none) users.push_back({mixed(c.operation(u.user), u.slot + 1), u.user});
    }
    std::sort(users.begin(), users.end());
  };
  collect_users(pairs_.a(), pairs_.matching().new_of, a, users_a_);
  if (users_a_.empty()) return;
  collect_users(pairs_.b(), pairs_.matching().base_of, b, users_b_);
  for_each_shared_key(users_a_, users_b_,
                      [&](keyed_nodes x, keyed_nodes y) { match_only_fits(x, y); });
}

// Equal operations that read one node in one place. One of each are the same; of several, those
// whose other operands leave one choice.
void spreader::match_only_fits(keyed_nodes in_a, keyed_nodes in_b) {
  if (in_a.size() == 1 && in_b.size() == 1) {
    const std::uint32_t a = in_a[0].id;
    const std::uint32_t b = in_b[0].id;
    if (pairs_.is_free_a(a) && pairs_.is_free_b(b)) pairs_.match(a, b);
    return;
  }
  constexpr std::size_t most_compared = 16;
  if (in_a.size() > most_compared || in_b.size() > most_compared) return;
  const auto fits = [&](std::uint32_t a, std::uint32_t b) {
    return pairs_.is_free_a(a) && pairs_.is_free_b(b) && has_fitting_operands(pairs_, a, b);
  };
  if (takes_twins_ && in_a.size() == in_b.size()) {
    for (std::size_t i = 0; i < in_a.size(); ++i) {
      if (fits(in_a[i].id, in_b[i].id)) pairs_.match(in_a[i].id, in_b[i].id);
    }
    return;
  }
  std::array<std::uint32_t, most_compared> fits_of_b{};
  std::array<std::uint32_t, most_compared> choice{};
  for (std::size_t i = 0; i < in_a.size(); ++i) {
    std::uint32_t fits_of_a = 0;
    for (std::size_t j = 0; j < in_b.size(); ++j) {
      if (!fits(in_a[i].id, in_b[j].id)) continue;
      ++fits_of_a;
      ++fits_of_b[j];
      choice[i] = static_cast<std::uint32_t>(j);
    }
    if (fits_of_a != 1) choice[i] = none;
  }
  for (std::size_t i = 0; i < in_a.size(); ++i) {
    if (choice[i] == none || fits_of_b[choice[i]] != 1) continue;
    if (pairs_.is_free_b(in_b[choice[i]].id)) pairs_.match(in_a[i].id, in_b[choice[i]].id);
  }
}

bool spreader::spread_again() {
  const std::size_t before = pairs_.free_count();
  for (int round = 0; round < most_rounds && !pairs_.is_done(); ++round) {
    const std::size_t at_start = pairs_.free_count();
    for (std::uint32_t a = 0; a < pairs_.a().size(); ++a) {
      if (!pairs_.is_free_a(a)) continue;
      for (const std::uint32_t o : pairs_.a().side().operands(a)) {
        if (!pairs_.is_free_a(o) && pairs_.a().uses(o).size() <= most_uses_searched) {
          pairs_.make_fresh(o);
        }
      }
      for (const node_use& u : pairs_.a().uses(a)) {
        if (!pairs_.is_free_a(u.user)) pairs_.make_fresh(u.user);
      }
    }
    spread();
    if (pairs_.free_count() == at_start) break;
  }
  return pairs_.free_count() != before;
}

}  // namespace opscope::matching
