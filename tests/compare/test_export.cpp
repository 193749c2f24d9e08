// opscope export: the profile's messages as another reader decodes them, and the CSV.
#define BOOST_TEST_MODULE export
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <boost/test/unit_test.hpp>

#include "plugin/export/pprof.hpp"
#include "tests/ledger/run.hpp"

namespace opscope::test {
namespace {

void expect_text(const std::string& text, std::string_view part) {
  BOOST_TEST(text.find(part) != std::string::npos, "\"" << text << "\" lacks \"" << part << "\"");
}

// ---- Protocol buffers, read plainly: fields of a message in their order.

struct wire_field {
  std::uint64_t number;
  std::uint64_t count = 0;  // of a varint
  std::string bytes;        // of what has a length
};

std::uint64_t read_varint(std::string_view& s) {
  std::uint64_t v = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    BOOST_REQUIRE(!s.empty());
    const auto c = static_cast<unsigned char>(s.front());
    s.remove_prefix(1);
    v |= std::uint64_t{c & 0x7Fu} << shift;
    if (c < 0x80) return v;
  }
  BOOST_FAIL("a varint of more than 64 bits");
  return 0;
}

std::vector<wire_field> fields(std::string_view s) {
  std::vector<wire_field> all;
  while (!s.empty()) {
    const std::uint64_t key = read_varint(s);
    wire_field f{key >> 3, 0, {}};
    if ((key & 7) == 0) {
      f.count = read_varint(s);
    } else {
      BOOST_REQUIRE((key & 7) == 2);
      const std::uint64_t size = read_varint(s);
      BOOST_REQUIRE(size <= s.size());
      f.bytes = s.substr(0, size);
      s.remove_prefix(size);
    }
    all.push_back(std::move(f));
  }
  return all;
}

std::vector<std::uint64_t> numbers(std::string_view packed) {
  std::vector<std::uint64_t> all;
  while (!packed.empty()) all.push_back(read_varint(packed));
  return all;
}

struct decoded {
  std::vector<std::string> strings;
  std::vector<std::string> types;                            // `need/bytes`
  std::map<std::string, std::vector<std::uint64_t>> stacks;  // `outermost;..;innermost`
  std::vector<std::string> comments;
  std::uint64_t time = 0;
  std::string default_type;

  explicit decoded(std::string_view message) {
    const std::vector<wire_field> all = fields(message);
    for (const wire_field& f : all) {
      if (f.number == 6) strings.push_back(f.bytes);
    }
    BOOST_REQUIRE(!strings.empty());
    BOOST_TEST(strings[0] == "");
    std::map<std::uint64_t, std::string> functions;
    std::map<std::uint64_t, std::uint64_t> locations;
    for (const wire_field& f : all) {
      if (f.number == 5) {
        const auto parts = fields(f.bytes);
        functions[parts.at(0).count] = strings.at(parts.at(1).count);
      }
      if (f.number == 4) {
        const auto parts = fields(f.bytes);
        BOOST_REQUIRE(parts.at(1).number == 4u);
        locations[parts.at(0).count] = fields(parts.at(1).bytes).at(0).count;
      }
      if (f.number == 1) {
        const auto parts = fields(f.bytes);
        types.push_back(strings.at(parts.at(0).count) + "/" + strings.at(parts.at(1).count));
      }
      if (f.number == 13) comments.push_back(strings.at(f.count));
      if (f.number == 9) time = f.count;
      if (f.number == 14) default_type = strings.at(f.count);
    }
    for (const wire_field& f : all) {
      if (f.number != 2) continue;
      const auto parts = fields(f.bytes);
      std::string stack;
      for (const std::uint64_t id : numbers(parts.at(0).bytes)) {
        stack = functions.at(locations.at(id)) + (stack.empty() ? "" : ";") + stack;
      }
      BOOST_TEST(stacks.emplace(stack, numbers(parts.at(1).bytes)).second, stack);
    }
  }
};

std::string gunzip(const std::string& bytes) {
  z_stream z{};
  BOOST_REQUIRE(inflateInit2(&z, 15 + 16) == Z_OK);
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  int state = Z_OK;
  while (state == Z_OK) {
    char piece[4096];
    z.next_out = reinterpret_cast<Bytef*>(piece);
    z.avail_out = sizeof piece;
    state = inflate(&z, Z_NO_FLUSH);
    out.append(piece, sizeof piece - z.avail_out);
  }
  BOOST_TEST(state == Z_STREAM_END);
  inflateEnd(&z);
  return out;
}

constexpr std::uint64_t matmul_bytes = (4 * 8 + 8 * 8 + 4 * 8) * 4;
constexpr std::uint64_t relu_bytes = (4 * 8 + 4 * 8) * 4;

struct ledgers {
  scratch place;
  std::string path = place.path("ledger.jsonl");
  explicit ledgers(bool is_dynamic = false) {
    ::setenv("SOURCE_DATE_EPOCH", "86400", 1);
    view_builder b{"model, \"a\""};
    const dim_list shape = is_dynamic ? dim_list{symbol(0), 8} : dim_list{4, 8};
    auto x = b.input("x", shape);
    for (int i = 0; i < 2; ++i) {
      const auto w = b.param("layers." + std::to_string(i) + ".up.weight", {8, 8});
      x = b.node(RLX_KIND_MatMul, {x, w}, shape);
      x = b.node(RLX_KIND_Activation, {x}, shape, RLX_DTYPE_F32, {{"value", "Relu"}});
    }
    b.outputs({x});
    const graph_cost cost = analyze(b.view());
    const graph_need need = analyze_need(b.view(), {{}, &cost});
    ledger_settings settings;
    settings.place = path;
    BOOST_REQUIRE(!ledger{settings}.append(lowered_record(b.get()), cost, &need));
  }
};

run_result export_command(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "export");
  return opscope_command(std::move(arguments));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(profiles)

BOOST_AUTO_TEST_CASE(have_a_frame_for_each_part_of_a_label) {
  const auto parts = [](std::string_view label) {
    std::string text;
    for (const std::string_view part : label_parts(label)) {
      text.append(text.empty() ? "" : " ").append(part);
    }
    return text;
  };
  BOOST_TEST(parts("model.layers.3.self_attn.{q,k,v}_proj") ==
             "model layers.3 self_attn {q,k,v}_proj");
  BOOST_TEST(parts("{a.b,c.d}.e") == "{a.b,c.d} e");
  BOOST_TEST(parts("0.weight") == "0 weight");
  BOOST_TEST(parts("a.1.2.b") == "a.1.2 b");
  BOOST_TEST(parts("") == "");
  BOOST_TEST(parts("..a..") == "a");
  BOOST_TEST(parts("{open.a") == "{open.a");
  BOOST_TEST(parts("a}.b") == "a} b");
}

BOOST_AUTO_TEST_CASE(hold_the_nodes_with_their_units) {
  const ledgers l;
  const run_result r = export_command({"--format", "pprof", l.path});
  BOOST_REQUIRE_MESSAGE(r.status == 0, r.err);
  BOOST_TEST(r.err == "");
  const decoded d{gunzip(r.out)};
  const std::vector<std::string> types{"need/bytes", "rule/bytes", "weights/bytes",
                                       "invariant/bytes", "work/operations"};
  BOOST_TEST(d.types == types, boost::test_tools::per_element());
  BOOST_TEST(d.default_type == "need");
  BOOST_TEST(d.time == 86'400'000'000'000u);
  BOOST_REQUIRE(d.stacks.size() == 4u);
  const auto& up = d.stacks.at("model, \"a\" [cpu];layers.1;up;MatMul");
  const std::vector<std::uint64_t> wanted{matmul_bytes, matmul_bytes, 8 * 8 * 4, 0, 2 * 4 * 8 * 8};
  BOOST_TEST(up == wanted, boost::test_tools::per_element());
  BOOST_TEST(d.stacks.at("model, \"a\" [cpu];layers.0;Activation")[0] == relu_bytes);
  BOOST_REQUIRE(d.comments.size() == 1u);
  expect_text(d.comments[0], "model, \"a\" for cpu, lowered, by rlxc 0.2.2");
}

BOOST_AUTO_TEST_CASE(say_what_is_unknown) {
  const ledgers l{true};
  const run_result r = export_command({"--format", "pprof", l.path});
  BOOST_TEST(r.status == 0);
  expect_text(r.err, "opscope: need: 4 nodes are unknown and stand at the least that is known\n");
  const decoded d{gunzip(r.out)};
  expect_text(d.comments.back(), "work: 4 nodes are unknown");
}

BOOST_AUTO_TEST_CASE(hold_at_most_what_the_format_can) {
  profile p;
  p.names = {"kind", "graph"};
  p.samples[{0, 1}] = {INT64_MAX, 1, 2, 3, 127};
  p.samples[{1}] = {0, 128, 0, 0, 16'384};
  p.time = "no time";
  const decoded d{write_pprof_message(p)};
  BOOST_TEST(d.stacks.at("graph;kind")[0] == std::uint64_t{INT64_MAX});
  BOOST_TEST(d.stacks.at("graph")[1] == 128u);
  BOOST_TEST(d.stacks.at("graph")[4] == 16'384u);
  BOOST_TEST(d.time == 0u);
  BOOST_TEST(gunzip(write_pprof(p)) == write_pprof_message(p));
}

BOOST_AUTO_TEST_CASE(go_to_a_file_whole_or_not_at_all) {
  const ledgers l;
  const std::string to = l.place.path("out.pb.gz");
  BOOST_TEST(export_command({"--format", "pprof", "--output", to, l.path}).status == 0);
  const std::string whole = read_text(to);
  BOOST_TEST(decoded{gunzip(whole)}.stacks.size() == 4u);
  BOOST_TEST(export_command({"--format", "pprof", l.path}).out == whole);
  BOOST_TEST(export_command({"--format", "pprof", "--output", to, "/dev/null"}).status == 2);
  BOOST_TEST(read_text(to) == whole);
  const run_result r =
      export_command({"--format", "pprof", "--output", l.place.path("no/such"), l.path});
  BOOST_TEST(r.status == 2);
  expect_text(r.err, "no/such: cannot be written: No such file");
  for (const auto& entry : std::filesystem::directory_iterator{l.place.folder()}) {
    BOOST_TEST(entry.path().string().find(".new-") == std::string::npos, entry.path());
  }
}

BOOST_AUTO_TEST_CASE(never_replace_a_ledger_that_is_read) {
  const ledgers l;
  const std::string before = read_text(l.path);
  const std::string link = l.place.path("link");
  std::filesystem::create_symlink(l.path, link);
  for (const std::string& to : {l.path, link}) {
    for (const std::string& from : {l.path, l.place.folder().string() + "/"}) {
      const run_result r = export_command({"--format", "csv", "--output", to, from});
      BOOST_TEST(r.status == 2);
      expect_text(r.err, "--output is the ledger ");
      BOOST_TEST(read_text(l.path) == before);
    }
  }
}

BOOST_AUTO_TEST_CASE(leave_a_pipe_a_pipe) {
  const ledgers l;
  const std::string pipe = l.place.path("pipe");
  BOOST_REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  BOOST_REQUIRE(reader >= 0);
  BOOST_TEST(export_command({"--format", "pprof", "--output", pipe, l.path}).status == 0);
  std::string got(4096, '\0');
  const ssize_t n = ::read(reader, got.data(), got.size());
  ::close(reader);
  BOOST_REQUIRE(n > 0);
  got.resize(static_cast<std::size_t>(n));
  BOOST_TEST(got == export_command({"--format", "pprof", l.path}).out);
  BOOST_TEST(std::filesystem::is_fifo(pipe));
}

BOOST_AUTO_TEST_CASE(follow_links_and_keep_the_mode) {
  const ledgers l;
  namespace fs = std::filesystem;
  const std::string real = l.place.path("real");
  write_text(real, "before");
  BOOST_REQUIRE(::chmod(real.c_str(), 0604) == 0);
  fs::create_symlink("real", l.place.path("inner"));
  fs::create_symlink(l.place.path("inner"), l.place.path("link"));
  fs::create_symlink("later", l.place.path("dangling"));
  const auto exports = [&](const std::string& to) {
    return export_command({"--format", "csv", "--output", to, l.path}).status;
  };
  BOOST_TEST(exports(l.place.path("link")) == 0);
  BOOST_TEST(fs::is_symlink(l.place.path("link")));
  BOOST_TEST(fs::is_symlink(l.place.path("inner")));
  BOOST_TEST(read_text(real) == export_command({"--format", "csv", l.path}).out);
  struct stat after {};
  BOOST_REQUIRE(::stat(real.c_str(), &after) == 0);
  BOOST_TEST((after.st_mode & 07777u) == 0604u);
  BOOST_TEST(exports(l.place.path("dangling")) == 0);
  BOOST_TEST(fs::is_symlink(l.place.path("dangling")));
  BOOST_TEST(read_text(l.place.path("later")) == read_text(real));
  fs::create_symlink("round", l.place.path("round"));
  BOOST_TEST(exports(l.place.path("round")) == 2);
  BOOST_TEST(exports(l.place.folder().string()) == 2);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(lines)

BOOST_AUTO_TEST_CASE(have_every_node_with_exact_figures) {
  const ledgers l;
  const run_result r = export_command({"--format", "csv", l.path});
  BOOST_TEST(r.status == 0);
  BOOST_TEST(std::count(r.out.begin(), r.out.end(), '\n') == 1 + 7);
  BOOST_TEST(r.out.find("graph,target,stage,pass,seq,id,kind,label,dtype,shape,invariant,"
                        "need.bytes.lo,need.bytes.hi,") == 0u);
  expect_text(r.out, "\n\"model, \"\"a\"\"\",cpu,lowered,,0,2,MatMul,layers.0.up,F32,4x8,false," +
                         std::to_string(matmul_bytes) + "," + std::to_string(matmul_bytes) + ",");
}

BOOST_AUTO_TEST_CASE(leave_empty_what_is_unknown) {
  const ledgers l{true};
  const run_result r = export_command({"--format", "csv", l.path});
  expect_text(r.out, ",2,MatMul,layers.0.up,F32,?0x8,false,0,,");
}

BOOST_AUTO_TEST_CASE(are_asked_for_rightly) {
  const ledgers l;
  const std::vector<std::pair<std::vector<std::string>, const char*>> wrong{
      {{l.path}, "no --format given: pprof or csv"},
      {{"--format", "json", l.path}, "--format is \"json\", and may be: pprof, csv"},
      {{"--format", "csv"}, "no LEDGER given"},
      {{"--format", "csv", "--output", "", l.path}, "--output is empty"},
      {{"--format", "csv", "--stage", "source", l.path}, "none of its 1 record"}};
  for (const auto& [arguments, what] : wrong) {
    const run_result r = export_command(arguments);
    BOOST_TEST(r.status == 2);
    BOOST_TEST(r.out == "");
    expect_text(r.err, what);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace opscope::test
