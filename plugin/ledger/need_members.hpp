// The members of a record that the need writes: intervals as `[lo, hi]`, hi null where unbounded.
#pragma once

#include <opscope/need.hpp>

#include "plugin/ledger/json_writer.hpp"

namespace opscope {

void write_interval(json_writer& out, const interval& i);
// `{"read":..,"written":..,"weights":..,"work":..,"contraction":..,"int_ops":..,"invariant":..}`;
// `invariant` is a claim, only where a single node is meant.
void write_node_need(json_writer& out, const node_need& n, bool with_invariant);
// `,"need":{..},"graph_io":[..],"coverage":{..}`, inside `totals`; the covered shares as given.
void write_need_totals(json_writer& out, const need_totals& t, std::optional<double> covered_nodes,
                       std::optional<double> covered_bytes);
// `{"read":"32*?0 + 128",..}`: a text where it is exact, `[lo, hi]` of texts where not, hi null
// where it is no polynomial.
void write_expressions(json_writer& out, const node_expressions& e);

// A covered share from 0 to 1; nothing where it is not known. 1 where there is nothing to cover.
std::optional<double> covered_share(figure part, figure whole);

}  // namespace opscope
