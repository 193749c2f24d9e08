#include "host/emit/json.hpp"

#include <charconv>
#include <limits>
#include <optional>
#include <span>

#include "host/error.hpp"

namespace rlx {

namespace {

void append_origin(std::string& out, const graph& g, node_id id) {
  if (g.origin_of(id) == no_origin) {
    out += "null";
    return;
  }
  const origin& from = g.origin_at(g.origin_of(id));
  out += "{\"hir\":";
  if (from.hir) {
    append_json_number(out, *from.hir);
  } else {
    out += "null";
  }
  out += ",\"label\":";
  append_json_optional(out, from.label);
  out += ",\"pass\":";
  append_json_optional(out, from.pass);
  out += '}';
}

void append_node(std::string& out, const graph& g, node_id id) {
  out += "{\"id\":";
  append_json_number(out, id);
  out += ",\"op\":";
  out += g.operation_of(id).json;
  out += ",\"inputs\":";
  append_json_ids(out, g.inputs(id));
  out += ",\"shape\":";
  append_shape_json(out, g.shape(id), g.storage());
  out += ",\"name\":";
  append_json_optional(out, g.name_of(id));
  out += ",\"origin\":";
  append_origin(out, g, id);
  out += '}';
}

std::string_view phase_text(phase p) {
  switch (p) {
    case phase::prologue:
      return "Prologue";
    case phase::steady_state:
      return "SteadyState";
    case phase::epilogue:
      return "Epilogue";
    case phase::absent:
      break;
  }
  return "";
}

void append_bindings(std::string& out,
                     std::span<const std::pair<std::string_view, std::uint32_t>> bindings) {
  out += '[';
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    out += i == 0 ? "[" : ",[";
    append_json_string(out, bindings[i].first);
    out += ',';
    append_json_number(out, bindings[i].second);
    out += ']';
  }
  out += ']';
}

// `{"0":..,"3":..}` for those of 0..count-1 that are there; append(id) writes the value.
template <class Present, class Append>
void append_map(std::string& out, std::size_t count, Present&& is_present, Append&& append) {
  out += '{';
  bool first = true;
  for (std::size_t id = 0; id < count; ++id) {
    if (!is_present(id)) continue;
    out += first ? "\"" : ",\"";
    append_json_number(out, id);
    out += "\":";
    append(id);
    first = false;
  }
  out += '}';
}

void append_plan(std::string& out, const buffer_plan& plan) {
  out += "{\"arena_size\":";
  append_json_number(out, plan.arena_bytes);
  out += ",\"assignments\":";
  append_map(
      out, plan.slots.size(), [&](std::size_t id) { return plan.slots[id].has_value(); },
      [&](std::size_t id) {
        out += "{\"offset\":";
        append_json_number(out, plan.slots[id]->offset);
        out += ",\"size\":";
        append_json_number(out, plan.slots[id]->bytes);
        out += '}';
      });
  out += ",\"schedule\":";
  append_json_ids(out, plan.schedule);
  out += ",\"view_aliases\":";
  append_map(
      out, plan.views.size(), [&](std::size_t id) { return plan.views[id].has_value(); },
      [&](std::size_t id) {
        out += "{\"root\":";
        append_json_number(out, plan.views[id]->root);
        out += ",\"byte_offset\":";
        append_json_number(out, plan.views[id]->byte_offset);
        out += '}';
      });
  out += ",\"phases\":{\"map\":";
  append_map(
      out, plan.phases.size(), [&](std::size_t id) { return plan.phases[id] != phase::absent; },
      [&](std::size_t id) { append_json_string(out, phase_text(plan.phases[id])); });
  out += "},\"io\":{\"inputs\":";
  append_bindings(out, plan.inputs);
  out += ",\"params\":";
  append_bindings(out, plan.params);
  out += ",\"outputs\":";
  append_json_ids(out, plan.outputs);
  out += "},\"alignment\":";
  append_json_number(out, plan.alignment);
  out += ",\"dynamic_symbols\":";
  append_json_ids(out, plan.dynamic_symbols);
  out += '}';
}

}  // namespace

void append_json_string(std::string& out, std::string_view s) {
  constexpr char hex[] = "0123456789abcdef";
  out += '"';
  std::size_t begin = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const auto c = static_cast<unsigned char>(s[i]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    out.append(s, begin, i - begin);
    begin = i + 1;
    out += '\\';
    switch (c) {
      case '"':
      case '\\':
        out += static_cast<char>(c);
        break;
      case '\b':
        out += 'b';
        break;
      case '\f':
        out += 'f';
        break;
      case '\n':
        out += 'n';
        break;
      case '\r':
        out += 'r';
        break;
      case '\t':
        out += 't';
        break;
      default:
        out += "u00";
        out += hex[c >> 4];
        out += hex[c & 15];
    }
  }
  out.append(s, begin);
  out += '"';
}

void append_json_number(std::string& out, std::uint64_t n) {
  char digits[std::numeric_limits<std::uint64_t>::digits10 + 1];
  const auto r = std::to_chars(digits, digits + sizeof digits, n);
  out.append(digits, r.ptr);
}

void append_json_ids(std::string& out, std::span<const std::uint32_t> ids) {
  out += '[';
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i != 0) out += ',';
    append_json_number(out, ids[i]);
  }
  out += ']';
}

void append_json_optional(std::string& out, std::optional<std::string_view> s) {
  if (s) {
    append_json_string(out, *s);
  } else {
    out += "null";
  }
}

void append_shape_json(std::string& out, const shape_view& shape, const storage& s) {
  out += "{\"dims\":[";
  for (std::size_t i = 0; i < shape.dims.size(); ++i) {
    if (i != 0) out += ',';
    out += (shape.dynamic_dims >> i & 1) != 0 ? "{\"Dynamic\":" : "{\"Static\":";
    append_json_number(out, shape.dims[i]);
    out += '}';
  }
  out += "],\"dtype\":";
  append_json_string(out, s.dtype_text(shape.dtype));
  out += '}';
}

void append_mir_json(std::string& out, const graph& g) {
  out += "{\"name\":";
  append_json_string(out, g.name());
  out += ",\"nodes\":[";
  for (node_id id = 0; id < g.size(); ++id) {
    if (id != 0) out += ',';
    append_node(out, g, id);
  }
  out += "],\"outputs\":";
  append_json_ids(out, g.outputs());
  out += '}';
}

void append_lir_json(std::string& out, const module& m) {
  if (!m.plan) throw error{"module: it has no buffer plan, lower it before writing it as LIR"};
  out += "{\"mir\":{\"inner\":";
  append_mir_json(out, m.graph);
  out += "},\"buffers\":";
  append_plan(out, *m.plan);
  out += '}';
}

}  // namespace rlx
