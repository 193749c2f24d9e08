#include "tests/lower/support.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>

#include "host/emit/json.hpp"
#include "host/error.hpp"
#include "host/lower/ops.hpp"
#include "host/read/read.hpp"

namespace lower_test {

std::uint32_t graph_builder::add(json op, ids inputs, dims shape, std::string_view dtype) {
  const auto id = static_cast<std::uint32_t>(nodes_.size());
  json shape_dims = json::array();
  for (const std::int64_t d : shape) {
    shape_dims.push_back(d < 0 ? json{{"Dynamic", -1 - d}} : json{{"Static", d}});
  }
  nodes_.push_back({{"id", id},
                    {"op", std::move(op)},
                    {"inputs", inputs},
                    {"shape", {{"dims", std::move(shape_dims)}, {"dtype", dtype}}},
                    {"name", nullptr},
                    {"origin", nullptr}});
  return id;
}

json graph_builder::to_json() const {
  return {{"name", name_}, {"nodes", nodes_}, {"outputs", outputs_}};
}

rlx::graph graph_builder::build() const { return graph_of(to_json()); }

std::string read_text_file(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file) throw std::runtime_error{"cannot open " + path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

json read_json(const std::string& path) { return json::parse(read_text_file(path)); }

rlx::graph graph_of(const json& mir) { return std::move(rlx::read_text(mir.dump()).graph); }

rlx::lowered lower(const rlx::graph& g, const rlx::lower_options& options) {
  return rlx::find_pipeline("rlx-0.2.2")->lower(g, options);
}

rlx::lowered lower(const rlx::graph& g, rlx::target t) {
  rlx::lower_options options;
  options.target = t;
  return lower(g, options);
}

std::string lir_text(const rlx::lowered& l) {
  std::string text;
  rlx::append_lir_json(text, l.module);
  return text;
}

std::string listing(const rlx::graph& g) {
  std::string text;
  const auto append_ids = [&](std::span<const rlx::node_id> ids) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      text += (i == 0 ? "" : ",") + std::to_string(ids[i]);
    }
  };
  for (rlx::node_id id = 0; id < g.size(); ++id) {
    const std::uint32_t kind = g.kind(id);
    const bool by_function =
        kind == RLX_KIND_Activation || kind == RLX_KIND_Binary || kind == RLX_KIND_Compare;
    text += std::to_string(id) + "=";
    text += by_function ? rlx::text_attribute(g, id, "value").value_or("?")
                        : g.operation_of(id).kind_text;
    if (!g.inputs(id).empty()) {
      text += "[";
      append_ids(g.inputs(id));
      text += "]";
    }
    text += " ";
  }
  text += "-> ";
  append_ids(g.outputs());
  return text;
}

std::string shape_text(const rlx::graph& g, std::uint32_t id) {
  const rlx::shape_view shape = g.shape(id);
  std::string text = "[";
  for (std::size_t d = 0; d < shape.dims.size(); ++d) {
    text += d == 0 ? "" : ",";
    if ((shape.dynamic_dims >> d & 1) != 0) text += "?";
    text += std::to_string(shape.dims[d]);
  }
  return text + "]" + std::string{g.storage().dtype_text(shape.dtype)};
}

std::string lower_error(const rlx::graph& g, const rlx::lower_options& options) {
  try {
    lower(g, options);
  } catch (const rlx::error& e) {
    return e.what();
  }
  return "";
}

std::string lower_error(const rlx::graph& g, rlx::target t) {
  rlx::lower_options options;
  options.target = t;
  return lower_error(g, options);
}

}  // namespace lower_test
