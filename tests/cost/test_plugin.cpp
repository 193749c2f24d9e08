// libopscope.so as a host meets it: loaded, asked for its table, driven through plugin.h alone.
#define BOOST_TEST_MODULE opscope_plugin
#include <dlfcn.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <opscope/cost.hpp>
#include <stdexcept>
#include <thread>

#include "tests/support/process.hpp"
#include "tests/support/view_builder.hpp"

namespace opscope::test {
namespace {

struct said {
  rlx_severity severity;
  std::string text;
};

// A host of one plugin: keeps what is registered and said.
class tiny_host {
 public:
  explicit tiny_host(std::initializer_list<std::pair<const char*, const char*>> environment = {}) {
    ::clearenv();
    for (const auto& [name, value] : environment) ::setenv(name, value, 1);
    services.struct_size = sizeof services;
    services.abi = RLX_PLUGIN_ABI;
    services.context = this;
    services.register_hook = [](void* context, std::uint32_t mask, rlx_hook_fn f) -> rlx_status {
      auto& host = *static_cast<tiny_host*>(context);
      host.stages = mask;
      host.hook = f;
      return host.registration;
    };
    services.report = [](void* context, rlx_severity severity, rlx_string text) {
      static_cast<tiny_host*>(context)->lines.push_back({severity, std::string{rlx::text(text)}});
    };
  }
  ~tiny_host() {
    if (self != nullptr) table().destroy(self);
  }
  tiny_host(const tiny_host&) = delete;
  tiny_host& operator=(const tiny_host&) = delete;

  static rlx_plugin_query_fn query() {
    void* library = ::dlopen(OPSCOPE_LIB "/rlx/plugins/libopscope.so", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error{::dlerror()};
    void* symbol = ::dlsym(library, RLX_PLUGIN_QUERY_SYMBOL);
    if (symbol == nullptr) throw std::runtime_error{::dlerror()};
    return reinterpret_cast<rlx_plugin_query_fn>(symbol);
  }
  static const rlx_plugin& table() { return *query()(RLX_PLUGIN_ABI); }

  rlx_status create() { return table().create(&services, &self); }
  rlx_status compile(const rlx_graph_view& graph, rlx_stage stage = RLX_STAGE_LOWERED,
                     const char* pass = nullptr, std::uint64_t sequence = 0) {
    rlx_compile_record record{};
    if (pass != nullptr) record.pass = rlx::borrow(pass);
    record.sequence = sequence;
    record.struct_size = sizeof record;
    record.stage = stage;
    record.graph = &graph;
    record.source = source == nullptr ? &graph : source;
    record.target = rlx::borrow("cpu");
    record.compiler_name = rlx::borrow("test");
    record.compiler_version = rlx::borrow("1");
    record.pipeline = rlx::borrow("none");
    record.option_stride = sizeof(rlx_option);
    return hook(self, &record);
  }

  rlx_host_services services{};
  rlx_status registration = RLX_OK;
  void* self = nullptr;
  const rlx_graph_view* source = nullptr;  // of all records; else the graph itself
  std::uint32_t stages = 0;
  rlx_hook_fn hook = nullptr;
  std::vector<said> lines;
};

// 64x128 by 128x32.
void build_matmul(view_builder& b) {
  const auto x = b.input("x", {64, 128});
  const auto w = b.param("w", {128, 32});
  b.outputs({b.node(RLX_KIND_MatMul, {x, w}, {64, 32})});
}

BOOST_AUTO_TEST_SUITE(table)

BOOST_AUTO_TEST_CASE(is_whole_and_says_who_it_is) {
  const rlx_plugin& t = tiny_host::table();
  BOOST_TEST(t.struct_size == sizeof(rlx_plugin));
  BOOST_TEST(t.abi == RLX_PLUGIN_ABI);
  BOOST_TEST(rlx::text(t.name) == "opscope");
  BOOST_TEST(!rlx::text(t.version).empty());
}

BOOST_AUTO_TEST_CASE(is_refused_to_another_major_and_given_to_another_minor) {
  BOOST_TEST(tiny_host::query()((RLX_PLUGIN_ABI_MAJOR + 1) << 16) == nullptr);
  BOOST_TEST(tiny_host::query()(UINT32_MAX) == nullptr);
  BOOST_TEST(tiny_host::query()((RLX_PLUGIN_ABI_MAJOR << 16) | 0xFFFF) != nullptr);
  BOOST_TEST(tiny_host::query()(RLX_PLUGIN_ABI_MAJOR << 16) != nullptr);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(create)

BOOST_AUTO_TEST_CASE(registers_the_post_lowering_hook_and_says_nothing) {
  tiny_host host;
  BOOST_TEST(host.create() == RLX_OK);
  BOOST_TEST(host.stages == RLX_STAGE_LOWERED);
  BOOST_TEST(host.hook != nullptr);
  BOOST_TEST(host.self != nullptr);
  BOOST_TEST(host.lines.empty());
}

BOOST_AUTO_TEST_CASE(registers_nothing_where_it_was_told_to_do_nothing) {
  tiny_host host{{"OPSCOPE_REPORT", "off"}};
  BOOST_TEST(host.create() == RLX_OK);
  BOOST_TEST(host.hook == nullptr);
}

BOOST_AUTO_TEST_CASE(warns_of_settings_and_goes_on) {
  tiny_host host{{"OPSCOPE_TOP", "many"}, {"OPSCOPE_REPROT", "off"}};
  BOOST_TEST(host.create() == RLX_OK);
  BOOST_REQUIRE_EQUAL(host.lines.size(), 2u);
  BOOST_TEST(host.lines[0].severity == RLX_WARNING);
  BOOST_TEST(host.lines[0].text ==
             "OPSCOPE_TOP: \"many\" is not a whole number from 0 to 4294967295; using 10");
  BOOST_TEST(host.lines[1].text ==
             "OPSCOPE_REPROT is not a setting and is ignored; did you mean OPSCOPE_REPORT?");
  BOOST_TEST(host.hook != nullptr);
}

BOOST_AUTO_TEST_CASE(fails_without_services_it_can_use) {
  tiny_host host;
  void* self = nullptr;
  const rlx_plugin& t = tiny_host::table();
  BOOST_TEST(t.create(nullptr, &self) == RLX_FAILED);
  BOOST_TEST(t.create(&host.services, nullptr) == RLX_FAILED);
  const auto refused = [&](auto change) {
    rlx_host_services broken = host.services;
    change(broken);
    return t.create(&broken, &self) == RLX_FAILED && self == nullptr;
  };
  BOOST_TEST(refused([](auto& s) { s.struct_size = RLX_HOST_SERVICES_SIZE_0_1 - 1; }));
  BOOST_TEST(refused([](auto& s) { s.abi = (RLX_PLUGIN_ABI_MAJOR + 1) << 16; }));
  BOOST_TEST(refused([](auto& s) { s.report = nullptr; }));
  BOOST_TEST(refused([](auto& s) { s.register_hook = nullptr; }));
  BOOST_TEST(!refused([](auto& s) { s.struct_size += 8; }));  // a newer host
  t.destroy(self);
}

BOOST_AUTO_TEST_CASE(fails_where_its_hook_is_not_taken) {
  tiny_host host;
  host.registration = RLX_FAILED;
  BOOST_TEST(host.create() == RLX_FAILED);
  BOOST_TEST(host.self == nullptr);
}

BOOST_AUTO_TEST_CASE(destroy_takes_nothing) { tiny_host::table().destroy(nullptr); }

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(hook)

BOOST_AUTO_TEST_CASE(says_one_line_a_graph) {
  tiny_host host;
  BOOST_REQUIRE(host.create() == RLX_OK);
  view_builder b{"mm"};
  build_matmul(b);
  for (int compile = 0; compile < 2; ++compile) BOOST_TEST(host.compile(b.get()) == RLX_OK);
  BOOST_REQUIRE_EQUAL(host.lines.size(), 2u);
  for (const said& line : host.lines) {
    BOOST_TEST(line.severity == RLX_INFO);
    BOOST_TEST(line.text ==
               "mm [cpu]: 3 nodes need 56.00 KiB, 1.00 times the 56.00 KiB of inputs, weights and "
               "outputs; 524.29 KFLOP, 9.14 FLOP/B; all covered; 56.00 KiB as rlx-opscope 0.2.18 "
               "counts");
  }
}

BOOST_AUTO_TEST_CASE(prints_the_rules_report_to_the_letter) {
  tiny_host host{{"OPSCOPE_REPORT", "rule"}, {"OPSCOPE_TOP", "3"}};
  BOOST_REQUIRE(host.create() == RLX_OK);
  view_builder b{"mm"};
  build_matmul(b);
  BOOST_TEST(host.compile(b.get()) == RLX_OK);
  BOOST_REQUIRE_EQUAL(host.lines.size(), 1u);
  BOOST_TEST(host.lines[0].text + "\n" == analyze(b.view()).report(3));
}

BOOST_AUTO_TEST_CASE(adds_the_split_where_a_ridge_is_given) {
  const std::string split = "ridge 9.00 FLOP/B: 0 B memory-bound, 56.00 KiB compute-bound";
  for (const char* report : {"rule", "summary", "full"}) {
    tiny_host host{{"OPSCOPE_REPORT", report}, {"OPSCOPE_RIDGE", "9"}};
    BOOST_REQUIRE(host.create() == RLX_OK);
    view_builder b{"mm"};
    build_matmul(b);
    BOOST_TEST(host.compile(b.get()) == RLX_OK);
    BOOST_TEST(host.lines.at(0).text.ends_with(split));
  }
}

BOOST_AUTO_TEST_CASE(passes_over_stages_it_did_not_ask_for) {
  tiny_host host;
  BOOST_REQUIRE(host.create() == RLX_OK);
  view_builder b{"mm"};
  build_matmul(b);
  for (const rlx_stage stage : {RLX_STAGE_SOURCE, RLX_STAGE_PASS, 0x80u}) {
    BOOST_TEST(host.compile(b.get(), stage) == RLX_OK);
  }
  BOOST_TEST(host.lines.empty());
}

BOOST_AUTO_TEST_CASE(refuses_a_view_with_a_defect_and_says_where) {
  tiny_host host;
  BOOST_REQUIRE(host.create() == RLX_OK);
  view_builder b{"mm"};
  build_matmul(b);
  b.raw_inputs()[1] = 77;
  BOOST_TEST(host.compile(b.get()) == RLX_FAILED);
  BOOST_REQUIRE_EQUAL(host.lines.size(), 1u);
  BOOST_TEST(host.lines[0].severity == RLX_ERROR);
  BOOST_TEST(host.lines[0].text ==
             "graph mm: node 2: an operand does not come before it; the host breaks the plugin "
             "contract, report it to its authors");
}

BOOST_AUTO_TEST_CASE(refuses_records_it_cannot_read) {
  tiny_host host;
  BOOST_REQUIRE(host.create() == RLX_OK);
  BOOST_TEST(host.hook(nullptr, nullptr) == RLX_FAILED);
  BOOST_TEST(host.hook(host.self, nullptr) == RLX_FAILED);
  rlx_compile_record record{};
  record.struct_size = RLX_COMPILE_RECORD_SIZE_0_1 - 1;
  BOOST_TEST(host.hook(host.self, &record) == RLX_FAILED);
  BOOST_TEST(host.lines.back().text ==
             "the compile record is shorter than that of ABI 0.1; the host breaks the plugin "
             "contract, report it to its authors");
  record.struct_size = sizeof record;
  record.stage = RLX_STAGE_LOWERED;
  BOOST_TEST(host.hook(host.self, &record) == RLX_FAILED);
  BOOST_TEST(host.lines.back().text ==
             "the compile record has no graph; the host breaks the plugin contract, report it to "
             "its authors");
}

BOOST_AUTO_TEST_CASE(refuses_a_source_or_options_with_a_defect) {
  tiny_host host;
  BOOST_REQUIRE(host.create() == RLX_OK);
  view_builder b{"mm"};
  build_matmul(b);
  view_builder source{"mm"};
  build_matmul(source);
  source.outputs({3});
  rlx_compile_record record{};
  record.struct_size = sizeof record;
  record.stage = RLX_STAGE_LOWERED;
  record.graph = &b.get();
  record.source = &source.get();
  BOOST_TEST(host.hook(host.self, &record) == RLX_FAILED);
  BOOST_TEST(host.lines.back().text.starts_with("source of graph mm: an output is no node; "));
  record.source = nullptr;
  const rlx_option option{rlx::borrow("a"), rlx::borrow("b")};
  record.options = &option;
  record.option_count = 1;
  record.option_stride = sizeof(rlx_option) - 8;
  BOOST_TEST(host.hook(host.self, &record) == RLX_FAILED);
  BOOST_TEST(host.lines.back().text.starts_with(
      "graph mm: the options are missing or their stride is too short; "));
  record.option_stride = sizeof(rlx_option);
  BOOST_TEST(host.hook(host.self, &record) == RLX_OK);
}

BOOST_AUTO_TEST_CASE(reads_longer_elements_and_absent_texts) {
  tiny_host host;
  BOOST_REQUIRE(host.create() == RLX_OK);
  view_builder b{"mm"};
  build_matmul(b);
  b.stride_padding(40);
  rlx_compile_record record{};
  record.struct_size = sizeof record + 64;
  record.stage = RLX_STAGE_LOWERED;
  record.graph = &b.get();
  BOOST_TEST(host.hook(host.self, &record) == RLX_OK);
  BOOST_TEST(host.lines.at(0).text.starts_with("mm []: 3 nodes need 56.00 KiB"));
}

BOOST_AUTO_TEST_CASE(may_be_called_from_one_thread_after_another) {
  tiny_host host;
  BOOST_REQUIRE(host.create() == RLX_OK);
  view_builder b{"mm"};
  build_matmul(b);
  const rlx_graph_view& view = b.get();
  for (int i = 0; i < 3; ++i) {
    rlx_status status = RLX_FAILED;
    std::thread{[&] { status = host.compile(view); }}.join();
    BOOST_TEST(status == RLX_OK);
  }
  BOOST_TEST(host.lines.size() == 3u);
}

BOOST_AUTO_TEST_CASE(two_instances_do_not_share_settings) {
  tiny_host quiet{{"OPSCOPE_REPORT", "rule"}};
  BOOST_REQUIRE(quiet.create() == RLX_OK);
  tiny_host loud;
  BOOST_REQUIRE(loud.create() == RLX_OK);
  view_builder b{"mm"};
  build_matmul(b);
  BOOST_TEST(quiet.compile(b.get()) == RLX_OK);
  BOOST_TEST(loud.compile(b.get()) == RLX_OK);
  BOOST_TEST(quiet.lines.at(0).text.starts_with("bytes moved"));
  BOOST_TEST(loud.lines.at(0).text.starts_with("mm [cpu]"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(ledger)

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream in{file};
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

BOOST_AUTO_TEST_CASE(gets_a_line_a_compile_with_tags) {
  const temporary_folder folder;
  const std::string file = folder / "run.jsonl";
  {
    tiny_host host{{"OPSCOPE_LEDGER", file.c_str()}, {"OPSCOPE_TAGS", "git=abc"}};
    BOOST_REQUIRE(host.create() == RLX_OK);
    view_builder b{"mm"};
    build_matmul(b);
    BOOST_TEST(host.compile(b.get()) == RLX_OK);
    BOOST_TEST(host.compile(b.get()) == RLX_OK);
    BOOST_TEST(host.lines.size() == 2u);
  }
  const auto lines = lines_of(file);
  BOOST_REQUIRE_EQUAL(lines.size(), 2u);
  for (const std::string& line : lines) {
    BOOST_TEST(line.starts_with("{\"schema\":\"opscope-ledger/1\""));
    BOOST_TEST(has(line, "\"graph\":\"mm\""));
    BOOST_TEST(has(line, "\"tags\":{\"git\":\"abc\"}"));
    BOOST_TEST(has(line, "\"flops\":" + std::to_string(2 * 64 * 32 * 128)));
    BOOST_TEST(has(line, "\"nodes\":["));
  }
}

BOOST_AUTO_TEST_CASE(leaves_out_nodes_and_stays_silent_where_asked) {
  const temporary_folder folder;
  const std::string file = folder / "run.jsonl";
  tiny_host host{
      {"OPSCOPE_LEDGER", file.c_str()}, {"OPSCOPE_NODES", "0"}, {"OPSCOPE_REPORT", "off"}};
  BOOST_REQUIRE(host.create() == RLX_OK);
  BOOST_TEST(host.stages == RLX_STAGE_LOWERED);
  view_builder b{"mm"};
  build_matmul(b);
  BOOST_TEST(host.compile(b.get()) == RLX_OK);
  BOOST_TEST(host.lines.empty());
  BOOST_REQUIRE_EQUAL(lines_of(file).size(), 1u);
  BOOST_TEST(!has(lines_of(file)[0], "\"nodes\":["));
}

BOOST_AUTO_TEST_CASE(lies_where_the_process_stood_when_the_plugin_was_created) {
  const temporary_folder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  tiny_host host{{"OPSCOPE_LEDGER", "sub/"}};
  const rlx_status created = host.create();
  std::filesystem::current_path(before);
  BOOST_REQUIRE(created == RLX_OK);
  view_builder b{"mm"};
  build_matmul(b);
  BOOST_TEST(host.compile(b.get()) == RLX_OK);
  BOOST_TEST(host.lines.size() == 1u);
  BOOST_TEST(std::filesystem::is_directory(folder / "sub"));
  BOOST_TEST(!std::filesystem::is_empty(folder / "sub"));
}

// Stage, pass and sequence of each record.
std::vector<std::string> stages_in(const std::string& file) {
  std::vector<std::string> stages;
  for (const std::string& line : lines_of(file)) {
    const auto member = [&](const std::string& name) {
      const std::size_t at = line.find("\"" + name + "\":") + name.size() + 3;
      return line.substr(at, line.find(',', at) - at);
    };
    stages.push_back(member("seq") + member("stage") + member("pass"));
  }
  return stages;
}

BOOST_AUTO_TEST_CASE(holds_the_passes_that_changed_something) {
  const temporary_folder folder;
  const std::string file = folder / "run.jsonl";
  tiny_host host{{"OPSCOPE_LEDGER", file.c_str()}, {"OPSCOPE_STAGES", "all"}};
  BOOST_REQUIRE(host.create() == RLX_OK);
  BOOST_TEST(host.stages == (RLX_STAGE_SOURCE | RLX_STAGE_PASS | RLX_STAGE_LOWERED));
  view_builder before{"mm"};
  build_matmul(before);
  view_builder after{"mm"};
  build_matmul(after);
  after.node(RLX_KIND_Activation, {2}, {64, 32});
  after.outputs({3});
  view_builder renamed{"mm"};
  build_matmul(renamed);
  renamed.name(2, "y");
  host.source = &before.get();
  // Two compiles of one name under way at once.
  for (const std::uint64_t sequence : {0u, 1u}) {
    BOOST_TEST(host.compile(before.get(), RLX_STAGE_SOURCE, nullptr, sequence) == RLX_OK);
  }
  for (const std::uint64_t sequence : {0u, 1u}) {
    BOOST_TEST(host.compile(before.get(), RLX_STAGE_PASS, "idle", sequence) == RLX_OK);
    BOOST_TEST(host.compile(renamed.get(), RLX_STAGE_PASS, "rename", sequence) == RLX_OK);
    BOOST_TEST(host.compile(after.get(), RLX_STAGE_PASS, "add", sequence) == RLX_OK);
  }
  for (const std::uint64_t sequence : {0u, 1u}) {
    BOOST_TEST(host.compile(after.get(), RLX_STAGE_PASS, "again", sequence) == RLX_OK);
    BOOST_TEST(host.compile(before.get(), RLX_STAGE_PASS, "remove", sequence) == RLX_OK);
    BOOST_TEST(host.compile(before.get(), RLX_STAGE_LOWERED, nullptr, sequence) == RLX_OK);
  }
  BOOST_TEST(stages_in(file) == (std::vector<std::string>{
                                    "0\"source\"null", "1\"source\"null", "0\"pass\"\"add\"",
                                    "1\"pass\"\"add\"", "0\"pass\"\"remove\"", "0\"lowered\"null",
                                    "1\"pass\"\"remove\"", "1\"lowered\"null"}),
             boost::test_tools::per_element());
  BOOST_TEST(host.lines.size() == 2u);  // the summary is of the result alone
}

BOOST_AUTO_TEST_CASE(measures_the_first_pass_against_the_source_that_is_lent) {
  const temporary_folder folder;
  const std::string file = folder / "run.jsonl";
  tiny_host host{{"OPSCOPE_LEDGER", file.c_str()}, {"OPSCOPE_STAGES", "passes"}};
  BOOST_REQUIRE(host.create() == RLX_OK);
  view_builder b{"mm"};
  build_matmul(b);
  host.source = &b.get();
  BOOST_TEST(host.compile(b.get(), RLX_STAGE_SOURCE) == RLX_OK);  // not asked for
  BOOST_TEST(host.compile(b.get(), RLX_STAGE_PASS, "idle") == RLX_OK);
  BOOST_TEST(host.compile(b.get()) == RLX_OK);
  BOOST_TEST(stages_in(file) == (std::vector<std::string>{"0\"lowered\"null"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(that_cannot_be_written_is_told_once_and_summed_up) {
  const temporary_folder folder;
  // Its folder is a file.
  std::ofstream{folder / "file"} << "x";
  const std::string place = folder / "file/run.jsonl";
  tiny_host host{{"OPSCOPE_LEDGER", place.c_str()}};
  BOOST_REQUIRE(host.create() == RLX_OK);
  view_builder b{"mm"};
  build_matmul(b);
  for (int i = 0; i < 3; ++i) BOOST_TEST(host.compile(b.get()) == RLX_OK);
  tiny_host::table().destroy(host.self);
  host.self = nullptr;
  std::vector<std::string> warnings;
  for (const said& line : host.lines) {
    if (line.severity == RLX_WARNING) warnings.push_back(line.text);
  }
  BOOST_REQUIRE_EQUAL(warnings.size(), 2u);
  BOOST_TEST(has(warnings[0], place));
  BOOST_TEST(warnings[1] == "2 more records could not be written to the ledger");
  BOOST_TEST(host.lines.size() == 3u + 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace opscope::test
