// The rebuilding that all passes share: walk the old graph in id order, give each node an image in
// the new graph, map the outputs. A pass judges the old graph only and writes the new one.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/graph/graph.hpp"

namespace rlx {

// Throws rlx::error `module "m": pass p: node 17 (MatMul): what`.
[[noreturn]] void fail_at(const graph& g, std::string_view pass, node_id id,
                          const std::string& what);

// What a copied node keeps of its name and origin; emitted nodes have neither.
enum class keeping { nothing, names_and_origins };

class rewrite {
 public:
  rewrite(const graph& from, std::string_view pass, keeping kept);

  const graph& from() const { return from_; }
  graph& to() { return to_; }
  const graph& to() const { return to_; }

  // Operand i of an old node; throws where it has none.
  node_id operand(node_id old, std::size_t i) const;
  bool has_image(node_id old) const { return images_[old] != none; }
  // Throws where `old` has been consumed and nothing stands for it.
  node_id image(node_id old) const;
  void set_image(node_id old, node_id now) { images_[old] = now; }

  // Appends the same operation on the images of its operands. The copy becomes its image.
  node_id copy(node_id old);
  // Copies, in list order, what has no image yet, operands first. A later walk does not know and
  // copies again: the first copy serves what is emitted now, the second all later readers.
  void early_copy(std::span<const node_id> olds);
  void early_copy(std::initializer_list<node_id> olds) {
    early_copy(std::span{olds.begin(), olds.size()});
  }
  // Appends a new node; operands are ids of the new graph.
  node_id emit(op_id op, std::span<const node_id> operands, const shape_view& shape) {
    return to_.add(op, operands, shape);
  }
  node_id emit(op_id op, std::initializer_list<node_id> operands, const shape_view& shape) {
    return to_.add(op, std::span{operands.begin(), operands.size()}, shape);
  }
  // Maps the outputs and gives the new graph away.
  graph finish();

  [[noreturn]] void fail(node_id old, const std::string& what) const {
    fail_at(from_, pass_, old, what);
  }

 private:
  static constexpr node_id none = UINT32_MAX;
  origin_id map_origin(origin_id old);

  const graph& from_;
  std::string_view pass_;
  keeping kept_;
  graph to_;
  std::vector<node_id> images_;
  std::vector<origin_id> origins_;  // by old origin id; no_origin where not mapped yet
  std::vector<node_id> operands_;   // scratch of copy()
};

// A copy of the whole graph over the same storage.
graph clone(const graph& g);

}  // namespace rlx
