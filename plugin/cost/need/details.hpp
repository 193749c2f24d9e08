// What a formula needs of a node's operation, read once per distinct operation: attributes by
// position, and the values that travel as text or JSON (schemes, masks, chains) in a closed form.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <rlx/view.hpp>
#include <string_view>
#include <vector>

#include "plugin/cost/need/attributes.hpp"
#include "plugin/cost/need/quant.hpp"

namespace opscope::need {

// An attention mask. `other` is a mask that this version does not know.
enum class mask_kind : std::uint8_t { none, causal, sliding_window, custom, bias, other };

struct mask {
  mask_kind kind = mask_kind::none;
  std::uint64_t window = 0;
};

// How an element-wise function is priced on complex numbers; 0: not defined there.
std::uint64_t complex_price(std::string_view function);

enum class step_kind : std::uint8_t { activation, cast, binary, compare, where };

struct chain_operand {
  bool is_step = false;
  std::uint32_t index = 0;
};

// One step of an element-wise region.
struct chain_step {
  step_kind kind = step_kind::activation;
  std::uint8_t operand_count = 0;
  std::uint32_t cast_to = 0;  // a dtype, 0 where not listed
  std::uint64_t complex_price = 0;
  chain_operand operands[3];
};

// How the last step's value depends on a step or an input.
enum class use : std::uint8_t { none, as_data_decides, certain };

struct chain {
  std::vector<chain_step> steps;
  std::vector<use> step_use;
  std::vector<use> input_use;
};

struct codebook {
  std::uint64_t entry_dim = 0;
  std::uint64_t entries = 0;
};

// A run along one axis of the operand that a Narrow or Slice reads.
struct run {
  std::uint64_t axis = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct details {
  resolved_attributes attributes;
  std::optional<opscope::need::run> run;  // of step 1, with all of it known
  std::optional<quant_scheme> scheme;
  std::optional<mask> attention_mask;
  std::optional<std::uint64_t> lhs_bits;  // also `format`
  std::optional<std::uint64_t> rhs_bits;
  std::optional<std::uint64_t> scale_block;
  std::optional<codebook> book;
  std::optional<bool> scale_is_ema;  // of scale_mode; false: PerBatch or Fixed
  bool scale_is_fixed = false;
  std::unique_ptr<opscope::need::chain> chain;  // null where absent or not readable
};

details read_details(std::uint32_t kind, const rlx::strided<rlx_attribute>& attributes);

// The details of a graph's nodes. Nodes share operations, so a range of attributes is read once.
class details_cache {
 public:
  // For another graph; keeps its storage.
  void restart(const rlx::graph_view& graph);
  // Valid until restart.
  const details& of(std::uint32_t id) {
    const rlx_node_info& info = graph_->info(id);
    if (info.attribute_count == 0) return none_;
    const std::uint32_t slot = by_begin_[info.attributes_begin];
    if (slot != 0) {
      const details& d = *known_[slot - 1];
      if (d.attributes.kind == graph_->node(id).kind &&
          d.attributes.count == info.attribute_count) {
        return d;
      }
    }
    return read(id);
  }
  const details& none() const { return none_; }

 private:
  const details& read(std::uint32_t id);

  const rlx::graph_view* graph_ = nullptr;
  details none_;
  std::vector<std::uint32_t> by_begin_;  // by attributes_begin: 1 + index into known_, 0 for none
  std::vector<std::unique_ptr<details>> known_;
};

// The dtype of that name, or 0.
std::uint32_t dtype_of(std::string_view name);

}  // namespace opscope::need
