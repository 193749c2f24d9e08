// What matching knows of the nodes of one graph: hashes of each node by itself, of all it is
// computed from, of all it is used for, and of its surroundings; and who reads whom.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plugin/compare/side.hpp"

namespace opscope {

struct node_use {
  std::uint32_t user;
  std::uint32_t slot;  // the operand of `user` that the node is
};

class node_context {
 public:
  explicit node_context(const graph_side& side);

  const graph_side& side() const { return *side_; }
  std::uint32_t size() const { return side_->size(); }
  // Kind and attributes; and these with element type and shape. No names.
  std::uint64_t character(std::uint32_t id) const { return character_[id]; }
  std::uint64_t operation(std::uint32_t id) const { return operation_[id]; }
  std::uint64_t kind(std::uint32_t id) const { return kind_[id]; }
  std::uint64_t label(std::uint32_t id) const { return label_[id]; }
  // The computation up to the node: with the names of leaves, and without.
  std::uint64_t above(std::uint32_t id) const { return above_[id]; }
  std::uint64_t above_unnamed(std::uint32_t id) const { return above_unnamed_[id]; }
  // The computations that the node feeds, down to the outputs, without their other operands.
  std::uint64_t below(std::uint32_t id) const { return below_[id]; }
  // Both without element types and shapes, which change all along a layer.
  std::uint64_t frame_above(std::uint32_t id) const { return frame_above_[id]; }
  std::uint64_t frame_below(std::uint32_t id) const { return frame_below_[id]; }
  // Of the whole graph with its names: equal for every renumbering.
  std::uint64_t whole() const { return whole_; }

  std::span<const node_use> uses(std::uint32_t id) const {
    return std::span{uses_}.subspan(first_use_[id], first_use_[id + 1] - first_use_[id]);
  }
  // Which outputs the node is, as a hash; 0 for none.
  std::uint64_t output_hash(std::uint32_t id) const { return output_hash_[id]; }

  // One more step of surroundings: of each node its own colour, those of its operands by slot, and
  // those of its users.
  std::vector<std::uint64_t> widened(const std::vector<std::uint64_t>& colours) const;
  std::vector<std::uint64_t> operations() const { return operation_; }

 private:
  void hash_nodes();
  void link_uses();
  void hash_above();
  void hash_below();

  const graph_side* side_;
  std::vector<std::uint64_t> character_;
  std::vector<std::uint64_t> operation_;
  std::vector<std::uint64_t> kind_;
  std::vector<std::uint64_t> label_;
  std::vector<std::uint64_t> above_;
  std::vector<std::uint64_t> above_unnamed_;
  std::vector<std::uint64_t> below_;
  std::vector<std::uint64_t> frame_above_;
  std::vector<std::uint64_t> frame_below_;
  std::vector<std::uint64_t> output_hash_;
  std::vector<std::uint32_t> first_use_;
  std::vector<node_use> uses_;
  std::uint64_t whole_ = 0;
};

}  // namespace opscope
