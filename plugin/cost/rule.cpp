// The rule's one pass over the hot node records. Each tensor is measured once, when its node comes
// by, and packed into a word that the operands of later nodes are gathered from; whatever does not
// fit such a word is counted again, slowly and checked, at each node that touches it.
#include <array>
#include <opscope/cost.hpp>

#include "plugin/cost/tensor_word.hpp"

namespace opscope {

namespace {

__extension__ using u128 = unsigned __int128;

// A node of so many regular operands and of that many FLOPs is regular itself: none of its figures
// reaches 2^54, so that sums over a block of nodes stay below 2^64.
constexpr std::uint32_t max_regular_operands = 1u << 6;
constexpr std::uint64_t max_regular_flops = std::uint64_t{1} << 54;
constexpr std::uint32_t block_nodes = 1u << 9;

// What a kind's FLOPs are, as max(output() * output, operand() * operand 0), elements each;
// contractions are 2 * output * (last dim of operand 0) instead. One word, so that a lookup is one
// load.
class formula {
 public:
  constexpr formula() = default;
  static constexpr formula of(std::uint64_t output, std::uint64_t operand) {
    return formula{output | operand << 8};
  }
  static constexpr formula contraction() { return formula{contraction_bit}; }
  static constexpr formula leaf() { return formula{leaf_bit}; }
  static constexpr formula weight() { return formula{leaf_bit | tensor_word::mark_bit}; }

  constexpr std::uint64_t output() const { return word_ & 0xFF; }
  constexpr std::uint64_t operand() const { return (word_ >> 8) & 0xFF; }
  constexpr bool is_contraction() const { return (word_ & contraction_bit) != 0; }
  constexpr bool is_leaf() const { return (word_ & leaf_bit) != 0; }
  constexpr bool is_weight() const { return (word_ & tensor_word::mark_bit) != 0; }
  // The bit that marks a tensor a weight, or nothing.
  constexpr std::uint64_t weight_mark() const { return word_ & tensor_word::mark_bit; }

 private:
  explicit constexpr formula(std::uint64_t word) : word_{word} {}
  static constexpr std::uint64_t contraction_bit = std::uint64_t{1} << 16;
  static constexpr std::uint64_t leaf_bit = std::uint64_t{1} << 17;
  std::uint64_t word_ = 0;
};

constexpr formula formula_of(std::uint32_t kind) {
  switch (kind) {
    case RLX_KIND_MatMul:
    case RLX_KIND_DequantMatMul:
    case RLX_KIND_ScaledMatMul:
    case RLX_KIND_ScaledGroupedMatMul:
    case RLX_KIND_SynthMatMul:
      return formula::contraction();
    case RLX_KIND_Binary:
    case RLX_KIND_Compare:
      return formula::of(1, 1);
    case RLX_KIND_Activation:
    case RLX_KIND_Cast:
      return formula::of(1, 0);
    case RLX_KIND_Reduce:
    case RLX_KIND_Cumsum:
    case RLX_KIND_CumProd:
    case RLX_KIND_CumMax:
      return formula::of(0, 1);
    case RLX_KIND_LayerNorm:
    case RLX_KIND_RmsNorm:
    case RLX_KIND_Softmax:
      return formula::of(0, 3);
    case RLX_KIND_Input:
      return formula::leaf();
    case RLX_KIND_Param:
    case RLX_KIND_Constant:
      return formula::weight();
    default:
      return {};
  }
}

// By kind number; entry 0 serves every kind outside the table.
constexpr auto formulas = [] {
  std::array<formula, rlx::kind_count + 1> table{};
  for (std::uint32_t kind = 1; kind <= rlx::kind_count; ++kind) table[kind] = formula_of(kind);
  return table;
}();

formula formula_at(std::uint32_t kind) { return formulas[kind <= rlx::kind_count ? kind : 0]; }

// A sum beyond 64 bits, which some addend may make unknown.
struct wide_sum {
  u128 sum = 0;
  bool is_known = true;
  figure value() const {
    if (!is_known || (sum >> 64) != 0) return std::nullopt;
    return static_cast<std::uint64_t>(sum);
  }
};

// One tensor, measured without limits.
struct tensor {
  figure elements;  // unknown: a dynamic dim, or the product leaves 64 bits on the way
  figure width;     // unknown: a dtype outside the table
  bool is_beyond_64_bits = false;

  // Bytes under the rule: 0 without an element count, unknown without a width or beyond 64 bits.
  figure bytes() {
    if (!width) return std::nullopt;
    const figure size = checked_multiply(elements.value_or(0), width);
    is_beyond_64_bits = !size.has_value();
    return size;
  }
};

tensor measure(const rlx::graph_view& graph, const rlx_node& node) {
  tensor t{.elements = 1, .width = rlx::dtype_bytes(node.dtype)};
  if (node.dynamic_dims != 0) t.elements.reset();
  for (const std::uint64_t dim : graph.dims(node)) t.elements = checked_multiply(t.elements, dim);
  return t;
}

// The contracted dim: the last of operand 0; 0 where it is dynamic, missing or of rank 0.
std::uint64_t contracted(const rlx::graph_view& graph, const rlx_node& node) {
  if (node.input_count == 0) return 0;
  const rlx_node& operand = graph.node(graph.inputs(node)[0]);
  if (operand.rank == 0 || ((operand.dynamic_dims >> (operand.rank - 1)) & 1) != 0) return 0;
  return graph.dims(operand)[operand.rank - 1];
}

}  // namespace

class rule_pass {
 public:
  rule_pass(const rlx::graph_view& graph, graph_cost& result) : graph_{graph}, result_{result} {}

  void run() {
    result_.graph_ = graph_;
    result_.nodes_.resize(graph_.size());
    result_.tensors_.resize(graph_.size());
    counts_ = {};
    sums_ = {};
    const std::uint32_t count = graph_.size();
    for (std::uint32_t begin = 0; begin < count;) {
      const std::uint32_t end = begin + std::min(block_nodes, count - begin);
      count_block(begin, end);
      begin = end;
    }
    totals& t = result_.totals_;
    t = counts_;
    t.nodes = count;
    t.bytes_read = sums_[0].value();
    t.bytes_written = sums_[1].value();
    t.bytes_weights = sums_[2].value();
    t.flops = sums_[3].value();
    t.bytes = checked_add(t.bytes_read, t.bytes_written);
    if (t.bytes && t.flops && *t.bytes != 0) {
      t.intensity = static_cast<double>(*t.flops) / static_cast<double>(*t.bytes);
    }
  }

 private:
  void count_block(std::uint32_t begin, std::uint32_t end) {
    const rlx_graph_view& raw = graph_.raw();
    const std::uint32_t* const inputs = raw.inputs;
    const std::size_t stride = raw.node_stride;
    const auto* const first_node = reinterpret_cast<const std::byte*>(raw.nodes);
    const auto node_at = [=](std::size_t id) -> const rlx_node& {
      return *reinterpret_cast<const rlx_node*>(first_node + id * stride);
    };
    std::uint64_t* const tensors = result_.tensors_.data();
    node_cost* const costs = result_.nodes_.data();
    std::uint64_t read_sum = 0;
    std::uint64_t written_sum = 0;
    std::uint64_t weights_sum = 0;
    std::uint64_t flops_sum = 0;
    for (std::uint32_t id = begin; id < end; ++id) {
      const rlx_node& node = node_at(id);
      const formula f = formula_at(node.kind);
      const tensor_word own = tensor_word::measure(raw, node, f.weight_mark());
      tensors[id] = own.raw();
      if (f.is_leaf()) {
        costs[id] = {.id = id};
        continue;
      }
      const std::uint32_t* const operands = inputs + node.inputs_begin;
      std::uint64_t seen = own.raw();
      tensor_word first;
      std::uint64_t read = 0;
      std::uint64_t weights = 0;
      for (std::uint32_t i = node.input_count; i-- != 0;) {
        first = tensor_word{tensors[operands[i]]};
        seen |= first.raw();
        read += first.bytes();
        weights += first.is_marked() ? first.bytes() : 0;
      }
      const std::uint64_t out = own.elements();
      std::uint64_t flops = std::max(out * f.output(), first.elements() * f.operand());
      bool is_regular = tensor_word{seen}.is_regular() && node.input_count <= max_regular_operands;
      if (f.is_contraction() && is_regular && node.input_count != 0) {
        // A regular operand has no dynamic dim.
        const rlx_node& operand = node_at(operands[0]);
        const std::uint64_t k =
            operand.rank == 0 ? 0 : raw.dims[operand.dims_begin + operand.rank - 1];
        is_regular = !__builtin_mul_overflow(2 * out, k, &flops);
      }
      if (!is_regular || flops >= max_regular_flops) [[unlikely]] {
        count_irregular(id, node, f);
        continue;
      }
      node_cost& cost = costs[id];
      cost.id = id;
      cost.unknown = 0;
      cost.raw[0] = read;
      cost.raw[1] = own.bytes();
      cost.raw[2] = weights;
      cost.raw[3] = flops;
      read_sum += read;
      written_sum += own.bytes();
      weights_sum += weights;
      flops_sum += flops;
    }
    sums_[0].sum += read_sum;
    sums_[1].sum += written_sum;
    sums_[2].sum += weights_sum;
    sums_[3].sum += flops_sum;
  }

  __attribute__((noinline)) void count_irregular(std::uint32_t id, const rlx_node& node,
                                                 formula f) {
    const node_cost cost = count_checked(id, node, f);
    result_.nodes_[id] = cost;
    for (unsigned i = 0; i < sums_.size(); ++i) {
      sums_[i].sum += cost.raw[i];
      sums_[i].is_known &= ((cost.unknown >> i) & 1) == 0;
    }
  }

  // A node that touches an irregular tensor, or whose figures may leave 64 bits.
  node_cost count_checked(std::uint32_t id, const rlx_node& node, formula f) {
    node_cost cost{.id = id};
    bool is_dynamic = false;
    bool is_unknown = false;
    bool is_overflow = false;
    const auto look_at = [&](tensor& t) {
      const figure bytes = t.bytes();
      is_dynamic |= !t.elements.has_value();
      is_unknown |= !t.width.has_value();
      is_overflow |= t.is_beyond_64_bits;
      return bytes;
    };
    const auto set = [&](int i, node_cost::column column, figure value) {
      if (value) {
        cost.raw[i] = *value;
      } else {
        cost.unknown |= column;
      }
    };
    tensor own = measure(graph_, node);
    const figure written = look_at(own);
    u128 read = 0;
    u128 weights = 0;
    bool is_read_known = true;
    bool are_weights_known = true;
    for (const std::uint32_t input : graph_.inputs(node)) {
      const rlx_node& source = graph_.node(input);
      tensor t = measure(graph_, source);
      const figure bytes = look_at(t);
      const bool is_weight = formula_at(source.kind).is_weight();
      read += bytes.value_or(0);
      is_read_known &= bytes.has_value();
      if (!is_weight) continue;
      weights += bytes.value_or(0);
      are_weights_known &= bytes.has_value();
    }
    const auto narrowed = [&](u128 sum, bool is_known) -> figure {
      is_overflow |= (sum >> 64) != 0;
      if (!is_known || (sum >> 64) != 0) return std::nullopt;
      return static_cast<std::uint64_t>(sum);
    };
    set(0, node_cost::read, narrowed(read, is_read_known));
    set(1, node_cost::written, written);
    set(2, node_cost::weights, narrowed(weights, are_weights_known));
    set(3, node_cost::work, checked_flops(node, f, own.elements.value_or(0)));
    is_overflow |= (cost.unknown & node_cost::work) != 0;
    is_overflow |= (cost.unknown & (node_cost::read | node_cost::written)) == 0 && !cost.bytes();
    counts_.dynamic_nodes += is_dynamic ? 1 : 0;
    counts_.unknown_nodes += is_unknown ? 1 : 0;
    counts_.overflow_nodes += is_overflow ? 1 : 0;
    return cost;
  }

  figure checked_flops(const rlx_node& node, formula f, std::uint64_t out) const {
    u128 work = 0;
    if (f.is_contraction()) {
      // Up to 2^129, so k comes last and only where it is not lost.
      const u128 doubled = u128{2} * out;
      const std::uint64_t k = contracted(graph_, node);
      if (k != 0 && (doubled >> 64) != 0) return std::nullopt;
      work = k == 0 ? 0 : doubled * k;
    } else {
      const std::uint64_t first =
          node.input_count == 0
              ? 0
              : measure(graph_, graph_.node(graph_.inputs(node)[0])).elements.value_or(0);
      work = std::max(u128{f.output()} * out, u128{f.operand()} * first);
    }
    if ((work >> 64) != 0) return std::nullopt;
    return static_cast<std::uint64_t>(work);
  }

  const rlx::graph_view& graph_;
  graph_cost& result_;
  totals counts_;
  std::array<wide_sum, 4> sums_;  // in the order of node_cost's columns
};

void analyze(const rlx::graph_view& graph, graph_cost& result) { rule_pass{graph, result}.run(); }

graph_cost analyze(const rlx::graph_view& graph) {
  graph_cost result;
  analyze(graph, result);
  return result;
}

}  // namespace opscope
