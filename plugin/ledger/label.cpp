// One sweep in node order; all that is remembered of a node is which parameters it stands for and
// how far it is from one.
#include "plugin/ledger/label.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>

#include "plugin/ledger/kinds.hpp"

namespace opscope {

namespace {

// A parameter that this many nodes read is part of no single layer: a rope table, a zero beta.
// Two or three readers are a tied embedding, or the passes of training.
constexpr std::uint32_t shared_from_readers = 4;
// Parameters smaller than the largest by more than this factor do not name a node.
constexpr std::uint64_t smallest_share = 64;
constexpr std::size_t most_candidates = 64;
constexpr std::size_t most_alternatives = 8;

std::uint64_t stored_bytes(const rlx::graph_view& g, const rlx_node& n) {
  std::uint64_t bytes = rlx::dtype_bytes(n.dtype).value_or(1);
  if (n.dynamic_dims != 0) return 0;
  for (const std::uint64_t d : g.dims(n)) {
    if (__builtin_mul_overflow(bytes, d, &bytes)) return std::numeric_limits<std::uint64_t>::max();
  }
  return bytes;
}

// A result that is not fixed by the operands.
bool is_random(std::uint32_t kind) {
  return kind == RLX_KIND_Sample || kind == RLX_KIND_RngNormal || kind == RLX_KIND_RngUniform;
}

std::string_view without_role(std::string_view name) {
  for (const std::string_view role : {".weight", ".bias"}) {
    if (name.size() > role.size() && name.ends_with(role)) {
      return name.substr(0, name.size() - role.size());
    }
  }
  return name;
}

std::string_view layer_path(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : name.substr(0, dot);
}

bool is_inside(std::string_view name, std::string_view outer) {
  return name.size() > outer.size() && name[outer.size()] == '.' && name.starts_with(outer);
}

bool is_separator(char c) { return c == '.' || c == '_' || c == '-' || c == '/' || c == ':'; }

std::size_t common_prefix(std::string_view a, std::string_view b) {
  const std::size_t n = std::min(a.size(), b.size());
  return static_cast<std::size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(n), b.begin()).first -
      a.begin());
}

std::size_t common_suffix(std::string_view a, std::string_view b) {
  const std::size_t n = std::min(a.size(), b.size());
  std::size_t i = 0;
  while (i < n && a[a.size() - 1 - i] == b[b.size() - 1 - i]) ++i;
  return i;
}

}  // namespace

std::string label::text() const {
  std::string s{path};
  if (!kind.empty()) {
    if (!s.empty()) s += '.';
    s += kind;
  }
  return s;
}

class labeller {
 public:
  labeller(const rlx::graph_view& g, label_table& table) : g_{g}, table_{table} {
    facts_.resize(g.size(), fact{});
    table_.labels_.resize(g.size(), label{});
  }

  void run() {
    count_readers();
    for (std::uint32_t id = 0; id < g_.size(); ++id) visit(id);
  }

 private:
  enum class origin : std::uint8_t { none, input, parameter };

  struct fact {
    std::string_view layer;           // what its users put in front of their kind
    std::uint64_t bytes = 0;          // of the largest parameter it stands for
    std::uint32_t members_begin = 0;  // parameters: an invariant node stands for these
    std::uint32_t member_count = 0;
    std::uint32_t readers = 0;
    std::uint32_t last_reader = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t distance = 0;  // steps to the node whose name made `layer`
    std::uint32_t level = 0;     // longest way from a leaf
    std::uint32_t seen_by = std::numeric_limits<std::uint32_t>::max();
    origin from = origin::none;
    bool is_invariant = false;
    bool is_shared = false;  // through a node on the way to here
  };
  struct candidate {
    std::uint32_t parameter;
    bool is_shared;
  };

  void count_readers() {
    for (std::uint32_t id = 0; id < g_.size(); ++id) {
      for (const std::uint32_t input : g_.inputs(g_.node(id))) {
        fact& f = facts_[input];
        if (f.last_reader != id) ++f.readers;
        f.last_reader = id;
      }
    }
  }

  void visit(std::uint32_t id) {
    const rlx_node& n = g_.node(id);
    fact& f = facts_[id];
    label& l = table_.labels_[id];
    if (n.kind == RLX_KIND_Input || n.kind == RLX_KIND_Param) {
      l.path = leaf_name(id);
      f.layer = layer_path(without_role(l.path));
      f.from = n.kind == RLX_KIND_Param ? origin::parameter : origin::input;
      if (n.kind == RLX_KIND_Param) {
        f.is_invariant = true;
        f.bytes = stored_bytes(g_, n);
        f.members_begin = static_cast<std::uint32_t>(members_.size());
        f.member_count = 1;
        members_.push_back(id);
      }
      if (l.path.empty()) l = own_name(id);
      return;
    }
    if (n.kind == RLX_KIND_Constant) {
      f.is_invariant = true;
      l = own_name(id);
      return;
    }
    gather(id, n, f);
    if (choose()) {
      name_from_parameters(id, f, l);
      return;
    }
    f.is_invariant = f.is_invariant && n.input_count != 0;
    if (const fact* nearest = nearest_operand(n)) {
      f.layer = nearest->layer;
      f.bytes = nearest->bytes;
      f.distance = nearest->distance + 1;
      f.from = nearest->from;
      l = {f.layer, kind_text(id)};
    } else {
      l = own_name(id);
    }
  }

  std::string_view kind_text(std::uint32_t id) const {
    const std::string_view listed = kind_name(g_.node(id).kind);
    return listed.empty() ? rlx::text(g_.info(id).kind_text) : listed;
  }
  label own_name(std::uint32_t id) const {
    const std::string_view name = rlx::text(g_.info(id).name);
    return name.empty() ? label{{}, kind_text(id)} : label{name, {}};
  }
  std::string_view leaf_name(std::uint32_t id) const {
    const rlx_attribute* name = g_.attribute(id, "name");
    if (name != nullptr && name->type == RLX_ATTRIBUTE_TEXT) return rlx::text(name->value.text);
    return rlx::text(g_.info(id).name);
  }

  // The parameters that `id` reads, and what it hangs on otherwise.
  void gather(std::uint32_t id, const rlx_node& n, fact& f) {
    candidates_.clear();
    context_bytes_ = 0;
    f.is_invariant = n.input_count != 0 && !is_random(n.kind) && rlx::is_listed_kind(n.kind);
    std::uint32_t previous = std::numeric_limits<std::uint32_t>::max();
    for (const std::uint32_t input : g_.inputs(n)) {
      if (input == previous) continue;
      previous = input;
      const fact& operand = facts_[input];
      f.level = std::max(f.level, operand.level + 1);
      if (!operand.is_invariant) {
        f.is_invariant = false;
        if (operand.from == origin::parameter) {
          context_bytes_ = std::max(context_bytes_, operand.bytes);
        }
        continue;
      }
      const bool is_shared = operand.is_shared || operand.readers >= shared_from_readers;
      for (std::uint32_t m = 0; m < operand.member_count; ++m) {
        const std::uint32_t parameter = members_[operand.members_begin + m];
        if (seen(parameter, id) || candidates_.size() == most_candidates) continue;
        candidates_.push_back({parameter, is_shared});
      }
    }
  }
  bool seen(std::uint32_t parameter, std::uint32_t by) {
    fact& f = facts_[parameter];
    if (f.seen_by == by) return true;
    f.seen_by = by;
    return false;
  }

  // Leaves the parameters that count in candidates_, in operand order. False where none does.
  bool choose() {
    std::uint64_t own_bytes = 0;
    std::uint64_t shared_bytes = 0;
    bool has_own = false;
    for (const candidate& c : candidates_) {
      std::uint64_t& largest = c.is_shared ? shared_bytes : own_bytes;
      largest = std::max(largest, facts_[c.parameter].bytes);
      has_own |= !c.is_shared;
    }
    // Something shared names a node only where it outweighs all that the node has of its own.
    const std::uint64_t rival = std::max(own_bytes, context_bytes_);
    const bool only_shared = !has_own && context_bytes_ == 0;
    const bool shared_counts = only_shared || shared_bytes > rival;
    std::erase_if(candidates_, [&](const candidate& c) { return c.is_shared && !shared_counts; });
    if (candidates_.empty()) return false;
    const auto largest = std::max_element(
        candidates_.begin(), candidates_.end(), [&](const candidate& a, const candidate& b) {
          return facts_[a.parameter].bytes < facts_[b.parameter].bytes;
        });
    largest_ = largest->parameter;
    const std::uint64_t floor = facts_[largest_].bytes / smallest_share;
    const bool is_matrix = g_.node(largest_).rank >= 2;
    std::erase_if(candidates_, [&](const candidate& c) {
      return facts_[c.parameter].bytes < floor || (is_matrix && g_.node(c.parameter).rank < 2);
    });
    return true;
  }

  void name_from_parameters(std::uint32_t id, fact& f, label& l) {
    f.bytes = facts_[largest_].bytes;
    f.from = origin::parameter;
    if (f.is_invariant) {
      f.is_shared = std::all_of(candidates_.begin(), candidates_.end(),
                                [](const candidate& c) { return c.is_shared; });
      f.members_begin = static_cast<std::uint32_t>(members_.size());
      f.member_count = static_cast<std::uint32_t>(std::min(candidates_.size(), most_alternatives));
      for (std::uint32_t m = 0; m < f.member_count; ++m) {
        members_.push_back(candidates_[m].parameter);
      }
    }
    bases_.clear();
    for (const candidate& c : candidates_) add_base(without_role(leaf_name(c.parameter)));
    if (bases_.size() == 1) {
      l.path = bases_.front();
      f.layer = layer_path(l.path);
      return;
    }
    if (!join_in_one_component(l)) {
      const std::string_view path = common_path();
      if (path.empty()) {
        l.path = without_role(leaf_name(largest_));
      } else {
        l = {path, kind_text(id)};
        f.layer = path;
        return;
      }
    }
    f.layer = layer_path(l.path);
  }

  // Keeps bases distinct and drops what lies inside another (`ffn.scale` beside `ffn`).
  void add_base(std::string_view base) {
    for (const std::string_view other : bases_) {
      if (base == other || is_inside(base, other)) return;
    }
    std::erase_if(bases_, [&](std::string_view other) { return is_inside(other, base); });
    bases_.push_back(base);
  }

  // `a.{q,k}_proj` where the bases differ inside one component of the path only.
  bool join_in_one_component(label& l) {
    const std::string_view first = bases_.front();
    std::size_t prefix = first.size();
    std::size_t suffix = first.size();
    for (const std::string_view base : std::span{bases_}.subspan(1)) {
      prefix = std::min(prefix, common_prefix(first, base));
      suffix = std::min(suffix, common_suffix(first, base));
    }
    // Whole words only: query and key have no ending in common.
    while (prefix != 0 && !is_separator(first[prefix - 1])) --prefix;
    for (const std::string_view base : bases_) suffix = std::min(suffix, base.size() - prefix);
    while (suffix != 0 && !is_separator(first[first.size() - suffix])) --suffix;
    const auto middle = [&](std::string_view base) {
      return base.substr(prefix, base.size() - prefix - suffix);
    };
    for (const std::string_view base : bases_) {
      if (middle(base).find('.') != std::string_view::npos) return false;
    }
    joined_.assign(first.substr(0, prefix)).append("{");
    for (std::size_t i = 0; i < bases_.size(); ++i) {
      const bool is_left_out = bases_.size() > most_alternatives && i >= 3 && i + 1 < bases_.size();
      if (is_left_out && i > 3) continue;
      if (i != 0) joined_ += ',';
      joined_.append(is_left_out ? ".." : middle(bases_[i]));
    }
    joined_.append("}").append(first.substr(first.size() - suffix));
    l.path = keep(joined_);
    return true;
  }

  std::string_view common_path() const {
    std::size_t prefix = bases_.front().size();
    for (const std::string_view base : bases_) {
      prefix = std::min(prefix, common_prefix(bases_.front(), base));
    }
    return layer_path(bases_.front().substr(0, prefix));
  }

  const fact* nearest_operand(const rlx_node& n) const {
    const fact* best = nullptr;
    for (const std::uint32_t input : g_.inputs(n)) {
      const fact& operand = facts_[input];
      if (operand.layer.empty()) continue;
      // A shared leaf belongs to no layer.
      if (operand.is_invariant && (operand.is_shared || operand.readers >= shared_from_readers)) {
        continue;
      }
      if (best == nullptr || is_nearer(operand, *best)) best = &operand;
    }
    return best;
  }
  static bool is_nearer(const fact& a, const fact& b) {
    if (a.from != b.from) return a.from > b.from;
    if (a.distance != b.distance) return a.distance < b.distance;
    return a.level > b.level;
  }

  std::string_view keep(std::string_view s) {
    char* copy = static_cast<char*>(table_.texts_.allocate(s.size(), 1));
    std::memcpy(copy, s.data(), s.size());
    return {copy, s.size()};
  }

  const rlx::graph_view& g_;
  label_table& table_;
  detail::array<fact> facts_;
  std::vector<std::uint32_t> members_;
  std::vector<candidate> candidates_;
  std::vector<std::string_view> bases_;
  std::string joined_;
  std::uint64_t context_bytes_ = 0;
  std::uint32_t largest_ = 0;
};

label_table::label_table(const rlx::graph_view& graph) { labeller{graph, *this}.run(); }

std::string folded_label(std::string_view label) {
  std::string folded;
  while (true) {
    const std::size_t dot = label.find('.');
    const std::string_view part = label.substr(0, dot);
    const bool is_number =
        !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
    folded.append(is_number ? "*" : part);
    if (dot == std::string_view::npos) return folded;
    folded += '.';
    label.remove_prefix(dot + 1);
  }
}

}  // namespace opscope
