#include "plugin/render/list.hpp"

#include <opscope/units.hpp>

#include "plugin/ledger/json_writer.hpp"
#include "plugin/render/record_json.hpp"
#include "plugin/render/table.hpp"

namespace opscope {

namespace {

constexpr std::size_t rows_held_back = 1'000;

std::string stage_text(const ledger_record& r) {
  return r.pass ? r.stage + ":" + shown_name(*r.pass, 40) : shown_name(r.stage, 40);
}

std::string counted(const figure& f) { return f ? std::to_string(*f) : std::string{}; }

class text_list final : public record_list {
 public:
  text_list(print_function print, std::function<std::string(std::string_view)> emphasis,
            bool with_file)
      : print_{std::move(print)},
        emphasis_{std::move(emphasis)},
        with_file_{with_file},
        table_{columns(with_file)} {}

  void add(const ledger_record& r) override {
    std::vector<std::string> cells{
        shown_name(r.graph, 48),
        shown_name(r.target, 16),
        stage_text(r),
        std::to_string(r.sequence),
        std::to_string(r.totals.nodes),
        r.totals.bytes ? binary_bytes(*r.totals.bytes) : "unknown",
        r.totals.bytes_weights ? binary_bytes(*r.totals.bytes_weights) : "unknown",
        decimal_count(r.totals.flops),
        shown_name(r.compiler_name + " " + r.compiler_version, 32),
        shown_name(r.pipeline, 24),
        shown_name(r.time.substr(0, 19), 32)};
    if (with_file_) cells.push_back(shown_name(r.file, 200) + ":" + std::to_string(r.line));
    table_.add(std::move(cells));
    if (table_.rows() >= rows_held_back) print_rows();
  }
  void finish() override { print_rows(); }

 private:
  static std::vector<column> columns(bool with_file) {
    std::vector<column> all{{"graph", align::left},
                            {"target", align::left},
                            {"stage", align::left},
                            {"seq"},
                            {"nodes"},
                            {"bytes"},
                            {"weights"},
                            {"FLOPs"},
                            {"compiler", align::left},
                            {"pipeline", align::left},
                            {"time (UTC)", align::left}};
    if (with_file) all.push_back({"record", align::left});
    return all;
  }
  void print_rows() {
    if (!has_heading_) {
      std::string heading = table_.heading();
      heading.pop_back();
      print_(emphasis_(heading) + "\n");
    }
    has_heading_ = true;
    print_(table_.take_rows());
  }

  print_function print_;
  std::function<std::string(std::string_view)> emphasis_;
  bool with_file_;
  bool has_heading_ = false;
  text_table table_;
};

class json_list final : public record_list {
 public:
  explicit json_list(print_function print) : print_{std::move(print)} {}
  void add(const ledger_record& r) override {
    out_.clear();
    out_.raw('{');
    write_record_head(out_, r);
    out_.raw("}\n");
    print_(out_.pending());
  }

 private:
  print_function print_;
  json_writer out_;
};

class csv_list final : public record_list {
 public:
  explicit csv_list(print_function print) : print_{std::move(print)} {}
  void add(const ledger_record& r) override {
    print_heading();
    std::string line;
    for (const std::string& field :
         {r.file, std::to_string(r.line), r.graph, r.target, r.stage, r.pass.value_or(""),
          std::to_string(r.sequence), std::to_string(r.totals.nodes), counted(r.totals.bytes),
          counted(r.totals.bytes_read), counted(r.totals.bytes_written),
          counted(r.totals.bytes_weights), counted(r.totals.flops), r.compiler_name,
          r.compiler_version, r.pipeline, r.time, r.source.value_or(""), r.lowered.value_or("")}) {
      if (!line.empty()) line += ',';
      line += csv_field(field);
    }
    print_(line += '\n');
  }
  void finish() override { print_heading(); }

 private:
  void print_heading() {
    if (has_heading_) return;
    has_heading_ = true;
    print_(
        "file,line,graph,target,stage,pass,seq,nodes,bytes,bytes_read,bytes_written,bytes_weights,"
        "flops,compiler,compiler_version,pipeline,time,source,lowered\n");
  }
  print_function print_;
  bool has_heading_ = false;
};

}  // namespace

std::unique_ptr<record_list> text_record_list(print_function print,
                                              std::function<std::string(std::string_view)> emphasis,
                                              bool with_file) {
  return std::make_unique<text_list>(std::move(print), std::move(emphasis), with_file);
}
std::unique_ptr<record_list> json_record_list(print_function print) {
  return std::make_unique<json_list>(std::move(print));
}
std::unique_ptr<record_list> csv_record_list(print_function print) {
  return std::make_unique<csv_list>(std::move(print));
}

}  // namespace opscope
