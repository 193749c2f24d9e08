#include "plugin/commands/selection.hpp"

#include <filesystem>
#include <map>
#include <tuple>

#include "plugin/compare/select.hpp"

namespace opscope {

bool record_filter::matches(const ledger_record& r) const {
  const auto fits = [](const std::string& wanted, const std::string& is) {
    return wanted.empty() || wanted == is;
  };
  return fits(graph, r.graph) && fits(stage, r.stage) && fits(target, r.target);
}

ledger_argument parse_ledger_argument(const std::string& argument) {
  ledger_argument result{argument, {}};
  std::error_code unreadable;
  if (argument == "-" || std::filesystem::exists(argument, unreadable)) return result;
  const std::size_t hash = argument.rfind('#');
  if (hash == std::string::npos) return result;
  result.place = argument.substr(0, hash);
  std::string name = argument.substr(hash + 1);
  // The last '@' that a stage follows; graph names may hold others.
  if (const std::size_t at = name.rfind('@'); at != std::string::npos) {
    const std::string stage = name.substr(at + 1);
    if (stage == "source" || stage == "pass" || stage == "lowered") {
      result.filter.stage = stage;
      name.resize(at);
    }
  }
  result.filter.graph = name;
  return result;
}

record_selection::record_selection(const std::vector<std::string>& arguments,
                                   const record_filter& filter, bool every_record,
                                   note_function note)
    : note_{std::move(note)} {
  using identity = std::tuple<std::string, std::string, std::string, std::string>;
  std::map<identity, std::size_t> newest;
  std::uint64_t seen = 0;
  std::uint64_t out_of_order = 0;
  const auto choose = [&](ledger_reader& reader, const record_filter& part) {
    while (auto r = reader.next()) {
      ++seen;
      if (!filter.matches(*r) || !part.matches(*r)) continue;
      const identity key{r->graph, r->target, r->stage, r->pass.value_or("")};
      const auto [at, is_new] = newest.try_emplace(key, records_.size());
      if (is_new || every_record) {
        records_.push_back(*std::move(r));
        continue;
      }
      ++superseded_;
      ledger_record& kept = records_[at->second];
      if (is_newer(*r, kept)) {
        kept = *std::move(r);
      } else {
        ++out_of_order;
      }
    }
    lines_left_out_ += reader.skipped_lines();
  };
  for (const std::string& argument : arguments) {
    const ledger_argument parsed = parse_ledger_argument(argument);
    for (const std::string& file : ledger_files(parsed.place)) {
      if (file == "-") {
        if (standard_input_) throw ledger_error{"-: standard input can be read once only"};
        choose(standard_input_.emplace(file, note_, true), parsed.filter);
      } else {
        ledger_reader reader{file, note_};
        choose(reader, parsed.filter);
      }
    }
  }
  if (out_of_order != 0 && note_) {
    note_(std::to_string(out_of_order) +
          (out_of_order == 1 ? " record stands behind a newer one; the newest by its time counts"
                             : " records stand behind newer ones; the newest by its time counts") +
          ", not the last");
  }
  if (!records_.empty()) return;
  std::string what;
  for (const std::string& a : arguments) what.append(what.empty() ? "" : ", ").append(a);
  if (seen == 0) throw ledger_error{what + ": there is no record in it"};
  throw ledger_error{what + ": none of its " + std::to_string(seen) +
                     (seen == 1 ? " record" : " records") +
                     " is the one asked for; `opscope list` shows what is there"};
}

ledger_record record_selection::load(const ledger_record& r) {
  const std::string where = r.file + ":" + std::to_string(r.line);
  if (!r.has_nodes) {
    throw ledger_error{where +
                       ": the record has no nodes (OPSCOPE_NODES=0 left them out); write "
                       "it again with them, or use --by kind"};
  }
  std::optional<ledger_record> whole;
  if (standard_input_ && r.file == "stdin") {
    whole = standard_input_->read_at(r.offset, r.line);
  } else {
    ledger_reader reader{r.file, note_};
    whole = reader.read_at(r.offset, r.line);
  }
  if (!whole) throw ledger_error{where + ": the record's nodes cannot be read"};
  return *std::move(whole);
}

}  // namespace opscope
