#include "host/lower/rewrite.hpp"

#include "host/error.hpp"

namespace rlx {

namespace {

graph empty_like(const graph& g) {
  graph made =
      g.shared_storage() ? graph{g.shared_storage(), g.name()} : graph{g.storage(), g.name()};
  std::size_t inputs = 0;
  std::size_t dims = 0;
  if (g.size() != 0) {
    const rlx_node& last = g.node(g.size() - 1);
    inputs = last.inputs_begin + last.input_count;
    dims = last.dims_begin + last.rank;
  }
  made.reserve(g.size(), inputs, dims);
  return made;
}

}  // namespace

void fail_at(const graph& g, std::string_view pass, node_id id, const std::string& what) {
  std::string sentence{"module \""};
  sentence += g.name();
  sentence += "\": pass ";
  sentence += pass;
  sentence += ": node ";
  sentence += std::to_string(id);
  sentence += " (";
  sentence += g.operation_of(id).kind_text;
  sentence += "): ";
  sentence += what;
  throw error{sentence};
}

rewrite::rewrite(const graph& from, std::string_view pass, keeping kept)
    : from_{from}, pass_{pass}, kept_{kept}, to_{empty_like(from)}, images_(from.size(), none) {}

node_id rewrite::operand(node_id old, std::size_t i) const {
  const auto inputs = from_.inputs(old);
  if (i >= inputs.size()) {
    fail(old, "has " + std::to_string(inputs.size()) + " operands where the pass reads operand " +
                  std::to_string(i) + "; give the node the operands its operation needs");
  }
  return inputs[i];
}

node_id rewrite::image(node_id old) const {
  if (images_[old] == none) {
    fail(old,
         "was fused away, but another node or a graph output still reads it, so the compiler "
         "yields no module; disable the pass or give that reader a node of its own");
  }
  return images_[old];
}

origin_id rewrite::map_origin(origin_id old) {
  if (old == no_origin) return no_origin;
  if (old >= origins_.size()) origins_.resize(std::size_t{old} + 1, no_origin);
  if (origins_[old] == no_origin) origins_[old] = to_.intern_origin(from_.origin_at(old));
  return origins_[old];
}

node_id rewrite::copy(node_id old) {
  operands_.clear();
  for (const node_id operand : from_.inputs(old)) operands_.push_back(image(operand));
  const bool keep = kept_ == keeping::names_and_origins;
  images_[old] =
      to_.add(from_.op(old), operands_, from_.shape(old), keep ? from_.name_of(old) : std::nullopt,
              keep ? map_origin(from_.origin_of(old)) : no_origin);
  return images_[old];
}

void rewrite::early_copy(std::span<const node_id> olds) {
  struct frame {
    node_id id;
    std::size_t next_operand;
  };
  std::vector<frame> stack;
  for (const node_id old : olds) {
    if (has_image(old)) continue;
    stack.push_back({old, 0});
    while (!stack.empty()) {
      frame& top = stack.back();
      const auto inputs = from_.inputs(top.id);
      while (top.next_operand < inputs.size() && has_image(inputs[top.next_operand])) {
        ++top.next_operand;
      }
      if (top.next_operand < inputs.size()) {
        stack.push_back({inputs[top.next_operand], 0});
      } else {
        copy(top.id);
        stack.pop_back();
      }
    }
  }
}

graph rewrite::finish() {
  std::vector<node_id> outputs;
  outputs.reserve(from_.outputs().size());
  for (const node_id output : from_.outputs()) outputs.push_back(image(output));
  to_.set_outputs(std::move(outputs));
  return std::move(to_);
}

graph clone(const graph& g) {
  rewrite walk{g, "clone", keeping::names_and_origins};
  for (node_id id = 0; id < g.size(); ++id) walk.copy(id);
  return walk.finish();
}

}  // namespace rlx
