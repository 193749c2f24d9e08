#include "plugin/settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace opscope {

namespace {

constexpr std::string_view prefix = "OPSCOPE_";

// Nothing where the value was taken; else what it should have been.
using problem = std::optional<std::string>;

// One table: a setting is a row and its reader.
struct setting {
  std::string_view name;
  std::string_view default_text;  // in `...; using summary`
  problem (*read)(std::string_view value, settings& s);
};

problem read_report(std::string_view value, settings& s) {
  if (value == "off") {
    s.report = report_kind::off;
  } else if (value == "summary") {
    s.report = report_kind::summary;
  } else if (value == "full") {
    s.report = report_kind::full;
  } else if (value == "rule") {
    s.report = report_kind::rule;
  } else {
    return "is not one of off, summary, full, rule";
  }
  return std::nullopt;
}

template <class T>
bool read_whole(std::string_view value, T& number) {
  const char* end = value.data() + value.size();
  const auto [stop, status] = std::from_chars(value.data(), end, number);
  return status == std::errc{} && stop == end;
}

problem read_top(std::string_view value, settings& s) {
  std::uint32_t top = 0;
  if (!read_whole(value, top)) return "is not a whole number from 0 to 4294967295";
  s.top = top;
  return std::nullopt;
}

problem read_ridge(std::string_view value, settings& s) {
  double ridge = 0.0;
  if (!read_whole(value, ridge) || !std::isfinite(ridge) || ridge <= 0.0) {
    return "is not a number of FLOP per byte above 0, such as 12.5";
  }
  s.ridge = ridge;
  return std::nullopt;
}

problem read_ledger(std::string_view value, settings& s) {
  s.ledger = value;
  return std::nullopt;
}

problem read_nodes(std::string_view value, settings& s) {
  if (value != "0" && value != "1") return "is neither 0 nor 1";
  s.has_ledger_nodes = value == "1";
  return std::nullopt;
}

// Whatever else is recorded, the result is.
problem read_stages(std::string_view value, settings& s) {
  if (value == "lowered") {
    s.stages = RLX_STAGE_LOWERED;
  } else if (value == "source") {
    s.stages = RLX_STAGE_SOURCE | RLX_STAGE_LOWERED;
  } else if (value == "passes") {
    s.stages = RLX_STAGE_PASS | RLX_STAGE_LOWERED;
  } else if (value == "all") {
    s.stages = RLX_STAGE_SOURCE | RLX_STAGE_PASS | RLX_STAGE_LOWERED;
  } else {
    return "is not one of lowered, source, passes, all";
  }
  return std::nullopt;
}

bool is_tag_key(std::string_view key) {
  return !key.empty() && std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-' || c == '/' || c == ':';
  });
}

// Well-formed UTF-8 by the table of RFC 3629: no surrogates, nothing overlong, at most U+10FFFF.
bool is_utf8(std::string_view s) {
  for (std::size_t i = 0; i < s.size();) {
    const auto at = [&](std::size_t k) {
      return i + k < s.size() ? static_cast<unsigned char>(s[i + k]) : 0u;
    };
    const auto continues = [&](std::size_t k) { return (at(k) & 0xC0u) == 0x80u; };
    const unsigned lead = at(0);
    const unsigned second = at(1);
    if (lead < 0x80) {
      i += 1;
    } else if (lead >= 0xC2 && lead <= 0xDF && continues(1)) {
      i += 2;
    } else if (lead >= 0xE0 && lead <= 0xEF && continues(1) && continues(2) &&
               !(lead == 0xE0 && second < 0xA0) && !(lead == 0xED && second > 0x9F)) {
      i += 3;
    } else if (lead >= 0xF0 && lead <= 0xF4 && continues(1) && continues(2) && continues(3) &&
               !(lead == 0xF0 && second < 0x90) && !(lead == 0xF4 && second > 0x8F)) {
      i += 4;
    } else {
      return false;
    }
  }
  return true;
}

problem read_tags(std::string_view value, settings& s) {
  const auto bad = [](std::size_t item, const std::string& what) {
    return "is not a list key=value,key=value: item " + std::to_string(item) + " " + what;
  };
  std::vector<std::pair<std::string, std::string>> tags;
  for (std::size_t item = 1;; ++item) {
    const std::size_t comma = value.find(',');
    const std::string_view tag = value.substr(0, comma);
    const std::size_t equals = tag.find('=');
    if (tag.empty()) return bad(item, "is empty");
    if (equals == std::string_view::npos) return bad(item, "has no '='");
    const std::string_view key = tag.substr(0, equals);
    if (!is_tag_key(key)) {
      return bad(item, "has a key that is not made of letters, digits and _ . - / :");
    }
    if (!is_utf8(tag)) return bad(item, "is not UTF-8");
    tags.emplace_back(key, tag.substr(equals + 1));
    if (comma == std::string_view::npos) break;
    value.remove_prefix(comma + 1);
  }
  std::ranges::sort(tags);
  const auto same = std::ranges::adjacent_find(
      tags, [](const auto& a, const auto& b) { return a.first == b.first; });
  if (same != tags.end()) return "names the key " + same->first + " twice";
  s.tags = std::move(tags);
  return std::nullopt;
}

problem read_bind(std::string_view value, settings& s) {
  std::string why;
  const auto bound = parse_bindings(value, why);
  if (!bound) return "is not a list SYMBOL=SIZE,SYMBOL=SIZE: " + why;
  s.bindings = *bound;
  return std::nullopt;
}

constexpr std::array<setting, 8> table{{
    {"OPSCOPE_REPORT", "summary", read_report},
    {"OPSCOPE_TOP", "10", read_top},
    {"OPSCOPE_RIDGE", "no ridge", read_ridge},
    {"OPSCOPE_LEDGER", "no ledger", read_ledger},
    {"OPSCOPE_NODES", "1", read_nodes},
    {"OPSCOPE_STAGES", "lowered", read_stages},
    {"OPSCOPE_TAGS", "no tags", read_tags},
    {"OPSCOPE_BIND", "no sizes", read_bind},
}};

// Characters to insert, delete, replace or swap with their neighbour to make one of the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

constexpr std::size_t max_shown_bytes = 60;
constexpr std::size_t max_suggested_distance = 3;

// Cut where a character begins, so that what is shown stays UTF-8 where it was.
std::string shown(std::string_view text) {
  if (text.size() <= max_shown_bytes) return std::string{text};
  std::size_t end = max_shown_bytes;
  while (end != 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;
  return std::string{text.substr(0, end)} + "...";
}

std::string unknown_variable(std::string_view name) {
  std::string text = shown(name) + " is not a setting and is ignored; ";
  const setting* nearest = nullptr;
  std::size_t nearest_distance = max_suggested_distance + 1;
  // A name far longer than any setting is none of them misspelt; do not measure it.
  if (name.size() <= max_shown_bytes) {
    for (const setting& s : table) {
      const std::size_t distance = edit_distance(name, s.name);
      if (distance < nearest_distance) {
        nearest = &s;
        nearest_distance = distance;
      }
    }
  }
  if (nearest != nullptr) return text + "did you mean " + std::string{nearest->name} + "?";
  text += "there are";
  for (const setting& s : table) text += (&s == &table.front() ? " " : ", ") + std::string{s.name};
  return text;
}

}  // namespace

read_settings parse_settings(std::span<const variable> variables) {
  read_settings result;
  std::vector<std::string_view> seen;
  for (const variable& v : variables) {
    if (!v.name.starts_with(prefix) || std::ranges::find(seen, v.name) != seen.end()) continue;
    seen.push_back(v.name);
    const auto at = std::ranges::find(table, v.name, &setting::name);
    if (at == table.end()) {
      result.warnings.push_back(unknown_variable(v.name));
      continue;
    }
    if (v.value.empty()) continue;
    if (const problem bad = at->read(v.value, result.settings)) {
      result.warnings.push_back(std::string{v.name} + ": \"" + shown(v.value) + "\" " + *bad +
                                "; using " + std::string{at->default_text});
    }
  }
  if (result.settings.stages != RLX_STAGE_LOWERED && result.settings.ledger.empty()) {
    result.warnings.emplace_back(
        "OPSCOPE_STAGES chooses what the ledger records and there is none; set OPSCOPE_LEDGER");
  }
  return result;
}

read_settings settings_of_environment() {
  std::vector<std::string> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text{*entry};
    if (text.starts_with(prefix)) names.emplace_back(text.substr(0, text.find('=')));
  }
  std::vector<variable> variables;
  for (const std::string& name : names) {
    const char* value = ::secure_getenv(name.c_str());
    if (value != nullptr) variables.push_back({name, value});
  }
  return parse_settings(variables);
}

std::vector<std::string_view> setting_names() {
  std::vector<std::string_view> names;
  names.reserve(table.size());
  for (const setting& s : table) names.push_back(s.name);
  return names;
}

}  // namespace opscope
