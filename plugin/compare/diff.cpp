#include "plugin/compare/diff.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "plugin/compare/fold.hpp"
#include "plugin/compare/group.hpp"
#include "plugin/compare/match/match.hpp"
#include "plugin/compare/operation.hpp"

namespace opscope {

namespace {

constexpr std::uint32_t none = node_matching::none;
constexpr std::size_t most_ids_kept = 64;  // of a group, for the reader to find it again

std::uint64_t sum_of(const std::vector<kind_count>& kinds) {
  std::uint64_t sum = 0;
  for (const kind_count& k : kinds) sum += k.count;
  return sum;
}

bool is_fused_kind(const kind_count& k) {
  return k.kind.starts_with("Fused") || k.kind == "ElementwiseRegion";
}
// Holds a fused kind that the other has not.
bool has_fused(const std::vector<kind_count>& kinds, const std::vector<kind_count>& other) {
  return std::ranges::any_of(kinds, [&](const kind_count& k) {
    return is_fused_kind(k) && std::ranges::find(other, k.kind, &kind_count::kind) == other.end();
  });
}

// Counts kinds in the order in which they come up.
class kind_counter {
 public:
  explicit kind_counter(std::vector<kind_count>& kinds) : kinds_{kinds} {}
  void add(std::string_view kind) {
    if (last_ < kinds_.size() && kinds_[last_].kind == kind) {
      ++kinds_[last_].count;
      return;
    }
    const auto [at, is_new] = places_.try_emplace(kind, kinds_.size());
    if (is_new) kinds_.push_back({std::string{kind}, 0});
    last_ = at->second;
    ++kinds_[last_].count;
  }

 private:
  std::vector<kind_count>& kinds_;
  std::map<std::string_view, std::size_t> places_;
  std::size_t last_ = 0;
};

class differ {
 public:
  differ(const graph_side& base, const graph_side& next)
      : base_{base}, next_{next}, base_context_{base}, next_context_{next} {}

  graph_diff run() { return run(match_nodes(base_context_, next_context_)); }
  graph_diff run(node_matching matching) {
    m_ = std::move(matching);
    match_symbols();
    stamp_ = commonest_pass(next_);
    add_pairs();
    for (const node_group& g : group_unmatched(base_context_, next_context_, m_)) add_group(g);
    result_.rows = folder_.take();
    if (equal_nodes_ != 0) result_.rows.push_back(std::move(equal_));
    for (auto& [key, work] : new_invariant_) result_.new_invariant.push_back(std::move(work));
    for (auto& [key, work] : gone_invariant_) result_.gone_invariant.push_back(std::move(work));
    for (const diff_row& row : result_.rows) {
      result_.base.add(row.base);
      result_.next.add(row.next);
    }
    return std::move(result_);
  }

 private:
  using invariant_map = std::map<std::pair<std::string_view, std::size_t>, invariant_work>;

  static std::string_view pass_of(const graph_side& side, std::uint32_t id) {
    return rlx::text(side.graph().info(id).origin_pass);
  }
  // Compilers stamp all nodes with a pass that rebuilds the graph: it made none of them.
  static std::string_view commonest_pass(const graph_side& side) {
    std::map<std::string_view, std::uint32_t> counts;
    for (std::uint32_t id = 0; id < side.size(); ++id) ++counts[pass_of(side, id)];
    for (const auto& [pass, count] : counts) {
      if (2 * std::uint64_t{count} > side.size()) return pass;
    }
    return {};
  }

  // ---- Pairs

  // Symbols have numbers of their own in each graph: those of the first pair that has them.
  void match_symbols() {
    for (std::uint32_t a = 0; a < base_.size(); ++a) {
      if (base_.node(a).dynamic_dims != 0 && m_.new_of[a] != none)
        has_same_symbols(a, m_.new_of[a]);
    }
  }
  bool has_same_symbols(std::uint32_t a, std::uint32_t b) {
    const rlx_node& x = base_.node(a);
    const rlx_node& y = next_.node(b);
    if (x.dynamic_dims != y.dynamic_dims || x.rank != y.rank) return false;
    bool is_same = true;
    for (std::uint32_t d = 0; d < x.rank; ++d) {
      if (((x.dynamic_dims >> d) & 1) == 0) continue;
      const std::uint64_t s = base_.graph().dims(x)[d];
      const std::uint64_t t = next_.graph().dims(y)[d];
      is_same &= symbols_.try_emplace(s, t).first->second == t;
      is_same &= symbols_back_.try_emplace(t, s).first->second == s;
    }
    return is_same;
  }

  void add_pairs() {
    equal_.what = edit::equal;
    std::map<std::string_view, std::uint64_t> kinds;
    for (std::uint32_t a = 0; a < base_.size(); ++a) {
      const std::uint32_t b = m_.new_of[a];
      if (b == none) continue;
      std::vector<std::string> changes = changes_between(a, b);
      if (!changes.empty()) {
        add_changed(a, b, std::move(changes));
        continue;
      }
      ++equal_nodes_;
      equal_.base.add_node(base_, a);
      if (base_.is_leaf(a)) {
        ++equal_.base_leaves;
        result_.renamed_leaves += base_.leaf_name(a) != next_.leaf_name(b) ? 1 : 0;
      } else {
        ++kinds[base_.kind(a)];
      }
    }
    equal_.next = equal_.base;
    equal_.new_leaves = equal_.base_leaves;
    for (const auto& [kind, count] : kinds) equal_.base_kinds.push_back({std::string{kind}, count});
    equal_.new_kinds = equal_.base_kinds;
  }

  // Empty where the nodes are equal, operands and figures too.
  std::vector<std::string> changes_between(std::uint32_t a, std::uint32_t b) {
    std::vector<std::string> changes;
    const bool has_same_operation = base_context_.operation(a) == next_context_.operation(b) &&
                                    (base_.node(a).dynamic_dims == 0 || has_same_symbols(a, b));
    if (!has_same_operation) add_operation_changes(a, b, changes);
    const auto in_a = base_.operands(a);
    const auto in_b = next_.operands(b);
    if (in_a.size() != in_b.size()) {
      changes.push_back("operands " + std::to_string(in_a.size()) + " -> " +
                        std::to_string(in_b.size()));
    } else if (is_rewired(in_a, in_b)) {
      changes.emplace_back("other operands");
    }
    if (changes.empty() && !has_same_figures(a, b)) {
      changes.emplace_back(is_view(base_, a) != is_view(next_, b) ? "storage"
                           : has_same_operand_types(in_a, in_b)   ? "figures"
                                                                  : "size of operands");
    }
    return changes;
  }
  void add_operation_changes(std::uint32_t a, std::uint32_t b, std::vector<std::string>& changes) {
    const std::uint32_t found = find_differences(base_.graph(), a, next_.graph(), b);
    if ((found & differs_in_dtype) != 0) {
      changes.push_back("dtype " + std::string{rlx::text(base_.graph().info(a).dtype_text)} +
                        " -> " + std::string{rlx::text(next_.graph().info(b).dtype_text)});
    }
    if ((found & differs_in_shape) != 0 ||
        (base_.node(a).dynamic_dims != 0 && !has_same_symbols(a, b))) {
      changes.push_back("shape " + shape_text(base_.graph(), a) + " -> " +
                        shape_text(next_.graph(), b));
    }
    if ((found & differs_in_attributes) != 0) {
      for (const std::string& name : changed_attributes(base_.graph(), a, next_.graph(), b)) {
        changes.push_back("attribute " + name);
      }
    }
    if ((found & differs_in_nested_graphs) != 0) changes.emplace_back("nested graph");
  }
  // Where an operand or what is there now has no counterpart, its group tells.
  bool is_rewired(std::span<const std::uint32_t> in_a, std::span<const std::uint32_t> in_b) const {
    for (std::size_t slot = 0; slot < in_a.size(); ++slot) {
      const std::uint32_t there = m_.new_of[in_a[slot]];
      if (there != none && there != in_b[slot] && m_.base_of[in_b[slot]] != none) return true;
    }
    return false;
  }
  static bool is_view(const graph_side& side, std::uint32_t id) { return side.graph().is_view(id); }
  bool has_same_operand_types(std::span<const std::uint32_t> in_a,
                              std::span<const std::uint32_t> in_b) const {
    for (std::size_t slot = 0; slot < std::min(in_a.size(), in_b.size()); ++slot) {
      const std::uint32_t found =
          find_differences(base_.graph(), in_a[slot], next_.graph(), in_b[slot]);
      if ((found & (differs_in_dtype | differs_in_shape)) != 0) return false;
    }
    return true;
  }
  bool has_same_figures(std::uint32_t a, std::uint32_t b) const {
    const node_cost& x = base_.cost(a);
    const node_cost& y = next_.cost(b);
    if (x.unknown != y.unknown || !std::equal(x.raw, x.raw + 4, y.raw)) return false;
    const std::optional<node_need> n = base_.need(a);
    const std::optional<node_need> m = next_.need(b);
    if (n.has_value() != m.has_value()) return false;
    return !n || (n->read == m->read && n->written == m->written && n->weights == m->weights &&
                  n->work == m->work && n->contraction == m->contraction &&
                  n->int_ops == m->int_ops && n->is_invariant == m->is_invariant);
  }

  void add_changed(std::uint32_t a, std::uint32_t b, std::vector<std::string> changes) {
    diff_row row;
    row.what = edit::changed;
    row.label = name_group({&a, 1}, {&b, 1});
    row.changes = std::move(changes);
    if (const std::string_view pass = pass_of(next_, b);
        !pass.empty() && pass != stamp_ && pass != pass_of(base_, a)) {
      row.passes.emplace_back(pass);
    }
    describe(base_, {&a, 1}, row.base_kinds, row.base_leaves, row.base_ids, row.base);
    describe(next_, {&b, 1}, row.new_kinds, row.new_leaves, row.new_ids, row.next);
    if (base_.is_leaf(a)) {
      name_leaves(base_, {&a, 1}, row.base_kinds, row.base_leaves);
      name_leaves(next_, {&b, 1}, row.new_kinds, row.new_leaves);
    }
    const bool was = is_invariant(base_, a);
    const bool is = is_invariant(next_, b);
    if (is && !was) add_invariant(next_, b, new_invariant_);
    if (was && !is) add_invariant(base_, a, gone_invariant_);
    folder_.add(std::move(row));
  }

  // ---- Groups

  void add_group(const node_group& g) {
    diff_row row;
    describe(base_, g.base, row.base_kinds, row.base_leaves, row.base_ids, row.base);
    describe(next_, g.next, row.new_kinds, row.new_leaves, row.new_ids, row.next);
    if (row.base_kinds.empty() && row.new_kinds.empty()) {
      name_leaves(base_, g.base, row.base_kinds, row.base_leaves);
      name_leaves(next_, g.next, row.new_kinds, row.new_leaves);
    }
    row.what = name_edit(g, row);
    row.label = name_group(g.base, g.next);
    std::set<std::string_view> passes;
    for (const std::uint32_t id : g.next) {
      if (!next_.is_leaf(id) && !pass_of(next_, id).empty()) passes.insert(pass_of(next_, id));
      if (is_invariant(next_, id)) add_invariant(next_, id, new_invariant_);
    }
    for (const std::uint32_t id : g.base) {
      if (is_invariant(base_, id)) add_invariant(base_, id, gone_invariant_);
    }
    if (passes.size() > 1) passes.erase(stamp_);
    row.passes.assign(passes.begin(), passes.end());
    folder_.add(std::move(row));
  }

  static edit name_edit(const node_group& g, const diff_row& row) {
    if (g.base.empty()) return edit::added;
    if (g.next.empty()) return edit::removed;
    const std::uint64_t before = sum_of(row.base_kinds);
    const std::uint64_t after = sum_of(row.new_kinds);
    if (after != 0 && before > after && (after == 1 || has_fused(row.new_kinds, row.base_kinds))) {
      return edit::fused;
    }
    if (before != 0 && after > before &&
        (before == 1 || has_fused(row.base_kinds, row.new_kinds))) {
      return edit::split;
    }
    return edit::replaced;
  }

  // The label of the node that moves most, on either side.
  std::string name_group(std::span<const std::uint32_t> base,
                         std::span<const std::uint32_t> next) const {
    std::string_view best;
    std::uint64_t most = 0;
    bool is_first = true;
    const auto look = [&](const graph_side& side, std::span<const std::uint32_t> ids) {
      for (const std::uint32_t id : ids) {
        const std::uint64_t bytes = side.cost(id).bytes().value_or(0);
        if (!is_first && bytes < most) continue;
        const std::string_view label = side.label(id);
        if (is_first || bytes > most || label < best) best = label;
        most = bytes;
        is_first = false;
      }
    };
    look(base_, base);
    look(next_, next);
    return std::string{best};
  }

  static void describe(const graph_side& side, std::span<const std::uint32_t> ids,
                       std::vector<kind_count>& kinds, std::uint64_t& leaves,
                       std::vector<std::uint32_t>& kept, tally& t) {
    kind_counter counter{kinds};
    for (const std::uint32_t id : ids) {
      t.add_node(side, id);
      if (kept.size() < most_ids_kept) kept.push_back(id);
      if (side.is_leaf(id)) {
        ++leaves;
      } else {
        counter.add(side.kind(id));
      }
    }
  }
  // Where there is nothing else, leaves are what the row is of.
  static void name_leaves(const graph_side& side, std::span<const std::uint32_t> ids,
                          std::vector<kind_count>& kinds, std::uint64_t& leaves) {
    kind_counter counter{kinds};
    for (const std::uint32_t id : ids) counter.add(side.kind(id));
    leaves = 0;
  }

  static bool is_invariant(const graph_side& side, std::uint32_t id) {
    if (side.is_leaf(id)) return false;
    const std::optional<node_need> need = side.need(id);
    return need && need->is_invariant && !need->bytes().is_zero();
  }
  static void add_invariant(const graph_side& side, std::uint32_t id, invariant_map& to) {
    const std::size_t operands = side.operands(id).size();
    invariant_work& work = to[{side.kind(id), operands}];
    work.kind = side.kind(id);
    work.operands = operands;
    ++work.nodes;
    work.bytes.add(measure::low_end(side.need(id)->bytes()));
    const std::string_view pass = pass_of(side, id);
    if (!pass.empty() && work.passes.size() < row_folder::most_passes &&
        std::ranges::find(work.passes, pass) == work.passes.end()) {
      work.passes.emplace_back(pass);
    }
  }

  const graph_side& base_;
  const graph_side& next_;
  node_context base_context_;
  node_context next_context_;
  node_matching m_;
  std::map<std::uint64_t, std::uint64_t> symbols_;
  std::map<std::uint64_t, std::uint64_t> symbols_back_;
  std::string_view stamp_;
  row_folder folder_;
  diff_row equal_;
  std::uint64_t equal_nodes_ = 0;
  invariant_map new_invariant_;
  invariant_map gone_invariant_;
  graph_diff result_;
};

}  // namespace

std::string_view text(edit e) {
  constexpr std::string_view names[] = {"equal", "changed", "added",   "removed",
                                        "fused", "split",   "replaced"};
  return names[static_cast<std::size_t>(e)];
}

std::uint64_t diff_row::base_nodes() const { return sum_of(base_kinds); }
std::uint64_t diff_row::new_nodes() const { return sum_of(new_kinds); }

graph_diff compare_graphs(const graph_side& base, const graph_side& next) {
  return differ{base, next}.run();
}

graph_diff compare_graphs(const graph_side& base, const graph_side& next, node_matching matching) {
  return differ{base, next}.run(std::move(matching));
}

void sort_rows(std::vector<diff_row>& rows, metric_index by) {
  std::stable_sort(rows.begin(), rows.end(), [by](const diff_row& x, const diff_row& y) {
    if ((x.what == edit::equal) != (y.what == edit::equal)) return y.what == edit::equal;
    return is_worse(x.of(by), y.of(by));
  });
}

}  // namespace opscope
