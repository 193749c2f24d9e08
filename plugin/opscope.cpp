// The command line `opscope`: finds the subcommand, prints what it throws. Nothing else.
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>

#include <opscope/ledger_reader.hpp>

#include "plugin/commands/options.hpp"

namespace opscope {

namespace {

constexpr command all_commands[] = {
    {"check", "a ledger against a budget kept beside the sources", &check_help, run_check,
     describe_check},
    {"diff", "what changed between two ledgers, by graph and by node", &diff_help, run_diff,
     describe_diff},
    {"export", "the nodes of records for other tools: pprof, csv", &export_help, run_export,
     describe_export},
    {"history", "the figures of one graph from record to record", &history_help, run_history,
     describe_history},
    {"kinds", "what the model knows of each kind of operation", &kinds_help, run_kinds,
     describe_kinds},
    {"list", "the records of ledgers, one line each", &list_help, run_list, describe_list},
    {"recost", "the records again, costed with the models of this version", &recost_help,
     run_recost, describe_recost},
    {"show", "what a record holds, by kind, label or node", &show_help, run_show, describe_show},
};

std::string overview() {
  std::string text =
      "usage: opscope COMMAND [OPTION]... LEDGER...\n\n"
      "Reads the ledgers that the opscope compiler plugin writes: what each compiled graph\n"
      "must move and compute.\n\n"
      "Commands:\n";
  for (const command& c : all_commands) {
    text.append("  ").append(c.name).append(10 - c.name.size(), ' ').append(c.summary).append("\n");
  }
  return text +
         "\n"
         "  opscope COMMAND --help tells more; --version prints the version.\n\n"
         "Examples:\n"
         "  opscope list ledgers/\n"
         "  opscope show --by label --top 20 ledger.jsonl\n"
         "  opscope diff main.jsonl branch.jsonl\n\n"
         "Exit status: 0 done, 1 beyond a limit, 2 wrong usage, unreadable input or nothing to\n"
         "compare.\n"
         "Environment: NO_COLOR turns colour off, as --color never does.\n";
}

// The commands and their options, as lines of fields by tabs.
std::string options_of_all() {
  std::string table{"flag\t-\t--help\t\nflag\t-\t--version\t\n"};
  for (const command& c : all_commands) {
    table.append("command\t").append(c.name).append("\t").append(c.summary).append("\n");
    options::options_description known;
    c.describe(known);
    table += option_table(c.name, known);
  }
  return table;
}

// `opscope: show: what` on standard error.
int fail(std::string_view where, std::string_view what, std::string_view help_of) {
  std::string line{"opscope: "};
  if (!where.empty()) line.append(where).append(": ");
  line.append(what).append("\n");
  if (!help_of.empty()) line.append("opscope: `").append(help_of).append(" --help` tells more\n");
  std::fputs(line.c_str(), stderr);
  return exit_trouble;
}

int run(const argument_list& arguments, console& out) {
  if (arguments.empty()) return fail("", "no command given", "opscope");
  const std::string& first = arguments.front();
  if (first == "--help" || first == "-h" || first == "help") {
    out.print(overview());
    return exit_done;
  }
  if (first == "--version") {
    out.print(std::string{"opscope "} + OPSCOPE_VERSION + ", rule " + std::string{rule_version} +
              ", ledger schema " + std::string{ledger_schema} + "\n");
    return exit_done;
  }
  if (first == "--print-options") {  // for the shells' completion
    out.print(options_of_all());
    return exit_done;
  }
  for (const command& c : all_commands) {
    if (c.name != first) continue;
    const argument_list rest{arguments.begin() + 1, arguments.end()};
    const auto is_help = [](const std::string& a) { return a == "--help" || a == "-h"; };
    for (const std::string& argument : rest) {
      if (argument == "--") break;
      if (!is_help(argument)) continue;
      out.print(*c.help);
      return exit_done;
    }
    try {
      return c.run(rest, out);
    } catch (const usage_error& e) {
      return fail(c.name, e.what(), std::string{"opscope "}.append(c.name));
    } catch (const ledger_error& e) {
      return fail(c.name, e.what(), "");
    }
  }
  return fail("", "\"" + first + "\" is no command", "opscope");
}

}  // namespace

std::span<const command> commands() { return all_commands; }

}  // namespace opscope

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a write then fails, and the end is quiet
  opscope::console out{"opscope"};
  try {
    const opscope::argument_list arguments{argv + std::min(argc, 1), argv + argc};
    const int status = opscope::run(arguments, out);
    out.flush();
    return status;
  } catch (const opscope::broken_pipe&) {
    return opscope::exit_done;
  } catch (const std::exception& e) {
    return opscope::fail("", e.what(), "");
  }
}
