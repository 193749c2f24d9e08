#include "plugin/render/waterfall.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <opscope/units.hpp>
#include <tuple>

#include "plugin/compare/select.hpp"
#include "plugin/render/table.hpp"

namespace opscope {

namespace {

figure needs_of(const ledger_record& r) {
  return r.need ? figure{r.need->totals.bytes().lo()} : figure{};
}

bool has_same_figures(const ledger_record& a, const ledger_record& b) {
  return a.totals.nodes == b.totals.nodes && a.totals.bytes == b.totals.bytes &&
         a.totals.flops == b.totals.flops && needs_of(a) == needs_of(b);
}

// Whether `next` goes on with the compile that `steps` began.
bool continues(const compile_steps& steps, const ledger_record& next) {
  const ledger_record& last = *steps.back();
  return next.stage != "source" && last.stage != "lowered" && next.source == last.source &&
         next.compiler_name == last.compiler_name &&
         next.compiler_version == last.compiler_version && next.pipeline == last.pipeline &&
         next.options == last.options;
}

std::string counted(const figure& f) { return f ? std::to_string(*f) : "unknown"; }

// With its sign; empty where nothing changed.
std::string change(const figure& before, const figure& after) {
  if (!before || !after) return before == after ? "" : "unknown";
  if (*before == *after) return "";
  return *after > *before ? "+" + std::to_string(*after - *before)
                          : "-" + std::to_string(*before - *after);
}

waterfall_row row_between(std::string step, const ledger_record& a, const ledger_record& b) {
  return {std::move(step), a.totals.nodes, b.totals.nodes, a.totals.bytes, b.totals.bytes,
          a.totals.flops,  b.totals.flops, needs_of(a),    needs_of(b)};
}

std::vector<std::string> cells(const waterfall_row& r) {
  return {shown_name(r.step, 48),
          change(r.nodes_before, r.nodes_after),
          counted(r.bytes_before),
          counted(r.bytes_after),
          change(r.bytes_before, r.bytes_after),
          change(r.flops_before, r.flops_after),
          change(r.needs_before, r.needs_after)};
}

waterfall_row total_row(const compile_steps& steps) {
  return row_between("TOTAL", *steps.front(), *steps.back());
}

void append_figures(json_writer& out, const waterfall_row& r) {
  out.raw("\"nodes\":[");
  out.number(r.nodes_before);
  out.raw(',');
  out.number(r.nodes_after);
  const auto pair = [&](const figure& before, const figure& after) {
    out.count(before);
    out.raw(',');
    out.count(after);
    out.raw(']');
  };
  out.raw("],\"bytes\":[");
  pair(r.bytes_before, r.bytes_after);
  out.raw(",\"flops\":[");
  pair(r.flops_before, r.flops_after);
  out.raw(",\"need_bytes_lo\":[");
  pair(r.needs_before, r.needs_after);
}

}  // namespace

std::vector<compile_steps> find_compiles(const std::vector<ledger_record>& records,
                                         bool every_compile) {
  // Processes that share a file interleave their lines; the sequence number and the source keep
  // their compiles apart.
  using key = std::tuple<std::string, std::string, std::string, std::uint64_t>;
  std::map<key, std::size_t> open;
  std::vector<compile_steps> compiles;
  for (const ledger_record& r : records) {
    const key k{r.file, r.graph, r.target, r.sequence};
    const auto found = open.find(k);
    if (found != open.end() && continues(compiles[found->second], r)) {
      compiles[found->second].push_back(&r);
      continue;
    }
    open[k] = compiles.size();
    compiles.push_back({&r});
  }
  std::erase_if(compiles, [](const compile_steps& c) { return c.size() < 2; });
  if (every_compile) return compiles;
  std::map<std::pair<std::string, std::string>, std::size_t> last;
  for (std::size_t i = 0; i < compiles.size(); ++i) {
    const ledger_record& r = *compiles[i].front();
    const auto [at, is_first] = last.try_emplace({r.graph, r.target}, i);
    if (!is_first && is_newer(r, *compiles[at->second].front())) at->second = i;
  }
  std::vector<compile_steps> newest;
  for (std::size_t i = 0; i < compiles.size(); ++i) {
    if (last[{compiles[i].front()->graph, compiles[i].front()->target}] == i) {
      newest.push_back(std::move(compiles[i]));
    }
  }
  return newest;
}

std::vector<waterfall_row> waterfall_rows(const compile_steps& steps) {
  std::vector<waterfall_row> rows;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const ledger_record& before = *steps[i - 1];
    const ledger_record& after = *steps[i];
    if (after.stage == "lowered" && before.stage == "pass" && has_same_figures(before, after)) {
      continue;  // the last pass made the result
    }
    rows.push_back(row_between(after.pass ? *after.pass : "lowering", before, after));
  }
  return rows;
}

std::string waterfall_text(const compile_steps& steps, const emphasis_function& strong) {
  const ledger_record& first = *steps.front();
  std::string text = strong(shown_name(first.graph) + " for " + shown_name(first.target, 16) +
                            ", pass by pass, by " + shown_name(first.compiler_name, 32) + " " +
                            shown_name(first.compiler_version, 32) + ", pipeline " +
                            shown_name(first.pipeline, 32)) +
                     "\n";
  text_table table{{{"step", align::left},
                    {"nodes"},
                    {"bytes before"},
                    {"bytes after"},
                    {"change"},
                    {"FLOPs change"},
                    {"needs change"}}};
  for (const waterfall_row& r : waterfall_rows(steps)) table.add(cells(r));
  table.add(cells(total_row(steps)));
  text += table.heading();
  text += table.take_rows();
  text += "bytes and FLOPs as " + shown_name(first.rule, 64) +
          " counts; needs: change of the bytes that nodes need at least; steps that changed "
          "nothing are left out\n";
  return text;
}

void waterfall_json(json_writer& out, const compile_steps& steps) {
  const ledger_record& first = *steps.front();
  out.raw("{\"graph\":");
  out.text(first.graph);
  out.raw(",\"target\":");
  out.text(first.target);
  out.raw(",\"pipeline\":");
  out.text(first.pipeline);
  out.raw(",\"steps\":[");
  bool is_first = true;
  for (const waterfall_row& r : waterfall_rows(steps)) {
    if (!is_first) out.raw(',');
    is_first = false;
    out.raw("{\"step\":");
    out.text(r.step);
    out.raw(',');
    append_figures(out, r);
    out.raw('}');
  }
  out.raw("],\"total\":{");
  append_figures(out, total_row(steps));
  out.raw("}}\n");
}

std::string waterfall_csv_heading() {
  return "graph,target,step,nodes_before,nodes_after,bytes_before,bytes_after,flops_before,"
         "flops_after,need_bytes_lo_before,need_bytes_lo_after\n";
}

std::string waterfall_csv(const compile_steps& steps) {
  std::string text;
  for (const waterfall_row& r : waterfall_rows(steps)) {
    text += csv_field(steps.front()->graph) + "," + csv_field(steps.front()->target) + "," +
            csv_field(r.step);
    for (const figure& f :
         std::array<figure, 8>{r.nodes_before, r.nodes_after, r.bytes_before, r.bytes_after,
                               r.flops_before, r.flops_after, r.needs_before, r.needs_after}) {
      text += "," + (f ? std::to_string(*f) : std::string{});
    }
    text += "\n";
  }
  return text;
}

}  // namespace opscope
