// Boost.Program_options as opscope uses it: no abbreviations, every message an usage_error.
#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <opscope/bindings.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/commands/command.hpp"
#include "plugin/compare/metrics.hpp"

namespace opscope {

namespace options = boost::program_options;

// Parses; what is no option goes to `positional`.
options::variables_map parse_options(const argument_list& arguments,
                                     const options::options_description& known,
                                     std::vector<std::string>& positional);

// --help, --format and --color, which nearly every command has; `formats` are the words that the
// second takes, as text|json|csv. The description of an option is what it takes: words, or what
// stands for them: NAME, FILE, METRIC.
enum class output_format { text, json, csv };
void add_output_options(options::options_description& known, const char* formats);
// For completion: a line an option, `option` or `flag`, command, name and what it takes, by tabs.
std::string option_table(std::string_view command, const options::options_description& known);
output_format chosen_format(const options::variables_map& values, console& out);

std::string chosen_text(const options::variables_map& values, const char* name,
                        std::string_view otherwise);
// One of the words; else an usage_error that lists them.
std::string chosen_word(const options::variables_map& values, const char* name,
                        std::string_view otherwise, std::span<const std::string_view> words);
std::uint64_t chosen_count(const options::variables_map& values, const char* name,
                           std::uint64_t otherwise);

// The sizes that --bind gives.
bindings chosen_bindings(const options::variables_map& values);

// The metrics that --metric names, each once.
std::vector<metric_index> chosen_metrics(const options::variables_map& values);

}  // namespace opscope
