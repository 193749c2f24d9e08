// The ledger reader on any bytes: no crash, no hang, and what it gives is sound enough to be
// costed, labelled, fingerprinted and written again.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <opscope/ledger_reader.hpp>
#include <string>

#include "plugin/ledger/json_writer.hpp"
#include "plugin/ledger/label.hpp"
#include "plugin/ledger/record.hpp"

namespace {

std::size_t read_all(const std::string& path, bool with_nodes) {
  std::size_t records = 0;
  opscope::ledger_reader reader{path, nullptr};
  while (const auto r = reader.next(with_nodes)) {
    ++records;
    if (!r->nodes) continue;
    const rlx::graph_view g = r->nodes->view();
    if (rlx::find_defect(r->nodes->raw())) std::abort();
    std::size_t figures = 0;
    for (std::uint32_t id = 0; id < g.size(); ++id) {
      figures += r->nodes->need(id).has_value() + r->nodes->expressions(id).has_value();
    }
    if (figures > 2 * g.size()) std::abort();
    const opscope::graph_cost cost = opscope::analyze(g);
    const opscope::label_table labels{g};
    rlx_compile_record again{};
    again.struct_size = sizeof again;
    again.stage = RLX_STAGE_LOWERED;
    again.graph = &r->nodes->raw();
    again.option_stride = sizeof(rlx_option);
    const opscope::ledger_settings settings;
    opscope::json_writer out;
    opscope::write_record(out, again, cost,
                          {r->time, std::nullopt, opscope::fingerprint(g), &settings});
  }
  return records;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int file = ::memfd_create("ledger", 0);
  if (file < 0 || ::write(file, data, size) != static_cast<ssize_t>(size)) std::abort();
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  // A line that is a record with its nodes is one without them too.
  if (read_all(path, true) > read_all(path, false)) std::abort();
  ::close(file);
  return 0;
}
