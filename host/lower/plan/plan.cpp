#include "host/lower/plan/plan.hpp"

#include <algorithm>
#include <numeric>

#include "host/lower/ops.hpp"
#include "host/lower/plan/lifetimes.hpp"
#include "host/lower/plan/phases.hpp"
#include "host/lower/plan/placement.hpp"
#include "host/lower/plan/views.hpp"
#include "host/lower/rewrite.hpp"
#include "host/lower/shapes.hpp"

namespace rlx {

namespace {

constexpr std::string_view step_name = "plan_buffers";

// 0 where the size is not known: a dynamic dim, an element count or a dtype beyond what is known.
std::uint64_t slot_bytes(const graph& g, node_id id) {
  const auto elements = element_count(g.shape(id));
  const auto width = element_bytes(g.node(id).dtype);
  if (!elements || !width) return 0;
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(*elements, *width, &bytes)) {
    fail_at(g, step_name, id,
            std::to_string(*elements) + " elements of " + std::to_string(*width) +
                " bytes pass 64 bits, so no buffer can be planned; use smaller dims");
  }
  return bytes;
}

void assign_slots(const graph& g, buffer_plan& plan) {
  const std::vector<lifetime> lifetimes = find_lifetimes(g, plan.views);
  std::vector<placement_request> requests;
  for (node_id id = 0; id < g.size(); ++id) {
    if (plan.views[id]) continue;
    if (const std::uint64_t bytes = slot_bytes(g, id); bytes != 0) {
      requests.push_back({id, bytes, lifetimes[id]});
    }
  }
  const placement placed = place_slots(g, requests, plan.alignment);
  plan.arena_bytes = placed.arena_bytes;
  plan.slots.assign(g.size(), std::nullopt);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    plan.slots[requests[i].node] = slot{placed.offsets[i], requests[i].bytes};
  }
  for (node_id id = 0; id < g.size(); ++id) {
    if (!plan.views[id]) continue;
    const view_alias& alias = *plan.views[id];
    if (!plan.slots[alias.root]) continue;
    std::uint64_t offset = 0;
    if (__builtin_add_overflow(plan.slots[alias.root]->offset, alias.byte_offset, &offset)) {
      fail_at(g, step_name, id, "its byte offset in the arena passes 64 bits; use smaller dims");
    }
    plan.slots[id] = slot{offset, slot_bytes(g, id)};
  }
}

void list_manifest(const graph& g, buffer_plan& plan) {
  for (node_id id = 0; id < g.size(); ++id) {
    const std::uint32_t kind = g.kind(id);
    if (kind != RLX_KIND_Input && kind != RLX_KIND_Param) continue;
    const std::string_view name = text_attribute(g, id, "name").value_or(std::string_view{});
    (kind == RLX_KIND_Input ? plan.inputs : plan.params).emplace_back(name, id);
  }
  plan.outputs.assign(g.outputs().begin(), g.outputs().end());
}

std::vector<std::uint32_t> list_symbols(const graph& g) {
  std::vector<std::uint32_t> symbols;
  for (node_id id = 0; id < g.size(); ++id) {
    const shape_view shape = g.shape(id);
    for (std::size_t d = 0; d < shape.dims.size(); ++d) {
      if (is_dynamic(shape, d)) symbols.push_back(static_cast<std::uint32_t>(shape.dims[d]));
    }
  }
  std::ranges::sort(symbols);
  symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
  return symbols;
}

}  // namespace

buffer_plan plan_buffers(const graph& g) {
  buffer_plan plan;
  plan.schedule.resize(g.size());
  std::iota(plan.schedule.begin(), plan.schedule.end(), 0U);
  plan.views = find_views(g, step_name);
  assign_slots(g, plan);
  plan.phases = find_phases(g);
  list_manifest(g, plan);
  plan.dynamic_symbols = list_symbols(g);
  return plan;
}

}  // namespace rlx
