// The command line of rlxc, run as a program: statuses, messages, what it writes, and that no
// plugin has a hand in it.
#define BOOST_TEST_MODULE rlxc
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/process.hpp"

namespace opscope::test {
namespace {

namespace fs = std::filesystem;
using settings = std::vector<std::pair<std::string, std::string>>;

const std::string rlxc = OPSCOPE_BIN "/rlxc";
const std::string golden = OPSCOPE_TEST_DATA "/golden";
const std::string mir = golden + "/matmul/mir.json";
const std::string lir = golden + "/matmul/cpu.lir.json";

std::string fixture(const std::string& name) { return FIXTURE_FOLDER "/" + name + ".so"; }

ended rlxc_run(std::vector<std::string> arguments, settings environment = {},
               const std::string& folder = "", const std::string& input = "") {
  arguments.insert(arguments.begin(), rlxc);
  return run({std::move(arguments), std::move(environment), folder, input});
}

void check_usage(std::vector<std::string> arguments, const std::string& sentence) {
  const ended e = rlxc_run(std::move(arguments));
  BOOST_TEST(e.status == 2);
  BOOST_TEST(e.out == "");
  BOOST_TEST(e.err == "rlxc: " + sentence + " (rlxc --help tells more)\n");
}

// The names in a folder, sorted.
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator{folder}) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

BOOST_AUTO_TEST_SUITE(usage)

BOOST_AUTO_TEST_CASE(prints_help_on_one_screen) {
  for (const char* option : {"--help", "-h"}) {
    const ended e = rlxc_run({option});
    BOOST_TEST(e.status == 0);
    BOOST_TEST(e.err == "");
    for (const char* part : {"Usage: rlxc [options] FILE...", "--target", "--pipeline", "--emit",
                             "--output", "--list-plugins", "--version", "Examples:", "Exit status:",
                             "Environment:", "RLX_PLUGINS", "RLX_PLUGIN_PATH"}) {
      BOOST_TEST(e.out.find(part) != std::string::npos, part << " is missing");
    }
    BOOST_TEST(std::count(e.out.begin(), e.out.end(), '\n') <= 40);
  }
}

BOOST_AUTO_TEST_CASE(prints_version_and_abi) {
  const ended e = rlxc_run({"--version"});
  BOOST_TEST(e.status == 0);
  BOOST_TEST(e.out == "rlxc " RLXC_VERSION ", plugin ABI 0.1\n");
}

BOOST_AUTO_TEST_CASE(rejects_impossible_command_lines) {
  check_usage({}, "no input file; name one, or - for standard input");
  check_usage({"--target", "abacus", mir},
              "--target: \"abacus\" is none of cpu, metal, mlx, wgpu, cuda, rocm, tpu");
  check_usage({"--emit", "hex", mir},
              "--emit: \"hex\" is none of none, hir, mir, lir, text, dump, "
              "fusion-report");
  check_usage({"--output", "x", mir}, "--output needs --emit and a form");
  check_usage({"--emit", "mir", mir, lir},
              "--emit takes one input, and 2 were given; run rlxc once for each");
  check_usage({"--emit", "mir", "-o", "", mir}, "--output has an empty name");
  check_usage({"-", "-"}, "standard input (-) can be read only once");
  check_usage({""}, "an input file has an empty name");
  check_usage({"--list-plugins", mir}, "--list-plugins takes no input file");
}

BOOST_AUTO_TEST_CASE(rejects_unknown_pipeline) {
  const ended e = rlxc_run({"--pipeline", "imaginary", mir});
  BOOST_TEST(e.status == 2);
  BOOST_TEST(e.err.find("rlxc: --pipeline: \"imaginary\" is none of ") == 0u, e.err);
}

BOOST_AUTO_TEST_CASE(does_not_guess_options) {
  for (const char* option : {"--targ", "--list", "--vers", "--hel", "--unknown"}) {
    const ended e = rlxc_run({option, mir});
    BOOST_TEST(e.status == 2);
    BOOST_TEST(e.err.find(std::string{"'"} + option + "'") != std::string::npos, e.err);
  }
  BOOST_TEST(rlxc_run({"--target", "cpu", "--target", "cuda", mir}).status == 2);
  BOOST_TEST(rlxc_run({"--target"}).status == 2);
}

BOOST_AUTO_TEST_CASE(takes_files_after_two_dashes) {
  const temporary_folder folder;
  fs::copy_file(mir, folder / "--version");
  const ended e = rlxc_run({"--pipeline", "none", "--", "--version"}, {}, folder.path());
  BOOST_TEST(e.status == 0, e.err);
  BOOST_TEST(e.out == "");
}

BOOST_AUTO_TEST_CASE(refuses_to_write_over_its_input) {
  const temporary_folder folder;
  fs::copy_file(mir, folder / "a.json");
  fs::create_symlink("a.json", folder / "link.json");
  check_usage({"--emit", "mir", "-o", folder / "link.json", folder / "a.json"},
              "--output " + (folder / "link.json") + " is the input itself; name another file");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(compiling)

BOOST_AUTO_TEST_CASE(compiles_quietly) {
  const ended e = rlxc_run({"--pipeline", "none", mir, lir});
  BOOST_TEST(e.status == 0);
  BOOST_TEST(e.out == "");
  BOOST_TEST(e.err == "");
}

BOOST_AUTO_TEST_CASE(says_what_it_left_out) {
  const temporary_folder folder;
  std::string text = read_file(mir);
  BOOST_REQUIRE(text.front() == '{');
  text.insert(1, R"("colour":"red",)");
  write_file(folder / "newer.json", text);
  const ended e = rlxc_run({"--emit", "mir", folder / "newer.json"});
  BOOST_TEST(e.status == 0);
  BOOST_TEST(e.out == rlxc_run({"--emit", "mir", mir}).out);
  BOOST_TEST(e.err == "rlxc: " + (folder / "newer.json") +
                          ": note: module: the member \"colour\" is not known here and left out\n");
}

BOOST_AUTO_TEST_CASE(goes_on_after_an_input_that_fails) {
  const temporary_folder folder;
  write_file(folder / "bad.json", "{\"name\":");
  const ended e =
      rlxc_run({"--pipeline", "none", mir, folder / "bad.json", folder / "absent.json", lir},
               {{"RLX_PLUGINS", fixture("print_names")}});
  BOOST_TEST(e.status == 1);
  std::vector<std::string> lines;
  for (std::size_t at = 0, end; (end = e.err.find('\n', at)) != std::string::npos; at = end + 1) {
    lines.push_back(e.err.substr(at, end - at));
  }
  BOOST_REQUIRE(lines.size() == 4u);
  BOOST_TEST(lines[0].find("print_names: ") == 0u);
  BOOST_TEST(lines[1].find("rlxc: " + (folder / "bad.json") + ": ") == 0u, lines[1]);
  BOOST_TEST(lines[2].find("rlxc: " + (folder / "absent.json") + ": ") == 0u, lines[2]);
  BOOST_TEST(lines[3].find("print_names: ") == 0u);
}

BOOST_AUTO_TEST_CASE(reads_standard_input) {
  const ended e = rlxc_run({"--pipeline", "none", "--emit", "mir", "-"}, {}, "", read_file(mir));
  BOOST_TEST(e.status == 0, e.err);
  BOOST_TEST(e.out == rlxc_run({"--pipeline", "none", "--emit", "mir", mir}).out);
  const ended bad = rlxc_run({"-"}, {}, "", "nonsense");
  BOOST_TEST(bad.status == 1);
  BOOST_TEST(bad.err.find("rlxc: -: ") == 0u, bad.err);
}

BOOST_AUTO_TEST_CASE(fills_the_compile_record) {
  const settings recording{{"RLX_PLUGINS", fixture("recording")}};
  const ended e = rlxc_run({"--pipeline", "none", "--target", "cuda", mir, mir, lir}, recording);
  BOOST_TEST(e.status == 0, e.err);
  const auto line = [](const char* stage, const char* source, int sequence, const char* rest) {
    return std::string{"recording: mm stage "} + stage + " source " + source +
           " pass none target cuda compiler rlxc " RLXC_VERSION
           " pipeline none options 0 sequence " +
           std::to_string(sequence) + rest + "\n";
  };
  const std::size_t third = e.err.find("recording: mm stage 4 source none");
  BOOST_REQUIRE(third != std::string::npos);
  const char* const unplanned = " nodes 3 arena -1";
  BOOST_TEST(e.err.substr(0, third) ==
             line("1", "same", 0, unplanned) + line("4", "same", 0, unplanned) +
                 line("1", "same", 1, unplanned) + line("4", "same", 1, unplanned));
  // A lowered input has a plan, and a source that nobody knows.
  const std::string last = e.err.substr(third);
  BOOST_TEST(
      last.find(
          "recording: mm stage 4 source none pass none target cuda compiler rlxc " RLXC_VERSION
          " pipeline none options 0 sequence 2 nodes ") == 0u,
      last);
  BOOST_TEST(last.find("arena -1") == std::string::npos, last);
  BOOST_TEST(std::count(last.begin(), last.end(), '\n') == 1);
}

BOOST_AUTO_TEST_CASE(reads_the_files_named_though_a_plugin_moves_the_working_directory) {
  const temporary_folder folder;
  fs::copy_file(mir, folder / "a.json");
  const ended e = rlxc_run({"--pipeline", "none", "--emit", "mir", "-o", "out.json", "a.json"},
                           {{"RLX_PLUGINS", fixture("meddling")}}, folder.path());
  BOOST_TEST(e.status == 0, e.err);
  BOOST_TEST(names_in(folder.path()) == (std::vector<std::string>{"a.json", "out.json"}),
             boost::test_tools::per_element());
  struct stat s;
  BOOST_REQUIRE(::stat((folder / "out.json").c_str(), &s) == 0);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  BOOST_TEST((s.st_mode & 0777) == (0666 & ~mask));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(plugins)

BOOST_AUTO_TEST_CASE(stops_before_compiling_where_a_plugin_cannot_be_loaded) {
  const temporary_folder folder;
  const std::vector<std::string> bad{"libabsent.so",
                                     "./x.so",
                                     fixture("other_major"),
                                     fixture("no_entry"),
                                     fixture("failing_create"),
                                     rlxc};
  for (const std::string& plugin : bad) {
    const ended e = rlxc_run({"--emit", "mir", "-o", folder / "out.json", mir},
                             {{"RLX_PLUGINS", fixture("print_names") + ":" + plugin}});
    BOOST_TEST(e.status == 2, plugin);
    BOOST_TEST(e.err.find("rlxc: plugin ") != std::string::npos, e.err);
    BOOST_TEST(e.err.find("print_names: ") == std::string::npos, e.err);
    BOOST_TEST(names_in(folder.path()).empty());
  }
}

BOOST_AUTO_TEST_CASE(refuses_to_load_itself) {
  const ended e = rlxc_run({mir}, {{"RLX_PLUGINS", rlxc}});
  BOOST_TEST(e.status == 2);
  BOOST_TEST(e.err == "rlxc: plugin " + fs::canonical(rlxc).string() +
                          " refused: it is the running program itself; name the plugin's shared "
                          "object in RLX_PLUGINS\n");
}

BOOST_AUTO_TEST_CASE(lists_plugins_with_abi_and_stages) {
  const ended e = rlxc_run({"--list-plugins"},
                           {{"RLX_PLUGINS", fixture("print_names") + ":" + fixture("recording") +
                                                ":" + fixture("mute")}});
  BOOST_TEST(e.status == 0, e.err);
  BOOST_TEST(e.out == "print_names  1.0  ABI 0.1  lowered  " + fixture("print_names") +
                          "\nrecording  1.0  ABI 0.1  source+lowered  " + fixture("recording") +
                          "\nmute  1.0  ABI 0.1  no stage  " + fixture("mute") + "\n");
  const ended none = rlxc_run({"--list-plugins"});
  BOOST_TEST(none.status == 0);
  BOOST_TEST(none.out == "");
  BOOST_TEST(none.err == "rlxc: RLX_PLUGINS names no plugin\n");
  BOOST_TEST(rlxc_run({"--list-plugins"}, {{"RLX_PLUGINS", "./x.so"}}).status == 2);
}

#ifdef OPSCOPE_PLUGIN
BOOST_AUTO_TEST_CASE(finds_libopscope_by_bare_name_from_any_folder) {
  const temporary_folder folder;
  // A planted file of that name would be refused as no ELF object, if it were looked at.
  write_file(folder / "libopscope.so", "planted");
  for (const std::string& cwd : {folder.path(), std::string{"/"}}) {
    const ended e = rlxc_run({"--list-plugins"}, {{"RLX_PLUGINS", "libopscope.so"}}, cwd);
    BOOST_TEST(e.status == 0, e.err);
    BOOST_TEST(e.out.find("opscope  ") == 0u, e.out);
    BOOST_TEST(e.out.find("  " OPSCOPE_LIB "/rlx/plugins/libopscope.so\n") != std::string::npos,
               e.out);
  }
}
#endif

BOOST_AUTO_TEST_CASE(names_the_plugins_where_it_crashes) {
  const temporary_folder folder;
  const ended e = rlxc_run({"--pipeline", "none", "--emit", "mir", "-o", folder / "out.json", mir},
                           {{"RLX_PLUGINS", fixture("mute") + ":" + fixture("crashing")}});
  BOOST_TEST(e.status == 128 + SIGABRT);
  BOOST_TEST(e.err == "rlxc: crashed; plugins loaded: mute 1.0 (" + fixture("mute") +
                          "), crashing 1.0 (" + fixture("crashing") + "); try without them\n");
  // Its result was written before.
  BOOST_TEST(read_file(folder / "out.json").size() > 100u);
}

BOOST_AUTO_TEST_CASE(ignores_a_file_planted_in_the_working_directory) {
  const temporary_folder folder;
  fs::copy_file(fixture("print_names"), folder / "libplanted.so");
  const ended e =
      rlxc_run({mir}, {{"RLX_PLUGINS", "libplanted.so"}, {"RLX_PLUGIN_PATH", ":."}}, folder.path());
  BOOST_TEST(e.status == 2);
  BOOST_TEST(e.err.find("\"libplanted.so\" of RLX_PLUGINS was not found; tried " OPSCOPE_LIB
                        "/rlx/plugins/libplanted.so; ") != std::string::npos,
             e.err);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(emitting)

BOOST_AUTO_TEST_CASE(emits_the_same_bytes_whatever_a_plugin_does) {
  const temporary_folder folder;
  for (const auto& [form, input] : {std::pair{"mir", mir}, std::pair{"lir", lir},
                                    std::pair{"mir", golden + "/scan_rnn/mir.json"}}) {
    const std::vector<std::string> to_stdout{"--pipeline", "none", "--emit", form, input};
    const ended plain = rlxc_run(to_stdout);
    BOOST_TEST(plain.status == 0, plain.err);
    BOOST_TEST(plain.out.size() > 100u);
    BOOST_TEST(plain.err == "");
    for (const char* plugin : {"print_names", "failing_hook", "throwing_hook", "throwing_hook_int",
                               "throwing_destroy", "meddling", "loud", "reentrant"}) {
      const settings environment{{"RLX_PLUGINS", fixture(plugin)}};
      const ended e = rlxc_run(to_stdout, environment);
      BOOST_TEST(e.status == 0, plugin << ": " << e.err);
      BOOST_TEST((e.out == plain.out), plugin << " changes what is emitted to standard output");
      std::vector<std::string> to_file = to_stdout;
      to_file.insert(to_file.end(), {"-o", folder / "out.json"});
      BOOST_TEST(rlxc_run(to_file, environment).status == 0);
      BOOST_TEST((read_file(folder / "out.json") == plain.out), plugin << " changes the file");
      fs::remove(folder / "out.json");
    }
  }
}

BOOST_AUTO_TEST_CASE(keeps_what_plugins_print_out_of_the_result) {
  const ended e = rlxc_run({"--pipeline", "none", "--emit", "mir", mir},
                           {{"RLX_PLUGINS", fixture("meddling")}});
  BOOST_TEST(e.out.find("printed by a plugin") == std::string::npos);
  BOOST_TEST(e.err.find("printed by a plugin") != std::string::npos);
  const ended unemitted =
      rlxc_run({"--pipeline", "none", mir}, {{"RLX_PLUGINS", fixture("meddling")}});
  BOOST_TEST(unemitted.out.find("printed by a plugin") == 0u);
}

BOOST_AUTO_TEST_CASE(has_no_plan_to_emit_where_nothing_was_lowered) {
  const temporary_folder folder;
  const ended e = rlxc_run({"--pipeline", "none", "--emit", "lir", "-o", folder / "out.json", mir});
  BOOST_TEST(e.status == 1);
  BOOST_TEST(e.err == "rlxc: " + mir +
                          ": there is no buffer plan to emit as lir, since pipeline \"none\" "
                          "lowers nothing; use --emit mir or another --pipeline\n");
  BOOST_TEST(names_in(folder.path()).empty());
}

BOOST_AUTO_TEST_CASE(replaces_a_file_whole_and_keeps_its_mode) {
  const temporary_folder folder;
  const std::string real = folder / "real.json";
  write_file(real, std::string(1 << 16, 'x'));
  ::chmod(real.c_str(), 0640);
  fs::create_symlink("real.json", folder / "link.json");
  const ended e =
      rlxc_run({"--pipeline", "none", "--emit", "mir", "-o", folder / "link.json", mir});
  BOOST_TEST(e.status == 0, e.err);
  BOOST_TEST(read_file(real) == rlxc_run({"--pipeline", "none", "--emit", "mir", mir}).out);
  BOOST_TEST(fs::is_symlink(folder / "link.json"));
  struct stat s;
  BOOST_REQUIRE(::stat(real.c_str(), &s) == 0);
  BOOST_TEST((s.st_mode & 07777) == 0640u);
  BOOST_TEST(names_in(folder.path()) == (std::vector<std::string>{"link.json", "real.json"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(writes_devices_as_they_are) {
  const ended e = rlxc_run({"--pipeline", "none", "--emit", "mir", "-o", "/dev/null", mir});
  BOOST_TEST(e.status == 0, e.err);
  BOOST_TEST(fs::is_character_file("/dev/null"));
  const ended full = rlxc_run({"--pipeline", "none", "--emit", "mir", "-o", "/dev/full", mir});
  BOOST_TEST(full.status == 1);
  BOOST_TEST(full.err ==
             "rlxc: " + mir + ": /dev/full: cannot be written: No space left on device\n");
}

BOOST_AUTO_TEST_CASE(says_where_it_cannot_write_and_still_calls_the_plugins) {
  const temporary_folder folder;
  const ended e = rlxc_run({"--pipeline", "none", "--emit", "mir", "-o", folder.path(), mir},
                           {{"RLX_PLUGINS", fixture("print_names")}});
  BOOST_TEST(e.status == 1);
  BOOST_TEST(e.err.find("print_names: mm: ") == 0u, e.err);
  BOOST_TEST(e.err.find("rlxc: " + mir + ": " + folder.path() +
                        ": cannot be written: Is a directory\n") != std::string::npos,
             e.err);
  const ended absent =
      rlxc_run({"--pipeline", "none", "--emit", "mir", "-o", folder / "no/out.json", mir});
  BOOST_TEST(absent.status == 1);
  BOOST_TEST(absent.err.find("No such file or directory\n") != std::string::npos, absent.err);
}

// sh, for what run() has no word for: limits, pipes, closed descriptors.
ended shell(const std::string& script) { return run({{"/bin/sh", "-c", script}}); }

BOOST_AUTO_TEST_CASE(leaves_nothing_behind_where_writing_fails) {
  const temporary_folder folder;
  const std::string big = golden + "/llama32_1b_s1/mir.json";
  write_file(folder / "out.json", "before");
  const ended e = shell("ulimit -f 8; exec " + rlxc + " --pipeline none --emit mir -o " +
                        (folder / "out.json") + " " + big);
  BOOST_TEST(e.status == 1);
  BOOST_TEST(e.err == "rlxc: " + big + ": " + (folder / "out.json") +
                          ": cannot be written: File too large\n");
  BOOST_TEST(read_file(folder / "out.json") == "before");
  BOOST_TEST(names_in(folder.path()) == (std::vector<std::string>{"out.json"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(is_quiet_where_the_reader_goes_away) {
  const std::string big = golden + "/llama32_1b_s1/mir.json";
  // A pipe by name is a pipe as well; the plugins still hear of the graph.
  {
    const temporary_folder folder;
    const ended e = shell("mkfifo " + (folder / "p") + "; (exec < " + (folder / "p") +
                          ") & RLX_PLUGINS=" + fixture("print_names") + " " + rlxc +
                          " --pipeline none --emit mir -o " + (folder / "p") + " " + big);
    BOOST_TEST(e.status == 0);
    BOOST_TEST(e.err.find("print_names: llama32_1b_s1: ") == 0u, e.err);
    BOOST_TEST(std::count(e.err.begin(), e.err.end(), '\n') == 1);
  }
  for (const std::string& arguments :
       std::vector<std::string>{"--pipeline none --emit mir " + big, "--help", "--version"}) {
    const temporary_folder folder;
    const ended e =
        shell("mkfifo " + (folder / "pipe") + "; (exec < " + (folder / "pipe") + ") & exec 3> " +
              (folder / "pipe") + "; wait; " + rlxc + " " + arguments + " >&3; echo $?");
    BOOST_TEST(e.out == "0\n");
    BOOST_TEST(e.err == "");
  }
}

BOOST_AUTO_TEST_CASE(says_that_standard_output_is_full_or_closed) {
  const ended full = shell(rlxc + " --pipeline none --emit mir " + mir + " > /dev/full");
  BOOST_TEST(full.status == 1);
  BOOST_TEST(full.err ==
             "rlxc: " + mir + ": standard output: cannot be written: No space left on device\n");
  const ended closed = shell(rlxc + " --pipeline none --emit mir " + mir + " >&-");
  BOOST_TEST(closed.status == 1);
  BOOST_TEST(closed.err ==
             "rlxc: " + mir + ": standard output: cannot be written: Bad file descriptor\n");
  BOOST_TEST(shell(rlxc + " --help > /dev/full").status == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace opscope::test
