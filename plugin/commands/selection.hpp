// Which records of which files a command line asks for: `file`, `folder`, `-`, `file#graph@stage`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <opscope/ledger_reader.hpp>

namespace opscope {

// Empty members select everything.
struct record_filter {
  std::string graph;
  std::string stage;
  std::string target;
  bool matches(const ledger_record& r) const;
};

struct ledger_argument {
  std::string place;
  record_filter filter;
};

// Splits `place#graph@stage`, of which only place must be there. A '#' that is part of an existing
// file's name stays in it.
ledger_argument parse_ledger_argument(const std::string& argument);

// The records that a command line asks for, without their nodes; those are read one record at a
// time.
class record_selection {
 public:
  // The newest record by its time (of equal times the last) of each graph, target, stage and pass,
  // in the order of their first records; or every record. Throws ledger_error where nothing
  // matches.
  record_selection(const std::vector<std::string>& arguments, const record_filter& filter,
                   bool every_record, note_function note);

  const std::vector<ledger_record>& records() const { return records_; }
  std::uint64_t lines_left_out() const { return lines_left_out_; }  // that were no record
  // Records that a newer one of the same graph, target, stage and pass stands for.
  std::uint64_t superseded() const { return superseded_; }
  // The record again, with its nodes. Throws ledger_error where it has none, or is gone.
  ledger_record load(const ledger_record& r);

 private:
  std::vector<ledger_record> records_;
  std::uint64_t lines_left_out_ = 0;
  std::uint64_t superseded_ = 0;
  std::optional<ledger_reader> standard_input_;
  note_function note_;
};

}  // namespace opscope
