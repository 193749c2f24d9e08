// Shape and data movement: no work; what counts is which part of an operand is touched.
#include "plugin/cost/need/formulas.hpp"
#include "plugin/cost/need/geometry.hpp"
#include "plugin/cost/need/site.hpp"

namespace opscope::need {

namespace {

// Slices of `slice` bytes that `indices` numbers pick out of `rows`: at least one, at most all.
template <class N>
N picked(N indices, N rows, N slice) {
  const N most = minimum(indices, rows);
  return from_to(minimum(most, N{1}), most) * slice;
}

// Elements that `updates` (elements) write into `all`: each update hits one of them.
template <class N>
N hit_elements(N updates, N all) {
  const N most = minimum(updates, all);
  return from_to(minimum(most, N{1}), most);
}

// data, indices, updates -> data with some elements replaced or combined.
template <class N>
void scatter(site<N>& n, N hit_bytes) {
  const std::string_view reduction = n.attributes().text(attr::reduction);
  const bool replaces = reduction == "None";
  if (reduction.empty()) return (void)n.missing();
  if (n.lies_over(0)) {
    // The rest of the data stays where it is.
    if (replaces) {
      n.ignores(0);
    } else {
      n.reads(0, hit_bytes);
    }
    n.writes(hit_bytes);
  } else if (replaces) {
    n.reads(0, minus(n.bytes(0), hit_bytes));
  }
  if (!replaces) n.operations(n.elements(2), n.dtype(0));
}

// 1 + 2 + .. over the columns that row r of a triangle keeps, clipped to 0 .. columns.
template <class N>
N kept_below(std::uint64_t rows, std::uint64_t columns, std::int64_t diagonal) {
  // Row r keeps min(columns, max(0, r + diagonal + 1)).
  __extension__ using wide = __int128;
  const wide d = static_cast<wide>(diagonal) + 1;
  const wide r = static_cast<wide>(rows);
  const wide c = static_cast<wide>(columns);
  const wide first = std::max<wide>(0, -d);    // rows below keep none
  const wide full = std::max<wide>(0, c - d);  // rows from here on keep all
  const wide rising_end = std::min(r, std::max(first, full));
  const wide rising = std::max<wide>(0, rising_end - std::min(first, rising_end));
  wide kept = 0;
  if (rising > 0) {
    const wide low = first + d;
    kept += rising * low + rising * (rising - 1) / 2;
  }
  kept += (r - std::min(r, std::max(full, wide{0}))) * c;
  return N{static_cast<std::uint64_t>(kept)};
}

}  // namespace

// A run along one axis: only the run.
constexpr formula slice = make_formula([]<class N>(site<N>& n) { n.reads(0, n.bytes(out)); });

// Reshape and Cast where no storage is shared: a copy. (A view moves nothing and asks nothing.)
constexpr formula copy = make_closed<closed_form::moves(1)>();

constexpr formula gather = make_formula([]<class N>(site<N>& n) {
  const auto axis = n.axis(0);
  n.dtype(1);
  if (!axis) return;
  const unsigned after = n.rank(0) - 1;
  const N indices = n.elements(1);
  N row = n.extent(0, *axis + 1) * n.width(0);
  // table[:axis] is kept by later releases; 0.2.2 declares the output without it.
  if (n.rank(out) == n.rank(1) + after) {
    row *= n.extent(0, 0, *axis);
  } else if (n.rank(out) + *axis != n.rank(1) + after) {
    return n.reads(0, from_to(N{}, minimum(n.bytes(out), n.bytes(0))));
  }
  n.reads(0, picked(indices, n.dim(0, *axis), row));
});

// Along every other axis a line is its own: at least one element each.
constexpr formula gather_elements = make_formula([]<class N>(site<N>& n) {
  const auto axis = n.axis(1);
  if (!axis) return;
  const N lines = n.extent(1, 0, *axis) * n.extent(1, *axis + 1);
  n.reads(0, from_to(lines, minimum(n.elements(1), n.elements(0))) * n.width(0));
});

constexpr formula gather_nd = make_formula([]<class N>(site<N>& n) {
  const std::uint64_t batch = n.number_or(attr::batch_dims, 0);
  const auto k = n.dim(1, -1).exact();
  if (!k || *k > RLX_MAX_RANK || batch > RLX_MAX_RANK || batch + *k > n.rank(0) ||
      batch + 1 > n.rank(1)) {
    return (void)n.missing();
  }
  const auto b = static_cast<std::int64_t>(batch);
  const auto end = b + static_cast<std::int64_t>(*k);
  const N slice_bytes = n.extent(0, end) * n.width(0);
  const N batches = n.extent(1, 0, b);
  const N rows = n.extent(1, b, -1);
  n.reads(0, batches * picked(rows, n.extent(0, b, end), slice_bytes));
});

constexpr formula scatter_add = make_formula([]<class N>(site<N>& n) {
  n.dtype(1);
  n.operations(n.elements(0), n.dtype(0), 2);
});

constexpr formula scatter_elements = make_formula([]<class N>(site<N>& n) {
  n.dtype(2);
  scatter(n, hit_elements(n.elements(2), n.elements(0)) * n.width(0));
});

constexpr formula scatter_nd = make_formula([]<class N>(site<N>& n) {
  const auto k = n.dim(1, -1).exact();
  n.dtype(2);
  if (!k || *k > n.rank(0)) return (void)n.missing();
  const auto end = static_cast<std::int64_t>(*k);
  const N slice_bytes = n.extent(0, end) * n.width(0);
  scatter(n, picked(n.extent(1, 0, -1), n.extent(0, 0, end), slice_bytes));
});

// dy, indices -> zeros with dy added in.
constexpr formula gather_backward = make_formula([]<class N>(site<N>& n) {
  n.dtype(1);
  n.operations(n.elements(0), n.dtype(0), 2);
});

constexpr formula kv_append = make_formula([]<class N>(site<N>& n) {
  n.dtype(1);
  if (n.lies_over(0)) {
    n.ignores(0);
    n.writes(n.bytes(1));
  } else {
    n.reads(0, minus(n.bytes(out), n.bytes(1)));
  }
});

constexpr formula trilu = make_formula([]<class N>(site<N>& n) {
  const attribute_reader a = n.attributes();
  const auto diagonal = a.i64(attr::diagonal);
  const auto rows = n.dim(0, -2).exact();
  const auto columns = n.dim(0, -1).exact();
  constexpr std::uint64_t most = std::uint64_t{1} << 31;
  if (!diagonal) return (void)n.missing();
  if (!rows || !columns || *rows > most || *columns > most || *diagonal == INT64_MIN ||
      *diagonal == INT64_MAX) {
    return n.reads_up_to_all(0);
  }
  const bool upper = a.flag(attr::upper);
  // The upper triangle is what the lower one that ends before the diagonal leaves.
  const N lower = kept_below<N>(*rows, *columns, upper ? *diagonal - 1 : *diagonal);
  const N kept = upper ? minus(N{*rows} * N{*columns}, lower) : lower;
  n.reads(0, n.extent(0, 0, -2) * kept * n.width(0));
});

// Nearest resampling reads min(in, out) positions of each axis.
constexpr formula interpolate3d = make_formula([]<class N>(site<N>& n) {
  N touched = n.extent(0, 0, 2) * n.width(0);
  for (const int axis : {2, 3, 4}) touched *= minimum(n.dim(0, axis), n.dim(out, axis));
  n.reads(0, touched);
});

}  // namespace opscope::need
