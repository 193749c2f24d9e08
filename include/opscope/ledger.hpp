// The ledger, writing side: fingerprints of graphs, and records appended to JSON Lines files.
//
// One record a line, one line per compiled graph and stage. What is in a record and how a file is
// shared between processes is told by plugin/ledger/opscope-ledger-1.schema.json and append.hpp.
// Reading is in ledger_reader.hpp.
#pragma once

#include <rlx/plugin.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <rlx/view.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <opscope/cost.hpp>
#include <opscope/need.hpp>

namespace opscope {

inline constexpr std::string_view ledger_schema = "opscope-ledger/1";

// `fp1:` and 32 hexadecimal digits: the same for every valid renumbering of the nodes, whatever
// their names, ids and origins; see plugin/ledger/fingerprint.md. Linear in the graph's size. The
// view must be sound (rlx::find_defect).
std::string fingerprint(const rlx::graph_view& graph);

// What a buffer plan makes of a graph's results. Unknown where there is no plan.
struct memory_figures {
  figure arena_bytes;       // end of the highest slot
  figure unshared_bytes;    // the arena without reuse: the sum of all owning slots
  figure peak_live_bytes;   // most bytes alive at one step: no placement needs less
  std::uint64_t views = 0;  // nodes that lie in another node's storage
};

struct ledger_settings {
  std::string place;       // a file, or a folder where it ends in '/': then one file a graph name
  bool with_nodes = true;  // false leaves out `outputs` and `nodes`
  std::vector<std::pair<std::string, std::string>>
      tags{};                                  // unique keys, in the order to be written
  std::chrono::milliseconds lock_wait{5'000};  // for other writers of the same file
};

// Writes records of compiles. Not for concurrent use; holds no file open between calls, so a fork
// between them is harmless.
class ledger {
 public:
  // Reads SOURCE_DATE_EPOCH; a decimal number of seconds there becomes every record's time.
  explicit ledger(ledger_settings settings);
  ledger(ledger&&) noexcept;
  ledger& operator=(ledger&&) noexcept;
  ~ledger();

  // Appends the record of one hook call: `cost` is that of `*compile.graph`, whose view must be
  // sound. Returns what went wrong, as a sentence with the file and what to do, or nothing. The
  // file then holds what it held before; where even that failed, its last line may be torn, which
  // readers step over.
  // `need`, where there is one, is of the same graph, with dynamic dims bound as in `bound`.
  std::optional<std::string> append(const rlx_compile_record& compile, const graph_cost& cost,
                                    const graph_need* need = nullptr,
                                    const bindings* bound = nullptr);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

// Appends one finished record (a line without its newline), by the same protocol. `graph_name`
// chooses the file in the folder form of `place`.
std::optional<std::string> append_record(std::string_view place, std::string_view graph_name,
                                         std::string_view record,
                                         std::chrono::milliseconds lock_wait);

// The file that records of `graph_name` go to: `place` itself, or a name inside that folder which
// no other graph name has and which cannot leave it.
std::string ledger_path(std::string_view place, std::string_view graph_name);

}  // namespace opscope
