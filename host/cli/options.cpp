#include "host/cli/options.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <boost/program_options.hpp>

#include "host/cli/lowering.hpp"

namespace rlx::cli {

namespace {

namespace po = boost::program_options;

struct emit_name {
  std::string_view name;
  emit_form form;
};
constexpr std::array<emit_name, 7> emit_names{{{"none", emit_form::none},
                                               {"hir", emit_form::hir},
                                               {"mir", emit_form::mir},
                                               {"lir", emit_form::lir},
                                               {"text", emit_form::text},
                                               {"dump", emit_form::dump},
                                               {"fusion-report", emit_form::fusion_report}}};

std::vector<std::string_view> target_names() {
  std::vector<std::string_view> names;
  for (std::size_t t = 0; t < target_count; ++t)
    names.push_back(target_name(static_cast<target>(t)));
  return names;
}

template <class Names>
std::string list(const Names& names, const char* between = ", ") {
  std::string all;
  for (const auto& name : names) all.append(all.empty() ? "" : between).append(name);
  return all;
}

std::array<std::string_view, emit_names.size()> emit_form_names() {
  std::array<std::string_view, emit_names.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = emit_names[i].name;
  return names;
}

// A description is what the option takes: words, or what stands for them.
po::options_description describe() {
  po::options_description all;
  po::options_description_easy_init add = all.add_options();
  const auto words = [](const auto& names) { return list(names, "|"); };
  add("help,h", "");
  add("version", "");
  add("list-plugins", "");
  add("print-options", "");
  add("target", po::value<std::string>(), words(target_names()).c_str());
  add("pipeline", po::value<std::string>(), words(pipeline_names()).c_str());
  add("disable-pass", po::value<std::vector<std::string>>(), "NAME");
  add("print-passes", "");
  add("print-after", po::value<std::string>(), "NAME");
  add("emit", po::value<std::string>(), words(emit_form_names()).c_str());
  add("output,o", po::value<std::string>(), "FILE");
  add("bind", po::value<std::vector<std::string>>(), "SYMBOL=SIZE");
  add("verify", "");
  add("input", po::value<std::vector<std::string>>(), "FILE");
  return all;
}

template <class Names>
void check_choice(const char* option, const std::string& value, const Names& names) {
  if (std::find(names.begin(), names.end(), value) != names.end()) return;
  throw usage_error{std::string{"--"} + option + ": \"" + value + "\" is none of " + list(names)};
}

emit_form parse_emit(const std::string& value) {
  check_choice("emit", value, emit_form_names());
  return std::find_if(emit_names.begin(), emit_names.end(),
                      [&](const emit_name& e) { return e.name == value; })
      ->form;
}

binding parse_bind(const std::string& value) {
  try {
    return parse_binding(value);
  } catch (const error& e) {
    throw usage_error{std::string{"--bind: "} + e.what()};
  }
}

bool is_same_file(const std::string& a, const std::string& b) {
  struct stat x;
  struct stat y;
  return ::stat(a.c_str(), &x) == 0 && ::stat(b.c_str(), &y) == 0 && S_ISREG(x.st_mode) &&
         x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

void check_inputs(const options& o, bool has_output) {
  if (o.inputs.empty()) throw usage_error{"no input file; name one, or - for standard input"};
  for (const std::string& input : o.inputs) {
    if (input.empty()) throw usage_error{"an input file has an empty name"};
  }
  if (std::count(o.inputs.begin(), o.inputs.end(), "-") > 1) {
    throw usage_error{"standard input (-) can be read only once"};
  }
  if (o.emit == emit_form::none) {
    if (has_output) throw usage_error{"--output needs --emit and a form"};
    return;
  }
  if (o.inputs.size() > 1) {
    throw usage_error{"--emit takes one input, and " + std::to_string(o.inputs.size()) +
                      " were given; run rlxc once for each"};
  }
  if (o.output.empty()) throw usage_error{"--output has an empty name"};
  if (o.output != "-" && is_same_file(o.output, o.inputs.front())) {
    throw usage_error{"--output " + o.output + " is the input itself; name another file"};
  }
}

}  // namespace

options parse_options(int argc, const char* const* argv) {
  po::variables_map given;
  try {
    const po::options_description all = describe();
    po::positional_options_description files;
    files.add("input", -1);
    namespace style = po::command_line_style;
    po::store(po::command_line_parser{argc, argv}
                  .options(all)
                  .positional(files)
                  .style(style::unix_style & ~style::allow_guessing)
                  .run(),
              given);
    po::notify(given);
  } catch (const po::error& e) {
    throw usage_error{e.what()};
  }
  const auto text = [&](const char* name, const std::string& otherwise) {
    return given.count(name) == 0 ? otherwise : given[name].as<std::string>();
  };
  options o;
  if (given.count("help") != 0) {
    o.action = action::help;
    return o;
  }
  if (given.count("version") != 0) {
    o.action = action::version;
    return o;
  }
  if (given.count("print-options") != 0) {
    o.action = action::print_options;
    return o;
  }
  o.target = text("target", o.target);
  check_choice("target", o.target, target_names());
  o.pipeline = text("pipeline", o.pipeline);
  check_choice("pipeline", o.pipeline, pipeline_names());
  if (given.count("disable-pass") != 0) {
    o.disabled_passes = given["disable-pass"].as<std::vector<std::string>>();
  }
  o.print_after = text("print-after", "");
  o.emit = parse_emit(text("emit", "none"));
  o.output = text("output", o.output);
  o.verify = given.count("verify") != 0;
  if (given.count("bind") != 0) {
    for (const auto& text_of : given["bind"].as<std::vector<std::string>>()) {
      o.bindings.push_back(parse_bind(text_of));
    }
  }
  if (given.count("input") != 0) o.inputs = given["input"].as<std::vector<std::string>>();
  if (given.count("list-plugins") != 0) {
    if (!o.inputs.empty()) throw usage_error{"--list-plugins takes no input file"};
    o.action = action::list_plugins;
    return o;
  }
  if (given.count("print-passes") != 0) {
    if (!o.inputs.empty()) throw usage_error{"--print-passes takes no input file"};
    o.action = action::print_passes;
    return o;
  }
  check_inputs(o, given.count("output") != 0);
  return o;
}

std::string_view help_text() {
  return R"(Usage: rlxc [options] FILE...
Compiles RLX modules (JSON: HIR, a MIR graph or LIR; - is standard input) and
hands each compiled graph to the plugins that RLX_PLUGINS names.

  --target NAME      cpu, metal, mlx, wgpu, cuda, rocm or tpu (default cpu)
  --pipeline NAME    how to lower: rlx-0.2.2 as that compiler does, none takes
                     the graph as it is (default rlx-0.2.2)
  --disable-pass P   leave a pass out (repeatable)
  --print-passes     print the passes that would run, in order
  --print-after P    list the graph after that pass, or all, on standard error
  --emit FORM        write hir, mir or text (the graph before the passes), lir
                     (the lowered module), dump (every stage as text) or
                     fusion-report (default none)
  -o, --output PATH  where to write it (default -, standard output); one input
  --bind SYMBOL=N    give a dynamic dim its size before lowering; repeatable
  --verify           refuse graphs whose order, outputs or shapes are unsound
  --list-plugins     print name, version, ABI, stages and path of each plugin
  --version          print the version
  -h, --help         print this text

Examples:
  RLX_PLUGINS=libopscope.so rlxc model.json
  rlxc --target cuda --emit lir -o out.lir.json model.json

Exit status: 0 all inputs compiled, 1 an input could not be compiled or a
result not written (the other inputs still are), 2 usage or plugin trouble.

Environment:
  RLX_PLUGINS      plugins, separated by ':'; an absolute path, or a file name
                   that is looked up in the plugin folders
  RLX_PLUGIN_PATH  absolute folders, separated by ':', searched before the
                   plugin folder of the installation
  RLX_METAL_NO_FUSION, RLX_METAL_UNFUSE_REGIONS
                   flags that change what target metal runs, as in RLX
With the result on standard output, what plugins print there goes to standard
error.
)";
}

std::string option_table() {
  std::string table;
  const po::options_description all = describe();
  for (const auto& o : all.options()) {
    const std::string& name = o->long_name();
    if (name == "input" || name == "print-options") continue;
    std::vector<std::string> names{"--" + name};
    const std::string s = o->canonical_display_name(po::command_line_style::allow_dash_for_short);
    if (s.size() == 2 && s[0] == '-') names.push_back(s);
    for (const std::string& n : names) {
      table.append(o->semantic()->max_tokens() != 0 ? "option\t-\t" : "flag\t-\t").append(n);
      table.append("\t").append(o->description()).append("\n");
    }
  }
  return table;
}

}  // namespace rlx::cli
