// Properties of the lowering over seeded random HIR modules.
#define BOOST_TEST_MODULE hir_random
#include <boost/test/unit_test.hpp>

#include <array>
#include <random>
#include <string>

#include "host/emit/json.hpp"
#include "host/emit/text.hpp"
#include "host/error.hpp"
#include "host/lower/hir/lower.hpp"
#include "host/lower/verify.hpp"
#include "host/read/read.hpp"
#include "tests/lower/hir_builder.hpp"

namespace {

// Modules that mostly fit together: x is [2, 4, 8] wherever a block wants one.
class generator {
 public:
  explicit generator(std::uint64_t seed) : random_{seed} {}

  std::string module() {
    hir_test::builder b{chance(2) ? "Direct" : "Fusable"};
    std::vector<std::uint32_t> values{b.input("x", wide)};
    const std::size_t blocks = 1 + pick(12);
    for (std::size_t i = 0; i < blocks; ++i) {
      if (chance(3)) b.param("unused", {3});
      values.push_back(block(b, values[pick(values.size())], values[pick(values.size())]));
    }
    hir_test::ids outputs;
    const std::size_t count = pick(4);
    for (std::size_t i = 0; i < count; ++i) {
      outputs.push_back(static_cast<std::uint32_t>(pick(b.size())));
    }
    return b.finish(outputs);
  }

 private:
  inline static const hir_test::dims wide{2, 4, 8};

  std::size_t pick(std::size_t below) {
    return std::uniform_int_distribution<std::size_t>{0, below - 1}(random_);
  }
  bool chance(std::size_t one_in) { return pick(one_in) == 0; }

  std::uint32_t add(hir_test::builder& b, std::string_view op, const hir_test::ids& inputs) {
    hir_test::ids taken = inputs;
    // Now and then an operand is missing or one too many.
    if (chance(40)) taken.pop_back();
    if (chance(40)) taken.push_back(taken.front());
    return b.node(op, taken, wide, "F32", chance(3) ? R"("named")" : "null");
  }

  std::uint32_t block(hir_test::builder& b, std::uint32_t x, std::uint32_t y) {
    const auto matrix = [&](int k, int n) { return b.param("w", {k, n}); };
    const auto vector = [&](int n) { return b.param("v", {n}); };
    switch (pick(11)) {
      case 0:
        return add(b, R"({"Linear":{"activation":"Silu","has_bias":true}})",
                   {x, matrix(8, 8), vector(8)});
      case 1:
        return add(b, R"({"Linear":{"activation":null,"has_bias":false}})", {x, matrix(8, 8)});
      case 2:
        return add(b, R"({"LinearFused":{"activation":"Gelu"}})", {x, matrix(8, 8), vector(8)});
      case 3: {
        const auto u = matrix(8, 8);
        const auto g = matrix(8, 8);
        const auto first = add(b, R"({"SharedLinearPair":{"slot":0}})", {x, u, g});
        return chance(2) ? first : add(b, R"({"SharedLinearPair":{"slot":1}})", {x, u, g});
      }
      case 4:
        return add(b, R"("SwiGLU")", {x, matrix(8, 6), matrix(8, 6), matrix(6, 8)});
      case 5:
        return add(b, R"({"ResidualRmsNorm":{"eps":0.1}})", {x, y, vector(8), vector(8)});
      case 6:
        return add(b, R"({"Attention":{"num_heads":2,"head_dim":4,"mask":"Causal"}})", {x, y, y});
      case 7:
        return add(b, R"({"DepthwiseConv1dCausal":{"kernel_size":3}})",
                   {x, b.param("k", {8, 1, 1, 3}), b.input("pad", {2, 2, 8})});
      case 8:
        return add(b, R"({"RmsNorm":{"eps":0.1}})", {x, vector(8), vector(8)});
      case 9:
        return b.node(R"({"Mir":{"Binary":"Add"}})", {x, y}, wide);  // its operands go unchecked
      default: {
        const int kv = chance(2) ? 4 : 8;
        return add(b,
                   R"({"LlamaDecoderBlock":{"num_heads":4,"head_dim":2,"num_kv_heads":)" +
                       std::to_string(kv / 2) + R"(,"eps":0.1,"mask":"None"}})",
                   {x, vector(8), vector(8), matrix(8, 8), matrix(8, kv), matrix(8, kv),
                    matrix(8, 8), vector(8), vector(8), matrix(8, 16), matrix(8, 16), matrix(16, 8),
                    b.param("cos", {4, 1}), b.param("sin", {4, 1})});
      }
    }
  }

  std::mt19937_64 random_;
};

std::string lowered_json(const std::string& text) {
  std::string out;
  rlx::append_mir_json(out, rlx::lower_hir(*rlx::read_text(text).hir));
  return out;
}

constexpr std::uint64_t modules = 400;

}  // namespace

BOOST_AUTO_TEST_SUITE(random_hir)

BOOST_AUTO_TEST_CASE(lowers_soundly_or_says_why_not) {
  std::size_t lowered = 0;
  std::size_t refused = 0;
  for (std::uint64_t seed = 0; seed < modules; ++seed) {
    const std::string text = generator{seed}.module();
    const rlx::module m = rlx::read_text(text);
    try {
      const rlx::graph g = rlx::lower_hir(*m.hir);
      ++lowered;
      for (const auto& v : rlx::verify_structure(g))
        BOOST_ERROR("seed " << seed << ": " << v.sentence);
      for (const auto& v : rlx::verify_shapes(g))
        BOOST_ERROR("seed " << seed << ": " << v.sentence);
      BOOST_CHECK_EQUAL(g.name(), "m");
      BOOST_REQUIRE_EQUAL(g.outputs().size(), m.hir->blocks.outputs().size());
      // Roots of the outputs carry their own block's id, or stand for an equal pair made before.
      for (std::size_t i = 0; i < g.outputs().size(); ++i) {
        const rlx::origin& from = g.origin_at(g.origin_of(g.outputs()[i]));
        BOOST_REQUIRE(from.hir);
        BOOST_CHECK_LE(*from.hir, m.hir->blocks.outputs()[i]);
      }
    } catch (const rlx::error& e) {
      ++refused;
      BOOST_CHECK_MESSAGE(std::string_view{e.what()}.starts_with("module \"m\": node "), e.what());
    }
  }
  // The generator reaches both sides.
  BOOST_CHECK_GE(lowered, modules / 2);
  BOOST_CHECK_GE(refused, modules / 20);
}

BOOST_AUTO_TEST_CASE(same_input_gives_same_bytes_and_its_json_is_read_back) {
  for (std::uint64_t seed = 0; seed < modules; seed += 5) {
    const std::string text = generator{seed}.module();
    std::string copy;
    rlx::append_hir_json(copy, *rlx::read_text(text).hir);
    BOOST_CHECK_EQUAL(copy, text);
    try {
      const std::string once = lowered_json(text);
      BOOST_CHECK_EQUAL(lowered_json(text), once);
      std::string again;
      rlx::append_mir_json(again, rlx::read_text(once).graph);
      BOOST_CHECK_EQUAL(again, once);
    } catch (const rlx::error&) {
    }
  }
}

BOOST_AUTO_TEST_CASE(tags_go_forward_along_the_nodes) {
  // The HIR ids never fall, except around the second matmul of a pair, which another block may tag.
  for (std::uint64_t seed = 0; seed < modules; seed += 3) {
    const rlx::module m = rlx::read_text(generator{seed}.module());
    try {
      const rlx::graph g = rlx::lower_hir(*m.hir);
      std::uint32_t last = 0;
      for (rlx::node_id id = 0; id < g.size(); ++id) {
        if (g.origin_of(id) == rlx::no_origin) continue;
        const rlx::origin& from = g.origin_at(g.origin_of(id));
        const auto pair = m.hir->blocks.operation_of(*from.hir).kind_text == "SharedLinearPair";
        if (g.kind(id) != RLX_KIND_MatMul && !pair) {
          BOOST_CHECK_GE(*from.hir, last);
          last = *from.hir;
        }
      }
    } catch (const rlx::error&) {
    }
  }
}

// Numbers of a module replaced by extreme ones, and bytes by others: refused or lowered soundly,
// within memory and time.
BOOST_AUTO_TEST_CASE(survives_hostile_numbers_and_bytes) {
  constexpr std::array<std::string_view, 10> extremes{
      "0",          "1",          "-1",         "3",     "65536",
      "4294967295", "4294967296", "1000000000", "1e300", "18446744073709551615"};
  std::size_t lowered = 0;
  std::size_t refused = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    std::mt19937_64 random{seed};
    const auto pick = [&](std::size_t below) {
      return std::uniform_int_distribution<std::size_t>{0, below - 1}(random);
    };
    std::string text = generator{seed}.module();
    for (std::size_t changes = 1 + pick(3); changes > 0; --changes) {
      const std::size_t at = text.find_first_of("0123456789", pick(text.size()));
      if (at == std::string::npos) continue;
      if (pick(4) == 0) {
        text[at] = static_cast<char>(pick(256));
      } else {
        const std::size_t end = text.find_first_not_of("0123456789", at);
        text.replace(at, end - at, extremes[pick(extremes.size())]);
      }
    }
    try {
      const rlx::module m = rlx::read_text(text);
      BOOST_REQUIRE(m.level == rlx::level::hir);
      const rlx::graph g = rlx::lower_hir(*m.hir);
      BOOST_CHECK(rlx::verify_structure(g).empty());
      rlx::verify_shapes(g);
      std::string listing;
      rlx::append_hir_text(listing, *m.hir);
      rlx::append_mir_text(listing, g);
      ++lowered;
    } catch (const rlx::error& e) {
      BOOST_CHECK(std::string_view{e.what()}.find(": ") != std::string_view::npos);
      ++refused;
    }
  }
  BOOST_CHECK_GE(lowered, 100U);
  BOOST_CHECK_GE(refused, 100U);
}

BOOST_AUTO_TEST_SUITE_END()
