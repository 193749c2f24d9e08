// Which record is compared with which: by graph, target, stage and pass. Pure; which records there
// are is decided by whoever read them.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include <opscope/ledger_reader.hpp>

namespace opscope {

struct record_pair {
  const ledger_record* base;
  const ledger_record* next;
};

struct record_pairs {
  std::vector<record_pair> pairs;  // in the order of the base records
  // Records whose graph and target the other side has not.
  std::vector<const ledger_record*> only_base;
  std::vector<const ledger_record*> only_new;
  std::vector<std::string> notes;  // what a reader should know of the choice, sentences
};

// Whether `later`, which stands behind `earlier`, stands for it where the newest of both is asked
// for: of equal times the later one is. Times are of one form, whose order is that of its text.
inline bool is_newer(const ledger_record& later, const ledger_record& earlier) {
  return later.time >= earlier.time;
}

// The name that a base graph has on the new side, for those that were renamed.
using graph_renames = std::vector<std::pair<std::string, std::string>>;

// Throws ledger_error where a rename is of a graph that its side has not, or would give two base
// graphs one name, of which one would be lost.
void check_renames(std::span<const ledger_record> base, std::span<const ledger_record> next,
                   const graph_renames& renames);

// At most one record of an identity on each side. Of a graph and target that both sides have:
// the lowered records where both have them; else the records of one stage and pass; else, where
// each side has one record only, these two. `every_stage`: all of one stage and pass.
// `across_targets`: where each side is of one graph and one target, these are compared whatever the
// targets are, and a note says so. Throws as check_renames() does.
record_pairs pair_records(std::span<const ledger_record> base, std::span<const ledger_record> next,
                          const graph_renames& renames, bool every_stage,
                          bool across_targets = false);

// Reasons why figures of two records do not say how the compiler changed.
enum class obstacle {
  other_source,    // another graph entered the compiler: the model changed
  other_versions,  // another version of a cost model counted
  other_bindings,  // dynamic dims were given other sizes
};
// The sizes that the record's needs depend on: none where it has no dynamic dims.
std::string bound_text(const ledger_record& r);
struct found_obstacle {
  obstacle what;
  std::string text;  // a sentence, with both values
};
std::vector<found_obstacle> find_obstacles(const record_pair& pair);

// `lowered`, `source`, `pass fuse_swiglu`.
std::string stage_text(const ledger_record& r);
// What is to be said behind a graph's name: `, source`, `, after fuse_swiglu`; nothing for lowered.
std::string stage_suffix(std::string_view stage, const std::optional<std::string>& pass);

}  // namespace opscope
