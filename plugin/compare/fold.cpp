#include "plugin/compare/fold.hpp"

#include <algorithm>

#include "plugin/ledger/label.hpp"

namespace opscope {

namespace {

void put(std::string& key, std::uint64_t v) {
  key.append(reinterpret_cast<const char*>(&v), sizeof v);
}
void put(std::string& key, std::string_view s) {
  put(key, s.size());
  key.append(s);
}
void put(std::string& key, std::vector<kind_count> kinds) {
  std::ranges::sort(kinds, {}, &kind_count::kind);  // layers may be numbered differently inside
  put(key, kinds.size());
  for (const kind_count& k : kinds) {
    put(key, k.kind);
    put(key, k.count);
  }
}
void put(std::string& key, const std::vector<std::string>& texts) {
  put(key, texts.size());
  for (const std::string& t : texts) put(key, t);
}
void put(std::string& key, const tally& t) {
  for (const metric_index m : node_metrics()) {
    const measure sum = t.of(m).sum();
    put(key, sum.value());
    put(key, (sum.is_known() ? 2u : 0u) + (sum.is_floor() ? 1u : 0u));
  }
}

}  // namespace

void row_folder::add(diff_row&& row) {
  std::string folded = folded_label(row.label);
  key_.clear();
  put(key_, static_cast<std::uint64_t>(row.what));
  put(key_, folded);
  put(key_, row.base_kinds);
  put(key_, row.new_kinds);
  put(key_, row.base_leaves);
  put(key_, row.new_leaves);
  put(key_, row.changes);
  put(key_, row.base);
  put(key_, row.next);
  const hash128 key = hash_bytes(key_);
  const auto at = places_.find(key);
  if (at != places_.end()) {
    diff_row& kept = rows_[at->second];
    if (kept.label != row.label) kept.label = std::move(folded);
    return merge(kept, std::move(row));
  }
  if (rows_.size() >= most_rows) return merge(rest_of(row.what), std::move(row));
  places_.emplace(key, rows_.size());
  rows_.push_back(std::move(row));
}

void row_folder::merge(diff_row& kept, diff_row&& row) {
  ++kept.times;
  kept.base.add(row.base);
  kept.next.add(row.next);
  for (std::string& pass : row.passes) {
    if (kept.passes.size() < most_passes &&
        std::ranges::find(kept.passes, pass) == kept.passes.end()) {
      kept.passes.push_back(std::move(pass));
    }
  }
}

diff_row& row_folder::rest_of(edit e) {
  std::size_t& place = rests_[static_cast<std::size_t>(e)];
  if (place == 0) {
    diff_row& rest = rows_.emplace_back();
    rest.what = e;
    rest.times = 0;
    rest.label.assign(1, '*');
    place = rows_.size();
  }
  return rows_[place - 1];
}

}  // namespace opscope
