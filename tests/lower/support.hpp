// What the lowering tests share: graphs written in a few words, strict comparison of JSON values,
// a graph told in one line.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/lower/pipeline.hpp"

namespace lower_test {

using nlohmann::json;

// A MIR graph under construction, as JSON. Dims: a size, or symbol s as dynamic(s).
class graph_builder {
 public:
  static std::int64_t dynamic(std::int64_t symbol) { return -1 - symbol; }
  using dims = std::vector<std::int64_t>;
  using ids = std::vector<std::uint32_t>;

  explicit graph_builder(std::string name = "g") : name_{std::move(name)} {}
  std::uint32_t input(const std::string& name, dims shape, std::string_view dtype = "F32") {
    return add({{"Input", {{"name", name}}}}, {}, std::move(shape), dtype);
  }
  std::uint32_t param(const std::string& name, dims shape, std::string_view dtype = "F32") {
    return add({{"Param", {{"name", name}}}}, {}, std::move(shape), dtype);
  }
  // op in serde form: "MatMul" as text, others as an object.
  std::uint32_t add(json op, ids inputs, dims shape, std::string_view dtype = "F32");
  std::uint32_t binary(std::string_view op, std::uint32_t a, std::uint32_t b, dims shape) {
    return add({{"Binary", op}}, {a, b}, std::move(shape));
  }
  std::uint32_t activation(std::string_view op, std::uint32_t a, dims shape) {
    return add({{"Activation", op}}, {a}, std::move(shape));
  }
  std::uint32_t matmul(std::uint32_t a, std::uint32_t b, dims shape) {
    return add("MatMul", {a, b}, std::move(shape));
  }
  graph_builder& outputs(ids outputs) {
    outputs_ = std::move(outputs);
    return *this;
  }
  json to_json() const;
  rlx::graph build() const;

 private:
  std::string name_;
  json nodes_ = json::array();
  ids outputs_;
};

json read_json(const std::string& path);
std::string read_text_file(const std::string& path);
rlx::graph graph_of(const json& mir);

rlx::lowered lower(const rlx::graph& g, rlx::target t = rlx::target::cpu);
rlx::lowered lower(const rlx::graph& g, const rlx::lower_options& options);
std::string lir_text(const rlx::lowered& l);

// `0=Input 1=Param 2=MatMul[0,1] -> 2`: kinds (Activation, Binary and Compare by their function),
// operands, outputs.
std::string listing(const rlx::graph& g);
// `[4,?0]F32`
std::string shape_text(const rlx::graph& g, std::uint32_t id);
// The sentence lower() throws, or "" where it does not.
std::string lower_error(const rlx::graph& g, const rlx::lower_options& options);
std::string lower_error(const rlx::graph& g, rlx::target t = rlx::target::cpu);

}  // namespace lower_test
