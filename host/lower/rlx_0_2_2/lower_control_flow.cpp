// Opens the top-level If nodes, then the top-level While nodes, one level deep. Drops all names
// and origins on the way, also where there is no control flow.
#include <algorithm>
#include <limits>
#include <vector>

#include "host/lower/entries.hpp"
#include "host/lower/ops.hpp"
#include "host/lower/rewrite.hpp"
#include "host/lower/rlx_0_2_2/passes.hpp"
#include "host/lower/shapes.hpp"
#include "host/read/op.hpp"

namespace rlx::rlx_0_2_2 {

namespace {

class opener {
 public:
  opener(const graph& g, const pass_context& context)
      : walk_{g, context.name, keeping::nothing}, room_{context.growth_limit} {}

  graph run(std::uint32_t kind) {
    const graph& g = walk_.from();
    for (node_id id = 0; id < g.size(); ++id) {
      if (g.kind(id) != kind) {
        walk_.copy(id);
      } else if (kind == RLX_KIND_If) {
        walk_.set_image(id, open_if(id));
      } else {
        walk_.set_image(id, open_while(id));
      }
    }
    return walk_.finish();
  }

 private:
  const graph& body_of(node_id id, std::string_view role) const {
    const operation& op = walk_.from().operation_of(id);
    for (std::uint32_t i = 0; i < op.nested_count; ++i) {
      const nested_graph& nested = walk_.from().storage().nested()[op.nested_begin + i];
      if (nested.role == role) return *nested.body;
    }
    walk_.fail(id, "has no graph `" + std::string{role} + "`; write it out or remove the node");
  }

  void spend(node_id id, std::uint64_t wanted) {
    if (wanted > room_) {
      walk_.fail(id,
                 "unrolling it would add more nodes, operands and dims than the limit left for "
                 "this module (" +
                     std::to_string(room_) + "); lower max_iterations or shorten the body");
    }
    room_ -= wanted;
  }

  // The images of the captured operands of `id`, from operand `first` on.
  std::vector<node_id> captures_of(node_id id, std::size_t first) const {
    const auto inputs = walk_.from().inputs(id);
    std::vector<node_id> captures;
    for (std::size_t i = first; i < inputs.size(); ++i) {
      captures.push_back(walk_.image(inputs[i]));
    }
    return captures;
  }

  // Appends `body` with its Input nodes, in order, standing for the captures; returns its outputs.
  std::vector<node_id> inline_body(node_id id, std::string_view role, const graph& body,
                                   std::span<const node_id> captures) {
    images_.assign(body.size(), 0);
    std::size_t next_capture = 0;
    for (node_id inner = 0; inner < body.size(); ++inner) {
      if (body.kind(inner) == RLX_KIND_Input) {
        if (next_capture == captures.size()) fail_captures(id, role, body, captures.size());
        images_[inner] = captures[next_capture++];
        continue;
      }
      operands_.clear();
      for (const node_id operand : body.inputs(inner)) operands_.push_back(images_[operand]);
      images_[inner] = walk_.emit(body.op(inner), operands_, body.shape(inner));
    }
    if (next_capture != captures.size()) fail_captures(id, role, body, captures.size());
    std::vector<node_id> outputs;
    for (const node_id output : body.outputs()) outputs.push_back(images_[output]);
    return outputs;
  }

  [[noreturn]] void fail_captures(node_id id, std::string_view role, const graph& body,
                                  std::size_t captures) const {
    std::size_t inputs = 0;
    for (const rlx_node& n : body.nodes()) inputs += n.kind == RLX_KIND_Input ? 1 : 0;
    walk_.fail(id, "graph `" + std::string{role} + "` has " + std::to_string(inputs) +
                       " Input nodes for " + std::to_string(captures) +
                       " values handed in; the numbers must agree");
  }

  node_id first_output(node_id id, std::string_view role, const std::vector<node_id>& outputs) {
    if (outputs.empty()) {
      walk_.fail(id, "graph `" + std::string{role} + "` has no output; it needs one");
    }
    return outputs[0];
  }

  std::string dims_text(node_id id, const shape_view& shape, std::size_t leading_ones) {
    std::string text;
    for (std::size_t i = 0; i < leading_ones; ++i) text += "1,";
    for (std::size_t d = 0; d < shape.dims.size(); ++d) {
      if (is_dynamic(shape, d)) {
        text += "-1,";
      } else if (shape.dims[d] > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
        walk_.fail(id, "a dim of " + std::to_string(shape.dims[d]) +
                           " does not fit a signed 64-bit shape; use a smaller dim");
      } else {
        text += std::to_string(shape.dims[d]) + ",";
      }
    }
    if (!text.empty()) text.pop_back();
    return text;
  }

  // src, an id of the new graph, in shape `wanted` (and its dtype).
  node_id expand(node_id id, node_id src, const shape_view& wanted) {
    graph& to = walk_.to();
    if (same_dims(to.shape(src), wanted)) return src;
    node_id source = src;
    if (to.shape(src).dims.size() < wanted.dims.size()) {
      const std::size_t ones = wanted.dims.size() - to.shape(src).dims.size();
      const op_id reshape = read_op(to.storage(), "{\"Reshape\":{\"new_shape\":[" +
                                                      dims_text(id, to.shape(src), ones) + "]}}");
      const owned_shape old{to.shape(src)};
      owned_shape shape;
      shape.dims.assign(ones, 1);
      shape.dims.insert(shape.dims.end(), old.dims.begin(), old.dims.end());
      shape.dynamic_dims = old.dynamic_dims << ones;
      shape.dtype = old.dtype;
      source = walk_.emit(reshape, {src}, shape.view());
    }
    const op_id op =
        read_op(to.storage(), "{\"Expand\":{\"target_shape\":[" + dims_text(id, wanted, 0) + "]}}");
    return walk_.emit(op, {source}, wanted);
  }

  // What one emitted node of that shape costs at most, also as Reshape or Expand.
  static std::uint64_t node_cost(const shape_view& shape) { return 4 + shape.dims.size(); }

  node_id open_if(node_id id) {
    const graph& g = walk_.from();
    const shape_view shape = g.shape(id);
    const node_id predicate = walk_.image(walk_.operand(id, 0));
    const std::vector<node_id> captures = captures_of(id, 1);
    const graph& then_branch = body_of(id, "then_branch");
    const graph& else_branch = body_of(id, "else_branch");
    spend(id, entries(then_branch) + entries(else_branch) + 3 * node_cost(shape));
    const node_id then_value =
        first_output(id, "then_branch", inline_body(id, "then_branch", then_branch, captures));
    const node_id else_value =
        first_output(id, "else_branch", inline_body(id, "else_branch", else_branch, captures));
    const node_id mask = expand(id, predicate, shape);
    return walk_.emit(read_op(g.storage(), "\"Where\""), {mask, then_value, else_value}, shape);
  }

  // The output of a loop's condition as one F32 flag.
  node_id flag_of(node_id id, node_id condition) {
    graph& to = walk_.to();
    storage& s = to.storage();
    const owned_shape shape{to.shape(condition)};
    std::uint64_t static_elements = 1;
    for (std::size_t d = 0; d < shape.dims.size(); ++d) {
      if (shape.is_dynamic(d)) continue;
      if (__builtin_mul_overflow(static_elements, shape.dims[d], &static_elements)) {
        walk_.fail(id, "the condition's dims multiply beyond 64 bits; use a smaller condition");
      }
    }
    owned_shape as_f32 = shape;
    as_f32.dtype = RLX_DTYPE_F32;
    node_id flag = condition;
    if (shape.dtype != RLX_DTYPE_F32) {
      flag = walk_.emit(cast_op(s, "F32"), {flag}, as_f32.view());
    }
    if (static_elements <= 1) return flag;
    owned_shape as_bool = shape;
    as_bool.dtype = RLX_DTYPE_Bool;
    const node_id zero = walk_.emit(f32_constant_op(s, 0.0F), {}, one_f32_.view());
    const node_id differs = walk_.emit(compare_op(s, "Ne"), {flag, zero}, as_bool.view());
    const node_id numbers = walk_.emit(cast_op(s, "F32"), {differs}, as_f32.view());
    std::string axes;
    for (std::size_t d = 0; d < shape.dims.size(); ++d) {
      axes += (d == 0 ? "" : ",") + std::to_string(d);
    }
    const op_id all =
        read_op(s, "{\"Reduce\":{\"op\":\"Min\",\"axes\":[" + axes + "],\"keep_dim\":true}}");
    return walk_.emit(all, {numbers}, one_f32_.view());
  }

  node_id open_while(node_id id) {
    const graph& g = walk_.from();
    storage& s = g.storage();
    const auto rounds = u64_attribute(g, id, "max_iterations");
    if (!rounds) {
      walk_.fail(id, "has no max_iterations; only loops with a bound can be unrolled");
    }
    std::vector<node_id> carried = captures_of(id, 0);
    if (carried.empty()) walk_.fail(id, "carries no value; a loop needs at least one operand");
    const graph& cond = body_of(id, "cond");
    const graph& body = body_of(id, "body");
    // Every round costs the same, so the whole loop is paid for before it is built.
    std::uint64_t flag_rank = cond.outputs().empty() ? 0 : cond.node(cond.outputs()[0]).rank;
    std::uint64_t round_cost = entries(cond) + entries(body);
    for (const node_id value : carried) {
      const shape_view shape = walk_.to().shape(value);
      flag_rank = std::max<std::uint64_t>(flag_rank, shape.dims.size());
      round_cost += 3 * node_cost(shape);
    }
    round_cost += 6 * (4 + flag_rank);
    std::uint64_t cost = 0;
    if (__builtin_mul_overflow(round_cost, *rounds, &cost)) {
      cost = std::numeric_limits<std::uint64_t>::max();
    }
    spend(id, cost);

    const op_id where = read_op(s, "\"Where\"");
    node_id active = walk_.emit(f32_constant_op(s, 1.0F), {}, one_f32_.view());
    for (std::uint64_t round = 0; round < *rounds; ++round) {
      const node_id condition = first_output(id, "cond", inline_body(id, "cond", cond, carried));
      const node_id flag = flag_of(id, condition);
      active = walk_.emit(binary_op(s, "Mul"), {active, flag}, one_f32_.view());
      const std::vector<node_id> next = inline_body(id, "body", body, carried);
      if (next.size() != carried.size()) {
        walk_.fail(id, "graph `body` has " + std::to_string(next.size()) + " outputs for " +
                           std::to_string(carried.size()) +
                           " carried values; the numbers must agree");
      }
      for (std::size_t i = 0; i < carried.size(); ++i) {
        const owned_shape shape{walk_.to().shape(carried[i])};
        const node_id mask = expand(id, active, shape.view());
        carried[i] = walk_.emit(where, {mask, next[i], carried[i]}, shape.view());
      }
    }
    return carried[0];
  }

  rewrite walk_;
  std::uint64_t room_;
  const owned_shape one_f32_{{1}, RLX_DTYPE_F32};
  std::vector<node_id> images_;    // scratch of inline_body
  std::vector<node_id> operands_;  // likewise
};

bool has_kind(const graph& g, std::uint32_t kind) {
  for (const rlx_node& n : g.nodes()) {
    if (n.kind == kind) return true;
  }
  return false;
}

}  // namespace

pass_result lower_control_flow(const graph& g, const pass_context& context) {
  // A rebuild without anything to open only drops names, and dropping them once is enough.
  if (!has_kind(g, RLX_KIND_If)) return opener{g, context}.run(RLX_KIND_While);
  graph without_if = opener{g, context}.run(RLX_KIND_If);
  if (!has_kind(without_if, RLX_KIND_While)) return without_if;
  return opener{without_if, context}.run(RLX_KIND_While);
}

}  // namespace rlx::rlx_0_2_2
