// Any text as an operation. What is accepted is kept as JSON that gives the same operation again,
// and with white space between its tokens too.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "host/error.hpp"
#include "host/graph/graph.hpp"
#include "host/read/op.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  rlx::storage s;
  rlx::op_id id = rlx::storage::no_op;
  try {
    id = rlx::read_op(s, text);
  } catch (const rlx::error&) {
    return 0;
  }
  const rlx::operation first = s.op(id);
  const rlx::operation second = s.op(rlx::read_op(s, " " + std::string{first.json} + "\n"));
  const bool same = first.kind == second.kind && first.json == second.json &&
                    first.attribute_count == second.attribute_count &&
                    first.nested_count == second.nested_count;
  if (!same) std::abort();
  for (std::uint32_t i = 0; i < first.attribute_count; ++i) {
    const rlx_attribute& a = s.attributes()[first.attributes_begin + i];
    const rlx_attribute& b = s.attributes()[second.attributes_begin + i];
    if (a.type != b.type || a.count != b.count) std::abort();
  }
  return 0;
}
