#include "host/cli/source.hpp"

#include <algorithm>
#include <vector>

#include "host/lower/bind.hpp"
#include "host/lower/hir/lower.hpp"
#include "host/lower/verify.hpp"
#include "host/read/read.hpp"

namespace rlx::cli {

bool verifies(const options& o) {
#ifdef NDEBUG
  return o.verify;
#else
  static_cast<void>(o);
  return true;
#endif
}

module load_source(const std::string& path, const options& o) {
  module m = read_file(path);
  bind(m, o.bindings);
  if (m.hir) {
    m.graph = lower_hir(*m.hir);
    m.level = level::mir;
  }
  if (verifies(o)) check_graph(m.graph, "the source", o.verify);
  return m;
}

void check_graph(const graph& g, const std::string& what, bool with_shapes) {
  std::vector<violation> found = verify_structure(g);
  if (found.empty() && with_shapes) found = verify_shapes(g);
  if (found.empty()) return;
  constexpr std::size_t most = 10;
  std::string all = what + " does not verify: ";
  for (std::size_t i = 0; i < std::min(found.size(), most); ++i) {
    if (i != 0) all += "; ";
    ((all += found[i].sentence) += " [") += found[i].rule;
    all += ']';
  }
  if (found.size() > most) all += "; and " + std::to_string(found.size() - most) + " more";
  throw error{all};
}

}  // namespace rlx::cli
