// Writes small HIR modules for tests, and reads lowered graphs back as lines such as
// `matmul(%0, %1) : [4, 8] f32`.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "host/emit/text.hpp"
#include "host/graph/graph.hpp"

namespace hir_test {

// A dim; dynamic ones are written as symbols.
struct dim {
  std::uint64_t value;
  bool dynamic = false;
  dim(int size) : value{static_cast<std::uint64_t>(size)} {}  // NOLINT: dims are written as numbers
  dim(std::uint64_t size, bool is_dynamic) : value{size}, dynamic{is_dynamic} {}
};
inline dim symbol(std::uint64_t s) { return {s, true}; }
using dims = std::vector<dim>;
using ids = std::vector<std::uint32_t>;

class builder {
 public:
  explicit builder(std::string_view policy = "Direct") : policy_{policy} {}

  std::uint32_t input(std::string_view name, const dims& d, std::string_view dtype = "F32") {
    return node(R"({"Input":{"name":")" + std::string{name} + R"("}})", {}, d, dtype);
  }
  std::uint32_t param(std::string_view name, const dims& d, std::string_view dtype = "F32") {
    return node(R"({"Param":{"name":")" + std::string{name} + R"("}})", {}, d, dtype);
  }
  // name is a JSON value.
  std::uint32_t node(std::string_view op, const ids& inputs, const dims& d,
                     std::string_view dtype = "F32", std::string_view name = "null") {
    if (count_ != 0) nodes_ += ',';
    nodes_ += R"({"id":)" + std::to_string(count_) + R"(,"op":)" + std::string{op} +
              R"(,"inputs":)" + list(inputs) + R"(,"shape":{"dims":[)";
    for (std::size_t i = 0; i < d.size(); ++i) {
      if (i != 0) nodes_ += ',';
      nodes_ += (d[i].dynamic ? R"({"Dynamic":)" : R"({"Static":)") + std::to_string(d[i].value);
      nodes_ += '}';
    }
    nodes_ += R"(],"dtype":")" + std::string{dtype} + R"("},"name":)" + std::string{name} + '}';
    return count_++;
  }
  std::string finish(const ids& outputs) const {
    return R"({"name":"m","nodes":[)" + nodes_ + R"(],"outputs":)" + list(outputs) +
           R"(,"fusion_policy":")" + policy_ + R"("})";
  }
  std::uint32_t size() const { return count_; }

 private:
  static std::string list(const ids& values) {
    std::string text = "[";
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i != 0) text += ',';
      text += std::to_string(values[i]);
    }
    return text + ']';
  }
  std::string policy_;
  std::string nodes_;
  std::uint32_t count_ = 0;
};

// The lines of a graph's nodes from `first` on, without tag, comment and mark.
inline std::vector<std::string> lines(const rlx::graph& g, std::uint32_t first) {
  std::string text;
  rlx::append_graph_listing(text, g);
  std::vector<std::string> found;
  for (std::size_t begin = text.find("\n\n") + 2; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.rfind("  %", 0) != 0) continue;
    line = line.substr(line.find(" = ") + 3);
    for (const char* const mark : {"  //", "  \u2190"}) line = line.substr(0, line.find(mark));
    found.push_back(line);
  }
  found.erase(found.begin(), found.begin() + first);
  return found;
}

}  // namespace hir_test
