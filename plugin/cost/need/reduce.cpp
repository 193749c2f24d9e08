// Reductions, scans, selection, sorting, losses, transforms along one axis.
#include <bit>

#include "plugin/cost/need/formulas.hpp"
#include "plugin/cost/need/site.hpp"

namespace opscope::need {

namespace {

// floor and ceiling of log2(v), v > 0.
std::uint64_t log2_floor(std::uint64_t v) { return std::bit_width(v) - 1u; }
std::uint64_t log2_ceil(std::uint64_t v) { return v <= 1 ? 0 : std::bit_width(v - 1); }

// 5 * points * log2(points), the radix-2 count; between its neighbours for other lengths.
template <class N>
N fft_operations(N points) {
  const auto p = points.exact();
  if (!p || *p == 0) return p ? N{} : N::unknown();
  return N{5} * points * from_to(N{log2_floor(*p)}, N{log2_ceil(*p)});
}

}  // namespace

// One operation an input element.
constexpr formula reduce =
    make_closed<closed_form::per_operand(1, 1)>([]<class N>(site<N>& n) -> std::uint64_t {
      const std::string_view op = n.attributes().text(attr::op);
      return op == "Sum" || op == "Mean" ? 2 : op == "Prod" ? 6 : 0;
    });

constexpr formula running =
    make_closed<closed_form::per_operand(1, 1)>([]<class N>(site<N>& n) -> std::uint64_t {
      if (n.kind() == RLX_KIND_Cumsum || n.kind() == RLX_KIND_CumsumBackward) return 2;
      return n.kind() == RLX_KIND_CumProd ? 6 : 0;
    });

constexpr formula one_per_input = make_closed<closed_form::per_operand(1, 1)>();
constexpr formula softmax = make_closed<closed_form::per_operand(1, 3)>();

// Comparisons over all logits where only the k largest are kept, then softmax over those.
constexpr formula sample = make_formula([]<class N>(site<N>& n) {
  n.breaks_invariance();
  const unsigned rank = n.rank(0);
  const N rows = rank >= 2 ? n.extent(0, 0, -1) : N{1};
  const std::uint64_t k = n.number_or(attr::top_k, 0);
  const N all = n.elements(0);
  const N kept = k == 0 ? all : rows * minimum(N{k}, n.dim(0, -1));
  if (k != 0) n.work(all);
  n.work(N{3} * kept);
  if (n.attributes().f64(attr::temperature).value_or(1.0) != 1.0) n.work(kept);
  // A nucleus is summed up until it is full.
  if (n.attributes().f64(attr::top_p).value_or(1.0) < 1.0) n.work(from_to(N{}, kept));
});

constexpr formula histogram = make_formula([]<class N>(site<N>& n) {
  n.work(N{2} * n.elements(0));
  n.integer(n.elements(0));
});

// Comparisons: n-1 where it is sorted already, n*ceil(log2 n) for a merge sort at most.
constexpr formula sort = make_formula([]<class N>(site<N>& n) {
  const auto axis = n.axis(0);
  if (!axis) return;
  const N length = n.dim(0, *axis);
  const N lines = n.extent(0, 0, *axis) * n.extent(0, *axis + 1);
  const auto exact = length.exact();
  const N depth = exact ? N{log2_ceil(*exact)} : N::unknown();
  n.operations(from_to(lines * minus(length, N{1}), lines * length * depth), n.dtype(0));
});

constexpr formula cross_entropy_with_labels = make_formula([]<class N>(site<N>& n) {
  n.dtype(1);
  n.work(N{3} * n.elements(0) + N{2} * n.elements(out));
});
constexpr formula cross_entropy_backward = make_formula([]<class N>(site<N>& n) {
  n.dtype(2);
  n.work(N{4} * n.elements(0) + n.elements(2));
});
constexpr formula cross_entropy = make_formula([]<class N>(site<N>& n) {
  n.dtype(1);
  n.work(N{5} * n.elements(0));
});

// spectrum [.., 2*n_fft] as a real and an imaginary plane, of which the filters' bins are used.
constexpr formula log_mel = make_formula([]<class N>(site<N>& n) {
  const N rows = n.extent(0, 0, -1);
  const N mels = n.dim(1, 0);
  const N bins = n.dim(1, 1);
  n.reads(0, minimum(N{2} * rows * bins * n.width(0), n.bytes(0)));
  n.work(rows * (N{3} * bins + N{5} * mels));
  n.contraction(rows * N{2} * mels * bins);
});
constexpr formula log_mel_backward = make_formula([]<class N>(site<N>& n) {
  n.dtype(2);
  const N rows = n.extent(0, 0, -1);
  const N mels = n.dim(1, 0);
  const N bins = n.dim(1, 1);
  n.reads(0, minimum(N{2} * rows * bins * n.width(0), n.bytes(0)));
  n.work(rows * (N{5} * bins + N{4} * mels));
  n.contraction(rows * N{4} * mels * bins);
});

// Whether bins of negative frequency are used is not known.
constexpr formula welch_peaks = make_formula([]<class N>(site<N>& n) {
  const N spectra = n.extent(0, 0, -1);
  const N batch = n.dim(out, 0);
  const N all = floor_divide(n.dim(0, -1), N{2});
  const N bins = from_to(floor_divide(all, N{2}) + N{1}, all);
  n.reads(0, from_to(N{2} * spectra * bins * n.width(0), n.bytes(0)));
  n.work(spectra * N{4} * bins + batch * bins);
});

constexpr formula fft = make_formula([]<class N>(site<N>& n) {
  const bool is_complex = class_of(n.dtype(0)) == number_class::complex;
  const N points = is_complex ? n.dim(0, -1) : floor_divide(n.dim(0, -1), N{2});
  const N rows = n.extent(0, 0, -1);
  const std::string_view norm = n.attributes().text(attr::norm);
  n.work(rows * fft_operations(points));
  const bool inverse = n.flag(attr::inverse);
  // As the reference kernels scale.
  const bool is_scaled = norm == "Ortho" || (norm == "Forward" && inverse);
  if (is_scaled) n.work(N{2} * rows * points);
});

constexpr formula fft_integer = make_formula([]<class N>(site<N>& n) {
  const N rows = n.extent(0, 0, -1);
  n.integer(from_to(rows * fft_operations(floor_divide(n.dim(0, -1), N{2})), N::unknown()));
});

// Butterflies run where the gate is open: 10 operations and one twiddle each. Closed ones copy.
constexpr formula fft_butterfly = make_formula([]<class N>(site<N>& n) {
  n.dtype(4);
  const N batch = n.dim(0, 0);
  for (const unsigned i : {3u, 4u}) n.reads_up_to_all(i);
  n.work(from_to(N{}, N{10} * batch * n.elements(1)));
});

}  // namespace opscope::need
