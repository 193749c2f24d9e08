// One random execution of one kind: tensors that remember which of their bytes were touched, and
// counters. What executes a kind here knows nothing of the formulas it is held against.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "tests/support/view_builder.hpp"

namespace opscope::test {

using sizes = std::vector<std::uint64_t>;

inline std::uint64_t product(const sizes& s) {
  std::uint64_t p = 1;
  for (const std::uint64_t d : s) p *= d;
  return p;
}

// Storage with one mark a byte for reads and one for writes.
struct storage {
  std::vector<double> values;
  std::vector<bool> is_read;
  std::vector<bool> is_written;
};

// A tensor in a storage, maybe as a part of it.
class tensor_trace {
 public:
  sizes shape;
  std::uint32_t dtype = 0;
  std::uint64_t width = 0;
  std::shared_ptr<storage> bytes;
  std::uint64_t offset = 0;  // elements from the storage's start

  std::uint64_t size() const { return product(shape); }
  double read(std::uint64_t i) {
    mark(bytes->is_read, i);
    return bytes->values[offset + i];
  }
  double peek(std::uint64_t i) const { return bytes->values[offset + i]; }
  void set(std::uint64_t i, double v) { bytes->values[offset + i] = v; }
  void write(std::uint64_t i) { mark(bytes->is_written, i); }
  void read_all() {
    for (std::uint64_t i = 0; i < size(); ++i) read(i);
  }
  void write_all() {
    for (std::uint64_t i = 0; i < size(); ++i) write(i);
  }
  // Marks bytes themselves, of tensors of packed codes.
  void read_bytes(std::uint64_t first, std::uint64_t count) {
    for (std::uint64_t b = first; b < first + count; ++b) bytes->is_read[offset * width + b] = true;
  }

 private:
  void mark(std::vector<bool>& marks, std::uint64_t i) const {
    for (std::uint64_t b = 0; b < width; ++b) marks[(offset + i) * width + b] = true;
  }
};

class trial {
 public:
  explicit trial(std::uint64_t seed) : random_{seed} {}

  // ---- Chance.

  // The same on every machine, unlike the standard's distributions.
  std::uint64_t between(std::uint64_t lo, std::uint64_t hi) {
    return lo + random_() % (hi - lo + 1);
  }
  double fraction() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  bool coin(double probability = 0.5) { return fraction() < probability; }
  double real() { return 2 * fraction() - 1; }
  std::uint64_t size(std::uint64_t most = 5) { return between(1, most); }
  // Sometimes nothing.
  std::uint64_t size_or_none(std::uint64_t most = 5) { return coin(0.04) ? 0 : size(most); }
  sizes shape(std::uint64_t least_rank, std::uint64_t most_rank, std::uint64_t most = 4) {
    sizes s(between(least_rank, most_rank));
    for (std::uint64_t& d : s) d = size_or_none(most);
    return s;
  }
  template <class T>
  T pick(std::initializer_list<T> of) {
    return of.begin()[between(0, of.size() - 1)];
  }
  std::uint32_t floating() {
    return pick<std::uint32_t>({RLX_DTYPE_F32, RLX_DTYPE_F16, RLX_DTYPE_BF16, RLX_DTYPE_F64});
  }
  std::uint32_t index_type() {
    return pick<std::uint32_t>({RLX_DTYPE_I64, RLX_DTYPE_I32, RLX_DTYPE_F32});
  }
  std::uint32_t any_number() {
    return pick<std::uint32_t>({RLX_DTYPE_F32, RLX_DTYPE_F16, RLX_DTYPE_F64, RLX_DTYPE_I32,
                                RLX_DTYPE_I8, RLX_DTYPE_I64, RLX_DTYPE_U8});
  }

  // ---- The node.

  // A new operand with random values in (-1, 1). Now and then the same tensor as an earlier operand
  // of that form, or a view of one storage with it.
  tensor_trace& operand(const sizes& shape, std::uint32_t dtype);
  tensor_trace& operand(const sizes& shape) { return operand(shape, RLX_DTYPE_F32); }
  // An operand of its own, with values below `limit`.
  tensor_trace& indices(const sizes& shape, std::uint64_t limit);
  tensor_trace& own_operand(const sizes& shape, std::uint32_t dtype);
  tensor_trace& output(const sizes& shape, std::uint32_t dtype = RLX_DTYPE_F32);
  void attribute(std::string_view name, attribute_value value) {
    attributes.push_back({std::string{name}, std::move(value)});
  }
  // Adds nested graphs once the node is built.
  std::function<void(view_builder&, std::uint32_t)> nest;
  // The plan gives the output the place of that operand.
  int in_place_of = -1;

  // ---- Counters.

  void operations(std::uint64_t n, std::uint32_t dtype);
  void work(std::uint64_t n) { work_done += n; }
  void integer(std::uint64_t n) { int_ops += n; }
  void multiply_add(std::uint32_t dtype, std::uint64_t n = 1);

  std::uint64_t work_done = 0;
  std::uint64_t contraction = 0;
  std::uint64_t int_ops = 0;
  std::uint64_t body_leaf_bytes = 0;  // read of leaves of nested graphs

  // ---- For the comparison.

  struct placed {
    std::unique_ptr<tensor_trace> tensor;
    int same_as = -1;  // position of the operand that is the same node
    int storage = -1;  // index into storages where it is a view
  };
  struct shared_storage {
    std::shared_ptr<storage> bytes;
    sizes shape;
    std::uint32_t dtype;
  };
  std::vector<placed> operands;
  std::vector<shared_storage> storages;
  std::unique_ptr<tensor_trace> result;
  attribute_list attributes;
  // Operands are fresh tensors: aliasing would change what the kind is told.
  bool allows_aliases = true;
  bool has_aliases() const {
    for (const placed& p : operands) {
      if (p.same_as >= 0) return true;
    }
    return !storages.empty();
  }

 private:
  std::unique_ptr<tensor_trace> make(const sizes& shape, std::uint32_t dtype);
  std::mt19937_64 random_;
};

// A kind and how to execute it.
struct oracle {
  std::uint32_t kind;
  void (*run)(trial&);
};

std::span<const oracle> elementwise_oracles();
std::span<const oracle> matmul_oracles();
std::span<const oracle> norm_oracles();
std::span<const oracle> attention_oracles();
std::span<const oracle> movement_oracles();
std::span<const oracle> reduce_oracles();
std::span<const oracle> conv_oracles();
std::span<const oracle> recurrent_oracles();
std::span<const oracle> control_oracles();
std::span<const oracle> linalg_oracles();

}  // namespace opscope::test
