#include "host/graph/storage.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "host/error.hpp"
#include "host/graph/graph.hpp"

namespace rlx {

namespace {

constexpr std::string_view listed_dtypes[] = {"",
#define RLX_DTYPE_NAME(number, name, bytes) #name,
                                              RLX_DTYPES(RLX_DTYPE_NAME)
#undef RLX_DTYPE_NAME
};

const std::unordered_map<std::string_view, std::uint32_t>& listed_kinds() {
  static const std::unordered_map<std::string_view, std::uint32_t> kinds{
#define RLX_KIND_NAME(number, name, fields) {#name, number},
      RLX_KINDS(RLX_KIND_NAME)
#undef RLX_KIND_NAME
  };
  return kinds;
}

}  // namespace

std::size_t text_hash::operator()(std::string_view s) const noexcept {
  return XXH3_64bits(s.data(), s.size());
}

storage::storage() = default;
storage::~storage() = default;

std::string_view storage::keep(std::string_view s) {
  if (s.empty()) return {"", 0};
  const std::span<char> copy = allocate<char>(s.size());
  std::memcpy(copy.data(), s.data(), s.size());
  return {copy.data(), copy.size()};
}

std::string_view storage::adopt(std::shared_ptr<const void> owner, std::string_view text) {
  owners_.push_back(std::move(owner));
  return text;
}

std::uint32_t storage::kind_number(std::string_view kind_text) {
  if (const auto it = listed_kinds().find(kind_text); it != listed_kinds().end()) {
    return it->second;
  }
  return unlisted_kind_number(kind_text);
}

std::uint32_t storage::unlisted_kind_number(std::string_view kind_text) {
  if (const auto it = unlisted_kinds_.find(kind_text); it != unlisted_kinds_.end()) {
    return it->second;
  }
  const auto number = RLX_FIRST_UNLISTED + static_cast<std::uint32_t>(unlisted_kinds_.size());
  unlisted_kinds_.emplace(keep(kind_text), number);
  return number;
}

std::uint32_t storage::dtype_number(std::string_view dtype_text) {
  const auto listed = std::ranges::find(listed_dtypes, dtype_text);
  if (listed != std::end(listed_dtypes) && !dtype_text.empty()) {
    return static_cast<std::uint32_t>(listed - std::begin(listed_dtypes));
  }
  const auto it = unlisted_dtypes_.find(dtype_text);
  if (it != unlisted_dtypes_.end()) return it->second;
  const auto number = RLX_FIRST_UNLISTED + static_cast<std::uint32_t>(dtype_texts_.size());
  dtype_texts_.push_back(keep(dtype_text));
  unlisted_dtypes_.emplace(dtype_texts_.back(), number);
  return number;
}

std::string_view storage::dtype_text(std::uint32_t dtype) const {
  if (dtype < std::size(listed_dtypes)) return listed_dtypes[dtype];
  return dtype_texts_.at(dtype - RLX_FIRST_UNLISTED);
}

op_id storage::add_op(const operation& op) {
  if (ops_.size() >= no_op) throw error{"the module has more than 2^32-2 distinct operations"};
  ops_.push_back(op);
  return static_cast<op_id>(ops_.size() - 1);
}

op_id storage::find_op(std::string_view key) const {
  const auto it = interned_.find(key);
  return it == interned_.end() ? no_op : it->second;
}

void storage::intern_op(std::string_view key, op_id id) { interned_.emplace(key, id); }

const rlx_attribute* storage::attribute(op_id id, std::string_view name) const {
  const operation& o = ops_[id];
  for (std::uint32_t i = 0; i < o.attribute_count; ++i) {
    const rlx_attribute& a = attributes_[o.attributes_begin + i];
    if (std::string_view{a.name.data, a.name.size} == name) return &a;
  }
  return nullptr;
}

}  // namespace rlx
