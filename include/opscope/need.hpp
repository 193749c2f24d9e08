// The need: what each node by itself must move and the work it is, as honest intervals, and what
// the whole graph must move even if every intermediate stayed on chip.
//
// A node by itself: operands in memory, nothing cached, scratch on chip. lo: any correct kernel
// moves at least that. hi: a kernel that reads each needed byte once and writes each result byte
// once moves no more. Known exactly: lo == hi. Pure functions of a graph view.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <rlx/view.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <opscope/bindings.hpp>
#include <opscope/cost.hpp>
#include <opscope/interval.hpp>
#include <opscope/node_need.hpp>

namespace opscope {

// Rises with every change of any figure below; figures of different versions are not compared.
inline constexpr std::uint32_t need_version = 1;

struct kind_need {
  std::string_view kind;  // borrowed from the graph view
  std::uint64_t count = 0;
  node_need need;  // summed
};

// Shares that are covered, as exact counts.
struct need_coverage {
  std::uint64_t nodes = 0;          // nodes all figures of which are bounded
  std::uint64_t counted_nodes = 0;  // of these: all but leaves
  figure rule_bytes;                // bytes, as the rule counts them, of the nodes covered
  figure counted_rule_bytes;        // of these; unknown where no rule was given
};

struct need_totals {
  interval read;
  interval written;
  interval weights;
  interval work;
  interval contraction;
  interval int_ops;
  interval invariant;               // read and written by nodes with an invariant result
  interval graph_io;                // inputs and weights once, as far as needed, plus outputs once
  interval io_inputs;               // of graph_io: from Inputs
  interval io_weights;              // of graph_io: from Params and Constants
  interval io_outputs;              // of graph_io
  std::uint64_t unknown_nodes = 0;  // nodes with an unbounded figure
  need_coverage coverage;

  interval bytes() const { return read + written; }
};

// A node whose figures are unknown, and why. The reason is constant text.
struct unknown_need {
  std::uint32_t id;
  const char* reason;
};

// Scratch of the pass, kept for the next graph.
struct need_scratch;

// The needs of one graph. Borrows the view's strings: the view must outlive it.
class graph_need {
 public:
  graph_need();
  graph_need(graph_need&&) noexcept;
  graph_need& operator=(graph_need&&) noexcept;
  ~graph_need();

  const need_list& nodes() const { return nodes_; }
  const need_totals& totals() const { return totals_; }
  // In graph order; only nodes about which the model itself says nothing.
  const std::vector<unknown_need>& unknown() const { return unknown_; }
  // Stable descending by the low end of bytes, then by the high end, from first-seen order.
  std::vector<kind_need> by_kind() const;

 private:
  friend class need_pass;
  std::optional<rlx::graph_view> graph_;
  need_list nodes_;
  std::vector<unknown_need> unknown_;
  need_totals totals_;
  std::unique_ptr<need_scratch> scratch_;
};

struct need_options {
  opscope::bindings bindings;
  const graph_cost* rule = nullptr;  // of the same graph, for coverage in rule bytes
};

graph_need analyze_need(const rlx::graph_view& graph, const need_options& options = {});
// The same into storage that is used again.
void analyze_need(const rlx::graph_view& graph, const need_options& options, graph_need& result);

// A figure as text in the symbols of dynamic dims; the ends are equal texts where it is exact.
// Holds where every symbol is at least 1. An end that is no polynomial is empty.
struct need_expression {
  std::string lo;
  std::string hi;
};

// The figures of a node that has a dynamic dim in its output or an operand.
struct node_expressions {
  std::uint32_t id = 0;
  need_expression read;
  need_expression written;
  need_expression weights;
  need_expression work;
  need_expression contraction;
  need_expression int_ops;
};

// In graph order, only nodes that a symbol left unbound reaches.
std::vector<node_expressions> express_need(const rlx::graph_view& graph,
                                           const bindings& bound = {});

// What the model says of a kind of operation.
enum class certainty : std::uint8_t { exact, interval, unknown };
std::string_view text(certainty c);

struct kind_model {
  std::uint32_t kind;
  std::string_view name;
  certainty bytes;
  certainty work;
  std::string_view words;  // the formula
};
// All listed kinds, by number.
std::span<const kind_model> kind_models();

}  // namespace opscope
