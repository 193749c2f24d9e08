// fp1: the fingerprint of a graph, as fingerprint.md specifies it. Any change of a value made here
// is another prefix.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <vector>

#include <opscope/ledger.hpp>

#include "plugin/ledger/hash.hpp"
#include "plugin/ledger/kinds.hpp"
#include "plugin/ledger/short_hash.hpp"

namespace opscope {

namespace {

using hashes = detail::array<hash128>;

// Little-endian bytes to be hashed; texts and lists carry their length in front.
class encoder {
 public:
  void clear() { size_ = 0; }
  void u8(std::uint8_t v) { put(&v, sizeof v); }
  void u32(std::uint32_t v) { put(&v, sizeof v); }
  void u64(std::uint64_t v) { put(&v, sizeof v); }
  void hash(const hash128& h) {
    u64(h.low);
    u64(h.high);
  }
  void text(std::string_view s) {
    u64(s.size());
    if (!s.empty()) put(s.data(), s.size());
  }
  hash128 digest() const { return hash_bytes({bytes_.data(), size_}); }

 private:
  void put(const void* data, std::size_t size) {
    if (bytes_.size() - size_ < size) [[unlikely]]
      grow(size);
    std::memcpy(bytes_.data() + size_, data, size);
    size_ += size;
  }
  __attribute__((noinline)) void grow(std::size_t size) {
    bytes_.resize(std::max(2 * bytes_.size(), size_ + size));
  }
  std::vector<char> bytes_ = std::vector<char>(1024);
  std::size_t size_ = 0;
};

// The hashes of one graph that its dynamic symbols are told apart by, kept only where there are
// dynamic dims in it or below it.
struct scope {
  struct body {
    std::uint32_t node;
    std::uint32_t position;  // among the nested graphs of that node
    std::unique_ptr<scope> inner;
  };
  hashes down;
  std::vector<body> bodies;
  bool is_dynamic = false;
};

enum tag : std::uint8_t {
  tag_natural = 1,
  tag_negative,
  tag_real,
  tag_bool,
  tag_text,
  tag_bytes,
  tag_json
};
constexpr std::uint8_t tag_array = 0x80;

class fingerprinter {
 public:
  hash128 run(const rlx::graph_view& g) {
    scope top;
    const hash128 structure = graph(g, false, top);
    hash128 symbols;
    std::uint64_t symbol_count = 0;
    if (top.is_dynamic) {
      add_symbols(g, top, hash128{});
      symbol_count = symbols_.size();
      for (const auto& [symbol, uses] : symbols_) {
        bytes_.clear();
        bytes_.hash(uses);
        symbols += bytes_.digest();
      }
    }
    bytes_.clear();
    bytes_.text("fp1");
    bytes_.hash(structure);
    bytes_.u64(symbol_count);
    bytes_.hash(symbols);
    return bytes_.digest();
  }

 private:
  // The graph is the multiset of its nodes' colours and the row of its outputs'. A round colours
  // every node by two sweeps: upward by all that it is computed from, downward by all that it is
  // used for. One round does not tell which of two equal operands the other users of a third one
  // hang on; further rounds, each on the colours of the one before, carry that along.
  static constexpr int rounds = 3;

  hash128 graph(const rlx::graph_view& g, bool is_nested, scope& s) {
    const hashes local = hash_nodes(g, is_nested, s);
    hashes colours;
    colours.resize(g.size(), hash128{});
    hashes uses;
    uses.resize(g.size(), hash128{});
    for (int round = 0; round < rounds; ++round) {
      colour_upward(g, local, colours);
      colour_downward(g, colours, uses);
    }
    hash128 all;
    for (const hash128& colour : colours) all += colour;
    bytes_.clear();
    bytes_.u8(4);
    bytes_.u64(g.size());
    bytes_.hash(all);
    bytes_.u64(g.outputs().size());
    for (const std::uint32_t output : g.outputs()) bytes_.hash(colours[output]);
    const hash128 result = bytes_.digest();
    if (s.is_dynamic) s.down = std::move(colours);
    return result;
  }

  // Each node by itself: operation and shape.
  hashes hash_nodes(const rlx::graph_view& g, bool is_nested, scope& s) {
    hashes local;
    local.resize(g.size());
    std::uint32_t input_ordinal = 0;
    for (std::uint32_t id = 0; id < g.size(); ++id) {
      const rlx_node& n = g.node(id);
      const hash128 operation = hash_operation(g, id, s);
      bytes_.clear();
      bytes_.hash(operation);
      // Operands of the outer node bind to a body's Inputs by their order.
      const bool is_bound = is_nested && n.kind == RLX_KIND_Input;
      bytes_.u32(is_bound ? ++input_ordinal : 0);
      bytes_.u32(n.rank);
      bytes_.u64(n.dynamic_dims);
      std::uint32_t d = 0;
      for (const std::uint64_t size : g.dims(n)) {
        const bool is_dynamic = ((n.dynamic_dims >> d++) & 1) != 0;
        bytes_.u64(is_dynamic ? 0 : size);
        s.is_dynamic |= is_dynamic;
      }
      local[id] = bytes_.digest();
    }
    return local;
  }

  // In place: colours[id] is the last round's until its turn comes.
  void colour_upward(const rlx::graph_view& g, const hashes& local, hashes& colours) {
    for (std::uint32_t id = 0; id < g.size(); ++id) {
      const rlx_node& n = g.node(id);
      constexpr std::uint32_t few = 8;
      if (n.input_count <= few) {
        char bytes[36 + 16 * few];
        std::memcpy(bytes, &local[id], 16);
        std::memcpy(bytes + 16, &colours[id], 16);
        std::memcpy(bytes + 32, &n.input_count, 4);
        char* end = bytes + 36;
        for (const std::uint32_t input : g.inputs(n)) {
          std::memcpy(end, &colours[input], 16);
          end += 16;
        }
        colours[id] = hash_bytes({bytes, static_cast<std::size_t>(end - bytes)});
        continue;
      }
      bytes_.clear();
      bytes_.hash(local[id]);
      bytes_.hash(colours[id]);
      bytes_.u32(n.input_count);
      for (const std::uint32_t input : g.inputs(n)) bytes_.hash(colours[input]);
      colours[id] = bytes_.digest();
    }
  }

  // `uses` is all zero before and after.
  void colour_downward(const rlx::graph_view& g, hashes& colours, hashes& uses) {
    std::uint64_t position = 0;
    for (const std::uint32_t output : g.outputs()) {
      bytes_.clear();
      bytes_.u8(1);
      bytes_.u64(position++);
      uses[output] += bytes_.digest();
    }
    for (std::uint32_t id = g.size(); id-- > 0;) {
      const hash128 colour = hash_short(2, colours[id], uses[id]);
      colours[id] = colour;
      uses[id] = {};
      std::uint32_t operand = 0;
      for (const std::uint32_t input : g.inputs(g.node(id))) {
        uses[input] += hash_short(3, operand++, colour);
      }
    }
  }

  // Kind, dtype, attributes and nested graphs: what does not depend on the node's place. Hosts let
  // equal operations share their attributes, and leaves have nothing but a name, so that most are
  // found where they were hashed before.
  hash128 hash_operation(const rlx::graph_view& g, std::uint32_t id, scope& s) {
    if (g.info(id).nested_count != 0) return hash_new_operation(g, id, s);
    const rlx_node& n = g.node(id);
    operation_key key{g.raw().attributes, g.info(id).attributes_begin, g.info(id).attribute_count,
                      n.kind, n.dtype};
    if (has_name_alone(g, id)) key.begin = key.count = 0;
    const std::uint32_t mixed = (key.begin * 31 + key.count) * 0x9E3779B1u ^
                                (key.kind * 0x85EBCA6Bu) ^ (key.dtype * 0xC2B2AE35u);
    known_operation& known = known_[(mixed >> 16 ^ mixed) % known_.size()];
    if (!known.is_set || known.key != key) known = {key, hash_new_operation(g, id, s), true};
    return known.hash;
  }

  static bool is_named_leaf(std::uint32_t kind) {
    return kind == RLX_KIND_Input || kind == RLX_KIND_Param;
  }
  static bool has_name_alone(const rlx::graph_view& g, std::uint32_t id) {
    return g.info(id).attribute_count == 0 ||
           (g.info(id).attribute_count == 1 && is_named_leaf(g.node(id).kind) &&
            rlx::text(g.attributes(id)[0].name) == "name");
  }

  hash128 hash_new_operation(const rlx::graph_view& g, std::uint32_t id, scope& s) {
    const rlx_node& n = g.node(id);
    const rlx_node_info& info = g.info(id);
    std::vector<hash128> bodies;
    std::uint32_t position = 0;
    for (const rlx_nested_graph& nested : g.nested(id)) {
      auto inner = std::make_unique<scope>();
      const rlx::graph_view body{*nested.graph};
      const hash128 content = graph(body, true, *inner);
      bytes_.clear();
      bytes_.text(rlx::text(nested.role));
      bytes_.hash(content);
      bodies.push_back(bytes_.digest());
      if (inner->is_dynamic) {
        s.is_dynamic = true;
        s.bodies.push_back({id, position, std::move(inner)});
      }
      ++position;
    }
    const std::string_view listed_kind = kind_name(n.kind);
    const std::string_view listed_dtype = dtype_name(n.dtype);
    bytes_.clear();
    bytes_.text(listed_kind.empty() ? rlx::text(info.kind_text) : listed_kind);
    bytes_.text(listed_dtype.empty() ? rlx::text(info.dtype_text) : listed_dtype);
    encode_attributes(g, id);
    bytes_.u64(bodies.size());
    for (const hash128& body : bodies) bytes_.hash(body);
    return bytes_.digest();
  }

  void encode_attributes(const rlx::graph_view& g, std::uint32_t id) {
    const std::uint32_t kind = g.node(id).kind;
    attributes_.clear();
    for (const rlx_attribute& a : g.attributes(id)) {
      if (is_named_leaf(kind) && rlx::text(a.name) == "name") continue;
      if (is_at_default(kind, a)) continue;
      attributes_.push_back(&a);
    }
    std::stable_sort(attributes_.begin(), attributes_.end(),
                     [](const rlx_attribute* a, const rlx_attribute* b) {
                       return rlx::text(a->name) < rlx::text(b->name);
                     });
    bytes_.u64(attributes_.size());
    for (const rlx_attribute* a : attributes_) {
      bytes_.text(rlx::text(a->name));
      encode_value(*a);
    }
  }

  // By value, whatever the width or signedness it travels in.
  void encode_integer(std::uint64_t bits, bool is_signed) {
    const bool is_negative = is_signed && static_cast<std::int64_t>(bits) < 0;
    bytes_.u8(is_negative ? tag_negative : tag_natural);
    bytes_.u64(bits);
  }

  void encode_value(const rlx_attribute& a) {
    switch (a.type) {
      case RLX_ATTRIBUTE_U64:
      case RLX_ATTRIBUTE_I64:
        return encode_integer(a.value.u64, a.type == RLX_ATTRIBUTE_I64);
      case RLX_ATTRIBUTE_F64:
        bytes_.u8(tag_real);
        return bytes_.u64(std::bit_cast<std::uint64_t>(a.value.f64));
      case RLX_ATTRIBUTE_BOOL:
        bytes_.u8(tag_bool);
        return bytes_.u8(a.value.u64 != 0 ? 1 : 0);
      case RLX_ATTRIBUTE_TEXT:
        bytes_.u8(tag_text);
        return bytes_.text(rlx::text(a.value.text));
      case RLX_ATTRIBUTE_BYTES:
        bytes_.u8(tag_bytes);
        return bytes_.u64(a.value.u64);
      case RLX_ATTRIBUTE_JSON:
        bytes_.u8(tag_json);
        return bytes_.text(rlx::text(a.value.text));
      default:
        return encode_array(a);
    }
  }

  void encode_array(const rlx_attribute& a) {
    bytes_.u8(tag_array);
    bytes_.u64(a.count);
    const std::uint32_t element = a.type & ~RLX_ATTRIBUTE_ARRAY;
    for (std::uint64_t i = 0; i < a.count; ++i) {
      switch (element) {
        case RLX_ATTRIBUTE_U64:
          encode_integer(a.value.u64s[i], false);
          break;
        case RLX_ATTRIBUTE_I64:
          encode_integer(static_cast<std::uint64_t>(a.value.i64s[i]), true);
          break;
        case RLX_ATTRIBUTE_F64:
          bytes_.u8(tag_real);
          bytes_.u64(std::bit_cast<std::uint64_t>(a.value.f64s[i]));
          break;
        case RLX_ATTRIBUTE_BOOL:
          bytes_.u8(tag_bool);
          bytes_.u8(a.value.u64s[i] != 0 ? 1 : 0);
          break;
        case RLX_ATTRIBUTE_TEXT:
          bytes_.u8(tag_text);
          bytes_.text(rlx::text(a.value.texts[i]));
          break;
        default:  // a type of a later contract: its values cannot be read
          bytes_.u8(0);
          bytes_.u32(a.type);
          break;
      }
    }
  }

  // A symbol is the multiset of the dims it stands for, so that its number does not matter. Nested
  // graphs share the symbols of the graph around them.
  void add_symbols(const rlx::graph_view& g, const scope& s, const hash128& place) {
    for (std::uint32_t id = 0; id < g.size(); ++id) {
      const rlx_node& n = g.node(id);
      if (n.dynamic_dims == 0) continue;
      std::uint32_t d = 0;
      for (const std::uint64_t symbol : g.dims(n)) {
        if (((n.dynamic_dims >> d) & 1) != 0) {
          bytes_.clear();
          bytes_.u8(5);
          bytes_.hash(place);
          bytes_.hash(s.down[id]);
          bytes_.u32(d);
          symbols_[symbol] += bytes_.digest();
        }
        ++d;
      }
    }
    for (const scope::body& b : s.bodies) {
      bytes_.clear();
      bytes_.u8(6);
      bytes_.hash(place);
      bytes_.hash(s.down[b.node]);
      bytes_.u32(b.position);
      const hash128 inner_place = bytes_.digest();
      const rlx::graph_view inner{*g.nested(b.node)[b.position].graph};
      add_symbols(inner, *b.inner, inner_place);
    }
  }

  struct operation_key {
    const rlx_attribute* attributes = nullptr;  // of the graph
    std::uint32_t begin = 0;
    std::uint32_t count = 0;
    std::uint32_t kind = 0;
    std::uint32_t dtype = 0;
    friend bool operator==(const operation_key&, const operation_key&) = default;
  };
  struct known_operation {
    operation_key key;
    hash128 hash;
    bool is_set = false;
  };
  std::array<known_operation, 1024> known_{};

  encoder bytes_;
  std::vector<const rlx_attribute*> attributes_;
  std::unordered_map<std::uint64_t, hash128> symbols_;
};

}  // namespace

std::string fingerprint(const rlx::graph_view& graph) {
  return "fp1:" + to_hex(fingerprinter{}.run(graph));
}

}  // namespace opscope
