// The rule's one pass over the hot node records. Each tensor is measured once, when its node comes
// by, and packed into a word that the operands of later nodes are gathered from; whatever does not
// fit such a word is counted again, slowly and checked, at each node that touches it.
#include <array>
#include <bit>
#include <opscope/cost.hpp>

namespace opscope {

namespace {

__extension__ using u128 = unsigned __int128;

// What a kind's FLOPs are, as max(out * output, operand * operand 0), elements each; contractions
// are 2 * output * (last dim of operand 0) instead.
struct formula {
  std::uint8_t output = 0;
  std::uint8_t operand = 0;
  bool is_contraction = false;
  bool is_leaf = false;
  bool is_weight = false;
};

constexpr formula formula_of(std::uint32_t kind) {
  switch (kind) {
    case RLX_KIND_MatMul:
    case RLX_KIND_DequantMatMul:
    case RLX_KIND_ScaledMatMul:
    case RLX_KIND_ScaledGroupedMatMul:
    case RLX_KIND_SynthMatMul:
      return {.is_contraction = true};
    case RLX_KIND_Binary:
    case RLX_KIND_Compare:
      return {.output = 1, .operand = 1};
    case RLX_KIND_Activation:
    case RLX_KIND_Cast:
      return {.output = 1};
    case RLX_KIND_Reduce:
    case RLX_KIND_Cumsum:
    case RLX_KIND_CumProd:
    case RLX_KIND_CumMax:
      return {.operand = 1};
    case RLX_KIND_LayerNorm:
    case RLX_KIND_RmsNorm:
    case RLX_KIND_Softmax:
      return {.operand = 3};
    case RLX_KIND_Input:
      return {.is_leaf = true};
    case RLX_KIND_Param:
    case RLX_KIND_Constant:
      return {.is_leaf = true, .is_weight = true};
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

const formula& formula_at(std::uint32_t kind) {
  return formulas[kind <= rlx::kind_count ? kind : 0];
}

// A tensor in a word: bytes below 2^48, log2 of the dtype's width, whether it is a weight. A tensor
// without an element count, without a width, or larger than that is irregular.
constexpr unsigned width_shift = 48;
constexpr std::uint64_t size_mask = (std::uint64_t{1} << width_shift) - 1;
constexpr unsigned weight_shift = 62;
constexpr std::uint64_t weight_bit = std::uint64_t{1} << weight_shift;
constexpr std::uint64_t irregular_bit = std::uint64_t{1} << 63;
// So many regular operands and an output stay below 2^63 together.
constexpr std::uint32_t max_regular_operands = 1u << 14;

constexpr std::uint64_t bytes_in(std::uint64_t word) { return word & size_mask; }
constexpr std::uint64_t elements_in(std::uint64_t word) {
  return bytes_in(word) >> ((word >> width_shift) & 7);
}

constexpr std::uint8_t no_width = 0xFF;
constexpr auto width_log2 = [] {
  std::array<std::uint8_t, 14> table{};
  table[0] = no_width;
  for (std::uint32_t dtype = 1; dtype < table.size(); ++dtype) {
    table[dtype] = static_cast<std::uint8_t>(std::countr_zero(rlx::dtype_bytes(dtype).value()));
  }
  return table;
}();
static_assert(!rlx::dtype_bytes(width_log2.size()), "a dtype was added to the table");
static_assert(rlx::dtype_bytes(RLX_DTYPE_C128) == 16, "log2 of a width fits three bits");

struct accumulator {
  u128 sum = 0;
  bool is_known = true;
  void add(std::uint64_t value) { sum += value; }
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
    const rlx_graph_view& raw = graph_.raw();
    const std::uint32_t* inputs = raw.inputs;
    const std::uint64_t* dims = raw.dims;
    std::uint64_t* tensors = result_.tensors_.data();
    node_cost* costs = result_.nodes_.data();
    const std::uint32_t count = graph_.size();
    accumulator read;
    accumulator written;
    accumulator weights;
    accumulator flops;
    for (std::uint32_t id = 0; id < count; ++id) {
      const rlx_node& node = graph_.node(id);
      const formula& f = formula_at(node.kind);
      const std::uint64_t own = pack(node, dims + node.dims_begin, f);
      tensors[id] = own;
      std::uint64_t seen = own;
      std::uint64_t node_read = 0;
      std::uint64_t node_weights = 0;
      const std::uint32_t* operand = inputs + node.inputs_begin;
      for (std::uint32_t i = 0; i < node.input_count; ++i) {
        const std::uint64_t word = tensors[operand[i]];
        seen |= word;
        node_read += bytes_in(word);
        node_weights += bytes_in(word) & (0 - ((word >> weight_shift) & 1));
      }
      u128 work = 0;
      if (f.is_contraction) {
        // A regular operand is static, so its last dim is a size.
        if (node.input_count != 0 && (seen & irregular_bit) == 0) {
          work = u128{2 * elements_in(own)} * contracted(graph_, node);
        }
      } else {
        const std::uint64_t first = node.input_count != 0 ? elements_in(tensors[operand[0]]) : 0;
        work = std::max(f.output * elements_in(own), f.operand * first);
      }
      const bool is_regular = (seen & irregular_bit) == 0 && (work >> 64) == 0 &&
                              node.input_count <= max_regular_operands;
      if (f.is_leaf || !is_regular) [[unlikely]] {
        node_cost& cost = costs[id];
        cost = f.is_leaf ? node_cost{.id = id} : count_checked(id, node, f);
        add(read, cost, 0, node_cost::read);
        add(written, cost, 1, node_cost::written);
        add(weights, cost, 2, node_cost::weights);
        add(flops, cost, 3, node_cost::work);
        continue;
      }
      const auto node_flops = static_cast<std::uint64_t>(work);
      costs[id].id = id;
      costs[id].unknown = 0;
      costs[id].raw[0] = node_read;
      costs[id].raw[1] = bytes_in(own);
      costs[id].raw[2] = node_weights;
      costs[id].raw[3] = node_flops;
      read.add(node_read);
      written.add(bytes_in(own));
      weights.add(node_weights);
      flops.add(node_flops);
    }
    totals& t = result_.totals_;
    t = counts_;
    t.nodes = count;
    t.bytes_read = read.value();
    t.bytes_written = written.value();
    t.bytes_weights = weights.value();
    t.flops = flops.value();
    t.bytes = checked_add(t.bytes_read, t.bytes_written);
    if (t.bytes && t.flops && *t.bytes != 0) {
      t.intensity = static_cast<double>(*t.flops) / static_cast<double>(*t.bytes);
    }
  }

 private:
  static std::uint64_t pack(const rlx_node& node, const std::uint64_t* dims, const formula& f) {
    std::uint64_t elements = 1;
    bool is_irregular = node.dynamic_dims != 0;
    for (std::uint32_t d = 0; d < node.rank; ++d) {
      is_irregular |= __builtin_mul_overflow(elements, dims[d], &elements);
    }
    const std::uint8_t width = width_log2[node.dtype < width_log2.size() ? node.dtype : 0];
    is_irregular |= width == no_width || elements > size_mask >> (width & 7);
    if (is_irregular) [[unlikely]] {
      return irregular_bit | (f.is_weight ? weight_bit : 0);
    }
    return elements << width | std::uint64_t{width} << width_shift |
           std::uint64_t{f.is_weight} << weight_shift;
  }

  static void add(accumulator& total, const node_cost& cost, int i, node_cost::column column) {
    total.add(cost.raw[i]);
    total.is_known &= (cost.unknown & column) == 0;
  }

  // A node that touches an irregular tensor, or whose figures may leave 64 bits.
  node_cost count_checked(std::uint32_t id, const rlx_node& node, const formula& f) {
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
      const bool is_weight = formula_at(source.kind).is_weight;
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

  figure checked_flops(const rlx_node& node, const formula& f, std::uint64_t out) const {
    u128 work = 0;
    if (f.is_contraction) {
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
      work = std::max(u128{f.output} * out, u128{f.operand} * first);
    }
    if ((work >> 64) != 0) return std::nullopt;
    return static_cast<std::uint64_t>(work);
  }

  const rlx::graph_view& graph_;
  graph_cost& result_;
  totals counts_;
};

void analyze(const rlx::graph_view& graph, graph_cost& result) { rule_pass{graph, result}.run(); }

graph_cost analyze(const rlx::graph_view& graph) {
  graph_cost result;
  analyze(graph, result);
  return result;
}

}  // namespace opscope
