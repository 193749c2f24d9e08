#include "plugin/compare/gate.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "plugin/compare/select.hpp"

namespace opscope {

namespace {

__extension__ using wide = unsigned __int128;

// 64 bits of growth times 100 times 10^decimals, and 64 bits times a percentage, stay in 128 bits.
constexpr unsigned most_decimals = 9;
constexpr std::uint64_t most_percent = 1'000'000'000'000'000'000;

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool parse_count(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return is_digits(text) && error == std::errc{} && end == text.data() + text.size();
}

// `12`, `0.5`, `100.25`.
bool parse_percent(std::string_view text, growth_limit& limit) {
  const std::size_t dot = text.find('.');
  std::string digits{text.substr(0, dot)};
  if (!is_digits(digits)) return false;
  limit.decimals = 0;
  if (dot != std::string_view::npos) {
    std::string_view rest = text.substr(dot + 1);
    if (!is_digits(rest)) return false;
    while (!rest.empty() && rest.back() == '0') rest.remove_suffix(1);
    if (rest.size() > most_decimals) return false;
    digits.append(rest);
    limit.decimals = static_cast<unsigned>(rest.size());
  }
  return parse_count(digits, limit.percent) && limit.percent <= most_percent;
}

std::uint64_t growth(const offence& o) {
  return o.next.value() > o.base.value() ? o.next.value() - o.base.value() : 0;
}

offence offence_of(const ledger_record& r, offence::kind what) {
  offence o;
  o.what = what;
  o.graph = r.graph;
  o.target = r.target;
  o.stage = r.stage;
  o.pass = r.pass;
  return o;
}

std::string name_of(const ledger_record& r) {
  return r.graph + " for " + r.target + stage_suffix(r.stage, r.pass);
}

// A sum over graphs; unknown beyond 64 bits.
class total {
 public:
  void add(const gated_figure& f) {
    is_missing_ |= f.value.is_missing();
    is_unknown_ |= f.value.is_unknown();
    is_floor_ |= f.value.is_floor();
    is_unknown_ |= __builtin_add_overflow(sum_, f.value.value(), &sum_);
    unknown_nodes_ += f.unknown_nodes;
  }
  gated_figure figure() const {
    if (is_missing_) return {measure::missing(), unknown_nodes_};
    if (is_unknown_) return {measure::unknown(), unknown_nodes_};
    return {is_floor_ ? measure::low_end(interval::at_least(sum_)) : measure::known(sum_),
            unknown_nodes_};
  }

 private:
  std::uint64_t sum_ = 0;
  std::uint64_t unknown_nodes_ = 0;
  bool is_missing_ = false;
  bool is_unknown_ = false;
  bool is_floor_ = false;
};

class gate_run {
 public:
  gate_run(const gate_settings& settings, gate_result& result)
      : settings_{settings}, result_{result} {}

  // `o` names what the figures are of; `where` as sentences do.
  void hold(const growth_limit& limit, const gated_figure& base, const gated_figure& next,
            offence o, const std::string& where) {
    const std::string name{metrics()[limit.metric].name};
    const verdict v = judge(limit, base, next);
    if (v == verdict::missing) {
      const bool has_base = !base.value.is_missing();
      const bool has_next = !next.value.is_missing();
      std::string what = where + ": " +
                         (has_base   ? "NEW says nothing of "
                          : has_next ? "BASE says nothing of "
                                     : "neither side says anything of ") +
                         name;
      if (settings_.skip_missing_metrics) return result_.skipped.push_back(what);
      return result_.trouble.push_back(
          what +
          ", so its limit decides nothing; record it on both sides (`opscope recost` "
          "adds needs), or leave it out with --skip-missing-metrics");
    }
    ++result_.checked;
    if (v == verdict::within) return;
    if (v == verdict::undecided) {
      return result_.trouble.push_back(
          where + ": " + name +
          (next.value.is_unknown() ? " is unknown on both sides"
                                   : " was unknown, or open upward, and is known now") +
          ", so its limit decides nothing; hold another metric "
          "(unknown_nodes counts what is unknown), or give dynamic dims sizes with OPSCOPE_BIND");
    }
    o.what = v == verdict::beyond ? offence::kind::grown : offence::kind::turned_unknown;
    o.metric = limit.metric;
    o.limit = limit.text;
    o.base = base.value;
    o.next = next.value;
    result_.offences.push_back(std::move(o));
  }

 private:
  const gate_settings& settings_;
  gate_result& result_;
};

}  // namespace

bool parse_growth(std::string_view text, growth_limit& limit, std::string& problem) {
  const std::size_t comma = text.find(',');
  if (!parse_percent(text.substr(0, comma), limit)) {
    problem = "\"" + std::string{text.substr(0, comma)} +
              "\" is no percentage such as 2 or 0.5 (at most 9 decimals)";
    return false;
  }
  limit.absolute = 0;
  if (comma != std::string_view::npos && !parse_count(text.substr(comma + 1), limit.absolute)) {
    problem = "\"" + std::string{text.substr(comma + 1)} +
              "\" is no whole number, in the unit of the metric";
    return false;
  }
  return true;
}

std::optional<growth_limit> parse_growth_limit(std::string_view text, std::string& problem) {
  growth_limit limit;
  limit.text = text;
  constexpr std::string_view total_lead = "total:";
  std::string_view rest = text;
  limit.of_total = rest.starts_with(total_lead);
  if (limit.of_total) rest.remove_prefix(total_lead.size());
  const std::size_t equals = rest.find('=');
  if (equals == std::string_view::npos) {
    problem =
        "it may be METRIC=PERCENT[,ABSOLUTE], such as need.bytes.lo=1 or "
        "total:rule.bytes=0.5,1048576";
    return std::nullopt;
  }
  const auto metric = find_metric(rest.substr(0, equals));
  if (!metric) {
    problem = "\"" + std::string{rest.substr(0, equals)} + "\" is no metric; there are:";
    for (const auto& m : metrics()) problem.append(" ").append(m.name);
    return std::nullopt;
  }
  limit.metric = *metric;
  if (!parse_growth(rest.substr(equals + 1), limit, problem)) return std::nullopt;
  return limit;
}

bool is_beyond(const growth_limit& limit, std::uint64_t base, std::uint64_t next) {
  if (next <= base) return false;
  const std::uint64_t more = next - base;
  if (more <= limit.absolute) return false;
  wide scale = 100;
  for (unsigned d = 0; d < limit.decimals; ++d) scale *= 10;
  return wide{more} * scale > wide{base} * limit.percent;
}

gated_figure gated(const ledger_record& r, metric_index m) {
  return {metrics()[m].of_record(r), r.need ? r.need->totals.unknown_nodes : 0};
}

verdict judge(const growth_limit& limit, const gated_figure& base, const gated_figure& next) {
  if (base.value.is_missing() || next.value.is_missing()) return verdict::missing;
  if (next.value.is_unknown()) {
    return base.value.is_unknown() ? verdict::undecided : verdict::turned_unknown;
  }
  const bool is_more_open =
      next.value.is_floor() && (!base.value.is_floor() || next.unknown_nodes > base.unknown_nodes);
  if (is_more_open) return verdict::turned_unknown;
  // The base was this or more, 0 or more where nothing is known: what grew not even from there is
  // within, and of the rest nobody knows from where it grew.
  if (base.value.is_unknown() || (base.value.is_floor() && !next.value.is_floor())) {
    return is_beyond(limit, base.value.value(), next.value.value()) ? verdict::undecided
                                                                    : verdict::within;
  }
  return is_beyond(limit, base.value.value(), next.value.value()) ? verdict::beyond
                                                                  : verdict::within;
}

gate_result run_gates(const gated_graphs& graphs, const gate_settings& settings) {
  gate_result result;
  gate_run run{settings, result};
  if (graphs.lines_left_out != 0) {
    result.trouble.push_back(
        std::to_string(graphs.lines_left_out) +
        (graphs.lines_left_out == 1 ? " line was" : " lines were") +
        " no record and left out: what stood there may be what is gated; compile again, or remove "
        "the noted lines");
  }
  if (graphs.pairs.empty()) {
    result.trouble.push_back("no graph is on both sides, so no limit decides anything");
  }
  for (const growth_limit& limit : settings.limits) {
    total base;
    total next;
    for (const gated_graphs::pair& p : graphs.pairs) {
      const gated_figure a = gated(*p.base, limit.metric);
      const gated_figure b = gated(*p.next, limit.metric);
      if (limit.of_total) {
        base.add(a);
        next.add(b);
      } else {
        run.hold(limit, a, b, offence_of(*p.next, offence::kind::grown), name_of(*p.next));
      }
    }
    if (limit.of_total && !graphs.pairs.empty()) {
      run.hold(limit, base.figure(), next.figure(), {}, "the total");
    }
  }
  if (!settings.limits.empty() && result.checked == 0 && result.trouble.empty()) {
    result.trouble.push_back("no figure is left to hold against a limit");
  }
  for (const ledger_record* r : graphs.only_base) {
    if (settings.fail_on_missing) {
      ++result.checked;
      result.offences.push_back(offence_of(*r, offence::kind::graph_is_missing));
    } else if (!settings.limits.empty() && settings.allow) {
      result.skipped.push_back(name_of(*r) + ": NEW has no such graph; allowed");
    } else if (!settings.limits.empty()) {
      result.trouble.push_back(name_of(*r) +
                               ": NEW has no such graph, so its limits decide nothing; "
                               "--fail-on-missing fails for it, --map OLD=NEW tells a new name, "
                               "--allow REASON lets it go");
    }
  }
  if (!settings.limits.empty() && !settings.fail_on_new && !graphs.only_new.empty()) {
    const std::size_t n = graphs.only_new.size();
    result.skipped.push_back(std::to_string(n) + (n == 1 ? " record is" : " records are") +
                             " only in NEW and held by no limit; --fail-on-new fails on " +
                             (n == 1 ? "it" : "them"));
  }
  if (settings.fail_on_new) {
    for (const ledger_record* r : graphs.only_new) {
      ++result.checked;
      result.offences.push_back(offence_of(*r, offence::kind::graph_is_new));
    }
  }
  sort_offences(result.offences);
  result.allowed = settings.allow;
  return result;
}

void sort_offences(std::vector<offence>& offences) {
  const auto rank = [](const offence& o) {
    switch (o.what) {
      case offence::kind::graph_is_missing:
        return 0;
      case offence::kind::turned_unknown:
        return 1;
      case offence::kind::grown:
        return 2;
      case offence::kind::graph_is_new:
        return 3;
    }
    return 4;
  };
  std::stable_sort(offences.begin(), offences.end(), [&](const offence& a, const offence& b) {
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    if (a.what != offence::kind::grown) return false;
    // growth(a) / a.base > growth(b) / b.base; from 0 it is beyond every share.
    const wide left = wide{growth(a)} * b.base.value();
    const wide right = wide{growth(b)} * a.base.value();
    const bool a_from_0 = a.base.value() == 0;
    const bool b_from_0 = b.base.value() == 0;
    if (a_from_0 != b_from_0) return a_from_0;
    if (!a_from_0 && left != right) return left > right;
    return growth(a) > growth(b);
  });
}

}  // namespace opscope
