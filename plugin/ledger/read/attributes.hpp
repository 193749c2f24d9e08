// Attributes of a recorded node: typed by their JSON form first, then by the table of plugin.h. How
// the JSON is parsed is not known here.
#pragma once

#include <rlx/plugin.h>

#include <cstdint>
#include <memory_resource>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace opscope {

class attribute_builder {
 public:
  static rlx_string keep(std::pmr::memory_resource& memory, std::string_view text);

  // Texts that many nodes have are kept once per graph. `clear` starts another graph; a `scope`
  // is open while a nested graph, which has a memory of its own, is read.
  rlx_string intern(std::pmr::memory_resource& memory, std::string_view text);
  void clear() { interned_.clear(); }
  class scope {
   public:
    explicit scope(attribute_builder& r) : reader_{r} { kept_.swap(r.interned_); }
    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;
    ~scope() { kept_.swap(reader_.interned_); }

   private:
    attribute_builder& reader_;
    std::unordered_map<std::string_view, rlx_string> kept_;
  };

  // A scalar as its form tells. Texts are kept already.
  struct element {
    rlx_attribute_type type;  // U64 (not negative), I64 (negative), F64, BOOL, TEXT, or 0: null
    std::uint64_t bits;
    rlx_string text;
  };
  // Typed by their form. Throws line_error where an array's elements have no common type.
  static rlx_attribute scalar(const rlx_string& name, const element& e);
  static rlx_attribute array(const rlx_string& name, std::span<const element> elements,
                             std::pmr::memory_resource& memory);
  // Gives attributes that the table lists for that kind their listed types, where the values allow.
  static void give_table_types(std::uint32_t kind, std::span<rlx_attribute> attributes,
                               std::pmr::memory_resource& memory);

 private:
  std::unordered_map<std::string_view, rlx_string> interned_;
};

}  // namespace opscope
