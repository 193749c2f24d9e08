// Random models that can be edited, with every node's identity kept through the edits: so that a
// test knows which node became which without looking at graphs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plugin/compare/match/match.hpp"
#include "plugin/ledger/label.hpp"
#include "tests/ledger/random_graph.hpp"

namespace opscope::test {

// A node of a model: all sizes but the batch are widths, and a layer has its own.
struct model_node {
  std::uint64_t identity = 0;
  std::uint32_t kind = 0;
  std::uint32_t dtype = RLX_DTYPE_F32;
  std::vector<std::uint32_t> widths;    // of the dims behind the batch; of a Param, of all dims
  std::vector<std::uint64_t> operands;  // identities
  std::string value;                    // attribute
  std::string name;                     // of a leaf
};

struct model {
  std::vector<model_node> nodes;  // operands first
  std::vector<std::uint64_t> outputs;
  std::vector<std::uint64_t> width_sizes;
  std::uint64_t next_identity = 1;
};

// `layers` layers over one residual stream: norm, projections up, some element-wise nodes, one
// down, and now and then a head that ends in an output of its own.
model random_model(random_source& random, std::size_t layers);

enum class model_edit { insert, remove, fuse, rename, renumber, reshape, retype };
inline constexpr int model_edit_count = 7;
// Makes one edit at a random place; false where the model has none that fits. `touched` holds the
// identities near earlier edits, which are left alone, so that edits stay apart.
bool make_edit(model& m, model_edit e, random_source& random,
               std::map<std::uint64_t, bool>& touched);

// A model as a costed graph.
class built_model {
 public:
  explicit built_model(const model& m);
  const graph_side& side() const { return *side_; }
  std::uint64_t identity(std::uint32_t id) const { return identities_[id]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(identities_.size()); }

 private:
  view_builder builder_;
  std::vector<std::uint64_t> identities_;
  graph_cost rule_;
  graph_need need_;
  std::vector<std::string> labels_;
  std::unique_ptr<graph_side> side_;
};

// What really became of each node.
node_matching true_matching(const built_model& base, const built_model& next);

}  // namespace opscope::test
