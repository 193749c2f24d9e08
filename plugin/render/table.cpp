#include "plugin/render/table.hpp"

#include <algorithm>

namespace opscope {

std::size_t shown_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string markdown_text(std::string_view text) {
  std::string s;
  for (const char c : text) {
    if (std::string_view{"\\`*_{}[]<>#|~"}.find(c) != std::string_view::npos) s += '\\';
    s += c;
  }
  return s;
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string{text};
  std::string quoted{"\""};
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted += '"';
}

text_table::text_table(std::vector<column> columns) : columns_{std::move(columns)} {
  for (const column& c : columns_) widths_.push_back(shown_width(c.heading));
}

void text_table::add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

void text_table::measure() {
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths_[i] = std::max(widths_[i], shown_width(row[i]));
    }
  }
}

void text_table::append_line(std::string& to, const std::vector<std::string>& cells) const {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i != 0) to += "  ";
    const std::size_t fill = widths_[i] - std::min(widths_[i], shown_width(cells[i]));
    const bool is_last = i + 1 == cells.size();
    if (columns_[i].side == align::right) to.append(fill, ' ');
    to += cells[i];
    if (columns_[i].side == align::left && !is_last) to.append(fill, ' ');
  }
  to += '\n';
}

std::string text_table::heading() {
  measure();
  std::vector<std::string> cells;
  for (const column& c : columns_) cells.emplace_back(c.heading);
  std::string line;
  append_line(line, cells);
  return line;
}

std::string text_table::take_rows() {
  measure();
  std::string lines;
  for (const auto& row : rows_) append_line(lines, row);
  rows_.clear();
  return lines;
}

}  // namespace opscope
