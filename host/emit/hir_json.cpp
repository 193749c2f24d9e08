#include "host/emit/json.hpp"

namespace rlx {

namespace {

void append_block(std::string& out, const hir_module& m, node_id id) {
  const graph& g = m.blocks;
  out += "{\"id\":";
  append_json_number(out, id);
  out += m.wraps_mir[id] ? ",\"op\":{\"Mir\":" : ",\"op\":";
  out += g.operation_of(id).json;
  out += m.wraps_mir[id] ? "},\"inputs\":" : ",\"inputs\":";
  append_json_ids(out, g.inputs(id));
  out += ",\"shape\":";
  append_shape_json(out, g.shape(id), g.storage());
  out += ",\"name\":";
  append_json_optional(out, g.name_of(id));
  out += '}';
}

}  // namespace

void append_hir_json(std::string& out, const hir_module& m) {
  out += "{\"name\":";
  append_json_string(out, m.blocks.name());
  out += ",\"nodes\":[";
  for (node_id id = 0; id < m.blocks.size(); ++id) {
    if (id != 0) out += ',';
    append_block(out, m, id);
  }
  out += "],\"outputs\":";
  append_json_ids(out, m.blocks.outputs());
  out += ",\"fusion_policy\":";
  out += m.policy == fusion_policy::direct ? "\"Direct\"}" : "\"Fusable\"}";
}

}  // namespace rlx
