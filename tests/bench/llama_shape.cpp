#include "tests/bench/llama_shape.hpp"

#include <initializer_list>
#include <string_view>
#include <vector>

namespace bench {

namespace {

using id = std::size_t;

class builder {
 public:
  id add(const std::string& op, const std::vector<id>& inputs,
         std::initializer_list<std::size_t> dims, std::string_view name, bool is_block = true,
         std::string_view dtype = "F16") {
    const id self = count_++;
    if (self != 0) nodes_ += ',';
    nodes_ += "{\"id\":" + std::to_string(self) + ",\"op\":" + op + ",\"inputs\":[";
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      nodes_ += (i == 0 ? "" : ",") + std::to_string(inputs[i]);
    }
    nodes_ += "],\"shape\":{\"dims\":[";
    bool first = true;
    for (const std::size_t dim : dims) {
      nodes_ += (first ? "{\"Static\":" : ",{\"Static\":") + std::to_string(dim) + "}";
      first = false;
    }
    nodes_.append("],\"dtype\":\"").append(dtype).append("\"},\"name\":\"").append(name);
    nodes_ += "\",\"origin\":{\"hir\":" + std::to_string(self) + ",\"label\":";
    if (is_block) {
      nodes_.append("\"").append(name).append("\"");
    } else {
      nodes_ += "null";
    }
    nodes_ += ",\"pass\":null}}";
    return self;
  }
  id input(const std::string& name, std::initializer_list<std::size_t> dims,
           std::string_view dtype = "F16") {
    return add("{\"Input\":{\"name\":\"" + name + "\"}}", {}, dims, name, false, dtype);
  }
  id param(const std::string& name, std::initializer_list<std::size_t> dims) {
    return add("{\"Param\":{\"name\":\"" + name + "\"}}", {}, dims, name, false);
  }
  id matmul(id x, id w, std::size_t n) { return add("\"MatMul\"", {x, w}, {1, 1, n}, "mir"); }
  id norm(id x, id gamma, id beta) {
    return add("{\"RmsNorm\":{\"axis\":-1,\"eps\":1e-5}}", {x, gamma, beta}, {1, 1, hidden},
               "rms_norm");
  }
  id rope(id x, id cos, id sin, std::size_t n) {
    return add("{\"Rope\":{\"head_dim\":64,\"n_rot\":64,\"style\":\"NeoX\"}}", {x, cos, sin},
               {1, 1, n}, "rope");
  }
  // The cached heads, each listed for its group of query heads.
  id repeat_heads(id cache) {
    std::vector<id> listed;
    for (std::size_t head = 0; head < kv_heads; ++head) {
      const id slice = add(
          "{\"Narrow\":{\"axis\":2,\"start\":" + std::to_string(head * head_dim) + ",\"len\":64}}",
          {cache}, {1, past + 1, head_dim}, "mir");
      listed.insert(listed.end(), heads / kv_heads, slice);
    }
    return add("{\"Concat\":{\"axis\":2}}", listed, {1, past + 1, hidden}, "mir");
  }
  id binary(std::string_view op, id a, id b, std::size_t n) {
    return add("{\"Binary\":\"" + std::string{op} + "\"}", {a, b}, {1, 1, n}, "mir");
  }

  std::string finish(std::string_view name, const std::vector<id>& outputs) && {
    std::string out =
        "{\"name\":\"" + std::string{name} + "\",\"nodes\":[" + nodes_ + "],\"outputs\":[";
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      out += (i == 0 ? "" : ",") + std::to_string(outputs[i]);
    }
    return out + "]}";
  }

  static constexpr std::size_t hidden = 2048, intermediate = 8192, vocabulary = 128256;
  static constexpr std::size_t heads = 32, kv_heads = 8, head_dim = 64, past = 2048;

 private:
  std::string nodes_;
  std::size_t count_ = 0;
};

}  // namespace

std::string llama_decode_json(std::size_t layers) {
  using b = builder;
  constexpr std::size_t kv = b::kv_heads * b::head_dim;
  builder g;
  const id ids = g.input("input_ids", {1, 1}, "I64");
  const id cos = g.input("rope_cos", {1, 32}, "F32");
  const id sin = g.input("rope_sin", {1, 32}, "F32");
  std::vector<id> past_k, past_v;
  for (std::size_t i = 0; i < layers; ++i) {
    past_k.push_back(g.input("past_k_" + std::to_string(i), {1, b::past, kv}));
    past_v.push_back(g.input("past_v_" + std::to_string(i), {1, b::past, kv}));
  }
  const id table = g.param("model.embed_tokens.weight", {b::vocabulary, b::hidden});
  const id beta = g.param("zero_beta", {b::hidden});
  id x = g.add("{\"Gather\":{\"axis\":0}}", {table, ids}, {1, 1, b::hidden}, "mir");
  std::vector<id> outputs{0};
  for (std::size_t i = 0; i < layers; ++i) {
    const std::string layer = "model.layers." + std::to_string(i) + ".";
    const auto linear = [&](id in, std::string_view name, std::size_t k, std::size_t n) {
      return g.matmul(in, g.param(layer + std::string{name} + ".weight", {k, n}), n);
    };
    const id normed = g.norm(x, g.param(layer + "input_layernorm.weight", {b::hidden}), beta);
    const id q = linear(normed, "self_attn.q_proj", b::hidden, b::hidden);
    const id k = linear(normed, "self_attn.k_proj", b::hidden, kv);
    const id v = linear(normed, "self_attn.v_proj", b::hidden, kv);
    const id turned_q = g.rope(q, cos, sin, b::hidden);
    const id turned_k = g.rope(k, cos, sin, kv);
    const id all_k =
        g.add("{\"Concat\":{\"axis\":1}}", {past_k[i], turned_k}, {1, b::past + 1, kv}, "mir");
    const id all_v =
        g.add("{\"Concat\":{\"axis\":1}}", {past_v[i], v}, {1, b::past + 1, kv}, "mir");
    outputs.push_back(all_k);
    outputs.push_back(all_v);
    const id wide_k = g.repeat_heads(all_k);
    const id wide_v = g.repeat_heads(all_v);
    const id attended = g.add(
        "{\"Attention\":{\"num_heads\":32,\"head_dim\":64,\"mask_kind\":\"Causal\","
        "\"score_scale\":null,\"attn_logit_softcap\":null}}",
        {turned_q, wide_k, wide_v}, {1, 1, b::hidden}, "attention");
    x = g.binary("Add", x, linear(attended, "self_attn.o_proj", b::hidden, b::hidden), b::hidden);
    const id again =
        g.norm(x, g.param(layer + "post_attention_layernorm.weight", {b::hidden}), beta);
    const id gate = linear(again, "mlp.gate_proj", b::hidden, b::intermediate);
    const id up = linear(again, "mlp.up_proj", b::hidden, b::intermediate);
    const id silu = g.add("{\"Activation\":\"Silu\"}", {gate}, {1, 1, b::intermediate}, "mir");
    const id both = g.binary("Mul", silu, up, b::intermediate);
    x = g.binary("Add", x, linear(both, "mlp.down_proj", b::intermediate, b::hidden), b::hidden);
  }
  const id last = g.norm(x, g.param("model.norm.weight", {b::hidden}), beta);
  outputs[0] = g.matmul(last, g.param("lm_head.weight", {b::hidden, b::vocabulary}), b::vocabulary);
  return std::move(g).finish("llama_decode_" + std::to_string(layers), outputs);
}

}  // namespace bench
