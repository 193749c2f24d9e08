// What must hold of every lowering, tried on seeded random graphs.
#define BOOST_TEST_MODULE lower_properties
#include <boost/test/unit_test.hpp>
#include <iostream>
#include <random>

#include "host/emit/json.hpp"
#include "host/error.hpp"
#include "host/lower/ops.hpp"
#include "host/lower/plan/lifetimes.hpp"
#include "host/lower/verify.hpp"
#include "host/read/read.hpp"
#include "tests/lower/support.hpp"

using namespace lower_test;

namespace {

constexpr rlx::target targets[] = {rlx::target::cpu, rlx::target::metal, rlx::target::cuda,
                                   rlx::target::tpu};
constexpr unsigned graphs = 150;

// Decoder-like graphs of square values, so that most operations fit most operands.
class random_graph {
 public:
  explicit random_graph(unsigned seed) : random_{seed}, b_{"random" + std::to_string(seed)} {}

  rlx::graph build() {
    values_ = {b_.input("x0", square), b_.input("x1", square)};
    const unsigned count = 5 + pick(60);
    for (unsigned i = 0; i < count; ++i) add_node();
    graph_builder::ids outputs;
    for (unsigned i = 0; i < 1 + pick(4); ++i) outputs.push_back(value());
    outputs.push_back(values_.back());
    if (pick(5) == 0) outputs.push_back(outputs.front());
    b_.outputs(outputs);
    return b_.build();
  }

 private:
  static inline const graph_builder::dims square{8, 8};
  unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
  std::uint32_t value() {
    // Recent values are read more often, as in real graphs.
    const auto n = static_cast<unsigned>(values_.size());
    return values_[pick(3) == 0 ? pick(n) : n - 1 - pick(std::min(n, 4U))];
  }
  std::uint32_t weight() { return b_.param("w" + std::to_string(pick(1000)), square); }
  std::uint32_t row() { return b_.param("r" + std::to_string(pick(1000)), {8}); }

  void add_node() {
    constexpr const char* unary[] = {"Gelu", "Silu", "Tanh", "Neg"};
    constexpr const char* binary[] = {"Add", "Add", "Mul", "Sub"};
    switch (pick(11)) {
      case 0:
      case 1:
        values_.push_back(b_.matmul(value(), weight(), square));
        break;
      case 2: {  // bias and activation
        const auto m = b_.matmul(value(), weight(), square);
        const auto sum = b_.binary("Add", m, row(), square);
        values_.push_back(pick(2) == 0 ? sum : b_.activation(unary[pick(3)], sum, square));
        break;
      }
      case 3: {  // residual and norm
        const auto sum = b_.binary("Add", value(), value(), square);
        const json fields = {{"axis", -1}, {"eps", 1e-5}};
        const char* const norm = pick(2) == 0 ? "RmsNorm" : "LayerNorm";
        values_.push_back(b_.add({{norm, fields}}, {sum, row(), row()}, square));
        break;
      }
      case 4: {  // gated product
        const auto x = value();
        const auto up = b_.matmul(x, weight(), square);
        const auto gate = b_.activation("Silu", b_.matmul(x, weight(), square), square);
        values_.push_back(b_.binary("Mul", up, gate, square));
        break;
      }
      case 5:
        values_.push_back(b_.add({{"Reshape", {{"new_shape", {8, 8}}}}}, {value()}, square));
        break;
      case 6:
        values_.push_back(b_.add({{"Cast", {{"to", "F32"}}}}, {value()}, square));
        break;
      case 7:
        values_.push_back(b_.add({{"Softmax", {{"axis", -1}}}}, {value()}, square));
        break;
      case 8:
        values_.push_back(b_.activation(unary[pick(4)], value(), square));
        break;
      default:
        values_.push_back(b_.binary(binary[pick(4)], value(), value(), square));
    }
  }

  std::mt19937 random_;
  graph_builder b_;
  graph_builder::ids values_;
};

// Calls check(seed, graph, lowered) for each seed and target that the compiler lowers.
template <class Check>
void for_each_lowered(Check check) {
  unsigned lowered_count = 0;
  for (unsigned seed = 0; seed < graphs; ++seed) {
    for (const rlx::target t : targets) {
      const rlx::graph g = random_graph{seed}.build();
      try {
        const rlx::lowered l = lower(g, t);
        ++lowered_count;
        check(seed, g, l);
      } catch (const rlx::error&) {
        // Odd graphs yield no module.
      }
    }
  }
  std::cout << lowered_count << " of " << graphs * std::size(targets) << " lowered\n";
  BOOST_TEST(lowered_count >= graphs * std::size(targets) / 2);
}

std::string mir_text(const rlx::graph& g) {
  std::string text;
  rlx::append_mir_json(text, g);
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(properties)

BOOST_AUTO_TEST_CASE(keeps_count_and_order_of_outputs) {
  for_each_lowered([](unsigned seed, const rlx::graph& g, const rlx::lowered& l) {
    const rlx::graph& made = l.module.graph;
    BOOST_REQUIRE(made.outputs().size() == g.outputs().size());
    for (std::size_t i = 0; i < g.outputs().size(); ++i) {
      // All values of these graphs are of one shape; leaves keep their names.
      BOOST_TEST(shape_text(made, made.outputs()[i]) == shape_text(g, g.outputs()[i]),
                 "seed " << seed);
      if (!rlx::is_leaf(g.kind(g.outputs()[i]))) continue;
      BOOST_TEST((rlx::text_attribute(made, made.outputs()[i], "name") ==
                  rlx::text_attribute(g, g.outputs()[i], "name")));
    }
  });
}

BOOST_AUTO_TEST_CASE(makes_the_same_bytes_of_the_same_graph_and_leaves_it_alone) {
  for_each_lowered([](unsigned seed, const rlx::graph& g, const rlx::lowered& l) {
    const std::string before = mir_text(g);
    const rlx::graph again = graph_of(json::parse(before));
    const rlx::target t = l.report.elementwise_regions == 0 ? rlx::target::cpu : rlx::target::cuda;
    BOOST_TEST(lir_text(lower(again, t)) == lir_text(lower(g, t)), "seed " << seed);
    BOOST_TEST(mir_text(g) == before, "seed " << seed);
  });
}

BOOST_AUTO_TEST_CASE(reads_its_own_modules_back_unchanged) {
  for_each_lowered([](unsigned seed, const rlx::graph&, const rlx::lowered& l) {
    const std::string text = lir_text(l);
    const rlx::module read = rlx::read_text(text);
    BOOST_TEST((read.level == rlx::level::lir));
    std::string again;
    rlx::append_lir_json(again, read);
    BOOST_TEST(again == text, "seed " << seed);
  });
}

BOOST_AUTO_TEST_CASE(every_pass_leaves_a_sound_graph) {
  for (unsigned seed = 0; seed < graphs; ++seed) {
    const rlx::graph g = random_graph{seed}.build();
    try {
      rlx::lower_options options;
      options.target = targets[seed % std::size(targets)];
      rlx::find_pipeline("rlx-0.2.2")
          ->lower(g, options, [&](std::string_view pass, const rlx::graph& now, bool) {
            for (const rlx::violation& v : rlx::verify_structure(now)) {
              BOOST_ERROR("seed " << seed << " after " << pass << ": " << v.sentence);
            }
            BOOST_TEST(now.outputs().size() == g.outputs().size());
          });
    } catch (const rlx::error&) {
    }
  }
}

BOOST_AUTO_TEST_CASE(plans_no_two_living_values_on_one_byte) {
  for_each_lowered([](unsigned seed, const rlx::graph&, const rlx::lowered& l) {
    const rlx::buffer_plan& plan = *l.module.plan;
    const auto lives = rlx::find_lifetimes(l.module.graph, plan.views);
    std::uint64_t end = 0;
    for (rlx::node_id a = 0; a < l.module.graph.size(); ++a) {
      if (!plan.slots[a] || plan.views[a]) continue;
      end = std::max(end, plan.slots[a]->offset + plan.slots[a]->bytes);
      for (rlx::node_id b = a + 1; b < l.module.graph.size(); ++b) {
        if (!plan.slots[b] || plan.views[b] || !lives[a].overlaps(lives[b])) continue;
        const bool apart = plan.slots[a]->offset + plan.slots[a]->bytes <= plan.slots[b]->offset ||
                           plan.slots[b]->offset + plan.slots[b]->bytes <= plan.slots[a]->offset;
        if (!apart) BOOST_ERROR("seed " << seed << ": nodes " << a << " and " << b);
      }
    }
    BOOST_TEST(plan.arena_bytes == end);
  });
}

BOOST_AUTO_TEST_SUITE_END()
