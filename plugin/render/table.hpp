// Text tables with a heading row: columns as wide as their widest cell, numbers to the right.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace opscope {

enum class align { left, right };

struct column {
  std::string_view heading;
  align side = align::right;
};

class text_table {
 public:
  explicit text_table(std::vector<column> columns);
  void add(std::vector<std::string> cells);  // one cell a column
  std::size_t rows() const { return rows_.size(); }
  void clear_rows() { rows_.clear(); }

  // Widths only grow: later rows of a long table line up where they fit.
  std::string heading();
  std::string take_rows();  // the rows since the last call, one line each

 private:
  void measure();
  void append_line(std::string& to, const std::vector<std::string>& cells) const;
  std::vector<column> columns_;
  std::vector<std::size_t> widths_;
  std::vector<std::vector<std::string>> rows_;
};

// Columns that a terminal needs for the text: code points, without control characters.
std::size_t shown_width(std::string_view text);

// Text in Markdown, in a table too: nothing in it is markup. Control characters are the caller's.
std::string markdown_text(std::string_view text);

// A CSV field (RFC 4180): quoted where it must be.
std::string csv_field(std::string_view text);

}  // namespace opscope
