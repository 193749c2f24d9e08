#include "plugin/cost/need/details.hpp"

#include <algorithm>

#include "plugin/cost/need/json.hpp"

namespace opscope::need {

namespace {

// `{"Input":k}` or `{"Step":j}`
std::optional<chain_operand> take_operand(scanner& s) {
  if (!s.take('{')) return std::nullopt;
  const auto name = s.take_name();
  if (!name || !s.take(':')) return std::nullopt;
  const auto index = s.take_number();
  if (!index || *index > UINT32_MAX || !s.take('}')) return std::nullopt;
  if (*name == "Input") return chain_operand{false, static_cast<std::uint32_t>(*index)};
  if (*name == "Step") return chain_operand{true, static_cast<std::uint32_t>(*index)};
  return std::nullopt;
}

struct step_form {
  std::string_view name;
  step_kind kind;
  std::uint8_t operands;
  bool is_led_by_text;
};
constexpr step_form step_forms[] = {
    {"Activation", step_kind::activation, 1, true}, {"Cast", step_kind::cast, 1, true},
    {"Binary", step_kind::binary, 2, true},         {"Compare", step_kind::compare, 2, true},
    {"Where", step_kind::where, 3, false},
};

// `{"Binary":["Mul",{"Step":1},{"Input":1}]}`
std::optional<chain_step> take_step(scanner& s) {
  if (!s.take('{')) return std::nullopt;
  const auto name = s.take_name();
  if (!name || !s.take(':') || !s.take('[')) return std::nullopt;
  for (const step_form& form : step_forms) {
    if (form.name != *name) continue;
    chain_step step;
    step.kind = form.kind;
    step.operand_count = form.operands;
    if (form.is_led_by_text) {
      const auto text = s.take_name();
      if (!text || !s.take(',')) return std::nullopt;
      if (step.kind == step_kind::cast) step.cast_to = dtype_of(*text);
      step.complex_price = complex_price(*text);
    }
    for (unsigned o = 0; o < form.operands; ++o) {
      const auto operand = take_operand(s);
      if (!operand || !s.take(o + 1u == form.operands ? ']' : ',')) return std::nullopt;
      step.operands[o] = *operand;
    }
    return s.take('}') ? std::optional{step} : std::nullopt;
  }
  return std::nullopt;
}

// `{"ResizeNearest2x":{"Input":0}}`, a step of a TransformRegion.
std::optional<chain_step> take_transform(scanner& s) {
  if (!s.take('{')) return std::nullopt;
  const auto name = s.take_name();
  if (!name || *name != "ResizeNearest2x" || !s.take(':')) return std::nullopt;
  const auto operand = take_operand(s);
  if (!operand || !s.take('}')) return std::nullopt;
  chain_step step;
  step.operand_count = 1;
  step.operands[0] = *operand;
  return step;
}

// Marks what the last step's value depends on. False where a step reads a later one.
bool mark_used(chain& c) {
  c.step_use.assign(c.steps.size(), use::none);
  if (c.steps.empty()) return true;
  c.step_use.back() = use::certain;
  for (std::size_t s = c.steps.size(); s-- > 0;) {
    for (std::size_t o = 0; o < c.steps[s].operand_count; ++o) {
      const chain_operand& operand = c.steps[s].operands[o];
      use how = c.step_use[s];
      // Of the branches of a Where the data decides which is looked at.
      if (how == use::certain && c.steps[s].kind == step_kind::where && o > 0) {
        how = use::as_data_decides;
      }
      if (operand.is_step) {
        if (operand.index >= s) return false;
        c.step_use[operand.index] = std::max(c.step_use[operand.index], how);
      } else {
        constexpr std::uint32_t most = 1 << 20;
        if (operand.index >= most) return false;
        if (operand.index >= c.input_use.size()) c.input_use.resize(operand.index + 1u, use::none);
        c.input_use[operand.index] = std::max(c.input_use[operand.index], how);
      }
    }
  }
  return true;
}

std::unique_ptr<chain> read_chain(std::string_view text,
                                  std::optional<chain_step> (*take)(scanner&)) {
  scanner s{text};
  if (!s.take('[')) return nullptr;
  auto c = std::make_unique<chain>();
  if (!s.is_next(']')) {
    do {
      const auto step = take(s);
      if (!step) return nullptr;
      c->steps.push_back(*step);
    } while (s.take(','));
  }
  if (!s.take(']') || !s.is_at_end() || !mark_used(*c)) return nullptr;
  return c;
}

mask read_mask(std::string_view text) {
  if (text == "None") return {mask_kind::none, 0};
  if (text == "Causal") return {mask_kind::causal, 0};
  if (text == "Custom") return {mask_kind::custom, 0};
  if (text == "Bias") return {mask_kind::bias, 0};
  const auto v = read_variant(text);
  if (v && v->name == "SlidingWindow" && v->value) return {mask_kind::sliding_window, *v->value};
  return {mask_kind::other, 0};
}

std::optional<codebook> read_codebook(std::string_view text) {
  const auto v = read_variant(text);
  if (!v || v->name != "Codebook") return std::nullopt;
  const auto d = v->field("entry_dim");
  const auto e = v->field("num_entries");
  if (!d || !e || *d == 0) return std::nullopt;
  return codebook{*d, *e};
}

std::optional<run> read_run(const attribute_reader& read) {
  const auto axis = read.u64(attr::axis);
  const auto start = read.u64(attr::start);
  const auto length = read.u64(attr::len);
  std::uint64_t end = 0;
  if (!axis || !start || !length || read.i64(attr::step).value_or(1) != 1 ||
      __builtin_add_overflow(*start, *length, &end)) {
    return std::nullopt;
  }
  return run{*axis, *start, end};
}

bool is_synth(std::uint32_t kind) {
  return kind == RLX_KIND_SynthMatMul || kind == RLX_KIND_SynthMatMulBackward ||
         kind == RLX_KIND_SynthReconstruct;
}

}  // namespace

std::uint64_t complex_price(std::string_view function) {
  if (function == "Add" || function == "Sub" || function == "Neg") return 2;
  if (function == "Mul") return 6;
  if (function == "Div") return 11;
  return 0;
}

std::uint32_t dtype_of(std::string_view name) {
#define OPSCOPE_NEED_DTYPE(number, text, bytes) \
  if (name == #text) return number;
  RLX_DTYPES(OPSCOPE_NEED_DTYPE)
#undef OPSCOPE_NEED_DTYPE
  return 0;
}

details read_details(std::uint32_t kind, const rlx::strided<rlx_attribute>& attributes) {
  details d;
  d.attributes = resolve(kind, attributes);
  const attribute_reader read{kind, &d.attributes};
  if (read.find(attr::start) != nullptr) d.run = read_run(read);
  if (read.find(attr::scheme) != nullptr) d.scheme = read_scheme(read.text(attr::scheme));
  if (read.find(attr::mask_kind) != nullptr)
    d.attention_mask = read_mask(read.text(attr::mask_kind));
  if (read.find(attr::lhs_format) != nullptr) {
    d.lhs_bits = read_scaled_format_bits(read.text(attr::lhs_format));
    d.rhs_bits = read_scaled_format_bits(read.text(attr::rhs_format));
  }
  if (read.find(attr::format) != nullptr) {
    d.lhs_bits = read_scaled_format_bits(read.text(attr::format));
  }
  if (read.find(attr::scale_layout) != nullptr) {
    d.scale_block = read_scale_block(read.text(attr::scale_layout));
  }
  if (is_synth(kind)) d.book = read_codebook(read.text(attr::kind));
  if (const std::string_view mode = read.text(attr::scale_mode); !mode.empty()) {
    d.scale_is_fixed = mode == "Fixed";
    if (mode == "PerBatch" || mode == "Fixed") {
      d.scale_is_ema = false;
    } else if (read_variant(mode).value_or(variant{}).name == "EMA") {
      d.scale_is_ema = true;
    }
  }
  if (read.find(attr::chain) != nullptr) {
    d.chain = read_chain(read.text(attr::chain), take_step);
  }
  if (read.find(attr::steps) != nullptr) {
    d.chain = read_chain(read.text(attr::steps), take_transform);
  }
  return d;
}

void details_cache::restart(const rlx::graph_view& graph) {
  graph_ = &graph;
  by_begin_.assign(graph.raw().attribute_count, 0);
  known_.clear();
}

const details& details_cache::read(std::uint32_t id) {
  known_.push_back(
      std::make_unique<details>(read_details(graph_->node(id).kind, graph_->attributes(id))));
  by_begin_[graph_->info(id).attributes_begin] = static_cast<std::uint32_t>(known_.size());
  return *known_.back();
}

}  // namespace opscope::need
