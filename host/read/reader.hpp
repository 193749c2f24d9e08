// The pieces that read a module's parts from JSON, shared by the readers of MIR, LIR and HIR.
// Internal to host/read.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "host/graph/graph.hpp"
#include "host/graph/hir.hpp"
#include "host/graph/plan.hpp"
#include "host/read/json.hpp"

namespace rlx::json {

// How deep a value lies: in JSON values, and in graphs that are fields of operations.
struct depth {
  unsigned values = 0;
  unsigned graphs = 0;
  depth inside(unsigned more = 1) const { return {values + more, graphs}; }
};

// A declared shape. `dims` is scratch that the result borrows.
shape_view read_shape(context& c, od::value& v, const place& at, depth d,
                      std::vector<std::uint64_t>& dims);
// Operands: ids below `id`, into `ids`.
void read_operands(context& c, od::value& v, const place& at, std::uint32_t id,
                   std::vector<std::uint32_t>& ids);
// Ids below `count`, into `ids`.
void read_ids(context& c, od::value& v, const place& at, std::uint32_t count,
              std::vector<std::uint32_t>& ids);
// Throws unless all outputs, which stand at `at`, are below `count`.
void check_outputs(std::span<const std::uint32_t> outputs, const place& at, std::uint32_t count);
// A node's own id, which must be its position.
void read_position(context& c, od::value& v, const place& at, std::uint32_t position);
std::optional<origin> read_origin(context& c, od::value& v, const place& at, depth d);
op_id read_operation(context& c, od::value& v, const place& at, depth d);
// The operation in the object `o`, whose text is `raw` and not known yet.
op_id read_operation(context& c, od::object& o, std::string_view raw, const place& at, depth d);
// A MIR graph into `g`, which is empty.
void read_graph(context& c, od::value& v, const place& at, depth d, graph& g);
void read_graph(context& c, od::object& o, const place& at, depth d, graph& g);
// A LIR module's plan for `g`.
// A HIR module into `m`, which is empty.
void read_hir(context& c, od::object& o, const place& at, depth d, hir_module& m);
buffer_plan read_plan(context& c, od::object& o, const place& at, depth d, const graph& g);

}  // namespace rlx::json
