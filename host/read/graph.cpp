// The MIR graph: nodes, shapes, operands, provenance.
#include <algorithm>
#include <array>
#include <limits>

#include "host/read/reader.hpp"

namespace rlx::json {

namespace {

constexpr std::array<std::string_view, 3> graph_members{"name", "nodes", "outputs"};
constexpr std::array<std::string_view, 6> node_members{"id",    "op",   "inputs",
                                                       "shape", "name", "origin"};
constexpr std::array<std::string_view, 2> shape_members{"dims", "dtype"};
constexpr std::array<std::string_view, 2> dim_members{"Static", "Dynamic"};
constexpr std::array<std::string_view, 3> origin_members{"hir", "label", "pass"};

// A dim: true where it is dynamic, then `value` is its symbol.
bool read_dim(context& c, od::value& v, const place& at, depth d, std::uint64_t& value) {
  const auto one_of_them = "{\"Static\":n} or {\"Dynamic\":symbol}";
  if (type(c, v) != od::json_type::object) fail_not(c, v, at, one_of_them);
  od::object o = read_object(c, v, at);
  const std::uint32_t seen =
      read_members(c, o, at, dim_members, d.values, [&](std::size_t i, od::value& m) {
        value = i == 0 ? read_u64(c, m, at) : read_u32(c, m, at);
      });
  if (seen != 1 && seen != 2) {
    at.fail(std::string{"a dim must be either "} + one_of_them + ", write one of them");
  }
  return seen == 2;
}

// The scratch of one graph's nodes.
struct node_scratch {
  std::vector<std::uint64_t> dims;
  std::vector<std::uint32_t> inputs;
};

void read_node(context& c, od::value& v, const place& at, depth d, graph& g,
               node_scratch& scratch) {
  od::object o = read_object(c, v, at);
  op_id op = storage::no_op;
  shape_view shape;
  std::optional<std::string_view> name;
  origin_id from = no_origin;
  const node_id id = g.size();
  const depth inside = d.inside();
  scratch.inputs.clear();
  const std::uint32_t seen =
      read_members(c, o, at, node_members, d.values, [&](std::size_t i, od::value& m) {
        const place here = place::member(at, node_members[i]);
        switch (i) {
          case 0:
            read_position(c, m, here, id);
            break;
          case 1:
            op = read_operation(c, m, here, inside);
            break;
          case 2:
            read_operands(c, m, here, id, scratch.inputs);
            break;
          case 3:
            shape = read_shape(c, m, here, inside, scratch.dims);
            break;
          case 4:
            name = read_optional_string(c, m, here);
            break;
          default:
            if (const auto read = read_origin(c, m, here, inside)) from = g.intern_origin(*read);
        }
      });
  require(seen, 0b001111, node_members, at);
  g.add(op, scratch.inputs, shape, name, from);
}

[[noreturn]] void fail_no_node(const place& at, std::uint64_t id, std::uint32_t count) {
  at.fail("there is no node " + std::to_string(id) + " among the graph's " + std::to_string(count) +
          ", name one that is there");
}

}  // namespace

shape_view read_shape(context& c, od::value& v, const place& at, depth d,
                      std::vector<std::uint64_t>& dims) {
  dims.clear();
  shape_view shape;
  od::object o = read_object(c, v, at);
  const std::uint32_t seen =
      read_members(c, o, at, shape_members, d.values, [&](std::size_t i, od::value& m) {
        const place here = place::member(at, shape_members[i]);
        if (i == 1) {
          shape.dtype = c.store.dtype_number(read_string(c, m, here));
          return;
        }
        each_element(c, m, here, [&](od::value& e, std::uint64_t axis) {
          if (axis >= RLX_MAX_RANK) {
            here.fail("more than " + std::to_string(RLX_MAX_RANK) +
                      " dims, which is beyond this reader's limit: reshape the tensor");
          }
          std::uint64_t dim = 0;
          if (read_dim(c, e, place::element(here, axis), d.inside(2), dim)) {
            shape.dynamic_dims |= std::uint64_t{1} << axis;
          }
          dims.push_back(dim);
        });
      });
  require(seen, 0b11, shape_members, at);
  shape.dims = dims;
  return shape;
}

void read_position(context& c, od::value& v, const place& at, std::uint32_t position) {
  const std::uint64_t id = read_u64(c, v, at);
  if (id != position) {
    at.fail(std::to_string(id) + " is not the node's position " + std::to_string(position) +
            " in the list, number the nodes from 0 in their order");
  }
}

void read_operands(context& c, od::value& v, const place& at, std::uint32_t id,
                   std::vector<std::uint32_t>& ids) {
  each_element(c, v, at, [&](od::value& e, std::uint64_t i) {
    const place here = place::element(at, i);
    const std::uint64_t operand = read_u64(c, e, here);
    if (operand >= id) {
      here.fail("operand " + std::to_string(operand) +
                " does not come before the node, list the nodes in topological order");
    }
    ids.push_back(static_cast<std::uint32_t>(operand));
  });
}

void read_ids(context& c, od::value& v, const place& at, std::uint32_t count,
              std::vector<std::uint32_t>& ids) {
  each_element(c, v, at, [&](od::value& e, std::uint64_t i) {
    const place here = place::element(at, i);
    const std::uint64_t id = read_u64(c, e, here);
    if (id >= count) fail_no_node(here, id, count);
    ids.push_back(static_cast<std::uint32_t>(id));
  });
}

void check_outputs(std::span<const std::uint32_t> outputs, const place& at, std::uint32_t count) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] >= count) fail_no_node(place::element(at, i), outputs[i], count);
  }
}

std::optional<origin> read_origin(context& c, od::value& v, const place& at, depth d) {
  if (type(c, v) == od::json_type::null) {
    check(c, v, at, d.values);
    return std::nullopt;
  }
  origin from;
  od::object o = read_object(c, v, at);
  read_members(c, o, at, origin_members, d.values, [&](std::size_t i, od::value& m) {
    const place here = place::member(at, origin_members[i]);
    if (i == 1) {
      from.label = read_optional_string(c, m, here);
    } else if (i == 2) {
      from.pass = read_optional_string(c, m, here);
    } else if (type(c, m) == od::json_type::null) {
      check(c, m, here, d.values + 1);
    } else {
      from.hir = read_u32(c, m, here);
    }
  });
  return from;
}

void read_graph(context& c, od::value& v, const place& at, depth d, graph& g) {
  od::object o = read_object(c, v, at);
  read_graph(c, o, at, d, g);
}

void read_graph(context& c, od::object& o, const place& at, depth d, graph& g) {
  std::vector<std::uint32_t> outputs;
  node_scratch scratch;
  const std::uint32_t seen =
      read_members(c, o, at, graph_members, d.values, [&](std::size_t i, od::value& m) {
        const place here = place::member(at, graph_members[i]);
        if (i == 0) {
          g.set_name(read_string(c, m, here));
        } else if (i == 1) {
          each_element(c, m, here, [&](od::value& node, std::uint64_t id) {
            if (id >= std::numeric_limits<std::uint32_t>::max()) {
              here.fail("more than 2^32-1 nodes, split the graph");
            }
            read_node(c, node, place::node(at, id), d.inside(2), g, scratch);
          });
        } else {
          // They may stand before the nodes that they name, so these are counted below.
          read_ids(c, m, here, std::numeric_limits<std::uint32_t>::max(), outputs);
        }
      });
  require(seen, 0b111, graph_members, at);
  check_outputs(outputs, place::member(at, "outputs"), g.size());
  g.set_outputs(std::move(outputs));
}

}  // namespace rlx::json
