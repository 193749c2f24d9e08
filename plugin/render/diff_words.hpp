// The words that the formats of a comparison for people share.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "plugin/compare/comparison.hpp"

namespace opscope {

// `2.31 GiB`, `2.31 GiB~?` where there is no upper bound, `unknown`, `-` where it is missing.
std::string measure_text(const measure& m, metric_unit unit);
// `+2.37 GiB`, `+2.37 GiB~?` of low ends without high ends, `=`, `now unknown`, `was unknown`,
// empty where neither side says anything. What is unknown on both sides is `=` only where `is_same`
// says that it is of equal nodes, else `unknown`.
std::string change_text(const change& c, metric_unit unit, bool is_same);
// `+102.9 %` of the value before; `new` where that was 0, empty where there is no change or either
// end has no high end.
std::string percent_text(const change& c);

// `[FUSED 4->3]`, `[NEW]`, `[DEL]`, `[CHANGED]`, `[ = ]`.
std::string edit_mark(const diff_row& row);
// `2 MatMul, Activation -> FusedSwiGLU`; what changed in brackets; leaves by their number.
std::string kinds_text(const diff_row& row);
std::string kinds_text(const std::vector<kind_count>& kinds);
std::string joined(const std::vector<std::string>& texts, std::string_view separator);

// Work of one kind: `32 Concat of weights (16 of 2, 16 of 3 operands): 2550136832 bytes`, and the
// passes that made it, `fuse_matmuls, fuse_swiglu`, where they say. Largest first.
struct invariant_line {
  std::string work;
  std::string passes;
};
std::vector<invariant_line> invariant_lines(const std::vector<invariant_work>& work);

// `rlxc 0.1.0, pipeline rlx-0.2.2, lowered`, with options and tags where there are some; what
// differs between the records of a side is told by its number.
struct side_words {
  std::string compiler;
  std::string stage;
  std::string opscope;
};
side_words words_of_side(const comparison& c, bool is_base);

// `rlxc 0.1.0, pipeline rlx-0.2.2; options no_fusion=1; tags ..`.
std::string compiler_text(const ledger_record& r);

// A graph and target each, `llama for cpu`, with the stages in brackets where they are others than
// lowered: `llama for cpu (source, after fuse_swiglu, lowered)`.
std::vector<std::string> graphs_text(const std::vector<const ledger_record*>& records);

// The rows of a comparison as far as they are shown, and what the rest adds up to.
struct cut_rows {
  std::span<const diff_row> shown;  // of rows that are not `equal`
  std::uint64_t others = 0;         // rows that are not shown
  std::uint64_t times = 0;          // of those
  tally base;
  tally next;
  const diff_row* equal = nullptr;
};
cut_rows cut(const std::vector<diff_row>& rows, std::size_t top);  // 0: all

// `llama for cpu`, `llama for cpu, after fuse_swiglu`; `old for cpu, now new, now for metal` where
// it has another name and target now.
std::string pair_title(const record_pair& p);

}  // namespace opscope
