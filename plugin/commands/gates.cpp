#include "plugin/commands/gates.hpp"

namespace opscope {

void add_gate_options(options::options_description& known) {
  auto add = known.add_options();
  add("fail-over", options::value<std::vector<std::string>>(), "METRIC=");
  add("fail-on-new", "");
  add("fail-on-missing", "");
  add("skip-missing-metrics", "");
  add("allow", options::value<std::string>(), "REASON");
}

std::optional<std::string> chosen_allowance(const options::variables_map& values) {
  if (values.count("allow") == 0) return std::nullopt;
  std::string reason = chosen_text(values, "allow", "");
  if (reason.find_first_not_of(" \t\n\r") == std::string::npos) {
    throw usage_error{"--allow needs a reason, which the output keeps"};
  }
  return reason;
}

gate_settings chosen_gates(const options::variables_map& values) {
  gate_settings g;
  if (values.count("fail-over") != 0) {
    for (const std::string& text : values["fail-over"].as<std::vector<std::string>>()) {
      std::string problem;
      const auto limit = parse_growth_limit(text, problem);
      if (!limit) throw usage_error{"--fail-over is \"" + text + "\": " + problem};
      g.limits.push_back(*limit);
    }
  }
  g.fail_on_new = values.count("fail-on-new") != 0;
  g.fail_on_missing = values.count("fail-on-missing") != 0;
  g.skip_missing_metrics = values.count("skip-missing-metrics") != 0;
  g.allow = chosen_allowance(values);
  if (!g.is_wanted() && (g.allow || g.skip_missing_metrics)) {
    throw usage_error{std::string{g.allow ? "--allow" : "--skip-missing-metrics"} +
                      " goes with a limit, such as --fail-over need.bytes.lo=1"};
  }
  return g;
}

int end_gates(const gate_result& g, console& out) {
  for (const std::string& what : g.trouble) out.note(what);
  if (!g.trouble.empty()) return exit_trouble;
  return g.is_beyond() ? exit_beyond : exit_done;
}

}  // namespace opscope
