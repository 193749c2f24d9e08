#include "host/lower/hir/lower.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "host/error.hpp"
#include "host/lower/hir/block.hpp"
#include "host/read/place.hpp"

namespace rlx {

namespace {

constexpr node_id no_root = std::numeric_limits<node_id>::max();

bool is_leaf(std::string_view kind) {
  return kind == "Input" || kind == "Param" || kind == "Constant";
}

// Gives the nodes made their names and origins. RLX tags, after each HIR node with root r, every
// node up to r that is no earlier node's root and not tagged yet. Roots are tagged at once, so
// only nodes left over behind a root wait: the short list `untagged_`.
class tagger {
 public:
  explicit tagger(graph& out) : out_{out} {}

  void tag_leaf(node_id root, node_id hir, std::optional<std::string_view> label) {
    tag(root, out_.intern_origin({.hir = hir, .label = label, .pass = std::nullopt}), label);
    tagged_to_ = out_.size();
  }

  void tag_block(node_id root, node_id hir, std::string_view label) {
    const origin_id origin = out_.intern_origin({.hir = hir, .label = label, .pass = std::nullopt});
    for (; tagged_to_ < out_.size(); ++tagged_to_) untagged_.push_back(tagged_to_);
    const auto behind = std::ranges::find_if(untagged_, [&](node_id id) { return id > root; });
    std::for_each(untagged_.begin(), behind, [&](node_id id) { tag(id, origin, label); });
    untagged_.erase(untagged_.begin(), behind);
  }

 private:
  void tag(node_id id, origin_id origin, std::optional<std::string_view> label) {
    out_.set_origin_of(id, origin);
    if (label && !out_.name_of(id)) out_.set_name_of(id, label);
  }

  graph& out_;
  node_id tagged_to_ = 0;
  std::vector<node_id> untagged_;  // ascending
};

class walk {
 public:
  explicit walk(const hir_module& m)
      : hir_{m.blocks},
        module_{m},
        out_{hir_.shared_storage(), hir_.name()},
        emit_{out_},
        tags_{out_},
        roots_(hir_.size(), no_root) {}

  graph run() {
    for (node_id id = 0; id < hir_.size(); ++id) {
      try {
        roots_[id] = lower(id);
      } catch (const error& e) {
        throw error{"module " + json::quoted(hir_.name()) + ": node " + std::to_string(id) + " (" +
                    called(id) + "): " + e.what()};
      }
    }
    std::vector<node_id> outputs;
    outputs.reserve(hir_.outputs().size());
    for (const node_id output : hir_.outputs()) outputs.push_back(roots_.at(output));
    out_.set_outputs(std::move(outputs));
    return std::move(out_);
  }

 private:
  node_id lower(node_id id) {
    const op_id op = hir_.op(id);
    const op_fields fields{hir_.storage(), op};
    map_operands(id);
    if (module_.wraps_mir[id]) {
      const node_id root = emit_.add(op, operands_, hir_.shape(id));
      tags_.tag_block(root, id, hir_.name_of(id).value_or("mir"));
      return root;
    }
    if (is_leaf(fields.kind())) {
      const node_id root = emit_.add(op, {}, hir_.shape(id));
      if (fields.kind() != "Constant") out_.set_name_of(root, fields.text("name"));
      tags_.tag_leaf(root, id, hir_.name_of(id));
      return root;
    }
    const block_rule* const rule = find_block_rule(fields.kind());
    if (rule == nullptr) {
      throw error{
          "no HIR operation of RLX 0.2.2; lower the module with the compiler that wrote it"};
    }
    const node_id root = rule->lower({.emit = emit_,
                                      .pairs = pairs_,
                                      .op = op,
                                      .fields = fields,
                                      .policy = module_.policy,
                                      .hir_operands = hir_.inputs(id),
                                      .in = operands_,
                                      .declared = hir_.shape(id)});
    tags_.tag_block(root, id, label(id, *rule, fields));
    return root;
  }

  void map_operands(node_id id) {
    operands_.clear();
    for (const node_id operand : hir_.inputs(id)) {
      if (operand >= id) {
        throw error{"the operand " + std::to_string(operand) +
                    " is not lowered yet; operands must stand before the node"};
      }
      operands_.push_back(roots_[operand]);
    }
  }

  std::string_view label(node_id id, const block_rule& rule, const op_fields& fields) {
    if (const auto name = hir_.name_of(id)) return *name;
    return rule.label == nullptr ? rule.name : hir_.storage().keep(rule.label(fields));
  }

  // What messages call the block: by its kind, and by its name where it has one of its own.
  std::string called(node_id id) const {
    const std::string_view kind = hir_.operation_of(id).kind_text;
    const block_rule* const rule = find_block_rule(kind);
    std::string text{module_.wraps_mir[id] || rule == nullptr ? kind : rule->name};
    const auto name = hir_.name_of(id);
    if (name && *name != text) text += ' ' + json::quoted(*name);
    return text;
  }

  const graph& hir_;
  const hir_module& module_;
  graph out_;
  emitter emit_;
  tagger tags_;
  linear_pairs pairs_;
  std::vector<node_id> roots_;
  std::vector<node_id> operands_;
};

}  // namespace

graph lower_hir(const hir_module& m) { return walk{m}.run(); }

}  // namespace rlx
