#include "host/lower/bind.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "host/error.hpp"
#include "host/read/op.hpp"
#include "host/read/place.hpp"

namespace rlx {

namespace {

using sizes_by_symbol = std::map<std::uint64_t, std::uint64_t>;

void collect_symbols(const graph& g, std::set<std::uint32_t>& found) {
  for (node_id id = 0; id < g.size(); ++id) {
    const shape_view s = g.shape(id);
    for (std::size_t i = 0; i < s.dims.size(); ++i) {
      if ((s.dynamic_dims >> i & 1) != 0) found.insert(static_cast<std::uint32_t>(s.dims[i]));
    }
    const operation& op = g.operation_of(id);
    for (std::uint32_t i = 0; i < op.nested_count; ++i) {
      collect_symbols(*g.storage().nested()[op.nested_begin + i].body, found);
    }
  }
}

std::string symbols_text(std::span<const std::uint32_t> symbols) {
  if (symbols.empty()) return "it has no dynamic dims";
  std::string text = "its symbols are ";
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    if (i != 0) text += ", ";
    text += std::to_string(symbols[i]);
  }
  return text;
}

// The serde form of an operation with the dims of its nested graphs bound. Nothing but a dim is
// written `{"Dynamic":S}`, and the form is compact, so the text is rewritten as it stands.
std::string bind_json(std::string_view json, const sizes_by_symbol& sizes) {
  constexpr std::string_view dynamic = "{\"Dynamic\":";
  std::string out;
  out.reserve(json.size());
  for (std::size_t i = 0; i < json.size();) {
    if (json[i] == '"') {
      const std::size_t begin = i;
      for (++i; json[i] != '"'; ++i) {
        if (json[i] == '\\') ++i;
      }
      out += json.substr(begin, ++i - begin);
      continue;
    }
    std::uint64_t symbol = 0;
    const std::string_view rest = json.substr(i);
    if (rest.starts_with(dynamic)) {
      const char* const digits = rest.data() + dynamic.size();
      const auto [end, status] = std::from_chars(digits, rest.data() + rest.size(), symbol);
      const auto bound = sizes.find(symbol);
      if (status == std::errc{} && *end == '}' && bound != sizes.end()) {
        out += "{\"Static\":" + std::to_string(bound->second);
        i += static_cast<std::size_t>(end - rest.data());
        continue;
      }
    }
    out += json[i++];
  }
  return out;
}

class binder {
 public:
  explicit binder(const sizes_by_symbol& sizes) : sizes_{sizes} {}

  graph bind(const graph& g) {
    graph out{g.shared_storage(), g.name()};
    std::vector<std::uint64_t> dims;
    std::vector<std::optional<origin_id>> origins;
    for (node_id id = 0; id < g.size(); ++id) {
      const op_id op = bind_op(g.storage(), g.op(id));
      shape_view s = g.shape(id);
      dims.assign(s.dims.begin(), s.dims.end());
      for (std::size_t i = 0; i < dims.size(); ++i) {
        if ((s.dynamic_dims >> i & 1) == 0) continue;
        const auto bound = sizes_.find(dims[i]);
        if (bound == sizes_.end()) continue;
        dims[i] = bound->second;
        s.dynamic_dims &= ~(std::uint64_t{1} << i);
      }
      s.dims = dims;
      const origin_id from = g.origin_of(id);
      if (from >= origins.size()) origins.resize(from + std::size_t{1});
      if (!origins[from]) {
        origins[from] = from == no_origin ? no_origin : out.intern_origin(g.origin_at(from));
      }
      out.add(op, g.inputs(id), s, g.name_of(id), *origins[from]);
    }
    out.set_outputs({g.outputs().begin(), g.outputs().end()});
    return out;
  }

 private:
  op_id bind_op(storage& s, op_id op) {
    if (s.op(op).nested_count == 0) return op;
    const auto [it, is_new] = bound_ops_.try_emplace(op, op);
    if (is_new) it->second = read_op(s, bind_json(s.op(op).json, sizes_));
    return it->second;
  }

  const sizes_by_symbol& sizes_;
  std::unordered_map<op_id, op_id> bound_ops_;
};

}  // namespace

binding parse_binding(std::string_view text) {
  binding b{};
  const char* const end = text.data() + text.size();
  const auto symbol = std::from_chars(text.data(), end, b.symbol);
  if (symbol.ec == std::errc{} && symbol.ptr != end && *symbol.ptr == '=') {
    const auto size = std::from_chars(symbol.ptr + 1, end, b.size);
    if (size.ec == std::errc{} && size.ptr == end) return b;
  }
  throw error{json::quoted(text) +
              " is no binding; write SYMBOL=N, the number of a dynamic dim's symbol and its size"};
}

std::vector<std::uint32_t> dynamic_symbols(const module& m) {
  std::set<std::uint32_t> found;
  collect_symbols(m.hir ? m.hir->blocks : m.graph, found);
  return {found.begin(), found.end()};
}

void bind(module& m, std::span<const binding> bindings) {
  if (bindings.empty()) return;
  if (m.plan) {
    throw error{"the module is lowered already and its plan made; bind the symbols of its source"};
  }
  const std::vector<std::uint32_t> symbols = dynamic_symbols(m);
  sizes_by_symbol sizes;
  for (const binding& b : bindings) {
    if (!std::ranges::binary_search(symbols, b.symbol)) {
      throw error{"the symbol " + std::to_string(b.symbol) + " is not in the module; " +
                  symbols_text(symbols)};
    }
    if (!sizes.emplace(b.symbol, b.size).second) {
      throw error{"the symbol " + std::to_string(b.symbol) + " is bound twice; bind it once"};
    }
  }
  binder bound{sizes};
  if (m.hir) {
    m.hir->blocks = bound.bind(m.hir->blocks);
  } else {
    m.graph = bound.bind(m.graph);
  }
}

}  // namespace rlx
