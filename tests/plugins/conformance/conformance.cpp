// rlx_plugin_conformance PLUGIN.so: holds a plugin against the contract of rlx/plugin.h, one claim
// at a time, each in a process of its own, so that a crash is an answer too. Prints a line a claim;
// exit status 0 where all hold, 1 where one does not, 2 for a usage error.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/plugins/conformance/exports.hpp"
#include "tests/plugins/conformance/plugin_run.hpp"
#include "tests/plugins/conformance/process_state.hpp"

namespace {

using namespace opscope::test;

void exports_only_the_query(const std::string& path) {
  for (const std::string& name : defined_symbols(path)) {
    claim(name == RLX_PLUGIN_QUERY_SYMBOL, "it also exports " + name);
  }
}

void answers_the_query_alike_each_time(const std::string& path) {
  const rlx_plugin_query_fn query = load_plugin(path);
  const rlx_plugin* const table = query(RLX_PLUGIN_ABI);
  claim(table != nullptr, "it refuses a host of its own ABI");
  claim(query(RLX_PLUGIN_ABI) == table, "the second answer is another table");
  claim(query(RLX_PLUGIN_ABI + 9) == table, "it refuses a host of a newer minor");
}

void knows_its_major_when_another_asks(const std::string& path) {
  const rlx_plugin_query_fn query = load_plugin(path);
  const rlx_plugin* const table = query((RLX_PLUGIN_ABI_MAJOR + 1) << 16);
  claim(table == nullptr || table->abi >> 16 == RLX_PLUGIN_ABI_MAJOR,
        "it claims the ABI major of whoever asks");
}

void has_a_valid_table(const std::string& path) {
  const rlx_plugin& table = query_plugin(path);
  const std::string_view name = rlx::text(table.name);
  claim(!name.empty() && name.size() <= 64 &&
            name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") ==
                std::string_view::npos,
        "its name is not made of 1 to 64 of the characters a-z 0-9 _ -");
  claim(table.version.data != nullptr, "it has no version text");
}

void starts_and_ends_without_a_graph(const std::string& path) { plugin_run{path}.end(); }

void starts_on_a_host_of_a_newer_minor(const std::string& path) {
  plugin_run run{path, true};
  view_builder b{"newer"};
  b.outputs({b.input("x", {2})});
  rlx_compile_record record = plugin_run::record_of(b);
  record.struct_size = sizeof record + 1;  // longer; see frozen_record
  run.call(record);
  run.end();
}

void takes_an_empty_graph(const std::string& path) {
  plugin_run run{path};
  view_builder unnamed{""};
  run.call(unnamed);
  run.end();
}

void takes_a_record_of_absent_texts(const std::string& path) {
  plugin_run run{path};
  view_builder b;
  b.outputs({b.input("x", {2})});
  rlx_graph_view graph = b.get();
  graph.name = {nullptr, 0};
  rlx_compile_record record{};
  record.graph = &graph;
  run.call(record);
  run.end();
}

void takes_every_stage_it_asks_for(const std::string& path) {
  plugin_run run{path};
  view_builder b{"stages"};
  b.outputs({b.input("x", {2})});
  const rlx_option options[] = {{rlx::borrow("a"), rlx::borrow("1")},
                                {rlx::borrow("b"), rlx::borrow("")}};
  for (std::uint32_t stage = 1; stage <= RLX_STAGE_LOWERED; stage <<= 1) {
    if ((run.stages() & stage) == 0) continue;
    rlx_compile_record record = plugin_run::record_of(b);
    record.stage = stage;
    record.source = record.graph;
    record.pass = stage == RLX_STAGE_PASS ? rlx::borrow("a pass") : rlx_string{nullptr, 0};
    record.options = options;
    record.option_count = 2;
    record.sequence = RLX_UNKNOWN - 1;
    run.call(record);
  }
  run.end();
}

// Every kind as a leaf, and on three operands; no attributes at all.
void takes_every_kind_without_attributes(const std::string& path) {
  plugin_run run{path};
  view_builder b{"kinds"};
  for (std::uint32_t kind = 1; kind <= rlx::kind_count + 3; ++kind) b.node(kind, {}, {2, 3});
  for (std::uint32_t kind = 1; kind <= rlx::kind_count + 3; ++kind) {
    b.node(kind, {0, 1, kind}, {2, 3}, RLX_DTYPE_F16);
    b.node(kind, {0}, {});
  }
  b.outputs({0, 0, 5});
  run.call(b);
  run.end();
}

void takes_kinds_and_dtypes_it_has_never_heard_of(const std::string& path) {
  plugin_run run{path};
  view_builder b{"unknown"};
  const std::uint32_t kind = b.unlisted_kind("QuantumFold");
  const std::uint32_t dtype = b.unlisted_dtype("F4E2M1");
  const auto x = b.input("x", {8, 8}, dtype);
  const auto y = b.node(kind, {x, x}, {8, 8}, dtype,
                        {{"depth", 3u}, {"sign", -1}, {"mode", "x"}, {"rest", json("{\"a\":1}")}});
  b.raw_info(b.node(RLX_KIND_MatMul, {y, x}, {8, 8}, UINT32_MAX)).dtype_text = {nullptr, 0};
  b.raw_info(b.node(UINT32_MAX, {y}, {8})).kind_text = {nullptr, 0};
  const auto odd = b.node(RLX_KIND_Reduce, {y}, {8});
  b.attribute(odd, "op", json("[]")).attribute(odd, "axes", true).attribute(odd, "axes", "text");
  b.attribute(odd, "strange", attribute_value::of_type(0x7777));
  b.outputs({y});
  run.call(b);
  run.end();
}

void takes_shapes_at_the_limits(const std::string& path) {
  plugin_run run{path};
  view_builder b{"shapes"};
  const std::uint64_t huge = std::uint64_t{1} << 40;
  const auto big = b.input("big", {huge, huge, 0});
  const auto bigger = b.param("bigger", {UINT64_MAX, UINT64_MAX});
  dim_list rank_64(RLX_MAX_RANK, dim{1});
  rank_64[63] = symbol(UINT64_MAX);
  const auto deep = b.node(RLX_KIND_Binary, {big, bigger}, rank_64);
  b.node(RLX_KIND_MatMul, {big, bigger}, {symbol(0), symbol(0)});
  b.node(RLX_KIND_Softmax, {deep}, {});
  b.outputs({deep});
  run.call(b);
  run.end();
}

void takes_nested_graphs_to_the_depth_limit(const std::string& path) {
  plugin_run run{path};
  view_builder b{"outer"};
  view_builder* at = &b;
  for (unsigned depth = 0; depth < RLX_MAX_GRAPH_DEPTH; ++depth) {
    const auto loop = at->node(RLX_KIND_Scan, {at->input("x", {4})}, {4}, RLX_DTYPE_F32,
                               {{"length", std::uint64_t{1} << 60}});
    at->outputs({loop});
    at = &at->nested(loop, "body");
  }
  at->outputs({at->input("x", {4})});
  run.call(b);
  run.end();
}

void steps_by_the_strides_of_the_view(const std::string& path) {
  plugin_run run{path};
  view_builder b{"strides"};
  const auto x = b.input("x", {2, 3});
  const auto y = b.node(RLX_KIND_Reshape, {x}, {6}, RLX_DTYPE_F32, {{"new_shape", i64s({6})}});
  b.alias(y, x, 0).slot(x, 64, 24).slot(y, 64, 24).arena(128).outputs({y}).stride_padding(40);
  run.call(b);
  run.end();
}

void takes_texts_of_any_content_and_length(const std::string& path) {
  plugin_run run{path};
  view_builder b{"../../x\n\x1b[2J\xff\xfe"};
  const auto x = b.input(std::string(1000000, 'n'), {2});
  b.name(x, "").origin(x, std::string(1000, '/'), "pass\0name").outputs({x});
  run.call(b);
  run.end();
}

void may_be_called_from_several_threads_in_turn(const std::string& path) {
  plugin_run run{path};
  std::string failure;
  for (int i = 0; i < 8; ++i) {
    std::thread{[&] {
      try {
        view_builder b{"thread"};
        b.outputs({b.input("x", {2})});
        run.call(b);
      } catch (const std::exception& e) {
        failure = e.what();
      }
    }}.join();
  }
  claim(failure.empty(), failure);
  std::thread{[&] { run.end(); }}.join();
}

void leaves_the_process_as_it_is(const std::string& path) {
  const process_state before = take_state();
  plugin_run run{path};
  view_builder b{"state"};
  b.outputs({b.input("x", {2})});
  run.call(b);
  const std::string during = difference(before, take_state());
  claim(during.empty(), during);
  run.end();
  const std::string after = difference(before, take_state());
  claim(after.empty(), after);
}

struct named_claim {
  const char* name;
  void (*check)(const std::string& path);
};

#define CLAIM(name) \
  { #name, name }
constexpr named_claim claims[] = {
    CLAIM(exports_only_the_query),
    CLAIM(answers_the_query_alike_each_time),
    CLAIM(knows_its_major_when_another_asks),
    CLAIM(has_a_valid_table),
    CLAIM(starts_and_ends_without_a_graph),
    CLAIM(starts_on_a_host_of_a_newer_minor),
    CLAIM(takes_an_empty_graph),
    CLAIM(takes_a_record_of_absent_texts),
    CLAIM(takes_every_stage_it_asks_for),
    CLAIM(takes_every_kind_without_attributes),
    CLAIM(takes_kinds_and_dtypes_it_has_never_heard_of),
    CLAIM(takes_shapes_at_the_limits),
    CLAIM(takes_nested_graphs_to_the_depth_limit),
    CLAIM(steps_by_the_strides_of_the_view),
    CLAIM(takes_texts_of_any_content_and_length),
    CLAIM(may_be_called_from_several_threads_in_turn),
    CLAIM(leaves_the_process_as_it_is),
};
#undef CLAIM

constexpr unsigned seconds_a_claim = 120;

// Empty where the claim holds.
std::string check(const named_claim& c, const std::string& path) {
  int ends[2];
  if (::pipe(ends) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child < 0) return "no process";
  if (child == 0) {
    ::close(ends[0]);
    ::alarm(seconds_a_claim);
    std::string failure;
    try {
      c.check(path);
    } catch (const std::exception& e) {
      failure = dynamic_cast<const broken*>(&e) != nullptr
                    ? e.what()
                    : std::string{"it throws an exception: "} + e.what();
    } catch (...) {
      failure = "it throws an exception";
    }
    if (::write(ends[1], failure.data(), failure.size()) < 0) ::_exit(3);
    // Not _exit: what the plugin left behind for the end of the program runs as well.
    std::exit(failure.empty() ? 0 : 1);
  }
  ::close(ends[1]);
  std::string failure;
  char buffer[4096];
  for (ssize_t n = 0; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
    failure.append(buffer, static_cast<std::size_t>(n));
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!failure.empty()) return failure;
  if (WIFSIGNALED(status)) return std::string{"it ends in "} + ::strsignal(WTERMSIG(status));
  if (WEXITSTATUS(status) != 0) {
    return "it ends the process with status " + std::to_string(WEXITSTATUS(status));
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || std::strchr(argv[1], '/') == nullptr) {
    std::fprintf(stderr, "usage: rlx_plugin_conformance PLUGIN.so (a path with a '/')\n");
    return 2;
  }
  unsigned failed = 0;
  for (const named_claim& c : claims) {
    std::fflush(stdout);
    const std::string failure = check(c, argv[1]);
    if (failure.empty()) {
      std::printf("ok      %s\n", c.name);
    } else {
      std::printf("FAILED  %s: %s\n", c.name, failure.c_str());
      ++failed;
    }
  }
  std::printf("%zu claims, %u failed\n", std::size(claims), failed);
  return failed == 0 ? 0 : 1;
}
