// What the plugin says about one compiled graph, as text. No input or output.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <opscope/cost.hpp>
#include <opscope/need.hpp>

namespace opscope {

struct summary_subject {
  std::string_view graph;
  std::string_view target;
};

// One line, without a line feed: figures by the rule, in binary units; what is dynamic or unknown
// only where there is some, the roofline split only where a ridge (FLOP per byte) is given.
std::string summary_line(const summary_subject& subject, const graph_cost& cost,
                         std::optional<double> ridge_flops_per_byte = std::nullopt);

// The same with the needs in front, and the rule's bytes behind.
std::string summary_line(const summary_subject& subject, const graph_cost& cost,
                         const graph_need& need,
                         std::optional<double> ridge_flops_per_byte = std::nullopt);

// `all covered`, or `5 of 7 nodes covered, 93.1% of the rule's bytes`.
std::string coverage_text(const need_coverage& c);

// Several lines, the last without a line feed: the graph's input and output, a table by kind of at
// most `top` rows, coverage, invariant work by label, a legend. All of one graph.
std::string need_report(const summary_subject& subject, const rlx::graph_view& graph,
                        const graph_cost& cost, const graph_need& need, std::size_t top);

// The split alone: `ridge 10.00 FLOP/B: 4.60 GiB memory-bound, 0 B compute-bound`.
std::string roofline_line(const graph_cost& cost, double ridge_flops_per_byte);

}  // namespace opscope
