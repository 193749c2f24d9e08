#include "host/read/scan.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <cstring>
#include <limits>
#include <utility>

#include "host/error.hpp"
#include "host/read/op.hpp"
#include "host/read/reader.hpp"

namespace rlx::json {

namespace {

// Thrown where the text departs from RLX's layout. Once a module at most.
struct departure {};

// The first of the bytes a, b, c from `p` on, or with `controls` a byte below 0x20. There is one:
// the padding is zero, and quotes are only looked for with `controls`.
template <char a, char b, char c, bool controls>
const char* find_any(const char* p) {
#if defined(__SSE2__)
  while (true) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    __m128i hit = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(a)),
                               _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(b)),
                                            _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c))));
    if constexpr (controls) {
      const __m128i limit = _mm_set1_epi8(0x1f);
      hit = _mm_or_si128(hit, _mm_cmpeq_epi8(_mm_min_epu8(bytes, limit), bytes));
    }
    const int mask = _mm_movemask_epi8(hit);
    if (mask != 0) return p + __builtin_ctz(static_cast<unsigned>(mask));
    p += 16;
  }
#else
  while (*p != a && *p != b && *p != c && (!controls || static_cast<unsigned char>(*p) >= 0x20)) {
    ++p;
  }
  return p;
#endif
}

// Whether `text` starts with the literal, in words: a call costs more than comparing.
template <std::size_t n>
inline bool starts_with(const char* text, const char (&literal)[n]) {
  constexpr std::size_t size = n - 1;
  const auto differs = [&]<class Word>(Word, std::size_t at) {
    Word a = 0;
    Word b = 0;
    std::memcpy(&a, text + at, sizeof a);
    std::memcpy(&b, literal + at, sizeof b);
    return a != b;
  };
  std::size_t at = 0;
  for (; at + 8 <= size; at += 8) {
    if (differs(std::uint64_t{}, at)) return false;
  }
  if constexpr (size % 8 == 0) return true;
  // The last words may overlap what was compared.
  if constexpr (size >= 8) return !differs(std::uint64_t{}, size - 8);
  if constexpr (size % 8 >= 4) {
    return !differs(std::uint32_t{}, at) && !differs(std::uint32_t{}, size - 4);
  }
  for (; at < size; ++at) {
    if (text[at] != literal[at]) return false;
  }
  return true;
}

class scanner {
 public:
  scanner(const buffer& b, std::shared_ptr<storage> store)
      : p_{b.data.get()}, text_{b.text()}, store_{std::move(store)} {}

  module read() {
    module m{level::mir, graph{store_}, std::nullopt};
    const bool is_lir = take("{\"mir\":{\"inner\":");
    if (is_lir) {
      m.level = level::lir;
      depth_ = 2;
    }
    read_graph(m.graph);
    if (is_lir) {
      expect("},\"buffers\":");
      m.plan = read_plan(m.graph);
    }
    while (p_ < end() && is_space(*p_)) ++p_;
    if (p_ != end()) throw departure{};
    m.notes = std::move(notes_).take();
    return m;
  }

 private:
  const char* end() const { return text_.data() + text_.size(); }

  // Literals are short enough for the padding to cover them.
  template <std::size_t n>
  bool take(const char (&literal)[n]) {
    if (!starts_with(p_, literal)) return false;
    p_ += n - 1;
    return true;
  }
  template <std::size_t n>
  void expect(const char (&literal)[n]) {
    if (!take(literal)) throw departure{};
  }

  std::uint64_t number() {
    const char* const first = p_;
    const char* p = first;
    std::uint64_t value = 0;
    while (true) {
      const auto digit = static_cast<unsigned char>(*p - '0');
      if (digit > 9) break;
      value = value * 10 + digit;
      ++p;
    }
    p_ = p;
    const auto digits = p - first;
    if (digits == 0 || (digits > 1 && *first == '0')) throw departure{};
    if (digits <= 19) return value;
    const auto exact = parse_u64({first, static_cast<std::size_t>(digits)});
    if (!exact) throw departure{};
    return *exact;
  }
  std::uint32_t number_below(std::uint64_t limit) {
    const std::uint64_t n = number();
    if (n >= limit) throw departure{};
    return static_cast<std::uint32_t>(n);
  }
  static constexpr std::uint64_t any_u32 = std::uint64_t{1} << 32;

  // The rest of a string whose opening quote is taken.
  std::string_view string_rest() {
    const char* const first = p_;
    p_ = find_any<'"', '"', '\\', true>(p_);
    if (*p_ != '"') throw departure{};
    return {first, static_cast<std::size_t>(p_++ - first)};
  }
  std::string_view string() {
    expect("\"");
    return string_rest();
  }
  std::optional<std::string_view> optional_string() {
    if (take("null")) return std::nullopt;
    return string();
  }

  // A list of numbers below `limit`, its bracket taken.
  void ids(std::uint64_t limit, std::vector<std::uint32_t>& out) {
    if (take("]")) return;
    do {
      out.push_back(number_below(limit));
    } while (take(","));
    expect("]");
  }

  // The text of the object at p_, by its braces alone: whether it is one is for the reader of
  // operations to say, who sees each text once.
  std::string_view object_text() {
    const char* const first = p_;
    std::size_t depth = 0;
    while (true) {
      p_ = find_any<'"', '{', '}', true>(p_);
      const char c = *p_++;
      if (c == '{') {
        ++depth;
      } else if (c == '}') {
        if (--depth == 0) return {first, static_cast<std::size_t>(p_ - first)};
      } else if (c == '"') {
        while (true) {
          p_ = find_any<'"', '"', '\\', true>(p_);
          const char s = *p_++;
          if (s == '"') break;
          if (s != '\\') throw departure{};
          ++p_;  // whatever is escaped, it is no end of the string
          if (p_ > end()) throw departure{};
        }
      } else {
        throw departure{};
      }
    }
  }

  op_id operation(node_id node) {
    const char* const first = p_;
    if (take("\"")) {
      string_rest();
    } else if (*p_ == '{') {
      object_text();
    } else {
      throw departure{};
    }
    const std::string_view raw{first, static_cast<std::size_t>(p_ - first)};
    if (const op_id leaf = named_leaf(raw); leaf != storage::no_op) return leaf;
    if (const op_id known = store_->find_op(raw); known != storage::no_op) return known;
    if (raw.front() == '"') return read_op(*store_, raw);
    document doc{raw};
    context c{doc, *store_, notes_};
    od::object o = doc.root();
    const place at = place::node(place{}, node);
    // A module holds a list of nodes that hold operations.
    const op_id id = read_operation(c, o, raw, place::member(at, "op"), {depth_ + 3, 0});
    doc.expect_end();
    return id;
  }

  // `{"Param":{"name":".."}}` and the same of Input: the operations of which each is another one.
  op_id named_leaf(std::string_view raw) {
    constexpr std::string_view heads[] = {"{\"Param\":{\"name\":\"", "{\"Input\":{\"name\":\""};
    constexpr std::uint32_t kinds[] = {RLX_KIND_Param, RLX_KIND_Input};
    constexpr std::string_view texts[] = {"Param", "Input"};
    for (std::size_t i = 0; i < std::size(heads); ++i) {
      if (!raw.starts_with(heads[i]) || !raw.ends_with("\"}}")) continue;
      std::string_view name = raw.substr(heads[i].size());
      name.remove_suffix(3);
      // A quote or an escape inside it: something else.
      if (name.find('"') != name.npos || name.find('\\') != name.npos) return storage::no_op;
      auto& attributes = store_->attributes();
      if (attributes.size() >= std::numeric_limits<std::uint32_t>::max()) throw departure{};
      rlx_attribute a{};
      a.name = {"name", 4};
      a.type = RLX_ATTRIBUTE_TEXT;
      a.count = 1;
      a.value.text = {name.data(), name.size()};
      operation_record o{};
      o.kind = kinds[i];
      o.kind_text = texts[i];
      o.json = raw;
      o.attributes_begin = static_cast<std::uint32_t>(attributes.size());
      o.attribute_count = 1;
      o.nested_begin = static_cast<std::uint32_t>(store_->nested().size());
      attributes.push_back(a);
      return store_->add_op(o);
    }
    return storage::no_op;
  }
  using operation_record = rlx::operation;

  shape_view shape() {
    dims_.clear();
    shape_view s;
    expect("{\"dims\":[");
    if (!take("]")) {
      do {
        if (dims_.size() == RLX_MAX_RANK) throw departure{};
        if (take("{\"Static\":")) {
          dims_.push_back(number());
        } else {
          expect("{\"Dynamic\":");
          s.dynamic_dims |= std::uint64_t{1} << dims_.size();
          dims_.push_back(number_below(any_u32));
        }
        expect("}");
      } while (take(","));
      expect("]");
    }
    expect(",\"dtype\":");
    s.dtype = dtype_number(string());
    expect("}");
    s.dims = dims_;
    return s;
  }

  // The same as before, mostly.
  std::uint32_t dtype_number(std::string_view text) {
    if (last_dtype_.data() == nullptr || text != last_dtype_) {
      last_dtype_number_ = store_->dtype_number(text);
      last_dtype_ = text;
    }
    return last_dtype_number_;
  }

  origin_id origin_of_node(graph& g) {
    if (take("null")) return no_origin;
    origin from;
    expect("{\"hir\":");
    if (!take("null")) from.hir = number_below(any_u32);
    expect(",\"label\":");
    from.label = optional_string();
    expect(",\"pass\":");
    from.pass = optional_string();
    expect("}");
    return g.intern_origin(from);
  }

  void read_node(graph& g) {
    const node_id id = g.size();
    expect("{\"id\":");
    if (number() != id) throw departure{};
    expect(",\"op\":");
    const op_id op = operation(id);
    expect(",\"inputs\":[");
    inputs_.clear();
    ids(id, inputs_);
    expect(",\"shape\":");
    const shape_view s = shape();
    expect(",\"name\":");
    const auto name = optional_string();
    expect(",\"origin\":");
    const origin_id from = origin_of_node(g);
    expect("}");
    g.add(op, inputs_, s, name, from);
  }

  void read_graph(graph& g) {
    // RLX's shortest nodes take about this much text; what is reserved too much is never touched.
    const std::size_t nodes = text_.size() / 128 + 1;
    g.reserve(nodes, 2 * nodes, 3 * nodes);
    expect("{\"name\":");
    g.set_name(string());
    expect(",\"nodes\":[");
    if (!take("]")) {
      do {
        read_node(g);
      } while (take(","));
      expect("]");
    }
    expect(",\"outputs\":[");
    std::vector<std::uint32_t> outputs;
    ids(g.size(), outputs);
    expect("}");
    g.set_outputs(std::move(outputs));
  }

  buffer_plan read_plan(const graph& g) {
    const char* const first = p_;
    if (*p_ != '{') throw departure{};
    object_text();
    document doc{{first, static_cast<std::size_t>(p_ - first)}};
    expect("}");
    context c{doc, *store_, notes_};
    od::object o = doc.root();
    buffer_plan plan = json::read_plan(c, o, place::member(place{}, "buffers"), {1, 0}, g);
    doc.expect_end();
    return plan;
  }

  const char* p_;
  std::string_view text_;
  std::shared_ptr<storage> store_;
  unsigned depth_ = 0;  // of the graph, in JSON values
  note_book notes_;
  std::string_view last_dtype_;
  std::uint32_t last_dtype_number_ = 0;
  std::vector<std::uint64_t> dims_;
  std::vector<std::uint32_t> inputs_;
};

}  // namespace

std::optional<module> scan_module(const buffer& b) {
  if (!simdjson::validate_utf8(b.data.get(), b.size)) return std::nullopt;
  auto store = std::make_shared<storage>();
  store->adopt(b.data, b.text());
  try {
    return scanner{b, std::move(store)}.read();
  } catch (const departure&) {
  } catch (const error&) {
    // The general reader says it with the place.
  }
  return std::nullopt;
}

}  // namespace rlx::json
