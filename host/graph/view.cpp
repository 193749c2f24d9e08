#include "host/graph/view.hpp"

namespace rlx {

namespace {

rlx_string lend(std::string_view s) { return {s.data() == nullptr ? "" : s.data(), s.size()}; }
rlx_string lend(const std::optional<std::string_view>& s) {
  return s ? lend(*s) : rlx_string{nullptr, 0};
}

std::string_view attribute_text(const graph& g, node_id id, std::string_view name) {
  const rlx_attribute* a = g.storage().attribute(g.op(id), name);
  if (a == nullptr || a->type != RLX_ATTRIBUTE_TEXT) return {};
  return {a->value.text.data, a->value.text.size};
}

std::optional<std::uint64_t> attribute_u64(const graph& g, node_id id, std::string_view name) {
  const rlx_attribute* a = g.storage().attribute(g.op(id), name);
  if (a == nullptr || a->type != RLX_ATTRIBUTE_U64) return std::nullopt;
  return a->value.u64;
}

// Bytes from the parent's start to the slice's.
std::uint64_t narrow_byte_offset(const graph& g, node_id parent, std::uint64_t start) {
  const shape_view shape = g.shape(parent);
  if ((shape.dynamic_dims >> 1) != 0) return RLX_UNKNOWN;
  const shape_view row{shape.dims.subspan(shape.dims.empty() ? 0 : 1), 0, shape.dtype};
  const auto row_bytes = byte_size(row);
  std::uint64_t offset = 0;
  if (!row_bytes || __builtin_mul_overflow(*row_bytes, start, &offset)) return RLX_UNKNOWN;
  return offset;
}

}  // namespace

std::optional<view_step> find_view_step(const graph& g, node_id id) {
  const std::uint32_t kind = g.kind(id);
  if (kind != RLX_KIND_Reshape && kind != RLX_KIND_Cast && kind != RLX_KIND_Narrow) {
    return std::nullopt;
  }
  const auto inputs = g.inputs(id);
  if (inputs.empty() || inputs[0] >= id) return std::nullopt;
  const node_id parent = inputs[0];
  if (kind == RLX_KIND_Reshape) return view_step{parent, 0};
  if (kind == RLX_KIND_Cast) {
    const bool same = attribute_text(g, id, "to") == g.storage().dtype_text(g.node(parent).dtype);
    return same ? std::optional{view_step{parent, 0}} : std::nullopt;
  }
  const auto axis = attribute_u64(g, id, "axis");
  const auto start = attribute_u64(g, id, "start");
  if (!axis || *axis != 0 || !start) return std::nullopt;
  return view_step{parent, narrow_byte_offset(g, parent, *start)};
}

lent_view::~lent_view() = default;

lent_view::lent_view(const graph& g, const buffer_plan* plan) {
  const storage& s = g.storage();
  const std::uint32_t count = g.size();
  infos_.reserve(count);
  for (node_id id = 0; id < count; ++id) {
    const operation& op = g.operation_of(id);
    const origin& from = g.origin_at(g.origin_of(id));
    rlx_node_info info{};
    info.kind_text = lend(op.kind_text);
    info.dtype_text = lend(s.dtype_text(g.node(id).dtype));
    info.name = lend(g.name_of(id));
    info.origin_label = lend(from.label);
    info.origin_pass = lend(from.pass);
    info.origin_hir = from.hir ? *from.hir : RLX_UNKNOWN;
    info.attributes_begin = op.attributes_begin;
    info.attribute_count = op.attribute_count;
    info.view_byte_offset = 0;
    if (const auto step = find_view_step(g, id)) {
      std::uint64_t offset = 0;
      const std::uint64_t before = infos_[step->operand].view_byte_offset;
      const bool known = before != RLX_UNKNOWN && step->byte_offset != RLX_UNKNOWN &&
                         !__builtin_add_overflow(before, step->byte_offset, &offset);
      info.view_byte_offset = known ? offset : RLX_UNKNOWN;
    }
    info.slot_offset = RLX_UNKNOWN;
    info.slot_bytes = RLX_UNKNOWN;
    infos_.push_back(info);
  }
  const rlx_node* nodes = g.nodes().data();
  if (plan != nullptr) {
    // The plan decides. Its aliases are those of the rule for every module RLX 0.2.2 writes, and
    // then the graph's own column is lent as it is.
    for (node_id id = 0; id < count; ++id) {
      const auto& alias = plan->views[id];
      const node_id root = alias ? alias->root : id;
      if (g.node(id).view_root != root && nodes_.empty()) {
        nodes_.assign(g.nodes().begin(), g.nodes().end());
        nodes = nodes_.data();
      }
      if (!nodes_.empty()) nodes_[id].view_root = root;
      infos_[id].view_byte_offset = alias ? alias->byte_offset : 0;
      if (const auto& slot = plan->slots[id]) {
        infos_[id].slot_offset = slot->offset;
        infos_[id].slot_bytes = slot->bytes;
      }
    }
  }
  for (node_id id = 0; id < count; ++id) {
    const operation& op = g.operation_of(id);
    if (op.nested_count == 0) continue;
    infos_[id].nested_begin = static_cast<std::uint32_t>(nested_.size());
    infos_[id].nested_count = op.nested_count;
    for (std::uint32_t i = op.nested_begin; i < op.nested_begin + op.nested_count; ++i) {
      const nested_graph& nested = s.nested()[i];
      bodies_.push_back(std::make_unique<lent_view>(*nested.body));
      nested_.push_back({lend(nested.role), &bodies_.back()->get()});
    }
  }

  view_.struct_size = sizeof(rlx_graph_view);
  view_.name = lend(g.name());
  view_.nodes = nodes;
  view_.node_count = count;
  view_.node_stride = sizeof(rlx_node);
  view_.infos = infos_.data();
  view_.info_stride = sizeof(rlx_node_info);
  view_.inputs = g.inputs_.data();
  view_.input_count = g.inputs_.size();
  view_.dims = g.dims_.data();
  view_.dim_count = g.dims_.size();
  view_.outputs = g.outputs_.data();
  view_.output_count = g.outputs_.size();
  view_.attributes = s.attributes().data();
  view_.attribute_count = s.attributes().size();
  view_.attribute_stride = sizeof(rlx_attribute);
  view_.nested = nested_.data();
  view_.nested_count = nested_.size();
  view_.nested_stride = sizeof(rlx_nested_graph);
  view_.arena_bytes = plan != nullptr ? plan->arena_bytes : RLX_UNKNOWN;
}

}  // namespace rlx
