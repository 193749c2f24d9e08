#include "plugin/compare/select.hpp"

#include <algorithm>
#include <map>

namespace opscope {

namespace {

// Records of one graph and target.
struct bundle {
  std::vector<const ledger_record*> base;
  std::vector<const ledger_record*> next;
};
using graph_and_target = std::pair<std::string, std::string>;

const ledger_record* find_stage(const std::vector<const ledger_record*>& all,
                                const ledger_record& like) {
  const auto at = std::ranges::find_if(
      all, [&](const ledger_record* r) { return r->stage == like.stage && r->pass == like.pass; });
  return at == all.end() ? nullptr : *at;
}

const ledger_record* find_lowered(const std::vector<const ledger_record*>& all) {
  const auto at =
      std::ranges::find_if(all, [](const ledger_record* r) { return r->stage == "lowered"; });
  return at == all.end() ? nullptr : *at;
}

class pairing {
 public:
  explicit pairing(bool every_stage) : every_stage_{every_stage} {}

  void add(const graph_and_target& key, const bundle& b) {
    if (b.base.empty() || b.next.empty()) {
      result.only_base.insert(result.only_base.end(), b.base.begin(), b.base.end());
      result.only_new.insert(result.only_new.end(), b.next.begin(), b.next.end());
      return;
    }
    if (!every_stage_ && find_lowered(b.base) != nullptr && find_lowered(b.next) != nullptr) {
      result.pairs.push_back({find_lowered(b.base), find_lowered(b.next)});
      return;
    }
    const std::size_t before = result.pairs.size();
    for (const ledger_record* r : b.base) {
      if (const ledger_record* other = find_stage(b.next, *r)) result.pairs.push_back({r, other});
    }
    if (result.pairs.size() != before) {
      // A compile that got less far is not the whole of what the other was.
      if (find_lowered(b.next) == nullptr) add_lowered(b.base, result.only_base);
      if (find_lowered(b.base) == nullptr) add_lowered(b.next, result.only_new);
      return;
    }
    if (b.base.size() == 1 && b.next.size() == 1) {
      result.pairs.push_back({b.base.front(), b.next.front()});
      return;
    }
    result.notes.push_back(key.first + " for " + key.second +
                           ": the sides have no stage in common; choose one of each by "
                           "LEDGER#GRAPH@STAGE");
    result.only_base.insert(result.only_base.end(), b.base.begin(), b.base.end());
    result.only_new.insert(result.only_new.end(), b.next.begin(), b.next.end());
  }

  record_pairs result;

 private:
  static void add_lowered(const std::vector<const ledger_record*>& all,
                          std::vector<const ledger_record*>& to) {
    if (const ledger_record* const r = find_lowered(all)) to.push_back(r);
  }
  bool every_stage_;
};

const std::string& name_on_new_side(const std::string& graph, const graph_renames& renames) {
  const auto renamed = std::ranges::find(renames, graph, &graph_renames::value_type::first);
  return renamed == renames.end() ? graph : renamed->second;
}

// Of all records, where they are of one graph and one target.
const ledger_record* only_graph_and_target(std::span<const ledger_record> all) {
  const bool is_one = std::ranges::all_of(all, [&](const ledger_record& r) {
    return r.graph == all.front().graph && r.target == all.front().target;
  });
  return is_one && !all.empty() ? &all.front() : nullptr;
}

}  // namespace

void check_renames(std::span<const ledger_record> base, std::span<const ledger_record> next,
                   const graph_renames& renames) {
  if (renames.empty()) return;
  for (const graph_renames::value_type& rename : renames) {
    const auto& [from, to] = rename;
    const std::string given = "--map " + from + "=" + to;
    const auto lacks = [&given](const char* side, const std::string& name) {
      return ledger_error{given + ": " + side + " has no graph \"" + name +
                          "\" among those compared; `opscope list` shows what is there"};
    };
    if (std::ranges::find(base, from, &ledger_record::graph) == base.end()) {
      throw lacks("BASE", from);
    }
    if (std::ranges::find(next, to, &ledger_record::graph) == next.end()) throw lacks("NEW", to);
    if (std::ranges::count(renames, from, &graph_renames::value_type::first) != 1) {
      throw ledger_error{given + ": \"" + from + "\" is mapped more than once; leave one"};
    }
  }
  std::map<std::string, std::string> base_graph_of;  // by its name on the new side
  for (const ledger_record& r : base) {
    const std::string& name = name_on_new_side(r.graph, renames);
    const auto [at, is_new] = base_graph_of.try_emplace(name, r.graph);
    if (!is_new && at->second != r.graph) {
      throw ledger_error{"--map: two graphs of BASE, \"" + at->second + "\" and \"" + r.graph +
                         "\", would both be \"" + name + "\", and one would not be compared"};
    }
  }
}

record_pairs pair_records(std::span<const ledger_record> base, std::span<const ledger_record> next,
                          const graph_renames& renames, bool every_stage, bool across_targets) {
  check_renames(base, next, renames);
  std::map<graph_and_target, std::size_t> places;
  std::vector<std::pair<graph_and_target, bundle>> bundles;  // in the order they came up
  const auto bundle_of = [&](const std::string& graph, const std::string& target) -> bundle& {
    const graph_and_target key{graph, target};
    const auto [at, is_new] = places.try_emplace(key, bundles.size());
    if (is_new) bundles.emplace_back(key, bundle{});
    return bundles[at->second].second;
  };
  for (const ledger_record& r : base) {
    bundle_of(name_on_new_side(r.graph, renames), r.target).base.push_back(&r);
  }
  const ledger_record* const a = only_graph_and_target(base);
  const ledger_record* const b = only_graph_and_target(next);
  const bool is_across = across_targets && a != nullptr && b != nullptr && a->target != b->target &&
                         name_on_new_side(a->graph, renames) == b->graph;
  for (const ledger_record& r : next) {
    bundle_of(r.graph, is_across ? a->target : r.target).next.push_back(&r);
  }
  pairing p{every_stage};
  if (is_across) {
    p.result.notes.push_back("targets differ: " + a->target + " is compared with " + b->target);
  }
  for (const auto& [key, both] : bundles) p.add(key, both);
  return std::move(p.result);
}

std::vector<found_obstacle> find_obstacles(const record_pair& pair) {
  const ledger_record& a = *pair.base;
  const ledger_record& b = *pair.next;
  std::vector<found_obstacle> found;
  if (a.source && b.source && *a.source != *b.source) {
    found.push_back({obstacle::other_source, "another graph entered the compiler (source " +
                                                 *a.source + ", then " + *b.source +
                                                 "): the model changed, not only the compiler"});
  }
  if (a.rule != b.rule) {
    found.push_back({obstacle::other_versions,
                     "the rule is of other versions (" + a.rule + ", then " + b.rule + ")"});
  }
  if (a.need && b.need && a.need->version != b.need->version) {
    found.push_back({obstacle::other_versions,
                     "the needs are of other versions (" + std::to_string(a.need->version) +
                         ", then " + std::to_string(b.need->version) +
                         "); `opscope recost` counts an old ledger anew"});
  }
  if (a.need && b.need && bound_text(a) != bound_text(b)) {
    const auto sizes = [](const ledger_record& r) {
      return r.bound.empty() ? std::string{"none"} : text(r.bound);
    };
    found.push_back({obstacle::other_bindings, "dynamic dims were given other sizes (" + sizes(a) +
                                                   ", then " + sizes(b) +
                                                   "); `opscope recost --bind` gives a ledger's "
                                                   "records the same"});
  }
  return found;
}

std::string stage_suffix(std::string_view stage, const std::optional<std::string>& pass) {
  if (stage == "lowered") return "";
  return ", " + (stage == "pass" && pass ? "after " + *pass : std::string{stage});
}

std::string bound_text(const ledger_record& r) {
  return r.totals.dynamic_nodes == 0 ? std::string{} : text(r.bound);
}

std::string stage_text(const ledger_record& r) {
  return r.stage == "pass" && r.pass ? "pass " + *r.pass : r.stage;
}

}  // namespace opscope
