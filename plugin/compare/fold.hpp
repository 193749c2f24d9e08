// Rows that are alike become one with a multiplier: the layers of a model change alike. Rows come
// one by one, so that a graph of a million changed nodes needs no row for each; beyond a hundred
// thousand that are not alike, those of one edit become one row.
#pragma once

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "plugin/compare/diff.hpp"
#include "plugin/ledger/hash.hpp"

namespace opscope {

class row_folder {
 public:
  static constexpr std::size_t most_rows = 100'000;
  static constexpr std::size_t most_passes = 16;  // named in a row
  // A row of one group. Alike: the same edit, kinds, changes and figures, and labels that differ in
  // numbers only.
  void add(diff_row&& row);
  std::vector<diff_row> take() { return std::move(rows_); }

 private:
  void merge(diff_row& kept, diff_row&& row);
  diff_row& rest_of(edit e);
  struct hasher {
    std::size_t operator()(const hash128& h) const { return h.low; }
  };
  std::vector<diff_row> rows_;
  std::unordered_map<hash128, std::size_t, hasher> places_;
  std::string key_;
  std::array<std::size_t, edit_count> rests_{};  // place + 1 of the row that takes what is too much
};

}  // namespace opscope
