#include "plugin/ledger/read/header.hpp"

#include <simdjson.h>

#include "plugin/ledger/read/graph_parser.hpp"
#include "plugin/ledger/read/long_number.hpp"

namespace opscope {

namespace {

namespace dom = simdjson::dom;

// A member of an object with the path that messages name it by.
class reader {
 public:
  reader(dom::element e, std::string path) : element_{e}, path_{std::move(path)} {}

  std::optional<reader> find(std::string_view key) const {
    dom::object object;
    if (element_.get(object)) fail("is no object");
    dom::element e;
    if (object.at_key(key).get(e)) return std::nullopt;
    return reader{e, path_.empty() ? std::string{key} : path_ + "." + std::string{key}};
  }
  reader at(std::string_view key) const {
    auto found = find(key);
    if (!found) {
      throw line_error{"the member " + (path_.empty() ? "" : path_ + ".") + std::string{key} +
                       " is missing"};
    }
    return *std::move(found);
  }

  bool is_null() const { return element_.is_null(); }
  std::string text() const {
    std::string_view s;
    if (element_.get(s)) fail("is no text");
    return std::string{s};
  }
  std::optional<std::string> text_or_null() const {
    return is_null() ? std::nullopt : std::optional{text()};
  }
  std::uint64_t count() const {
    std::uint64_t n = 0;
    if (element_.get(n)) fail("is no count (an integer from 0 to 2^64-1)");
    return n;
  }
  figure count_or_null() const { return is_null() ? figure{} : figure{count()}; }
  double real_or_null() const {
    double d = 0;
    if (is_null()) return d;
    if (element_.get(d)) fail("is no number");
    return d;
  }
  text_pairs pairs() const {
    dom::object object;
    if (element_.get(object)) fail("is no object");
    text_pairs all;
    for (const auto field : object) {
      std::string_view value;
      if (field.value.get(value)) fail("holds something that is no text");
      all.emplace_back(std::string{field.key}, std::string{value});
    }
    return all;
  }
  dom::array array() const {
    dom::array a;
    if (element_.get(a)) fail("is no array");
    return a;
  }
  const std::string& path() const { return path_; }

  [[noreturn]] void fail(std::string_view what) const {
    throw line_error{(path_.empty() ? "the line" : "the member " + path_) + " " +
                     std::string{what}};
  }

 private:
  dom::element element_;
  std::string path_;
};

void check_schema(const reader& top) {
  const auto schema = top.find("schema");
  if (!schema) throw line_error{"no ledger record (it has no member schema)"};
  const std::string name = schema->text();
  if (name == ledger_schema) return;
  if (name.starts_with("opscope-ledger/")) {
    throw line_error{"its schema is " + name + ", and this opscope reads " +
                     std::string{ledger_schema} +
                     "; use the opscope that wrote it, or a newer one"};
  }
  throw line_error{"no ledger record (its schema is another one)"};
}

// As the writer makes it, so that the order of the text is that of the times.
std::string read_time(const reader& e) {
  constexpr std::string_view form = "0000-00-00T00:00:00.000000Z";
  std::string time = e.text();
  bool is_time = time.size() == form.size();
  for (std::size_t i = 0; is_time && i < form.size(); ++i) {
    is_time = form[i] == '0' ? time[i] >= '0' && time[i] <= '9' : time[i] == form[i];
  }
  const auto is_within = [&](std::size_t at, std::string_view least, std::string_view most) {
    const std::string_view two = std::string_view{time}.substr(at, 2);
    return least <= two && two <= most;
  };
  is_time = is_time && is_within(5, "01", "12") && is_within(8, "01", "31") &&
            is_within(11, "00", "23") && is_within(14, "00", "59") && is_within(17, "00", "60");
  if (!is_time) e.fail("is no time such as 2026-01-31T23:59:59.000000Z");
  return time;
}

std::string read_stage(const reader& e) {
  std::string stage = e.text();
  if (stage != "source" && stage != "pass" && stage != "lowered") {
    e.fail("is none of source, pass and lowered");
  }
  return stage;
}

opscope::totals read_totals(const reader& t) {
  opscope::totals totals;
  totals.nodes = t.at("nodes").count();
  totals.bytes = t.at("bytes").count_or_null();
  totals.bytes_read = t.at("bytes_read").count_or_null();
  totals.bytes_written = t.at("bytes_written").count_or_null();
  totals.bytes_weights = t.at("bytes_weights").count_or_null();
  totals.flops = t.at("flops").count_or_null();
  totals.intensity = t.at("intensity").real_or_null();
  totals.dynamic_nodes = t.at("dynamic_nodes").count();
  totals.overflow_nodes = t.at("overflow_nodes").count();
  return totals;
}

// `[lo, hi]`, hi null where it is unbounded.
interval read_interval(const reader& e) {
  std::uint64_t lo = 0;
  figure hi;
  std::size_t n = 0;
  for (const dom::element end : e.array()) {
    const reader value{end, e.path()};
    if (n == 0) lo = value.count();
    if (n == 1) hi = value.count_or_null();
    ++n;
  }
  if (n != 2 || (hi && *hi < lo)) e.fail("is no interval [low, high or null]");
  return hi ? interval::between(lo, *hi) : interval::at_least(lo);
}

std::optional<double> read_share(const reader& e) {
  return e.is_null() ? std::nullopt : std::optional{e.real_or_null()};
}

node_need read_node_need(const reader& e) {
  node_need n;
  n.read = read_interval(e.at("read"));
  n.written = read_interval(e.at("written"));
  n.weights = read_interval(e.at("weights"));
  n.work = read_interval(e.at("work"));
  n.contraction = read_interval(e.at("contraction"));
  n.int_ops = read_interval(e.at("int_ops"));
  return n;
}

recorded_need read_need(const reader& totals, std::uint64_t version) {
  recorded_need r;
  r.version = version;
  const reader need = totals.at("need");
  r.totals.read = read_interval(need.at("read"));
  r.totals.written = read_interval(need.at("written"));
  r.totals.weights = read_interval(need.at("weights"));
  r.totals.work = read_interval(need.at("work"));
  r.totals.contraction = read_interval(need.at("contraction"));
  r.totals.invariant = read_interval(need.at("invariant"));
  r.totals.int_ops = read_interval(need.at("int_ops"));
  r.totals.unknown_nodes = need.at("unknown_nodes").count();
  r.totals.graph_io = read_interval(totals.at("graph_io"));
  const reader coverage = totals.at("coverage");
  r.covered_nodes = read_share(coverage.at("nodes"));
  r.covered_bytes = read_share(coverage.at("bytes"));
  return r;
}

memory_figures read_memory(const reader& m) {
  return {m.at("arena_bytes").count_or_null(), m.at("unshared_bytes").count_or_null(),
          m.at("peak_live_bytes").count_or_null(), m.at("views").count()};
}

}  // namespace

struct header_parser::impl {
  dom::parser parser;
};

header_parser::header_parser() : impl_{std::make_unique<impl>()} {}
header_parser::~header_parser() = default;

ledger_record header_parser::parse(std::string& json, std::vector<std::uint32_t>& outputs) {
  const std::size_t size = json.size();
  json.append(simdjson::SIMDJSON_PADDING, ' ');
  dom::element root;
  if (const auto error = impl_->parser.parse(json.data(), size, false).get(root)) {
    if (const auto path = find_long_number(std::string_view{json}.substr(0, size))) {
      throw line_error{"the member " + *path + " holds a number beyond 64 bits"};
    }
    throw line_error{std::string{"not JSON: "} + simdjson::error_message(error)};
  }
  const reader top{root, ""};
  check_schema(top);

  ledger_record r;
  r.opscope_version = top.at("opscope").at("version").text();
  r.rule = top.at("opscope").at("rule").text();
  r.time = read_time(top.at("time"));
  r.graph = top.at("graph").text();
  r.sequence = top.at("seq").count();
  r.stage = read_stage(top.at("stage"));
  r.pass = top.at("pass").text_or_null();
  r.target = top.at("target").text();
  const reader compiler = top.at("compiler");
  r.compiler_name = compiler.at("name").text();
  r.compiler_version = compiler.at("version").text();
  r.pipeline = compiler.at("pipeline").text();
  r.options = compiler.at("options").pairs();
  r.tags = top.at("tags").pairs();
  r.source = top.at("source").text_or_null();
  r.lowered = top.at("lowered").text_or_null();
  r.totals = read_totals(top.at("totals"));
  if (const auto version = top.at("opscope").find("need")) {
    r.need = read_need(top.at("totals"), version->count());
    if (const auto bind = top.at("opscope").find("bind")) {
      std::string problem;
      auto bound = parse_bindings(bind->text(), problem);
      if (!bound) bind->fail("gives no sizes: " + problem);
      r.bound = *std::move(bound);
    }
  }
  r.memory = read_memory(top.at("totals").at("memory"));
  const reader by_kind = top.at("by_kind");
  for (const dom::element e : by_kind.array()) {
    const reader k{e, by_kind.path() + "[" + std::to_string(r.by_kind.size()) + "]"};
    recorded_kind& kind = r.by_kind.emplace_back();
    kind.kind = k.at("kind").text();
    kind.count = k.at("count").count();
    kind.bytes = k.at("bytes").count_or_null();
    kind.flops = k.at("flops").count_or_null();
    if (const auto need = k.find("need")) kind.need = read_node_need(*need);
  }
  outputs.clear();
  if (const auto all = top.find("outputs")) {
    for (const dom::element e : all->array()) {
      const std::uint64_t id = reader{e, all->path()}.count();
      if (id >= std::numeric_limits<std::uint32_t>::max()) all->fail("holds what is no node id");
      outputs.push_back(static_cast<std::uint32_t>(id));
    }
  }
  return r;
}

}  // namespace opscope
