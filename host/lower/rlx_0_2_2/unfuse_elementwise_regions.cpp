// Takes elementwise regions apart again, one node a step, shapes recomputed from the operands:
// all of them where the target asks for it, or only those beyond the target's limits.
#include <simdjson.h>

#include <unordered_map>
#include <vector>

#include "host/lower/ops.hpp"
#include "host/lower/rewrite.hpp"
#include "host/lower/rlx_0_2_2/passes.hpp"
#include "host/lower/shapes.hpp"
#include "host/read/op.hpp"

namespace rlx::rlx_0_2_2 {

namespace {

struct step_operand {
  bool is_step;
  std::uint64_t index;
};

struct step {
  std::uint32_t kind;  // Activation, Cast, Binary, Compare or Where
  op_id op;
  std::uint32_t dtype = 0;  // of a Cast
  std::size_t operand_count;
  step_operand operands[3];
};

class unfolder {
 public:
  unfolder(const graph& g, const pass_context& context, std::uint32_t compare_dtype)
      : walk_{g, context.name, keeping::names_and_origins},
        compare_dtype_{compare_dtype},
        room_{context.growth_limit} {}

  // `wanted` says which regions to take apart.
  template <class Wanted>
  pass_result run(Wanted wanted) {
    const graph& g = walk_.from();
    std::vector<bool> unfolded(g.size(), false);
    bool changed = false;
    for (node_id id = 0; id < g.size(); ++id) {
      if (g.kind(id) != RLX_KIND_ElementwiseRegion || !wanted(id)) continue;
      unfolded[id] = true;
      changed = true;
    }
    if (!changed) return std::nullopt;
    for (node_id id = 0; id < g.size(); ++id) {
      if (unfolded[id]) {
        unfold(id);
      } else {
        walk_.copy(id);
      }
    }
    return walk_.finish();
  }

  // Steps in the region's chain, whatever they are; 0 where it is no list.
  std::size_t step_count(node_id id) {
    const op_id op = walk_.from().op(id);
    const auto [it, is_new] = step_counts_.try_emplace(op, 0);
    if (is_new) {
      const rlx_attribute* chain = walk_.from().storage().attribute(op, "chain");
      simdjson::dom::array entries;
      if (chain != nullptr && chain->type == RLX_ATTRIBUTE_JSON &&
          parser_.parse(chain->value.text.data, chain->value.text.size).get_array().get(entries) ==
              simdjson::SUCCESS) {
        it->second = entries.size();
      }
    }
    return it->second;
  }

 private:
  [[noreturn]] void fail_chain(node_id id) const {
    walk_.fail(id,
               "its chain is not a list of steps such as {\"Binary\":[\"Add\",{\"Step\":0},"
               "{\"Input\":1}]}; write it in that form");
  }

  // The steps of a region; equal regions share one.
  const std::vector<step>& chain_of(node_id id) {
    const op_id op = walk_.from().op(id);
    if (const auto it = chains_.find(op); it != chains_.end()) return it->second;
    const rlx_attribute* chain = walk_.from().storage().attribute(op, "chain");
    if (chain == nullptr || chain->type != RLX_ATTRIBUTE_JSON) fail_chain(id);
    // The text is copied: making operations below may move the attributes.
    const simdjson::padded_string text{chain->value.text.data, chain->value.text.size};
    std::vector<step> steps;
    simdjson::dom::array entries;
    if (parser_.parse(text).get_array().get(entries) != simdjson::SUCCESS) fail_chain(id);
    for (const simdjson::dom::element entry : entries) steps.push_back(read_step(id, entry));
    return chains_.emplace(op, std::move(steps)).first->second;
  }

  step read_step(node_id id, simdjson::dom::element entry) {
    simdjson::dom::object object;
    if (entry.get_object().get(object) != simdjson::SUCCESS || object.size() != 1) fail_chain(id);
    const std::string_view kind = (*object.begin()).key;
    simdjson::dom::array fields;
    if ((*object.begin()).value.get_array().get(fields) != simdjson::SUCCESS) fail_chain(id);

    storage& s = walk_.from().storage();
    step made{};
    std::string_view value;
    const auto read_value = [&] {
      if (fields.at(0).get_string().get(value) != simdjson::SUCCESS) fail_chain(id);
    };
    if (kind == "Activation") {
      read_value();
      made = {RLX_KIND_Activation, activation_op(s, value), 0, 1, {}};
    } else if (kind == "Cast") {
      read_value();
      made = {RLX_KIND_Cast, cast_op(s, value), s.dtype_number(value), 1, {}};
    } else if (kind == "Binary") {
      read_value();
      made = {RLX_KIND_Binary, binary_op(s, value), 0, 2, {}};
    } else if (kind == "Compare") {
      read_value();
      made = {RLX_KIND_Compare, compare_op(s, value), 0, 2, {}};
    } else if (kind == "Where") {
      made = {RLX_KIND_Where, read_op(s, "\"Where\""), 0, 3, {}};
    } else {
      fail_chain(id);
    }
    const std::size_t first = made.kind == RLX_KIND_Where ? 0 : 1;
    if (fields.size() != first + made.operand_count) fail_chain(id);
    for (std::size_t i = 0; i < made.operand_count; ++i) {
      simdjson::dom::object operand;
      if (fields.at(first + i).get_object().get(operand) != simdjson::SUCCESS ||
          operand.size() != 1) {
        fail_chain(id);
      }
      const auto field = *operand.begin();
      made.operands[i].is_step = field.key == "Step";
      if ((!made.operands[i].is_step && field.key != "Input") ||
          field.value.get_uint64().get(made.operands[i].index) != simdjson::SUCCESS) {
        fail_chain(id);
      }
    }
    return made;
  }

  node_id operand_of(node_id id, const step_operand& operand) const {
    if (operand.is_step) {
      if (operand.index < step_ids_.size()) return step_ids_[operand.index];
      walk_.fail(id, "a step reads step " + std::to_string(operand.index) +
                         ", which does not come before it; reorder the chain");
    }
    const auto inputs = walk_.from().inputs(id);
    if (operand.index < inputs.size()) return walk_.image(inputs[operand.index]);
    walk_.fail(id, "a step reads input " + std::to_string(operand.index) + " of " +
                       std::to_string(inputs.size()) + "; give the region that operand");
  }

  owned_shape broadcast_or_fail(node_id id, const shape_view& a, const shape_view& b) const {
    if (auto shape = broadcast(a, b)) return std::move(*shape);
    walk_.fail(id, "step " + std::to_string(step_ids_.size()) +
                       " combines shapes that do not broadcast; the compiler recomputes shapes "
                       "here, so give its operands equal dims or 1");
  }

  owned_shape shape_of(node_id id, const step& st, std::span<const node_id> operands) const {
    // No reference into the new graph outlives this function: its arrays move as it grows.
    const auto shape = [&](std::size_t i) { return walk_.to().shape(operands[i]); };
    switch (st.kind) {
      case RLX_KIND_Activation:
        return owned_shape{shape(0)};
      case RLX_KIND_Cast: {
        owned_shape cast{shape(0)};
        cast.dtype = st.dtype;
        return cast;
      }
      case RLX_KIND_Binary:
        return broadcast_or_fail(id, shape(0), shape(1));
      case RLX_KIND_Compare: {
        owned_shape compared = broadcast_or_fail(id, shape(0), shape(1));
        compared.dtype = compare_dtype_;
        return compared;
      }
      default: {
        const owned_shape values = broadcast_or_fail(id, shape(1), shape(2));
        owned_shape chosen = broadcast_or_fail(id, shape(0), values.view());
        chosen.dtype = values.dtype;
        return chosen;
      }
    }
  }

  void unfold(node_id id) {
    const std::vector<step>& chain = chain_of(id);
    if (chain.empty()) walk_.fail(id, "its chain is empty; a region needs at least one step");
    step_ids_.clear();
    for (const step& st : chain) {
      node_id operands[3];
      for (std::size_t i = 0; i < st.operand_count; ++i) {
        operands[i] = operand_of(id, st.operands[i]);
      }
      const std::span<const node_id> read{operands, st.operand_count};
      const owned_shape shape = shape_of(id, st, read);
      spend(id, 1 + read.size() + shape.dims.size());
      step_ids_.push_back(walk_.emit(st.op, read, shape.view()));
    }
    walk_.set_image(id, step_ids_.back());
  }

  void spend(node_id id, std::uint64_t wanted) {
    if (wanted > room_) {
      walk_.fail(id,
                 "unfolding the regions adds more nodes, operands and dims than this driver's "
                 "limit; shorten their chains");
    }
    room_ -= wanted;
  }

  rewrite walk_;
  std::uint32_t compare_dtype_;
  std::uint64_t room_;
  simdjson::dom::parser parser_;
  std::unordered_map<op_id, std::vector<step>> chains_;
  std::unordered_map<op_id, std::size_t> step_counts_;
  std::vector<node_id> step_ids_;  // of the region being unfolded
};

}  // namespace

pass_result unfuse_elementwise_regions(const graph& g, const pass_context& context) {
  return unfolder{g, context, RLX_DTYPE_Bool}.run([](node_id) { return true; });
}

pass_result clip_regions(const graph& g, const pass_context& context) {
  unfolder work{g, context, RLX_DTYPE_U8};
  return work.run([&](node_id id) {
    const auto inputs = u64_attribute(g, id, "num_inputs");
    return (inputs && *inputs > context.region_inputs) ||
           work.step_count(id) > context.region_steps;
  });
}

}  // namespace rlx::rlx_0_2_2
