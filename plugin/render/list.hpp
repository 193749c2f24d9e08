// One line a record, in three formats. Holds a bounded number of records back for the columns'
// widths, so that a ledger of any length is listed in constant memory.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <opscope/ledger_reader.hpp>

namespace opscope {

class record_list {
 public:
  virtual ~record_list() = default;
  virtual void add(const ledger_record& r) = 0;
  virtual void finish() {}
};

using print_function = std::function<void(std::string_view)>;

// `emphasis` decorates the heading. `with_file` adds a column with file and line.
std::unique_ptr<record_list> text_record_list(print_function print,
                                              std::function<std::string(std::string_view)> emphasis,
                                              bool with_file);
std::unique_ptr<record_list> json_record_list(print_function print);  // an object a line
std::unique_ptr<record_list> csv_record_list(print_function print);

}  // namespace opscope
