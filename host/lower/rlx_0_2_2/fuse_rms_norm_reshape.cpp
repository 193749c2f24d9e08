// An RmsNorm that only a Reshape to [rows, last dim] reads is given that shape itself.
#include <algorithm>
#include <limits>
#include <vector>

#include "host/lower/ops.hpp"
#include "host/lower/rewrite.hpp"
#include "host/lower/rlx_0_2_2/passes.hpp"
#include "host/lower/shapes.hpp"
#include "host/lower/users.hpp"

namespace rlx::rlx_0_2_2 {

namespace {

constexpr std::uint64_t rows_symbol = 2;  // where several symbols would have to be multiplied

// The norm's shape with its leading dims flattened, where new_shape asks for exactly that.
std::optional<owned_shape> flattened(const shape_view& norm,
                                     std::span<const std::int64_t> new_shape) {
  const std::size_t rank = norm.dims.size();
  if (rank < 2 || is_dynamic(norm, rank - 1) || new_shape.size() != 2) return std::nullopt;
  const std::uint64_t width = norm.dims[rank - 1];
  if (width > std::uint64_t{std::numeric_limits<std::int64_t>::max()} ||
      new_shape[1] != static_cast<std::int64_t>(width)) {
    return std::nullopt;
  }
  std::uint64_t rows = 1;
  std::optional<std::uint64_t> symbol;
  bool several_symbols = false;
  bool product_fits = true;
  for (std::size_t d = 0; d + 1 < rank; ++d) {
    if (is_dynamic(norm, d)) {
      several_symbols = several_symbols || (symbol && *symbol != norm.dims[d]);
      symbol = norm.dims[d];
    } else if (__builtin_mul_overflow(rows, norm.dims[d], &rows)) {
      product_fits = false;
    }
  }
  owned_shape shape{{rows, width}, norm.dtype};
  if (symbol) {
    if (new_shape[0] != -1) return std::nullopt;
    shape.dims[0] = several_symbols ? rows_symbol : *symbol;
    shape.dynamic_dims = 1;
    return shape;
  }
  if (!product_fits || rows > std::uint64_t{std::numeric_limits<std::int64_t>::max()} ||
      new_shape[0] != static_cast<std::int64_t>(rows)) {
    return std::nullopt;
  }
  return shape;
}

struct match {
  node_id reshape;
  owned_shape shape;
};

std::optional<match> find_match(const graph& g, const users& readers,
                                const std::vector<bool>& is_output, node_id id) {
  if (g.kind(id) != RLX_KIND_RmsNorm || readers.count(id) != 1) return std::nullopt;
  const node_id reshape = readers.of(id)[0];
  if (g.kind(reshape) != RLX_KIND_Reshape || is_output[id] || is_output[reshape]) {
    return std::nullopt;
  }
  const auto new_shape = i64s_attribute(g, reshape, "new_shape");
  if (!new_shape) return std::nullopt;
  auto shape = flattened(g.shape(id), *new_shape);
  if (!shape) return std::nullopt;
  return match{reshape, std::move(*shape)};
}

}  // namespace

pass_result fuse_rms_norm_reshape(const graph& g, const pass_context& context) {
  if (std::ranges::find(g.nodes(), RLX_KIND_Reshape, &rlx_node::kind) == g.nodes().end()) {
    return std::nullopt;
  }
  const users readers{g};
  const std::vector<bool> is_output = output_mask(g);
  std::vector<bool> consumed(g.size(), false);
  const auto matches = [&](node_id id) { return find_match(g, readers, is_output, id); };
  node_id first = 0;
  while (first < g.size() && !matches(first)) ++first;
  if (first == g.size()) return std::nullopt;

  rewrite walk{g, context.name, keeping::names_and_origins};
  std::vector<node_id> operands;
  for (node_id id = 0; id < g.size(); ++id) {
    if (consumed[id]) continue;
    const auto found = id < first ? std::nullopt : matches(id);
    if (!found) {
      walk.copy(id);
      continue;
    }
    operands.clear();
    for (const node_id operand : g.inputs(id)) operands.push_back(walk.image(operand));
    const node_id fused = walk.emit(g.op(id), operands, found->shape.view());
    walk.set_image(id, fused);
    walk.set_image(found->reshape, fused);
    consumed[found->reshape] = true;
  }
  return walk.finish();
}

}  // namespace rlx::rlx_0_2_2
