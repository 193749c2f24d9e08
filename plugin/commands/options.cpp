#include "plugin/commands/options.hpp"

#include <algorithm>
#include <charconv>

namespace opscope {

options::variables_map parse_options(const argument_list& arguments,
                                     const options::options_description& known,
                                     std::vector<std::string>& positional) {
  using style = options::command_line_style::style_t;
  constexpr int exact = style::unix_style & ~style::allow_guessing;
  options::variables_map values;
  try {
    options::options_description all;
    all.add(known);
    // The name has a space, so that nobody can write it as an option.
    all.add_options()("ledger argument", options::value<std::vector<std::string>>());
    options::positional_options_description rest;
    rest.add("ledger argument", -1);
    options::store(
        options::command_line_parser{arguments}.options(all).positional(rest).style(exact).run(),
        values);
  } catch (const options::error& e) {
    throw usage_error{e.what()};
  }
  if (values.count("ledger argument") != 0) {
    positional = values["ledger argument"].as<std::vector<std::string>>();
  }
  return values;
}

void add_output_options(options::options_description& known, const char* formats) {
  auto add = known.add_options();
  add("help,h", "");
  add("format", options::value<std::string>(), formats);
  add("color", options::value<std::string>(), "auto|always|never");
}

std::string option_table(std::string_view command, const options::options_description& known) {
  constexpr auto short_form = options::command_line_style::allow_dash_for_short;
  std::string table;
  for (const auto& o : known.options()) {
    const bool has_value = o->semantic()->max_tokens() != 0;
    std::string words = o->description();
    const bool is_of_node = words == "NODE_METRIC";
    if (is_of_node || words == "METRIC" || words == "METRIC=") {
      const std::string_view ending = words == "METRIC=" ? "=" : "";
      words.clear();
      for (const metric& m : metrics()) {
        if (is_of_node && m.of_node == nullptr) continue;
        words.append(words.empty() ? "" : "|").append(m.name).append(ending);
      }
    }
    std::vector<std::string> names{"--" + o->long_name()};
    if (const std::string s = o->canonical_display_name(short_form); s.size() == 2 && s[0] == '-') {
      names.push_back(s);
    }
    for (const std::string& name : names) {
      table.append(has_value ? "option\t" : "flag\t").append(command).append("\t").append(name);
      table.append("\t").append(words).append("\n");
    }
  }
  return table;
}

output_format chosen_format(const options::variables_map& values, console& out) {
  constexpr std::string_view modes[] = {"auto", "always", "never"};
  constexpr std::string_view formats[] = {"text", "json", "csv"};
  out.set_color(chosen_word(values, "color", "auto", modes));
  const std::string format = chosen_word(values, "format", "text", formats);
  if (format == "json") return output_format::json;
  return format == "csv" ? output_format::csv : output_format::text;
}

std::string chosen_text(const options::variables_map& values, const char* name,
                        std::string_view otherwise) {
  return values.count(name) != 0 ? values[name].as<std::string>() : std::string{otherwise};
}

std::string chosen_word(const options::variables_map& values, const char* name,
                        std::string_view otherwise, std::span<const std::string_view> words) {
  std::string word = chosen_text(values, name, otherwise);
  if (std::find(words.begin(), words.end(), word) != words.end()) return word;
  std::string list;
  for (const std::string_view w : words) list.append(list.empty() ? "" : ", ").append(w);
  throw usage_error{"--" + std::string{name} + " is \"" + word + "\", and may be: " + list};
}

std::uint64_t chosen_count(const options::variables_map& values, const char* name,
                           std::uint64_t otherwise) {
  if (values.count(name) == 0) return otherwise;
  const std::string text = values[name].as<std::string>();
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw usage_error{"--" + std::string{name} + " is \"" + text + "\", and may be a whole number"};
  }
  return count;
}

bindings chosen_bindings(const options::variables_map& values) {
  const std::string text = chosen_text(values, "bind", "");
  if (text.empty()) return {};
  std::string problem;
  const std::optional<bindings> bound = parse_bindings(text, problem);
  if (!bound) throw usage_error{"--bind: " + problem};
  return *bound;
}

std::vector<metric_index> chosen_metrics(const options::variables_map& values) {
  std::vector<metric_index> all;
  if (values.count("metric") == 0) return all;
  for (const std::string& name : values["metric"].as<std::vector<std::string>>()) {
    const auto m = find_metric(name);
    if (!m) {
      std::string list;
      for (const metric& known : metrics()) {
        list.append(list.empty() ? "" : ", ").append(known.name);
      }
      throw usage_error{"--metric is \"" + name + "\", and may be: " + list};
    }
    if (std::find(all.begin(), all.end(), *m) == all.end()) all.push_back(*m);
  }
  return all;
}

}  // namespace opscope
