#include "plugin/compare/match.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "plugin/compare/group.hpp"
#include "plugin/compare/operation.hpp"

namespace opscope {

namespace {

constexpr std::uint32_t none = node_matching::none;
// A node that more nodes read than this is no place to search from.
constexpr std::size_t most_uses_searched = 64;
constexpr int most_rounds = 16;

struct keyed_node {
  std::uint64_t key;
  std::uint32_t id;
  friend bool operator<(const keyed_node& x, const keyed_node& y) {
    return x.key != y.key ? x.key < y.key : x.id < y.id;
  }
};

enum class policy { unique, in_order, in_order_as_far_as_they_go };

class matcher {
 public:
  matcher(const node_context& a, const node_context& b) : a_{a}, b_{b} {
    to_b_.assign(a.size(), none);
    to_a_.assign(b.size(), none);
    free_a_ = a.size();
    free_b_ = b.size();
  }

  void run() {
    find_anchors();
    match_by_surroundings();
    match_by_place({false, false});
    match_islands();
    for (const demand d : {demand{false, true}, demand{true, false}, demand{true, true}}) {
      match_by_place(d);
    }
    takes_twins_ = true;
    spread_again();
    pair([](const node_context& c, std::uint32_t id) { return c.above(id); },
         policy::in_order_as_far_as_they_go);
    pair([](const node_context& c,
            std::uint32_t id) { return mixed(c.above_unnamed(id), c.below(id)); },
         policy::in_order_as_far_as_they_go,
         [&](std::uint32_t x, std::uint32_t y) { return !is_contradicted(x, y); });
    drop_contradicted();
    match_leaves_of_groups();
  }

  std::vector<std::uint32_t> take_to_b() { return std::move(to_b_); }
  std::vector<std::uint32_t> take_to_a() { return std::move(to_a_); }

 private:
  static constexpr auto any_pair = [](std::uint32_t, std::uint32_t) { return true; };

  bool is_done() const { return free_a_ == 0 || free_b_ == 0; }
  bool is_free_a(std::uint32_t a) const { return to_b_[a] == none; }
  bool is_free_b(std::uint32_t b) const { return to_a_[b] == none; }

  void match(std::uint32_t a, std::uint32_t b) {
    to_b_[a] = b;
    to_a_[b] = a;
    --free_a_;
    --free_b_;
    fresh_.push_back(a);
  }

  // ---- By equal keys

  template <class Key>
  static void collect(const node_context& c, const std::vector<std::uint32_t>& to, const Key& key,
                      std::vector<keyed_node>& nodes) {
    nodes.clear();
    for (std::uint32_t id = 0; id < c.size(); ++id) {
      if (to[id] == none) nodes.push_back({key(c, id), id});
    }
    std::sort(nodes.begin(), nodes.end());
  }

  // Free nodes of one key: where each side has one of them; where both have as many, in the order
  // of their ids; or as many as there are. `accept` has the last word. Key 0 is no key.
  template <class Key, class Accept>
  bool pair(const Key& key, policy p, const Accept& accept) {
    if (is_done()) return false;
    keyed_a_.reserve(free_a_);
    keyed_b_.reserve(free_b_);
    collect(a_, to_b_, key, keyed_a_);
    collect(b_, to_a_, key, keyed_b_);
    return pair_lists(keyed_a_, keyed_b_, p, accept);
  }
  template <class Accept>
  bool pair_lists(const std::vector<keyed_node>& in_a, const std::vector<keyed_node>& in_b,
                  policy p, const Accept& accept) {
    const std::size_t before = free_a_;
    auto x = in_a.begin();
    auto y = in_b.begin();
    while (x != in_a.end() && y != in_b.end()) {
      if (x->key != y->key) {
        ++(x->key < y->key ? x : y);
        continue;
      }
      const auto is_other = [k = x->key](const keyed_node& n) { return n.key != k; };
      const auto x_end = std::find_if(x, in_a.end(), is_other);
      const auto y_end = std::find_if(y, in_b.end(), is_other);
      const auto count_a = x_end - x;
      const auto count_b = y_end - y;
      const bool fits = p == policy::unique     ? count_a == 1 && count_b == 1
                        : p == policy::in_order ? count_a == count_b
                                                : true;
      if (fits && x->key != 0) {
        for (auto i = x, j = y; i != x_end && j != y_end; ++i, ++j) {
          if (accept(i->id, j->id)) match(i->id, j->id);
        }
      }
      x = x_end;
      y = y_end;
    }
    return free_a_ != before;
  }
  template <class Key>
  bool pair(const Key& key, policy p) {
    return pair(key, p, any_pair);
  }

  void find_anchors() {
    pair([](const node_context& c, std::uint32_t id) { return mixed(c.above(id), c.below(id)); },
         policy::in_order);
    pair([](const node_context& c, std::uint32_t id) { return c.above(id); }, policy::unique);
    pair_leaves_by_name();
    // Names first: a model with a layer less looks the same from its outputs upward, a layer off.
    spread();
    const auto is_possible = [&](std::uint32_t x, std::uint32_t y) {
      return !is_contradicted(x, y);
    };
    pair([](const node_context& c,
            std::uint32_t id) { return mixed(c.above_unnamed(id), c.below(id)); },
         policy::in_order, is_possible);
    pair([](const node_context& c, std::uint32_t id) { return c.below(id); }, policy::unique,
         is_possible);
    pair([](const node_context& c,
            std::uint32_t id) { return mixed(c.frame_above(id), c.frame_below(id)); },
         policy::in_order, is_possible);
    spread();
  }
  // Of one type and shape first. Another shape is a change of the leaf only where no other leaf is
  // used as it was: names that a compiler counts up move from leaf to leaf.
  void pair_leaves_by_name() {
    pair(
        [](const node_context& c, std::uint32_t id) {
          const std::uint64_t name = leaf_key(c, id);
          return name == 0 ? 0 : mixed(name, c.operation(id));
        },
        policy::unique);
    if (is_done()) return;
    const auto use = [](const node_context& c, std::uint32_t id) {
      return c.side().is_leaf(id) ? mixed(c.operation(id), c.below(id)) : 0;
    };
    std::vector<keyed_node> uses_in_a;
    std::vector<keyed_node> uses_in_b;
    collect(a_, to_b_, use, uses_in_a);
    collect(b_, to_a_, use, uses_in_b);
    const auto has = [](const std::vector<keyed_node>& all, std::uint64_t key) {
      const auto at = std::lower_bound(all.begin(), all.end(), keyed_node{key, 0});
      return at != all.end() && at->key == key;
    };
    pair(leaf_key, policy::unique, [&](std::uint32_t x, std::uint32_t y) {
      return !has(uses_in_b, use(a_, x)) && !has(uses_in_a, use(b_, y));
    });
  }
  // A leaf by its name, whatever its shape.
  static std::uint64_t leaf_key(const node_context& c, std::uint32_t id) {
    const std::string_view name = c.side().leaf_name(id);
    return name.empty() ? 0 : mixed(c.kind(id), text_hash(name));
  }

  // ---- Along operands and users

  // Matches equal operations beside pairs that were made since the last call, and beside those.
  void spread() {
    while (!fresh_.empty() && !is_done()) {
      const std::uint32_t a = fresh_.back();
      fresh_.pop_back();
      if (to_b_[a] == none) continue;
      spread_to_operands(a, to_b_[a]);
      spread_to_users(a, to_b_[a]);
    }
    fresh_.clear();
  }
  void spread_to_operands(std::uint32_t a, std::uint32_t b) {
    const auto in_a = a_.side().operands(a);
    const auto in_b = b_.side().operands(b);
    for (std::size_t slot = 0; slot < std::min(in_a.size(), in_b.size()); ++slot) {
      const std::uint32_t x = in_a[slot];
      const std::uint32_t y = in_b[slot];
      if (is_free_a(x) && is_free_b(y) && a_.operation(x) == b_.operation(y)) match(x, y);
    }
  }
  void spread_to_users(std::uint32_t a, std::uint32_t b) {
    const auto collect_users = [](const node_context& c, const std::vector<std::uint32_t>& to,
                                  std::uint32_t id, std::vector<keyed_node>& users) {
      users.clear();
      for (const node_use& u : c.uses(id)) {
        if (to[u.user] == none) users.push_back({mixed(c.operation(u.user), u.slot + 1), u.user});
      }
      std::sort(users.begin(), users.end());
    };
    collect_users(a_, to_b_, a, users_a_);
    if (users_a_.empty()) return;
    collect_users(b_, to_a_, b, users_b_);
    auto x = users_a_.begin();
    auto y = users_b_.begin();
    while (x != users_a_.end() && y != users_b_.end()) {
      if (x->key != y->key) {
        ++(x->key < y->key ? x : y);
        continue;
      }
      const auto is_other = [k = x->key](const keyed_node& n) { return n.key != k; };
      const auto x_end = std::find_if(x, users_a_.end(), is_other);
      const auto y_end = std::find_if(y, users_b_.end(), is_other);
      match_only_fits({x, x_end}, {y, y_end});
      x = x_end;
      y = y_end;
    }
  }
  // Equal operations that read one node in one place. One of each are the same; of several, those
  // whose other operands leave one choice.
  void match_only_fits(std::span<const keyed_node> in_a, std::span<const keyed_node> in_b) {
    if (in_a.size() == 1 && in_b.size() == 1) {
      if (is_free_a(in_a[0].id) && is_free_b(in_b[0].id)) match(in_a[0].id, in_b[0].id);
      return;
    }
    constexpr std::size_t most_compared = 16;
    if (in_a.size() > most_compared || in_b.size() > most_compared) return;
    std::array<std::uint32_t, most_compared> fits_of_b{};
    std::array<std::uint32_t, most_compared> choice{};
    for (std::size_t i = 0; i < in_a.size(); ++i) {
      choice[i] = none;
      if (!is_free_a(in_a[i].id)) continue;
      std::uint32_t fits = 0;
      for (std::size_t j = 0; j < in_b.size(); ++j) {
        if (!is_free_b(in_b[j].id) || !has_fitting_operands(in_a[i].id, in_b[j].id)) continue;
        ++fits;
        ++fits_of_b[j];
        choice[i] = static_cast<std::uint32_t>(j);
      }
      if (fits != 1) choice[i] = none;
    }
    if (takes_twins_ && in_a.size() == in_b.size()) {
      for (std::size_t i = 0; i < in_a.size(); ++i) {
        const std::uint32_t a = in_a[i].id;
        const std::uint32_t b = in_b[i].id;
        if (is_free_a(a) && is_free_b(b) && has_fitting_operands(a, b)) match(a, b);
      }
      return;
    }
    for (std::size_t i = 0; i < in_a.size(); ++i) {
      if (choice[i] == none || fits_of_b[choice[i]] != 1) continue;
      if (is_free_b(in_b[choice[i]].id)) match(in_a[i].id, in_b[choice[i]].id);
    }
  }
  // Each operand and what is in its place are a pair, or both have no counterpart yet.
  bool has_fitting_operands(std::uint32_t a, std::uint32_t b) const {
    const auto in_a = a_.side().operands(a);
    const auto in_b = b_.side().operands(b);
    return std::equal(in_a.begin(), in_a.end(), in_b.begin(), in_b.end(),
                      [&](std::uint32_t x, std::uint32_t y) {
                        return to_b_[x] == y || (is_free_a(x) && is_free_b(y));
                      });
  }
  // What was ambiguous beside a pair may be so no more.
  bool spread_again() {
    const std::size_t before = free_a_;
    for (int round = 0; round < most_rounds && !is_done(); ++round) {
      const std::size_t at_start = free_a_;
      for (std::uint32_t a = 0; a < a_.size(); ++a) {
        if (!is_free_a(a)) continue;
        for (const std::uint32_t o : a_.side().operands(a)) {
          if (!is_free_a(o) && a_.uses(o).size() <= most_uses_searched) fresh_.push_back(o);
        }
        for (const node_use& u : a_.uses(a)) {
          if (!is_free_a(u.user)) fresh_.push_back(u.user);
        }
      }
      spread();
      if (free_a_ == at_start) break;
    }
    return free_a_ != before;
  }

  // ---- By surroundings, between anchors

  // Numbers the stretches between pairs that are in the same order on both sides.
  void cut_into_segments() {
    std::vector<std::uint32_t> tails;    // the last b of the best chain of each length
    std::vector<std::uint32_t> tail_of;  // and its a
    std::vector<std::uint32_t> before(a_.size(), none);
    for (std::uint32_t a = 0; a < a_.size(); ++a) {
      const std::uint32_t b = to_b_[a];
      if (b == none) continue;
      const bool is_longest = tails.empty() || b > tails.back();
      const auto at = is_longest ? tails.end() : std::lower_bound(tails.begin(), tails.end(), b);
      const auto length = static_cast<std::size_t>(at - tails.begin());
      if (length != 0) before[a] = tail_of[length - 1];
      if (is_longest) {
        tails.push_back(b);
        tail_of.push_back(a);
      } else {
        tails[length] = b;
        tail_of[length] = a;
      }
    }
    std::vector<bool> is_anchor_a(a_.size());
    std::vector<bool> is_anchor_b(b_.size());
    for (std::uint32_t a = tail_of.empty() ? none : tail_of.back(); a != none; a = before[a]) {
      is_anchor_a[a] = true;
      is_anchor_b[to_b_[a]] = true;
    }
    const auto number = [](const std::vector<bool>& is_anchor, std::vector<std::uint32_t>& to) {
      to.resize(is_anchor.size());
      std::uint32_t segment = 1;
      for (std::size_t id = 0; id < is_anchor.size(); ++id) {
        segment += is_anchor[id] ? 1 : 0;
        to[id] = segment;
      }
    };
    number(is_anchor_a, segment_a_);
    number(is_anchor_b, segment_b_);
  }

  template <class Colour, class Accept>
  bool pair_in_segments(const Colour& colour, policy p, const Accept& accept) {
    if (is_done()) return false;
    cut_into_segments();
    const bool found = pair(
        [&](const node_context& c, std::uint32_t id) {
          const std::uint64_t key = colour(c, id);
          if (key == 0) return key;
          return mixed(key, (&c == &a_ ? segment_a_ : segment_b_)[id]);
        },
        p, accept);
    if (found) spread();
    return found;
  }

  void match_by_surroundings() {
    spread_again();
    if (is_done()) return;
    const std::vector<std::uint64_t> near_a = a_.widened(a_.operations());
    const std::vector<std::uint64_t> near_b = b_.widened(b_.operations());
    const std::vector<std::uint64_t> far_a = a_.widened(near_a);
    const std::vector<std::uint64_t> far_b = b_.widened(near_b);
    const auto far = [&](const node_context& c, std::uint32_t id) {
      return (&c == &a_ ? far_a : far_b)[id];
    };
    const auto near = [&](const node_context& c, std::uint32_t id) {
      return (&c == &a_ ? near_a : near_b)[id];
    };
    const auto operation = [](const node_context& c, std::uint32_t id) { return c.operation(id); };
    const auto labelled = [](const auto& colour) {
      return [&colour](const node_context& c, std::uint32_t id) {
        return mixed(colour(c, id), c.label(id));
      };
    };
    bool goes_on = true;
    for (int round = 0; goes_on && round < most_rounds && !is_done(); ++round) {
      goes_on = pair_in_segments(labelled(far), policy::in_order, any_pair);
      goes_on |= pair_in_segments(labelled(near), policy::in_order, any_pair);
      goes_on |=
          pair_in_segments([&](const node_context& c,
                               std::uint32_t id) { return c.side().is_leaf(id) ? 0 : far(c, id); },
                           policy::in_order, any_pair);
      goes_on |= pair_in_segments(
          labelled(operation), policy::in_order,
          [&](std::uint32_t x, std::uint32_t y) { return has_common_neighbour(x, y); });
      goes_on |= spread_again();
    }
  }

  bool has_common_neighbour(std::uint32_t a, std::uint32_t b) const {
    const auto in_a = a_.side().operands(a);
    const auto in_b = b_.side().operands(b);
    for (std::size_t slot = 0; slot < std::min(in_a.size(), in_b.size()); ++slot) {
      if (to_b_[in_a[slot]] == in_b[slot]) return true;
    }
    if (has_common_user(a, b)) return true;
    return a_.output_hash(a) != 0 && a_.output_hash(a) == b_.output_hash(b);
  }

  // ---- By place alone: what reads the same, or is read by the same, is the same changed

  // How sure a match by place has to be. Twins, which read the same and do the same, are told apart
  // by who reads them; only in the end they are taken as they come.
  struct demand {
    bool any_character;  // of one kind is enough
    bool any_twin;
  };
  void match_by_place(const demand& d) {
    bool goes_on = true;
    for (int round = 0; goes_on && round < most_rounds && !is_done(); ++round) {
      goes_on = match_by_operands(d);
      goes_on |= match_by_users(d.any_character);
      if (goes_on) spread();
      goes_on |= spread_again();
    }
  }
  bool is_like(std::uint32_t a, std::uint32_t b, bool any_character) const {
    return any_character ? a_.kind(a) == b_.kind(b) : a_.character(a) == b_.character(b);
  }

  bool match_by_operands(const demand& d) {
    const std::size_t before = free_a_;
    for (std::uint32_t a = 0; a < a_.size() && !is_done(); ++a) {
      if (!is_free_a(a)) continue;
      if (const std::uint32_t b = same_operands(a, d); b != none) match(a, b);
    }
    return free_a_ != before;
  }
  // The free node like a that reads the counterparts of a's operands; of several the most alike.
  std::uint32_t same_operands(std::uint32_t a, const demand& d) const {
    const auto in_a = a_.side().operands(a);
    std::uint32_t from = none;  // the operand with the fewest users
    for (const std::uint32_t x : in_a) {
      if (is_free_a(x)) return none;
      if (from == none || a_.uses(x).size() < a_.uses(from).size()) from = x;
    }
    if (from == none || a_.uses(from).size() > most_uses_searched ||
        b_.uses(to_b_[from]).size() > most_uses_searched) {
      return none;
    }
    std::uint32_t found = none;
    int most = -1;
    std::uint32_t candidates = 0;
    std::uint32_t previous = none;  // an operand read twice names its user twice
    for (const node_use& u : b_.uses(to_b_[from])) {
      const std::uint32_t b = u.user;
      const auto in_b = b_.side().operands(b);
      if (b == previous || !is_free_b(b) || !is_like(a, b, d.any_character) ||
          !std::equal(in_a.begin(), in_a.end(), in_b.begin(), in_b.end(),
                      [&](std::uint32_t x, std::uint32_t y) { return to_b_[x] == y; })) {
        continue;
      }
      previous = b;
      ++candidates;
      const int agreement = 8 * (has_common_user(a, b) ? 1 : 0) +
                            4 * (a_.operation(a) == b_.operation(b) ? 1 : 0) +
                            2 * (a_.frame_below(a) == b_.frame_below(b) ? 1 : 0) +
                            (a_.label(a) == b_.label(b) ? 1 : 0);
      if (agreement <= most) continue;
      most = agreement;
      found = b;
    }
    if (d.any_twin || most >= 8) return found;
    return candidates == 1 && !has_free_twin(a, from, d) ? found : none;
  }
  bool has_free_twin(std::uint32_t a, std::uint32_t operand, const demand& d) const {
    const auto in_a = a_.side().operands(a);
    const auto uses = a_.uses(operand);
    return std::any_of(uses.begin(), uses.end(), [&](const node_use& u) {
      const auto in_other = a_.side().operands(u.user);
      const bool is_alike =
          d.any_character ? a_.kind(a) == a_.kind(u.user) : a_.character(a) == a_.character(u.user);
      return u.user != a && is_free_a(u.user) && is_alike &&
             std::equal(in_a.begin(), in_a.end(), in_other.begin(), in_other.end());
    });
  }
  bool has_common_user(std::uint32_t a, std::uint32_t b) const {
    const auto uses = a_.uses(a);
    const auto near = uses.first(std::min(uses.size(), most_uses_searched));
    return std::any_of(near.begin(), near.end(), [&](const node_use& u) {
      if (is_free_a(u.user)) return false;
      const auto there = b_.side().operands(to_b_[u.user]);
      return u.slot < there.size() && there[u.slot] == b;
    });
  }

  bool match_by_users(bool any_character) {
    const std::size_t before = free_a_;
    for (std::uint32_t a = a_.size(); a-- != 0 && !is_done();) {
      if (!is_free_a(a)) continue;
      if (const std::uint32_t b = same_users(a, any_character); b != none) match(a, b);
    }
    return free_a_ != before;
  }
  // The free node like a that the counterparts of a's users read in its place.
  std::uint32_t same_users(std::uint32_t a, bool any_character) const {
    const auto uses = a_.uses(a);
    std::uint32_t found = none;
    if (uses.empty()) {
      found = same_output(a);
      if (found == none || !is_free_b(found)) return none;
    }
    for (const node_use& u : uses) {
      if (is_free_a(u.user)) return none;
      const auto there = b_.side().operands(to_b_[u.user]);
      if (u.slot >= there.size()) return none;
      const std::uint32_t b = there[u.slot];
      if (!is_free_b(b) || (found != none && found != b)) return none;
      found = b;
    }
    const bool fits = is_like(a, found, any_character) && b_.uses(found).size() == uses.size() &&
                      a_.output_hash(a) == b_.output_hash(found);
    return fits ? found : none;
  }
  std::uint32_t same_output(std::uint32_t a) const {
    if (a_.output_hash(a) == 0) return none;
    const auto out_a = a_.side().graph().outputs();
    const auto out_b = b_.side().graph().outputs();
    for (std::size_t i = 0; i < std::min(out_a.size(), out_b.size()); ++i) {
      if (out_a[i] == a) return out_b[i];
    }
    return none;
  }

  // ---- Islands, of which no neighbour has a counterpart: alone of their kind between two anchors

  void match_islands() {
    const auto is_possible = [&](std::uint32_t x, std::uint32_t y) {
      return !is_contradicted(x, y);
    };
    const auto operation = [](const node_context& c, std::uint32_t id) {
      return c.side().is_leaf(id) ? 0 : c.operation(id);
    };
    const auto labelled = [&](const node_context& c, std::uint32_t id) {
      return c.side().is_leaf(id) ? 0 : mixed(c.operation(id), c.label(id));
    };
    bool goes_on = true;
    for (int round = 0; goes_on && round < most_rounds && !is_done(); ++round) {
      goes_on = pair_in_segments(labelled, policy::unique, is_possible);
      goes_on |= pair_in_segments(operation, policy::unique, is_possible);
      if (!goes_on) {  // where the order of nodes says nothing
        goes_on = pair(labelled, policy::unique, is_possible);
        goes_on |= pair(operation, policy::unique, is_possible);
        spread();
      }
      goes_on |= spread_again();
      if (goes_on) match_by_place({false, false});
    }
    pair([](const node_context& c, std::uint32_t id) { return mixed(c.kind(id), c.label(id)); },
         policy::unique,
         [&](std::uint32_t x, std::uint32_t y) { return has_common_neighbour(x, y); });
    spread();
  }

  // ---- Pairs that only their surroundings spoke for, and whose neighbours are elsewhere

  void drop_contradicted() {
    for (std::uint32_t a = 0; a < a_.size(); ++a) {
      if (is_free_a(a) || a_.side().is_leaf(a)) continue;
      const std::uint32_t b = to_b_[a];
      if (has_common_neighbour(a, b) || !is_contradicted(a, b)) continue;
      to_a_[b] = none;
      to_b_[a] = none;
      ++free_a_;
      ++free_b_;
    }
  }
  // An operand, or what a user reads in the node's place, has its counterpart elsewhere.
  bool is_contradicted(std::uint32_t a, std::uint32_t b) const {
    const auto in_a = a_.side().operands(a);
    const auto in_b = b_.side().operands(b);
    for (std::size_t slot = 0; slot < std::min(in_a.size(), in_b.size()); ++slot) {
      if (to_b_[in_a[slot]] != in_b[slot] && !is_free_a(in_a[slot]) && !is_free_b(in_b[slot])) {
        return true;
      }
    }
    const auto uses = a_.uses(a);
    for (const node_use& u : uses.first(std::min(uses.size(), most_uses_searched))) {
      if (is_free_a(u.user)) continue;
      const auto there = b_.side().operands(to_b_[u.user]);
      if (u.slot < there.size() && there[u.slot] != b && !is_free_b(there[u.slot])) return true;
    }
    return false;
  }

  // ---- Renamed leaves of nodes that became others

  void match_leaves_of_groups() {
    if (is_done()) return;
    const auto leaves = [](const node_context& c, const std::vector<std::uint32_t>& ids) {
      std::vector<keyed_node> all;
      for (const std::uint32_t id : ids) {
        if (c.side().is_leaf(id)) all.push_back({c.operation(id), id});
      }
      std::sort(all.begin(), all.end());
      return all;
    };
    for (const node_group& g : group_unmatched(a_, b_, {to_b_, to_a_})) {
      if (!g.base.empty() && !g.next.empty())
        pair_lists(leaves(a_, g.base), leaves(b_, g.next), policy::in_order, any_pair);
    }
  }

  const node_context& a_;
  const node_context& b_;
  std::vector<std::uint32_t> to_b_;
  std::vector<std::uint32_t> to_a_;
  std::size_t free_a_;
  std::size_t free_b_;
  std::vector<std::uint32_t> fresh_;  // a of pairs whose neighbours were not looked at yet
  bool takes_twins_ = false;  // equal nodes that nothing tells apart: in the order of their ids
  std::vector<keyed_node> keyed_a_;
  std::vector<keyed_node> keyed_b_;
  std::vector<keyed_node> users_a_;
  std::vector<keyed_node> users_b_;
  std::vector<std::uint32_t> segment_a_;
  std::vector<std::uint32_t> segment_b_;
};

}  // namespace

node_matching match_nodes(const node_context& base, const node_context& next) {
  // Always from the same side, so that either direction gives the same pairs.
  const bool is_turned = next.whole() < base.whole();
  matcher m{is_turned ? next : base, is_turned ? base : next};
  m.run();
  node_matching result{m.take_to_b(), m.take_to_a()};
  if (is_turned) result.new_of.swap(result.base_of);
  return result;
}

}  // namespace opscope
