// Where in a module something stands, for messages: a chain of stack frames that becomes text only
// when something is wrong.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rlx::json {

class place {
 public:
  // The module itself.
  place() = default;
  // `nodes[id]` of the graph at `parent`, printed as `node id`.
  static place node(const place& parent, std::uint64_t id) {
    return place{&parent, {}, id, form::node};
  }
  // A member. `name` is printed as it is.
  static place member(const place& parent, std::string_view name) {
    return place{&parent, name, 0, form::member};
  }
  static place element(const place& parent, std::uint64_t index) {
    return place{&parent, {}, index, form::element};
  }

  // `node 3: op.body: node 2: shape.dims[1]`; `module` for the module itself.
  std::string text() const;
  // Throws rlx::error `where: what`.
  [[noreturn]] void fail(const std::string& what) const;

 private:
  enum class form : std::uint8_t { module, node, member, element };
  // The module has nothing to print, so that a temporary may stand for it.
  place(const place* parent, std::string_view name, std::uint64_t index, form f)
      : parent_{parent->form_ == form::module ? nullptr : parent},
        name_{name},
        index_{index},
        form_{f} {}
  void append_to(std::string& out) const;

  const place* parent_ = nullptr;
  std::string_view name_;
  std::uint64_t index_ = 0;
  form form_ = form::module;
};

// `s` in quotes for a message: control characters escaped, long texts cut.
std::string quoted(std::string_view s);

}  // namespace rlx::json
