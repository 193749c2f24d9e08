// Reductions, running sums, selection, sorting, losses, transforms.
#include <algorithm>
#include <bit>

#include "tests/need/oracle/index.hpp"

namespace opscope::test {

namespace {

constexpr std::uint32_t f32 = RLX_DTYPE_F32;

void reduce(trial& t) {
  const auto d = t.any_number();
  tensor_trace& x = t.operand({t.size_or_none(), t.size(), t.size()}, d);
  t.attribute("op", t.pick({"Sum", "Mean", "Max"}));
  t.attribute("axes", u64s({1}));
  tensor_trace& o = t.output({x.shape[0], x.shape[2]}, d);
  pass_over(t, x, 1);
  o.write_all();
}

void softmax(trial& t) {
  tensor_trace& x = t.operand(t.shape(1, 3), t.floating());
  tensor_trace& o = t.output(x.shape, x.dtype);
  t.attribute("axis", -1);
  pass_over(t, x, 3);
  o.write_all();
}

void running(trial& t) {
  const auto d = t.any_number();
  tensor_trace& x = t.operand({t.size(), t.size()}, d);
  tensor_trace& o = t.output(x.shape, d);
  t.attribute("axis", 1);
  t.attribute("exclusive", false);
  each(x.shape, [&](const sizes& at) {
    x.read(flat(x.shape, at));
    t.operations(1, d);
    o.write(flat(x.shape, at));
  });
}

void top_k(trial& t) {
  const std::uint64_t n = t.between(2, 6), k = t.between(1, n);
  t.attribute("k", k);
  tensor_trace& x = t.operand({t.size(), n});
  tensor_trace& o = t.output({x.shape[0], k});
  pass_over(t, x, 1);
  o.write_all();
}

void arg_extreme(trial& t) {
  tensor_trace& x = t.operand({t.size(), t.size()});
  t.attribute("axis", 1u);
  tensor_trace& o = t.output({x.shape[0]});
  pass_over(t, x, 1);
  o.write_all();
}

void sample(trial& t) {
  const std::uint64_t rows = t.size(), n = t.size(8), k = t.between(0, 9);
  const bool is_warm = t.coin(), has_nucleus = t.coin();
  t.attribute("top_k", k);
  t.attribute("temperature", is_warm ? 0.7 : 1.0);
  t.attribute("top_p", has_nucleus ? 0.5 : 1.0);
  tensor_trace& x = t.operand({rows, n});
  tensor_trace& o = t.output({rows});
  for (std::uint64_t r = 0; r < rows; ++r) {
    for (std::uint64_t i = 0; i < n; ++i) {
      x.read(r * n + i);
      if (k != 0) t.work(1);
    }
    const std::uint64_t kept = k == 0 ? n : std::min(k, n);
    t.work(kept * (is_warm ? 4 : 3));
    if (has_nucleus) t.work(t.between(1, kept));
    o.write(r);
  }
}

void histogram(trial& t) {
  tensor_trace& x = t.operand(t.shape(1, 2));
  tensor_trace& o = t.output({t.size()});
  for (std::uint64_t i = 0; i < x.size(); ++i) {
    x.read(i);
    t.work(2);
    t.integer(1);
  }
  o.write_all();
}

// A merge sort that stops comparing when one side is used up, after a look whether it is sorted.
std::uint64_t merge_sort(std::vector<double>& v, std::size_t begin, std::size_t end) {
  if (end - begin < 2) return 0;
  const std::size_t middle = begin + (end - begin + 1) / 2;
  std::uint64_t comparisons = merge_sort(v, begin, middle) + merge_sort(v, middle, end);
  std::vector<double> merged;
  std::size_t a = begin, b = middle;
  while (a < middle && b < end) {
    ++comparisons;
    merged.push_back(v[b] < v[a] ? v[b++] : v[a++]);
  }
  merged.insert(merged.end(), v.begin() + static_cast<std::ptrdiff_t>(a),
                v.begin() + static_cast<std::ptrdiff_t>(middle));
  merged.insert(merged.end(), v.begin() + static_cast<std::ptrdiff_t>(b),
                v.begin() + static_cast<std::ptrdiff_t>(end));
  std::copy(merged.begin(), merged.end(), v.begin() + static_cast<std::ptrdiff_t>(begin));
  return comparisons;
}

void sort(trial& t) {
  const std::uint64_t rows = t.size(), n = t.size(9);
  tensor_trace& x = t.operand({rows, n});
  tensor_trace& o = t.output(x.shape);
  t.attribute("axis", 1u);
  const bool is_sorted = t.coin(0.3);
  for (std::uint64_t r = 0; r < rows; ++r) {
    std::vector<double> line;
    for (std::uint64_t i = 0; i < n; ++i) line.push_back(x.read(r * n + i));
    t.work(is_sorted ? n - 1 : std::max(merge_sort(line, 0, n), n - 1));
  }
  o.write_all();
}

void labelled_loss(trial& t) {
  const std::uint64_t n = t.size(), c = t.size();
  tensor_trace& x = t.operand({n, c});
  tensor_trace& labels = t.indices({n}, c);
  tensor_trace& o = t.output({n});
  pass_over(t, x, 3);
  for (std::uint64_t i = 0; i < n; ++i) {
    labels.read(i);
    t.work(2);  // logarithm, sign
    o.write(i);
  }
}

void loss_backward(trial& t) {
  const std::uint64_t n = t.size(), c = t.size();
  tensor_trace& x = t.operand({n, c});
  tensor_trace& labels = t.indices({n}, c);
  tensor_trace& d = t.operand({n});
  tensor_trace& o = t.output({n, c});
  pass_over(t, x, 4);
  for (std::uint64_t i = 0; i < n; ++i) {
    labels.read(i);
    d.read(i);
    t.work(1);  // less one at the label
  }
  o.write_all();
}

void soft_loss(trial& t) {
  tensor_trace& x = t.operand({t.size(), t.size()});
  tensor_trace& target = t.operand(x.shape);
  tensor_trace& o = t.output({x.shape[0]});
  pass_over(t, x, 3);
  pass_over(t, target, 2);
  o.write_all();
}

void log_mel(trial& t, bool is_backward) {
  const std::uint64_t rows = t.size(3), n_fft = 2 * t.size(4), bins = n_fft / 2 + 1;
  const std::uint64_t mels = t.size(3);
  tensor_trace& x = t.operand({rows, 2 * n_fft});
  tensor_trace& filters = t.operand({mels, bins});
  tensor_trace* dy = is_backward ? &t.operand({rows, mels}) : nullptr;
  tensor_trace& o = t.output(is_backward ? x.shape : sizes{rows, mels});
  for (std::uint64_t r = 0; r < rows; ++r) {
    for (std::uint64_t b = 0; b < bins; ++b) {
      x.read(r * 2 * n_fft + b);
      x.read(r * 2 * n_fft + n_fft + b);
      t.work(is_backward ? 5 : 3);  // power; and its two derivatives
    }
    for (std::uint64_t m = 0; m < mels; ++m) {
      for (std::uint64_t b = 0; b < bins; ++b) {
        filters.read(m * bins + b);
        t.multiply_add(f32, is_backward ? 2 : 1);
      }
      if (dy != nullptr) dy->read(r * mels + m);
      t.work(is_backward ? 4 : 5);
    }
  }
  o.write_all();
}
void log_mel_forward(trial& t) { log_mel(t, false); }
void log_mel_backward(trial& t) { log_mel(t, true); }

// With or without the bins of negative frequency: both must lie in the interval.
void welch(trial& t) {
  const std::uint64_t batch = t.size(3), segments = t.size(3), n_fft = 2 * t.size(4);
  const std::uint64_t bins = t.coin() ? n_fft : n_fft / 2 + 1;
  t.attribute("k", 1u);
  t.attribute("n_segments", segments);
  tensor_trace& x = t.operand({batch * segments, 2 * n_fft});
  tensor_trace& o = t.output({batch, 2});
  for (std::uint64_t r = 0; r < batch * segments; ++r) {
    for (std::uint64_t b = 0; b < bins; ++b) {
      x.read(r * 2 * n_fft + b);
      x.read(r * 2 * n_fft + n_fft + b);
      t.work(4);
    }
  }
  t.work(batch * bins);
  o.write_all();
}

// Radix 2 where the length allows: log2(n) stages of n/2 butterflies of 10 operations.
void fft(trial& t) {
  const bool is_complex = t.coin();
  const std::uint64_t rows = t.size(3), n = t.coin(0.7) ? 1u << t.between(0, 4) : t.between(1, 9);
  const char* const norm = t.pick({"Backward", "Forward", "Ortho"});
  const bool inverse = t.coin();
  t.attribute("norm", norm);
  t.attribute("inverse", inverse);
  tensor_trace& x = is_complex ? t.operand({rows, n}, RLX_DTYPE_C64) : t.operand({rows, 2 * n});
  tensor_trace& o = t.output(x.shape, x.dtype);
  x.read_all();
  o.write_all();
  const std::string s = norm;
  for (std::uint64_t r = 0; r < rows; ++r) {
    for (std::uint64_t length = 1; length < std::bit_floor(n); length *= 2) {
      if (std::has_single_bit(n)) {
        for (std::uint64_t b = 0; b < n / 2; ++b) t.work(10);
      } else {
        t.work(5 * n);
      }
    }
    if (s == "Ortho" || (s == "Forward" && inverse)) t.work(2 * n);
  }
}

void butterfly(trial& t) {
  const std::uint64_t batch = t.size(3), half = t.size(4);
  t.attribute("n_fft", 2 * half);
  t.attribute("stage", 0u);
  tensor_trace& x = t.own_operand({batch, 2 * half, 2}, f32);
  tensor_trace& gate = t.own_operand({half}, f32);
  tensor_trace& rev = t.own_operand({half}, f32);
  tensor_trace& re = t.own_operand({half}, f32);
  tensor_trace& im = t.own_operand({half}, f32);
  tensor_trace& o = t.output(x.shape);
  rev.read_all();
  x.read_all();
  for (std::uint64_t b = 0; b < half; ++b) {
    if (gate.read(b) <= 0) continue;
    re.read(b);
    im.read(b);
    t.work(10 * batch);
  }
  o.write_all();
}

constexpr oracle table[] = {
    {RLX_KIND_Reduce, reduce},
    {RLX_KIND_Softmax, softmax},
    {RLX_KIND_Cumsum, running},
    {RLX_KIND_CumsumBackward, running},
    {RLX_KIND_CumProd, running},
    {RLX_KIND_CumMax, running},
    {RLX_KIND_TopK, top_k},
    {RLX_KIND_ArgMax, arg_extreme},
    {RLX_KIND_ArgMin, arg_extreme},
    {RLX_KIND_Sample, sample},
    {RLX_KIND_Histogram, histogram},
    {RLX_KIND_Sort, sort},
    {RLX_KIND_ArgSort, sort},
    {RLX_KIND_SoftmaxCrossEntropyWithLogits, labelled_loss},
    {RLX_KIND_SoftmaxCrossEntropyBackward, loss_backward},
    {RLX_KIND_SoftmaxCrossEntropy, soft_loss},
    {RLX_KIND_LogMel, log_mel_forward},
    {RLX_KIND_LogMelBackward, log_mel_backward},
    {RLX_KIND_WelchPeaks, welch},
    {RLX_KIND_Fft, fft},
    {RLX_KIND_FftButterflyStage, butterfly},
};

}  // namespace

std::span<const oracle> reduce_oracles() { return table; }

}  // namespace opscope::test
