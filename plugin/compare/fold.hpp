// Rows that are alike become one with a multiplier: the layers of a model change alike. Rows come
// one by one, so that a graph of a million changed nodes needs no row for each.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "plugin/compare/diff.hpp"
#include "plugin/ledger/hash.hpp"

namespace opscope {

class row_folder {
 public:
  // A row of one group. Alike: the same edit, kinds, changes and figures, and labels that differ in
  // numbers only.
  void add(diff_row&& row);
  std::vector<diff_row> take() { return std::move(rows_); }

 private:
  struct hasher {
    std::size_t operator()(const hash128& h) const { return h.low; }
  };
  std::vector<diff_row> rows_;
  std::unordered_map<hash128, std::size_t, hasher> places_;
  std::string key_;
};

}  // namespace opscope
