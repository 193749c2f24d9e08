// Attributes of a recorded node: typed by their JSON form first, then by the table of plugin.h.
#pragma once

#include <rlx/plugin.h>
#include <simdjson.h>

#include <cstdint>
#include <memory_resource>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace opscope {

class attribute_reader {
 public:
  static rlx_string keep(std::pmr::memory_resource& memory, std::string_view text);

  // Texts that many nodes have are kept once per graph. `clear` starts another graph; a `scope`
  // is open while a nested graph, which has a memory of its own, is read.
  rlx_string intern(std::pmr::memory_resource& memory, std::string_view text);
  void clear() { interned_.clear(); }
  class scope {
   public:
    explicit scope(attribute_reader& r) : reader_{r} { kept_.swap(r.interned_); }
    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;
    ~scope() { kept_.swap(reader_.interned_); }

   private:
    attribute_reader& reader_;
    std::unordered_map<std::string_view, rlx_string> kept_;
  };

  // Appends the members of `attrs`, typed by their form. Throws line_error, simdjson_error.
  void read(simdjson::ondemand::object attrs, std::pmr::memory_resource& memory,
            std::vector<rlx_attribute>& to);
  // Gives attributes that the table lists for that kind their listed types, where the values allow.
  void give_table_types(std::uint32_t kind, std::span<rlx_attribute> attributes,
                        std::pmr::memory_resource& memory) const;

 private:
  struct element {
    rlx_attribute_type type;  // 0: null
    std::uint64_t bits;
    rlx_string text;
  };
  element read_element(simdjson::ondemand::value v, std::pmr::memory_resource& memory);
  void read_array(simdjson::ondemand::array values, std::pmr::memory_resource& memory,
                  rlx_attribute& a);

  std::unordered_map<std::string_view, rlx_string> interned_;
  std::vector<element> elements_;
};

}  // namespace opscope
