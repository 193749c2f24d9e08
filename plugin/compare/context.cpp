#include "plugin/compare/context.hpp"

#include "plugin/compare/operation.hpp"

namespace opscope {

namespace {

// Distinguishes the parts of a hash from each other.
enum salt : std::uint64_t { salt_use = 11, salt_output, salt_operand, salt_name };

}  // namespace

node_context::node_context(const graph_side& side) : side_{&side} {
  hash_nodes();
  link_uses();
  hash_above();
  hash_below();
}

void node_context::hash_nodes() {
  const std::uint32_t n = size();
  character_.resize(n);
  operation_.resize(n);
  kind_.resize(n);
  label_.resize(n);
  output_hash_.assign(n, 0);
  for (std::uint32_t id = 0; id < n; ++id) {
    const std::uint32_t kind = side_->node(id).kind;
    character_[id] = character_hash(side_->graph(), id);
    operation_[id] = operation_hash(side_->graph(), id, character_[id]);
    kind_[id] = rlx::is_listed_kind(kind) ? kind : text_hash(side_->kind(id));
    label_[id] = text_hash(side_->label(id));
  }
  std::uint64_t position = 0;
  for (const std::uint32_t output : side_->graph().outputs()) {
    output_hash_[output] += mixed(salt_output, ++position);
  }
}

void node_context::link_uses() {
  const std::uint32_t n = size();
  first_use_.assign(std::size_t{n} + 1, 0);
  for (std::uint32_t id = 0; id < n; ++id) {
    for (const std::uint32_t o : side_->operands(id)) ++first_use_[o + 1];
  }
  for (std::uint32_t id = 0; id < n; ++id) first_use_[id + 1] += first_use_[id];
  uses_.resize(first_use_[n]);
  std::vector<std::uint32_t> next(first_use_.begin(), first_use_.end() - 1);
  for (std::uint32_t id = 0; id < n; ++id) {
    std::uint32_t slot = 0;
    for (const std::uint32_t o : side_->operands(id)) uses_[next[o]++] = {id, slot++};
  }
}

void node_context::hash_above() {
  const std::uint32_t n = size();
  above_.resize(n);
  above_unnamed_.resize(n);
  frame_above_.resize(n);
  for (std::uint32_t id = 0; id < n; ++id) {
    std::uint64_t named = operation_[id];
    std::uint64_t unnamed = operation_[id];
    std::uint64_t frame = character_[id];
    if (const std::string_view name = side_->leaf_name(id); !name.empty()) {
      const std::uint64_t name_hash = mixed(salt_name, text_hash(name));
      named = mixed(named, name_hash);
      frame = mixed(frame, name_hash);
    }
    for (const std::uint32_t o : side_->operands(id)) {
      named = mixed(named, above_[o]);
      unnamed = mixed(unnamed, above_unnamed_[o]);
      frame = mixed(frame, frame_above_[o]);
    }
    above_[id] = named;
    above_unnamed_[id] = unnamed;
    frame_above_[id] = frame;
    whole_ += mixed(named, output_hash_[id]);
  }
}

void node_context::hash_below() {
  below_.resize(size());
  frame_below_.resize(size());
  for (std::uint32_t id = size(); id-- != 0;) {
    std::uint64_t used = output_hash_[id];
    std::uint64_t frame = used;
    for (const node_use& u : uses(id)) {
      const std::uint64_t slot = mixed(salt_use, u.slot);
      used += mixed(slot, below_[u.user]);
      frame += mixed(slot, frame_below_[u.user]);
    }
    below_[id] = mixed(operation_[id], used);
    frame_below_[id] = mixed(character_[id], frame);
  }
}

std::vector<std::uint64_t> node_context::widened(const std::vector<std::uint64_t>& colours) const {
  std::vector<std::uint64_t> result(size());
  for (std::uint32_t id = 0; id < size(); ++id) {
    std::uint64_t h = colours[id];
    for (const std::uint32_t o : side_->operands(id)) h = mixed(h, mixed(salt_operand, colours[o]));
    std::uint64_t used = output_hash_[id];
    for (const node_use& u : uses(id)) used += mixed(mixed(salt_use, u.slot), colours[u.user]);
    result[id] = mixed(h, used);
  }
  return result;
}

}  // namespace opscope
