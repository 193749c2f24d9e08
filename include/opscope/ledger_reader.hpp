// The ledger, reading side: records as they were written, and the graphs in them as views that the
// cost models, fingerprints and labels run on again.
//
// Reads in constant memory but for the record asked for. Everything read is hostile: a line that is
// no record is stepped over with a note `file:line: what`. Readers share nothing: several threads
// may each have their own.
#pragma once

#include <rlx/plugin.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <rlx/view.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <opscope/bindings.hpp>
#include <opscope/cost.hpp>
#include <opscope/ledger.hpp>

namespace opscope {

// What could not be done, as a sentence `what, where, what to do`.
class ledger_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A graph of a record. Owns all that its view lends; stays valid when moved.
class recorded_graph {
 public:
  recorded_graph();
  recorded_graph(recorded_graph&&) noexcept;
  recorded_graph& operator=(recorded_graph&&) noexcept;
  ~recorded_graph();

  // Sound (rlx::find_defect was asked). Attributes have the types of the table in plugin.h where
  // it lists them. A float that was not finite reads as NaN.
  const rlx_graph_view& raw() const;
  rlx::graph_view view() const { return rlx::graph_view{raw()}; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(raw().node_count); }
  // As recorded, not computed again.
  std::string_view label(std::uint32_t id) const;
  const node_cost& cost(std::uint32_t id) const;
  // Nothing where the node was recorded without; is_dead is not recorded.
  std::optional<node_need> need(std::uint32_t id) const;
  // Nothing where no symbol of a dynamic dim reaches the node, or it was recorded without.
  std::optional<node_expressions> expressions(std::uint32_t id) const;
  // The n-th nested graph of a node, as in view().nested(id).
  const recorded_graph& nested(std::uint32_t id, std::size_t n) const;
  // Puts other figures, of the same nodes, in place of those recorded. Expressions stay.
  void set_figures(std::span<const node_cost> costs, const need_list& needs);

 private:
  friend class graph_parser;
  struct state;
  std::unique_ptr<state> state_;
};

struct recorded_kind {
  std::string kind;
  std::uint64_t count = 0;
  figure bytes;
  figure flops;
  std::optional<node_need> need;  // summed over the kind's nodes
};

// The needs of a record. `totals.coverage` is not recorded; its shares are, from 0 to 1.
struct recorded_need {
  std::uint64_t version = 0;
  need_totals totals;
  std::optional<double> covered_nodes;
  std::optional<double> covered_bytes;  // of the rule's bytes
};

using text_pairs = std::vector<std::pair<std::string, std::string>>;

struct ledger_record {
  // Where it stands.
  std::string file;
  std::uint64_t line = 0;    // from 1
  std::uint64_t offset = 0;  // of the line, in bytes

  std::string opscope_version;
  std::string rule;  // the rule's version, `rlx-opscope 0.2.18`
  std::string time;
  std::string graph;
  std::uint64_t sequence = 0;
  std::string stage;  // source, pass, lowered
  std::optional<std::string> pass;
  std::string target;
  std::string compiler_name;
  std::string compiler_version;
  std::string pipeline;
  text_pairs options;
  text_pairs tags;
  std::optional<std::string> source;  // fingerprints
  std::optional<std::string> lowered;
  opscope::totals totals;
  std::optional<recorded_need> need;  // nothing: the record was written without
  bindings bound;                     // sizes of dynamic dims that the needs were made with
  memory_figures memory;
  std::vector<recorded_kind> by_kind;
  bool has_nodes = false;               // the line has them (OPSCOPE_NODES=0 leaves them out)
  std::optional<recorded_graph> nodes;  // where they were asked for and are there
};

using note_function = std::function<void(const std::string&)>;

// One ledger file from its start to its end.
class ledger_reader {
 public:
  // `path` is a file, or `-` for standard input. Throws ledger_error where it cannot be read. Notes
  // go to `note` as they come up. `rewindable`: read_at() will be called; what is not seekable is
  // then kept in a temporary file.
  ledger_reader(const std::string& path, note_function note, bool rewindable = false);
  ledger_reader(ledger_reader&&) noexcept;
  ledger_reader& operator=(ledger_reader&&) noexcept;
  ~ledger_reader();

  // The next record; nothing at the end. Throws ledger_error where reading itself fails.
  std::optional<ledger_record> next(bool with_nodes = false);
  // The record at the offset of one that next() gave, with its nodes; nothing (and a note) where
  // it cannot be read. next() goes on behind it.
  std::optional<ledger_record> read_at(std::uint64_t offset, std::uint64_t line);
  std::uint64_t skipped_lines() const;  // lines that were no record, so far

 private:
  struct state;
  std::unique_ptr<state> state_;
};

// The files that a command line's ledger argument stands for: itself, `-`, or the regular files of
// a folder, in the order of their names. Throws ledger_error where there are none.
std::vector<std::string> ledger_files(const std::string& place);

}  // namespace opscope
