#include "host/lower/verify.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "host/error.hpp"
#include "host/graph/op_fields.hpp"
#include "host/lower/hir/shape.hpp"

namespace rlx {

namespace {

std::string node_text(const graph& g, node_id id) {
  return "node " + std::to_string(id) + " (" + std::string{g.operation_of(id).kind_text} + "): ";
}

void check_structure(const graph& g, const std::string& where, std::vector<violation>& found) {
  for (node_id id = 0; id < g.size(); ++id) {
    for (const node_id operand : g.inputs(id)) {
      if (operand < id) continue;
      found.push_back({"order", where + node_text(g, id) + "its operand " +
                                    std::to_string(operand) + " does not stand before it"});
    }
    if (g.node(id).rank > RLX_MAX_RANK) {
      found.push_back(
          {"rank", where + node_text(g, id) + "it has rank " + std::to_string(g.node(id).rank)});
    }
    const operation& op = g.operation_of(id);
    for (std::uint32_t i = 0; i < op.nested_count; ++i) {
      const nested_graph& nested = g.storage().nested()[op.nested_begin + i];
      check_structure(*nested.body, where + node_text(g, id) + std::string{nested.role} + ": ",
                      found);
    }
  }
  for (std::size_t i = 0; i < g.outputs().size(); ++i) {
    if (g.outputs()[i] < g.size()) continue;
    found.push_back({"outputs", where + "output " + std::to_string(i) + " names node " +
                                    std::to_string(g.outputs()[i]) + " of " +
                                    std::to_string(g.size())});
  }
}

// One node under a shape rule. A rule throws rlx::error where the promised shape cannot be.
struct subject {
  const graph& g;
  node_id id;
  op_fields fields;
  shape_view operand(std::size_t i) const { return g.shape(g.inputs(id)[i]); }
  shape_view declared() const { return g.shape(id); }
};

bool dims_fit(const shape_view& a, const shape_view& b) {
  if (a.dims.size() != b.dims.size()) return false;
  for (std::size_t i = 0; i < a.dims.size(); ++i) {
    const dim x = dim_of(a, i);
    const dim y = dim_of(b, i);
    if (!x.dynamic && !y.dynamic && x.value != y.value) return false;
  }
  return true;
}

void expect(const subject& s, const shape& promised) {
  if (dims_fit(s.declared(), promised.view())) return;
  throw error{"it is declared " + dims_text(s.declared()) + ", but its operands make " +
              dims_text(promised.view())};
}

void check_same(const subject& s) { expect(s, s.operand(0)); }

// Norms may flatten the leading dims; they normalise rows, so rows must stay rows.
void check_norm(const subject& s) {
  const shape_view x = s.operand(0);
  const shape_view y = s.declared();
  const auto before = element_count(x);
  const auto after = element_count(y);
  if (!before || !after) return;
  const bool same_rows =
      x.dims.empty() == y.dims.empty() && (x.dims.empty() || x.dims.back() == y.dims.back());
  if (*before != *after || !same_rows) {
    throw error{"it is declared " + dims_text(y) + ", which are not the rows of its operand " +
                dims_text(x)};
  }
}

void check_cast(const subject& s) {
  check_same(s);
  const std::string_view declared = s.g.storage().dtype_text(s.declared().dtype);
  const auto to = s.fields.text("to");
  if (to && *to != declared) {
    throw error{"it casts to " + std::string{*to} + ", but is declared " + std::string{declared}};
  }
}

void check_broadcast(const subject& s) { expect(s, broadcast_shape(s.operand(0), s.operand(1))); }

void check_where(const subject& s) {
  const shape values = broadcast_shape(s.operand(1), s.operand(2));
  expect(s, broadcast_shape(s.operand(0), values.view()));
}

void check_matmul(const subject& s) { expect(s, matmul_shape(s.operand(0), s.operand(1))); }

void check_reshape(const subject& s) {
  const auto before = element_count(s.operand(0));
  const auto after = element_count(s.declared());
  if (before && after && *before != *after) {
    throw error{"it is declared " + dims_text(s.declared()) + ", but its operand " +
                dims_text(s.operand(0)) + " has another number of elements"};
  }
}

void check_transpose(const subject& s) {
  const rlx_attribute& perm = s.fields.at("perm");
  if (perm.type != (RLX_ATTRIBUTE_ARRAY | RLX_ATTRIBUTE_U64)) {
    throw error{"its perm is no list of axes"};
  }
  const std::span axes{perm.value.u64s, perm.count};
  if (axes.size() != s.operand(0).dims.size()) {
    throw error{"its perm has " + std::to_string(axes.size()) + " axes, its operand " +
                dims_text(s.operand(0))};
  }
  expect(s, transpose_shape(s.operand(0), axes));
}

void check_narrow(const subject& s) {
  const shape_view x = s.operand(0);
  const std::uint64_t axis = s.fields.u64("axis");
  const std::uint64_t start = s.fields.u64("start");
  const std::uint64_t len = s.fields.u64("len");
  expect(s, narrow_shape(x, axis, len));
  const dim whole = dim_of(x, axis);
  if (!whole.dynamic && (start > whole.value || len > whole.value - start)) {
    throw error{"it takes " + std::to_string(len) + " from " + std::to_string(start) +
                " along axis " + std::to_string(axis) + " of " + dims_text(x)};
  }
}

void check_concat(const subject& s) {
  std::vector<shape_view> operands;
  for (const node_id operand : s.g.inputs(s.id)) operands.push_back(s.g.shape(operand));
  const std::uint64_t axis = s.fields.u64("axis");
  expect(s, concat_shape(operands, axis));
  for (const shape_view& operand : operands) {
    shape aligned{operand};
    aligned.set(axis, dim_of(operands.front(), axis));
    if (!dims_fit(aligned.view(), operands.front())) {
      throw error{"its operands " + dims_text(operands.front()) + " and " + dims_text(operand) +
                  " differ beside axis " + std::to_string(axis)};
    }
  }
}

// Along other axes than the first, versions of the compiler differ.
void check_gather(const subject& s) {
  if (s.fields.u64("axis") != 0) return;
  expect(s, gather_shape(s.operand(0), s.operand(1), 0));
}

struct shape_rule {
  std::uint32_t kind;
  std::string_view name;
  std::size_t operands;  // the fewest it reads
  void (*check)(const subject&);
};

constexpr shape_rule shape_rules[] = {
    {RLX_KIND_Activation, "same", 1, check_same},
    {RLX_KIND_Rope, "same", 3, check_same},
    {RLX_KIND_Softmax, "same", 1, check_same},
    {RLX_KIND_LayerNorm, "same", 1, check_norm},
    {RLX_KIND_RmsNorm, "same", 1, check_norm},
    {RLX_KIND_Cast, "cast", 1, check_cast},
    {RLX_KIND_Binary, "broadcast", 2, check_broadcast},
    {RLX_KIND_Compare, "broadcast", 2, check_broadcast},
    {RLX_KIND_Where, "broadcast", 3, check_where},
    {RLX_KIND_MatMul, "matmul", 2, check_matmul},
    {RLX_KIND_FusedMatMulBiasAct, "matmul", 3, check_matmul},
    {RLX_KIND_Reshape, "reshape", 1, check_reshape},
    {RLX_KIND_Transpose, "transpose", 1, check_transpose},
    {RLX_KIND_Narrow, "narrow", 1, check_narrow},
    {RLX_KIND_Concat, "concat", 1, check_concat},
    {RLX_KIND_Gather, "gather", 2, check_gather},
};

void check_shapes(const graph& g, const std::string& where, std::vector<violation>& found) {
  for (node_id id = 0; id < g.size(); ++id) {
    const auto* const rule = std::ranges::find(shape_rules, g.kind(id), &shape_rule::kind);
    if (rule != std::end(shape_rules)) {
      if (g.inputs(id).size() < rule->operands) {
        found.push_back({"operands", where + node_text(g, id) + "it has " +
                                         std::to_string(g.inputs(id).size()) +
                                         " operands and reads " + std::to_string(rule->operands)});
      } else {
        try {
          rule->check({g, id, {g.storage(), g.op(id)}});
        } catch (const error& e) {
          found.push_back({rule->name, where + node_text(g, id) + e.what()});
        }
      }
    }
    const operation& op = g.operation_of(id);
    for (std::uint32_t i = 0; i < op.nested_count; ++i) {
      const nested_graph& nested = g.storage().nested()[op.nested_begin + i];
      check_shapes(*nested.body, where + node_text(g, id) + std::string{nested.role} + ": ", found);
    }
  }
}

}  // namespace

std::vector<violation> verify_structure(const graph& g) {
  std::vector<violation> found;
  check_structure(g, "", found);
  return found;
}

std::vector<violation> verify_shapes(const graph& g) {
  std::vector<violation> found;
  check_shapes(g, "", found);
  return found;
}

}  // namespace rlx
