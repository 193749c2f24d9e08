// Turns a record's members other than `nodes` into a ledger_record.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <opscope/ledger_reader.hpp>

namespace opscope {

class header_parser {
 public:
  header_parser();
  ~header_parser();
  // `json` is the record as an object without `nodes`; it may be extended by padding. Returns the
  // record without place and nodes; `outputs` are the graph's. Throws line_error.
  ledger_record parse(std::string& json, std::vector<std::uint32_t>& outputs);

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace opscope
