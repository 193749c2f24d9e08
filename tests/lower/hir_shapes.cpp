// Shape inference, rule by rule, and the one block that leans on all of them.
#define BOOST_TEST_MODULE hir_shapes
#include <boost/test/unit_test.hpp>

#include <array>
#include <string>
#include <vector>

#include "host/error.hpp"
#include "host/lower/hir/lower.hpp"
#include "host/lower/hir/shape.hpp"
#include "host/read/read.hpp"
#include "tests/lower/hir_builder.hpp"

namespace {

using rlx::dim;
using rlx::shape;

constexpr std::uint32_t f16 = RLX_DTYPE_F16;

dim dynamic(std::uint64_t symbol) { return {symbol, true}; }

shape of(const std::vector<dim>& dims, std::uint32_t dtype = RLX_DTYPE_F32) {
  shape s{dtype};
  for (const dim d : dims) s.push_back(d);
  return s;
}

std::string text(const shape& s) { return rlx::dims_text(s.view()); }

std::string broadcast(const std::vector<dim>& a, const std::vector<dim>& b) {
  return text(rlx::broadcast_shape(of(a).view(), of(b).view()));
}

std::string reshape(const std::vector<dim>& x, const std::vector<std::int64_t>& to) {
  try {
    return text(rlx::reshape_shape(of(x).view(), to));
  } catch (const rlx::error& e) {
    return e.what();
  }
}

std::string concat(const std::vector<shape>& operands, std::size_t axis) {
  std::vector<rlx::shape_view> views;
  for (const shape& s : operands) views.push_back(s.view());
  try {
    return text(rlx::concat_shape(views, axis));
  } catch (const rlx::error& e) {
    return e.what();
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(shapes)

BOOST_AUTO_TEST_CASE(broadcast_aligns_right_and_prefers_the_left_dynamic) {
  BOOST_CHECK_EQUAL(broadcast({{4}}, {{2}, {1}, {4}}), "[2, 1, 4]");
  BOOST_CHECK_EQUAL(broadcast({{1}, {4}}, {{3}, {1}}), "[3, 4]");
  BOOST_CHECK_EQUAL(broadcast({dynamic(0)}, {{1}}), "[?0]");
  BOOST_CHECK_EQUAL(broadcast({{1}}, {dynamic(0)}), "[?0]");
  BOOST_CHECK_EQUAL(broadcast({dynamic(0)}, {dynamic(1)}), "[?0]");
  BOOST_CHECK_EQUAL(broadcast({{5}}, {dynamic(1)}), "[5]");
  BOOST_CHECK_EQUAL(broadcast({dynamic(1)}, {{5}}), "[?1]");
  BOOST_CHECK_EQUAL(broadcast({}, {}), "[]");
  // Symbol 1 is no static 1.
  BOOST_CHECK_EQUAL(broadcast({dynamic(1)}, {{7}}), "[?1]");
  BOOST_CHECK_THROW(broadcast({{2}}, {{3}}), rlx::error);
  BOOST_CHECK_EQUAL(rlx::broadcast_shape(of({{2}}, f16).view(), of({{2}}).view()).dtype(), f16);
}

BOOST_AUTO_TEST_CASE(matmul_takes_the_batch_of_either_side) {
  const auto matmul = [](const std::vector<dim>& a, const std::vector<dim>& b) {
    return text(rlx::matmul_shape(of(a).view(), of(b).view()));
  };
  BOOST_CHECK_EQUAL(matmul({{7}, {2}, {3}}, {{3}, {4}}), "[7, 2, 4]");
  BOOST_CHECK_EQUAL(matmul({{2}, {3}}, {{7}, {3}, {4}}), "[7, 2, 4]");
  BOOST_CHECK_EQUAL(matmul({{2}, dynamic(0)}, {{3}, {4}}), "[2, 4]");
  BOOST_CHECK_EQUAL(matmul({{2}, dynamic(0)}, {dynamic(0), {4}}), "[2, 4]");
}

BOOST_AUTO_TEST_CASE(reshape_fills_one_open_entry) {
  BOOST_CHECK_EQUAL(reshape({{2}, {3}, {4}}, {-1, 4}), "[6, 4]");
  BOOST_CHECK_EQUAL(reshape({{2}, {3}}, {7}), "[7]");
  BOOST_CHECK_EQUAL(reshape({{7}}, {2, -1}), "[2, 3]");  // 7 / 2
  BOOST_CHECK_EQUAL(reshape({}, {-1}), "[1]");
  BOOST_CHECK_EQUAL(reshape({dynamic(5), {4}}, {-1, 2}), "[?5, 2]");
  BOOST_CHECK_EQUAL(reshape({dynamic(5), dynamic(5)}, {-1}), "[?5]");
  BOOST_CHECK_EQUAL(reshape({dynamic(5), dynamic(6)}, {-1}), "[?2]");
  BOOST_CHECK_EQUAL(reshape({{4}}, {-1, -1}), "a reshape of [4] asks for more than one -1");
  BOOST_CHECK_EQUAL(reshape({{4}}, {-2}), "a reshape of [4] asks for the dim -2");
  BOOST_CHECK_EQUAL(reshape({{4}}, {0, -1}),
                    "a reshape of [4] to [0, 0] (0 stands for -1) divides by zero");
  const std::uint64_t big = std::uint64_t{1} << 40;
  BOOST_CHECK_EQUAL(reshape({{big}, {big}}, {-1}),
                    "a reshape of [1099511627776, 1099511627776] to [0] (0 stands for -1) passes "
                    "2^64 elements");
}

BOOST_AUTO_TEST_CASE(concat_sums_statics_unless_one_is_dynamic) {
  BOOST_CHECK_EQUAL(concat({of({{2}, {3}}), of({{2}, {4}})}, 1), "[2, 7]");
  BOOST_CHECK_EQUAL(concat({of({{2}, {3}}), of({{9}, {4}})}, 1), "[2, 7]");
  BOOST_CHECK_EQUAL(concat({of({{3}}), of({dynamic(4)}), of({{2}})}, 0), "[?4]");
  BOOST_CHECK_EQUAL(concat({of({dynamic(4)}), of({dynamic(5)})}, 0),
                    "a concat along axis 0 of the dynamic dims ?4 and ?5");
  BOOST_CHECK_EQUAL(concat({of({{3}}), of({{3}, {1}})}, 0),
                    "a concat of the shapes [3] and [3, 1], whose ranks differ");
  BOOST_CHECK_EQUAL(concat({}, 0), "a concat of no operands");
  BOOST_CHECK_EQUAL(concat({of({{3}})}, 1),
                    "a concat along axis 1 of the shape [3], which has rank 1");
  BOOST_CHECK_EQUAL(concat({of({{UINT64_MAX}}), of({{1}})}, 0),
                    "a concat along axis 0 that passes 2^64");
}

BOOST_AUTO_TEST_CASE(gather_puts_the_indices_first) {
  const shape table = of({{9}, {5}, {4}}, f16);
  const shape ids = of({{2}, dynamic(1)}, RLX_DTYPE_I64);
  BOOST_CHECK_EQUAL(text(rlx::gather_shape(table.view(), ids.view(), 0)), "[2, ?1, 5, 4]");
  BOOST_CHECK_EQUAL(text(rlx::gather_shape(table.view(), ids.view(), 1)), "[2, ?1, 4]");
  BOOST_CHECK_EQUAL(rlx::gather_shape(table.view(), ids.view(), 1).dtype(), f16);
  BOOST_CHECK_THROW(rlx::gather_shape(table.view(), ids.view(), 3), rlx::error);
}

BOOST_AUTO_TEST_CASE(narrow_checks_the_axis_but_not_the_length) {
  BOOST_CHECK_EQUAL(text(rlx::narrow_shape(of({{2}, dynamic(3)}).view(), 1, 9)), "[2, 9]");
  BOOST_CHECK_THROW(rlx::narrow_shape(of({{2}}).view(), 1, 1), rlx::error);
}

BOOST_AUTO_TEST_CASE(a_rank_beyond_the_contract_is_refused) {
  const std::vector<dim> most(RLX_MAX_RANK, dim{1});
  BOOST_CHECK_EQUAL(of(most).rank(), RLX_MAX_RANK);
  BOOST_CHECK_THROW(rlx::gather_shape(of({{3}, {2}}).view(), of(most).view(), 0), rlx::error);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(mtp_head)

// Batch 2, width 8, 4 heads over 2 kv heads of 2 dims, ffn 12, 10 ids, 11 logits.
std::string mtp_head(hir_test::dim sequence, std::uint32_t& block, std::string_view fields = {}) {
  using hir_test::ids;
  hir_test::builder b;
  ids in{b.input("h", {2, sequence, 8}), b.input("ids", {2, sequence}, "I64"),
         b.param("cos", {3, 1}),         b.param("sin", {3, 1}),
         b.input("last", {2}, "I64"),    b.param("embed", {10, 8})};
  const auto add = [&](std::initializer_list<hir_test::dims> shapes) {
    for (const auto& s : shapes) in.push_back(b.param("p", s));
  };
  add({{8}, {8}, {8}, {8}});         // hnorm, enorm
  add({{16, 8}});                    // eh
  add({{8}, {8}});                   // attention norm
  add({{8, 16}, {8, 4}, {8, 4}});    // q and its gate, k, v
  add({{2}, {2}, {2}, {2}});         // q norm, k norm
  add({{8, 8}});                     // o
  add({{8}, {8}});                   // post norm
  add({{8, 12}, {8, 12}, {12, 8}});  // gate, up, down
  add({{8}, {8}});                   // head norm
  add({{8, 11}});                    // lm head
  const std::string op =
      R"({"Qwen35MtpHead":{"num_heads":4,"num_kv_heads":2,"head_dim":2,"n_rot":2,"n_embd":8,)"
      R"("n_ff":12,"mtp_vocab":11,"eps":0.5}})";
  block = b.node(fields.empty() ? std::string_view{op} : fields, in, {2, 1, 11});
  return b.finish({block});
}

BOOST_AUTO_TEST_CASE(is_made_of_the_nodes_in_their_order) {
  std::uint32_t block = 0;
  const rlx::module m = rlx::read_text(mtp_head(3, block));
  const auto made = hir_test::lines(rlx::lower_hir(*m.hir), block);
  // 27 up to the rotations, 2 * (2 + 1) for the repeated heads, 20 behind.
  BOOST_REQUIRE_EQUAL(made.size(), 27 + 2 * (2 + 1) + 20);
  const std::vector<std::string> wanted{"rms_norm(eps=0.5)(%0, %6, %7) : [2, 3, 8] f32",
                                        "gather(axis=0)(%5, %1) : [2, 3, 8] f32",
                                        "rms_norm(eps=0.5)(%30, %8, %9) : [2, 3, 8] f32",
                                        "concat(axis=2)(%31, %29) : [2, 3, 16] f32",
                                        "reshape([6, 16])(%32) : [6, 16] f32",
                                        "matmul(%33, %10) : [6, 8] f32",
                                        "reshape([2, 3, 8])(%34) : [2, 3, 8] f32",
                                        "rms_norm(eps=0.5)(%35, %11, %12) : [2, 3, 8] f32",
                                        "reshape([6, 8])(%36) : [6, 8] f32",
                                        "matmul(%37, %13) : [6, 16] f32",
                                        "reshape([2, 3, 4, 4])(%38) : [2, 3, 4, 4] f32",
                                        "narrow(3,0,2)(%39) : [2, 3, 4, 2] f32",
                                        "narrow(3,2,2)(%39) : [2, 3, 4, 2] f32",
                                        "reshape([2, 3, 8])(%40) : [2, 3, 8] f32",
                                        "reshape([2, 3, 8])(%41) : [2, 3, 8] f32",
                                        "matmul(%37, %14) : [6, 4] f32",
                                        "matmul(%37, %15) : [6, 4] f32",
                                        "reshape([2, 3, 4])(%44) : [2, 3, 4] f32",
                                        "reshape([2, 3, 4])(%45) : [2, 3, 4] f32",
                                        "reshape([2, 3, 4, 2])(%42) : [2, 3, 4, 2] f32",
                                        "rms_norm(eps=0.5)(%48, %16, %17) : [2, 3, 4, 2] f32",
                                        "reshape([2, 3, 8])(%49) : [2, 3, 8] f32",
                                        "reshape([2, 3, 2, 2])(%46) : [2, 3, 2, 2] f32",
                                        "rms_norm(eps=0.5)(%51, %18, %19) : [2, 3, 2, 2] f32",
                                        "reshape([2, 3, 4])(%52) : [2, 3, 4] f32",
                                        "rope(d=2, n_rot=2)(%50, %2, %3) : [2, 3, 8] f32",
                                        "rope(d=2, n_rot=2)(%53, %2, %3) : [2, 3, 4] f32",
                                        "narrow(2,0,2)(%55) : [2, 3, 2] f32",
                                        "narrow(2,2,2)(%55) : [2, 3, 2] f32",
                                        "concat(axis=2)(%56, %56, %57, %57) : [2, 3, 8] f32",
                                        "narrow(2,0,2)(%47) : [2, 3, 2] f32",
                                        "narrow(2,2,2)(%47) : [2, 3, 2] f32",
                                        "concat(axis=2)(%59, %59, %60, %60) : [2, 3, 8] f32",
                                        "Sigmoid(%43) : [2, 3, 8] f32",
                                        "attention(h=4,d=2,causal)(%54, %58, %61) : [2, 3, 8] f32",
                                        "Mul(%63, %62) : [2, 3, 8] f32",
                                        "reshape([6, 8])(%64) : [6, 8] f32",
                                        "matmul(%65, %20) : [6, 8] f32",
                                        "reshape([2, 3, 8])(%66) : [2, 3, 8] f32",
                                        "Add(%35, %67) : [2, 3, 8] f32",
                                        "rms_norm(eps=0.5)(%68, %21, %22) : [2, 3, 8] f32",
                                        "reshape([6, 8])(%69) : [6, 8] f32",
                                        "matmul(%70, %23) : [6, 12] f32",
                                        "matmul(%70, %24) : [6, 12] f32",
                                        "Silu(%71) : [6, 12] f32",
                                        "Mul(%73, %72) : [6, 12] f32",
                                        "matmul(%74, %25) : [6, 8] f32",
                                        "reshape([2, 3, 8])(%75) : [2, 3, 8] f32",
                                        "Add(%68, %76) : [2, 3, 8] f32",
                                        "reshape([2, 1])(%4) : [2, 1] i64",
                                        "gather(axis=1)(%77, %78) : [2, 1, 8] f32",
                                        "rms_norm(eps=0.5)(%79, %26, %27) : [2, 1, 8] f32",
                                        "matmul(%80, %28) : [2, 1, 11] f32"};
  BOOST_CHECK_EQUAL_COLLECTIONS(made.begin(), made.begin() + static_cast<long>(wanted.size()),
                                wanted.begin(), wanted.end());
}

BOOST_AUTO_TEST_CASE(writes_minus_one_for_a_dynamic_sequence) {
  std::uint32_t block = 0;
  const rlx::module m = rlx::read_text(mtp_head(hir_test::symbol(7), block));
  const auto made = hir_test::lines(rlx::lower_hir(*m.hir), block);
  BOOST_CHECK_EQUAL(made[4], "reshape([-1, 16])(%32) : [?7, 16] f32");
  BOOST_CHECK_EQUAL(made[6], "reshape([2, -1, 8])(%34) : [2, ?7, 8] f32");
  // Attention declares symbol 1, whatever the module's own is.
  BOOST_CHECK_EQUAL(made[34], "attention(h=4,d=2,causal)(%54, %58, %61) : [2, ?1, 8] f32");
}

BOOST_AUTO_TEST_CASE(refuses_sizes_beyond_64_bits) {
  const auto refusal = [](std::string_view heads, std::string_view width) {
    std::uint32_t block = 0;
    const std::string op = R"({"Qwen35MtpHead":{"num_heads":)" + std::string{heads} +
                           R"(,"num_kv_heads":2,"head_dim":2,"n_rot":2,"n_embd":)" +
                           std::string{width} + R"(,"n_ff":12,"mtp_vocab":11,"eps":0.5}})";
    const rlx::module m = rlx::read_text(mtp_head(3, block, op));
    try {
      rlx::lower_hir(*m.hir);
    } catch (const rlx::error& e) {
      return std::string{e.what()};
    }
    return std::string{"lowered"};
  };
  BOOST_CHECK_EQUAL(refusal("9223372036854775807", "8"),
                    "module \"m\": node 29 (qwen35_mtp_head): a size made of the head counts and "
                    "widths passes 2^63");
  BOOST_CHECK_EQUAL(refusal("4", "9223372036854775807"),
                    "module \"m\": node 29 (qwen35_mtp_head): a size made of the head counts and "
                    "widths passes 2^63");
}

BOOST_AUTO_TEST_SUITE_END()
