// A digest over every figure and expression of a large set of graphs. When a figure changes,
// need_version must rise: this test fails until it has, and need_digest.txt says so.
//
// After raising need_version: OPSCOPE_REWRITE=1 build/dev/tests/need/test_need_digest
#define BOOST_TEST_MODULE need_digest
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "plugin/ledger/hash.hpp"
#include "tests/need/golden.hpp"
#include "tests/need/oracle/build.hpp"
#include "tests/need/support.hpp"

using namespace opscope;
using namespace opscope::test;

namespace {

class digest {
 public:
  void add(const rlx::graph_view& g) {
    std::ostringstream s;
    const graph_need n = analyze_need(g);
    for (const node_need node : n.nodes()) {
      s << node.read << node.written << node.weights << node.work << node.contraction
        << node.int_ops << node.is_invariant << node.is_dead << '\n';
    }
    const need_totals& t = n.totals();
    s << t.read << t.written << t.weights << t.work << t.contraction << t.int_ops << t.invariant
      << t.io_inputs << t.io_weights << t.io_outputs << t.unknown_nodes << '\n';
    for (const node_expressions& e : express_need(g)) {
      for (const need_expression* x :
           {&e.read, &e.written, &e.weights, &e.work, &e.contraction, &e.int_ops}) {
        s << x->lo << ';' << x->hi << ';';
      }
    }
    // Chained, so that the order of graphs counts.
    text_ = to_hex(hash_bytes(text_ + s.str()));
    ++graphs_;
  }
  std::string line() const {
    return std::to_string(need_version) + " " + std::to_string(graphs_) + " " + text_;
  }

 private:
  std::string text_;
  std::uint64_t graphs_ = 0;
};

void add_golden(digest& d) {
  std::vector<std::string> files;
  const std::filesystem::path root{OPSCOPE_TEST_DATA "/golden"};
  for (const auto& entry : std::filesystem::recursive_directory_iterator{root}) {
    const std::string name = entry.path().filename().string();
    if (name == "mir.json" || name.ends_with(".lir.json")) {
      files.push_back(std::filesystem::relative(entry.path(), root).string());
    }
  }
  std::sort(files.begin(), files.end());
  for (const std::string& f : files) d.add(golden_graph{f}.view());
}

void add_random_modules(digest& d) {
  for (const char* file : {"random.jsonl", "probes.jsonl"}) {
    std::ifstream in{std::string{OPSCOPE_TEST_DATA "/golden/"} + file};
    for (std::string line; std::getline(in, line);) {
      const auto module = nlohmann::json::parse(line);
      for (const char* part : {"mir", "cpu", "cuda"}) {
        if (!module.contains(part) || !module[part].is_object()) continue;
        d.add(golden_graph{rlx::read_text(module[part].dump())}.view());
      }
    }
  }
}

// Every kind with an oracle, in forms that the golden graphs do not have.
void add_trials(digest& d) {
  for (const auto& [kind, run] : oracles()) {
    for (std::uint64_t i = 0; i < 40; ++i) {
      trial t{i};
      run(t);
      built b;
      build(t, kind, b);
      d.add(b.builder.view());
    }
  }
}

// Every kind over dynamic dims: what is no polynomial, and what is.
void add_dynamic(digest& d) {
  for (std::uint32_t kind = 1; kind <= rlx::kind_count; ++kind) {
    for (unsigned operands = 1; operands <= 7; ++operands) {
      view_builder b;
      id_list ids;
      for (unsigned i = 0; i < operands; ++i)
        ids.push_back(b.input("x", {symbol(0), symbol(1), 4}));
      b.outputs(
          {b.node(kind, ids, {symbol(0), symbol(1), 4}, RLX_DTYPE_F32,
                  {{"axis", 1u}, {"num_heads", 2u}, {"head_dim", 2u}, {"mask_kind", "Causal"}})});
      d.add(b.view());
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(need_figures)

BOOST_AUTO_TEST_CASE(no_figure_changes_without_its_version) {
  digest d;
  add_golden(d);
  add_random_modules(d);
  add_trials(d);
  add_dynamic(d);
  const std::string path = OPSCOPE_TEST_SOURCES "/need/need_digest.txt";
  if (std::getenv("OPSCOPE_REWRITE") != nullptr) {
    std::ofstream{path} << d.line() << '\n';
  }
  std::ifstream in{path};
  std::string expected;
  BOOST_REQUIRE(std::getline(in, expected));
  BOOST_TEST(d.line() == expected, "figures of the need changed (version, graphs, digest): "
                                       << d.line() << ", was " << expected
                                       << "; raise need_version");
}

BOOST_AUTO_TEST_CASE(digest_sees_a_changed_figure) {
  const auto of = [](std::uint64_t size) {
    view_builder b;
    const auto x = b.input("x", {size});
    b.outputs({b.node(RLX_KIND_Activation, {x}, {size})});
    digest d;
    d.add(b.view());
    return d.line();
  };
  BOOST_TEST(of(4) == of(4));
  BOOST_TEST(of(4) != of(5));
}

BOOST_AUTO_TEST_SUITE_END()
