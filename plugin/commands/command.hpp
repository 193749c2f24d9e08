// What the subcommands of `opscope` share: how they are listed and called, and the errors that end
// them. One file a subcommand; each only parses options and calls.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/commands/console.hpp"

namespace boost::program_options {
class options_description;
}

namespace opscope {

// Exit statuses of opscope. 1 is kept for a comparison beyond its threshold.
inline constexpr int exit_done = 0;
inline constexpr int exit_beyond = 1;
inline constexpr int exit_trouble = 2;

// The command line is wrong: printed with a pointer to --help.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using argument_list = std::vector<std::string>;

struct command {
  std::string_view name;
  std::string_view summary;      // for the list of commands
  const std::string_view* help;  // the whole text of --help, one screen
  int (*run)(const argument_list& arguments, console& out);
  void (*describe)(boost::program_options::options_description& known);  // its options
};

std::span<const command> commands();

void describe_check(boost::program_options::options_description& known);
void describe_diff(boost::program_options::options_description& known);
void describe_export(boost::program_options::options_description& known);
void describe_history(boost::program_options::options_description& known);
void describe_kinds(boost::program_options::options_description& known);
void describe_list(boost::program_options::options_description& known);
void describe_recost(boost::program_options::options_description& known);
void describe_show(boost::program_options::options_description& known);
int run_check(const argument_list& arguments, console& out);
int run_diff(const argument_list& arguments, console& out);
int run_export(const argument_list& arguments, console& out);
int run_history(const argument_list& arguments, console& out);
int run_kinds(const argument_list& arguments, console& out);
int run_list(const argument_list& arguments, console& out);
int run_recost(const argument_list& arguments, console& out);
int run_show(const argument_list& arguments, console& out);
extern const std::string_view check_help;
extern const std::string_view diff_help;
extern const std::string_view export_help;
extern const std::string_view history_help;
extern const std::string_view kinds_help;
extern const std::string_view recost_help;
extern const std::string_view list_help;
extern const std::string_view show_help;

}  // namespace opscope
