// The rule's own report, letter for letter as rlx-opscope 0.2.18 prints it. Its units are base
// 1024 under the names KB, MB, GB, TB; nothing else of the project prints those.
#include <array>
#include <opscope/cost.hpp>
#include <opscope/units.hpp>

namespace opscope {

namespace {

constexpr std::string_view unknown_text = "unknown";

std::string scaled(std::uint64_t count, double base, const std::array<std::string_view, 5>& units) {
  auto value = static_cast<double>(count);
  std::size_t unit = 0;
  while (value >= base && unit + 1 < units.size()) {
    value /= base;
    ++unit;
  }
  std::string text = unit == 0 ? std::to_string(count) : fixed_point(value, 2);
  if (!units[unit].empty()) text.append(1, ' ').append(units[unit]);
  return text;
}

void append_right(std::string& out, std::string_view text, std::size_t width) {
  if (text.size() < width) out.append(width - text.size(), ' ');
  out += text;
}

std::string bytes_text(const figure& bytes) {
  return bytes ? human_bytes(*bytes) : std::string{unknown_text};
}

std::string ratio_text(const figure& flops, const figure& bytes) {
  if (!flops || !bytes) return std::string{unknown_text};
  if (*bytes == 0) return fixed_point(0.0, 2);
  return fixed_point(static_cast<double>(*flops) / static_cast<double>(*bytes), 2);
}

// `  {:>10}  {:>8.2} f/B  KIND`
void append_row(std::string& out, const figure& bytes, const figure& flops, std::string_view kind) {
  out += "  ";
  append_right(out, bytes_text(bytes), 10);
  out += "  ";
  append_right(out, ratio_text(flops, bytes), 8);
  out.append(" f/B  ").append(kind);
}

}  // namespace

std::string human_bytes(std::uint64_t bytes) {
  return scaled(bytes, 1024.0, {"B", "KB", "MB", "GB", "TB"});
}

std::string human_count(std::uint64_t count) {
  return scaled(count, 1000.0, {"", "K", "M", "G", "T"});
}

std::string graph_cost::report(std::size_t top) const {
  const opscope::totals& t = totals_;
  std::string out = "bytes moved (lower bound): " + bytes_text(t.bytes);
  out += "   flops: " + (t.flops ? human_count(*t.flops) : std::string{unknown_text});
  out += "   intensity: " + ratio_text(t.flops, t.bytes) + " flop/byte\n";
  if (t.bytes != figure{0}) {
    out += "  of which weights/constants: " + bytes_text(t.bytes_weights) + " (";
    if (t.bytes && t.bytes_weights) {
      out += fixed_point(
          100.0 * static_cast<double>(*t.bytes_weights) / static_cast<double>(*t.bytes), 1);
      out += "%)\n";
    } else {
      out.append(unknown_text).append(")\n");
    }
  }
  out += "\ntop " + std::to_string(top) + " nodes by traffic:\n";
  for (const node_cost* node : top_by_bytes(top)) {
    const rlx_node_info& info = graph_->info(node->id);
    append_row(out, node->bytes(), node->flops(), rlx::text(info.kind_text));
    if (!rlx::is_absent(info.name)) out.append(" [").append(rlx::text(info.name)).append("]");
    out += '\n';
  }
  out += "\nby op kind:\n";
  std::size_t rows = 0;
  for (const kind_cost& kind : by_kind()) {
    if (rows++ == top) break;  // counted before the empty ones are left out, as the crate does
    if (kind.bytes == figure{0}) continue;
    append_row(out, kind.bytes, kind.flops, kind.kind);
    out += '\n';
  }
  return out;
}

}  // namespace opscope
