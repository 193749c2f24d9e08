// The HIR module: block operations, each node without an origin, and the fusion policy.
#include <array>
#include <limits>

#include "host/read/reader.hpp"

namespace rlx::json {

namespace {

constexpr std::array<std::string_view, 4> module_members{"name", "nodes", "outputs",
                                                         "fusion_policy"};
constexpr std::array<std::string_view, 5> node_members{"id", "op", "inputs", "shape", "name"};

// Whether `v` is an object whose first member is `Mir`: a MIR operation inside a block.
bool wraps_mir_operation(context& c, od::value& v) {
  if (type(c, v) != od::json_type::object) return false;
  std::string_view rest = token(c, v);
  const std::string_view text = c.doc.text();
  rest = text.substr(static_cast<std::size_t>(rest.data() - text.data()) + 1);
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
  return rest.starts_with("\"Mir\"");
}

op_id read_wrapped(context& c, od::value& v, const place& at, depth d) {
  op_id op = storage::no_op;
  od::object o = read_object(c, v, at);
  std::size_t count = 0;
  each_member(c, o, [&](std::string_view name, od::value& payload) {
    if (++count > 1) at.fail("an operation of two names, leave one of them out");
    op = read_operation(c, payload, place::member(at, name), d.inside());
  });
  return op;
}

struct node_scratch {
  std::vector<std::uint64_t> dims;
  std::vector<std::uint32_t> inputs;
};

void read_node(context& c, od::value& v, const place& at, depth d, hir_module& m,
               node_scratch& scratch) {
  od::object o = read_object(c, v, at);
  op_id op = storage::no_op;
  bool wraps_mir = false;
  shape_view shape;
  std::optional<std::string_view> name;
  const node_id id = m.blocks.size();
  const depth inside = d.inside();
  scratch.inputs.clear();
  const std::uint32_t seen =
      read_members(c, o, at, node_members, d.values, [&](std::size_t i, od::value& member) {
        const place here = place::member(at, node_members[i]);
        switch (i) {
          case 0:
            read_position(c, member, here, id);
            break;
          case 1:
            wraps_mir = wraps_mir_operation(c, member);
            op = wraps_mir ? read_wrapped(c, member, here, inside)
                           : read_operation(c, member, here, inside);
            break;
          case 2:
            read_operands(c, member, here, id, scratch.inputs);
            break;
          case 3:
            shape = read_shape(c, member, here, inside, scratch.dims);
            break;
          default:
            name = read_optional_string(c, member, here);
        }
      });
  require(seen, 0b01111, node_members, at);
  m.blocks.add(op, scratch.inputs, shape, name);
  m.wraps_mir.push_back(wraps_mir);
}

fusion_policy read_policy(context& c, od::value& v, const place& at) {
  const std::string_view policy = read_string(c, v, at);
  if (policy == "Direct") return fusion_policy::direct;
  if (policy == "Fusable") return fusion_policy::fusable;
  at.fail(quoted(policy) + " is no fusion policy, write Direct or Fusable");
}

}  // namespace

void read_hir(context& c, od::object& o, const place& at, depth d, hir_module& m) {
  std::vector<std::uint32_t> outputs;
  node_scratch scratch;
  const std::uint32_t seen =
      read_members(c, o, at, module_members, d.values, [&](std::size_t i, od::value& member) {
        const place here = place::member(at, module_members[i]);
        switch (i) {
          case 0:
            m.blocks.set_name(read_string(c, member, here));
            break;
          case 1:
            each_element(c, member, here, [&](od::value& node, std::uint64_t id) {
              if (id >= std::numeric_limits<std::uint32_t>::max()) {
                here.fail("more than 2^32-1 nodes, split the module");
              }
              read_node(c, node, place::node(at, id), d.inside(2), m, scratch);
            });
            break;
          case 2:
            // They may stand before the nodes that they name, so these are counted below.
            read_ids(c, member, here, std::numeric_limits<std::uint32_t>::max(), outputs);
            break;
          default:
            m.policy = read_policy(c, member, here);
        }
      });
  require(seen, 0b1111, module_members, at);
  check_outputs(outputs, place::member(at, "outputs"), m.blocks.size());
  m.blocks.set_outputs(std::move(outputs));
}

}  // namespace rlx::json
