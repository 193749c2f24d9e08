#include "plugin/compare/budget.hpp"

#include <algorithm>
#include <tuple>

#include "plugin/compare/select.hpp"

namespace opscope {

namespace {

auto identity(const budget_entry& e) { return std::tie(e.graph, e.target, e.stage, e.pass); }
auto identity(const ledger_record& r) { return std::tie(r.graph, r.target, r.stage, r.pass); }

std::string name_of(const budget_entry& e) { return e.graph + " for " + e.target; }

std::optional<std::uint64_t> need_of(const ledger_record& r) {
  return r.need ? std::optional{r.need->version} : std::nullopt;
}

std::string versions(const std::string& rule, const std::optional<std::uint64_t>& need) {
  return rule + (need ? ", need " + std::to_string(*need) : ", without needs");
}

growth_limit limit_of(const budget& b, metric_index m) {
  for (const growth_limit& t : b.tolerance) {
    if (t.metric == m) return t;
  }
  growth_limit none;
  none.metric = m;
  none.text = "0";
  return none;
}

class budget_check {
 public:
  budget_check(const budget& b, std::span<const ledger_record> records,
               const budget_settings& settings)
      : budget_{b}, records_{records}, settings_{settings} {}

  gate_result run() {
    if (settings_.lines_left_out != 0) {
      trouble(std::to_string(settings_.lines_left_out) +
              " lines of the ledger were no record and left out: what stood there may be what the "
              "budget holds; compile again, or remove the noted lines");
    }
    for (const budget_entry& e : budget_.entries) check(e);
    if (result_.checked == 0 && result_.trouble.empty()) {
      trouble("all that the budget has is unknown, so it decides nothing; hold other metrics");
    }
    for (const ledger_record& r : records_) {
      if (r.stage == "lowered" && entry_of(r) == nullptr) outside(r);
    }
    sort_offences(result_.offences);
    result_.allowed = settings_.allow;
    return std::move(result_);
  }

 private:
  void trouble(std::string what) { result_.trouble.push_back(std::move(what)); }

  const budget_entry* entry_of(const ledger_record& r) const {
    const auto at = std::find_if(budget_.entries.begin(), budget_.entries.end(),
                                 [&](const budget_entry& e) { return identity(e) == identity(r); });
    return at == budget_.entries.end() ? nullptr : &*at;
  }

  void outside(const ledger_record& r) {
    if (!settings_.fail_on_new) {
      return result_.skipped.push_back(r.graph + " for " + r.target +
                                       ": not in the budget; --update adds it");
    }
    ++result_.checked;
    offence o;
    o.what = offence::kind::graph_is_new;
    o.graph = r.graph;
    o.target = r.target;
    o.stage = r.stage;
    result_.offences.push_back(std::move(o));
  }

  void check(const budget_entry& e) {
    const auto at = std::find_if(records_.begin(), records_.end(), [&](const ledger_record& r) {
      return identity(r) == identity(e);
    });
    if (at == records_.end()) {
      return trouble(name_of(e) +
                     ": the ledger has no such graph, so its budget decides nothing; compile it, "
                     "or take it out of the budget");
    }
    const ledger_record& r = *at;
    if (r.rule != budget_.rule || need_of(r) != budget_.need) {
      return trouble(name_of(e) + ": counted by " + versions(r.rule, need_of(r)) +
                     ", and the budget by " + versions(budget_.rule, budget_.need) +
                     "; `opscope recost` the ledger, or --update the budget");
    }
    if (e.source && r.source && *e.source != *r.source && !settings_.across_models) {
      return trouble(name_of(e) + ": the model changed, not only the compiler (source " +
                     *r.source + ", in the budget " + *e.source +
                     "); --update the budget, or --across-models");
    }
    if (bound_text(r) != e.bound) {
      const auto sizes = [](const std::string& s) { return s.empty() ? "none" : s; };
      return trouble(name_of(e) + ": dynamic dims were given other sizes (" + sizes(bound_text(r)) +
                     ", in the budget " + sizes(e.bound) +
                     "); compile with the same OPSCOPE_BIND, or --update the budget");
    }
    for (const auto& [m, was] : e.figures) hold(e, r, m, was);
  }

  void hold(const budget_entry& e, const ledger_record& r, metric_index m, const measure& was) {
    const growth_limit limit = limit_of(budget_, m);
    const gated_figure is = gated(r, m);
    const verdict v = judge(limit, {was, e.unknown_nodes}, is);
    if (v == verdict::missing) {
      return trouble(name_of(e) + ": the record says nothing of " + std::string{metrics()[m].name} +
                     ", which the budget holds");
    }
    if (was.is_unknown()) {
      const std::string what = name_of(e) + ": " + std::string{metrics()[m].name};
      return result_.skipped.push_back(
          what + (is.value.is_unknown()
                      ? " is unknown, as the budget has it"
                      : " is known now, and the budget has it as unknown; --update holds it"));
    }
    ++result_.checked;
    if (v == verdict::within) return;
    if (v == verdict::undecided) {
      return trouble(name_of(e) + ": " + std::string{metrics()[m].name} +
                     " was open upward when the budget was made, and how it grew cannot be told; "
                     "--update the budget");
    }
    offence o;
    o.what = v == verdict::beyond ? offence::kind::grown : offence::kind::turned_unknown;
    o.graph = e.graph;
    o.target = e.target;
    o.stage = e.stage;
    o.metric = m;
    o.limit = limit.text;
    o.base = was;
    o.next = is.value;
    result_.offences.push_back(std::move(o));
  }

  const budget& budget_;
  std::span<const ledger_record> records_;
  const budget_settings& settings_;
  gate_result result_;
};

}  // namespace

std::vector<metric_index> default_budget_metrics() {
  std::vector<metric_index> all;
  for (const char* name :
       {"need.bytes.lo", "need.weights.lo", "need.invariant", "need.work.lo", "graph_io",
        "rule.bytes", "memory.arena_bytes", "unknown_nodes", "nodes"}) {
    all.push_back(find_metric(name).value());
  }
  return all;
}

gate_result check_budget(const budget& b, std::span<const ledger_record> records,
                         const budget_settings& settings) {
  return budget_check{b, records, settings}.run();
}

std::vector<std::string> update_budget(budget& b, std::span<const ledger_record> records) {
  std::vector<std::string> notes;
  for (const ledger_record& r : records) {
    const ledger_record& first = records.front();
    if (r.rule != first.rule || need_of(r) != need_of(first)) {
      throw ledger_error{"the ledger's records were counted by different versions (" +
                         versions(first.rule, need_of(first)) + "; " +
                         versions(r.rule, need_of(r)) + "); `opscope recost` makes them one"};
    }
  }
  const bool is_other = b.rule != records.front().rule || b.need != need_of(records.front());
  b.rule = records.front().rule;
  b.need = need_of(records.front());
  std::vector<budget_entry> kept;
  for (budget_entry& e : b.entries) {
    const bool is_renewed = std::any_of(records.begin(), records.end(),
                                        [&](const auto& r) { return identity(r) == identity(e); });
    if (is_renewed) continue;
    if (is_other) {
      throw ledger_error{name_of(e) +
                         ": not in the ledger, and its figures were counted by another version; "
                         "compile it too, or take it out of the budget"};
    }
    notes.push_back(name_of(e) + ": not in the ledger; kept as it was");
    kept.push_back(std::move(e));
  }
  for (const ledger_record& r : records) {
    budget_entry e{r.graph, r.target, r.stage, r.pass, r.source, bound_text(r), {}, 0};
    e.unknown_nodes = r.need ? r.need->totals.unknown_nodes : 0;
    for (const metric_index m : b.metrics) {
      const measure is = metrics()[m].of_record(r);
      if (!is.is_missing()) e.figures.emplace_back(m, is);
      if (is.is_known()) continue;
      notes.push_back(name_of(e) + ": " + std::string{metrics()[m].name} +
                      (is.is_missing() ? " is not recorded; left out"
                                       : " is unknown; nothing holds it until it is known"));
    }
    if (e.figures.empty()) {
      throw ledger_error{name_of(e) + ": none of the budget's metrics is recorded of it"};
    }
    kept.push_back(std::move(e));
  }
  b.entries = std::move(kept);
  std::sort(b.entries.begin(), b.entries.end(),
            [](const budget_entry& x, const budget_entry& y) { return identity(x) < identity(y); });
  return notes;
}

}  // namespace opscope
