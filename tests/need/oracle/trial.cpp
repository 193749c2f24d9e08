#include "tests/need/oracle/trial.hpp"

#include <rlx/view.hpp>

namespace opscope::test {

namespace {

bool is_floating(std::uint32_t d) {
  return d == RLX_DTYPE_F32 || d == RLX_DTYPE_F16 || d == RLX_DTYPE_BF16 || d == RLX_DTYPE_F64;
}

}  // namespace

std::unique_ptr<tensor_trace> trial::make(const sizes& shape, std::uint32_t dtype) {
  auto t = std::make_unique<tensor_trace>();
  t->shape = shape;
  t->dtype = dtype;
  t->width = *rlx::dtype_bytes(dtype);
  t->bytes = std::make_shared<storage>();
  t->bytes->values.resize(t->size());
  for (double& v : t->bytes->values) v = real();
  t->bytes->is_read.resize(t->size() * t->width);
  t->bytes->is_written.resize(t->size() * t->width);
  return t;
}

tensor_trace& trial::own_operand(const sizes& shape, std::uint32_t dtype) {
  operands.push_back({make(shape, dtype), -1, -1});
  return *operands.back().tensor;
}

tensor_trace& trial::operand(const sizes& shape, std::uint32_t dtype) {
  if (allows_aliases && coin(0.1)) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const placed& p = operands[i];
      if (p.same_as >= 0 || p.tensor->shape != shape || p.tensor->dtype != dtype) continue;
      operands.push_back(
          {std::make_unique<tensor_trace>(*p.tensor), static_cast<int>(i), p.storage});
      return *operands.back().tensor;
    }
  }
  if (allows_aliases && !shape.empty() && coin(0.1)) {
    // A run of rows of a larger tensor, which other operands may overlap.
    std::size_t at = 0;
    const auto fits = [&](const shared_storage& s) {
      return s.dtype == dtype && s.shape.size() == shape.size() && s.shape[0] >= shape[0] &&
             std::equal(s.shape.begin() + 1, s.shape.end(), shape.begin() + 1);
    };
    while (at < storages.size() && !fits(storages[at])) ++at;
    if (at == storages.size()) {
      sizes larger = shape;
      larger[0] += between(0, 3);
      auto root = make(larger, dtype);
      storages.push_back({root->bytes, larger, dtype});
    }
    auto t = std::make_unique<tensor_trace>();
    t->shape = shape;
    t->dtype = dtype;
    t->width = *rlx::dtype_bytes(dtype);
    t->bytes = storages[at].bytes;
    const std::uint64_t row = product(sizes(shape.begin() + 1, shape.end()));
    t->offset = between(0, storages[at].shape[0] - shape[0]) * row;
    operands.push_back({std::move(t), -1, static_cast<int>(at)});
    return *operands.back().tensor;
  }
  return own_operand(shape, dtype);
}

tensor_trace& trial::indices(const sizes& shape, std::uint64_t limit) {
  tensor_trace& t = own_operand(shape, index_type());
  for (std::uint64_t i = 0; i < t.size(); ++i) {
    t.set(i, static_cast<double>(limit == 0 ? 0 : between(0, limit - 1)));
  }
  return t;
}

tensor_trace& trial::output(const sizes& shape, std::uint32_t dtype) {
  result = make(shape, dtype);
  return *result;
}

void trial::operations(std::uint64_t n, std::uint32_t dtype) {
  (is_floating(dtype) ? work_done : int_ops) += n;
}

void trial::multiply_add(std::uint32_t dtype, std::uint64_t n) {
  if (is_floating(dtype)) {
    work_done += 2 * n;
    contraction += 2 * n;
  } else {
    int_ops += 2 * n;
  }
}

}  // namespace opscope::test
