// Any text as a module. What is accepted must be lent without a defect, and what is written of it
// must be read again and written the same. The quick reader and the general one (which takes any
// text that starts with a space) must agree in all of it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "host/emit/json.hpp"
#include "host/error.hpp"
#include "host/graph/view.hpp"
#include "host/read/read.hpp"
#include "rlx/view.hpp"
#include "tests/read/same_view.hpp"

namespace {

std::string emit(const rlx::module& m) {
  std::string out;
  if (m.level == rlx::level::lir) rlx::append_lir_json(out, m);
  if (m.level == rlx::level::mir) rlx::append_mir_json(out, m.graph);
  if (m.level == rlx::level::hir) rlx::append_hir_json(out, *m.hir);
  return out;
}

void expect(bool claim) {
  if (!claim) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  std::string first;
  try {
    const rlx::module m = rlx::read_text(text);
    const rlx::lent_view view{m.graph, m.plan ? &*m.plan : nullptr};
    expect(!rlx::find_defect(view.get()));
    first = emit(m);
    const rlx::module general = rlx::read_text(' ' + std::string{text});
    const rlx::lent_view other{general.graph, general.plan ? &*general.plan : nullptr};
    expect(rlx_test::same_view(view.get(), other.get()));
    expect(emit(general) == first && general.notes == m.notes);
  } catch (const rlx::error& e) {
    expect(std::string_view{e.what()}.find(": ") != std::string_view::npos);
    return 0;
  }
  expect(emit(rlx::read_text(first)) == first);
  return 0;
}
