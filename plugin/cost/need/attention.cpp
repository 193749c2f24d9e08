// Attention and rotary embeddings.
//
// Sq queries sit at the end of Sk keys: query q sees keys up to q + max(0, Sk - Sq). A pair is one
// (query, visible key); a pair costs a product with the key, 3 for its softmax, one with the value.
#include <algorithm>

#include "plugin/cost/need/formulas.hpp"
#include "plugin/cost/need/site.hpp"

namespace opscope::need {

namespace {

template <class N>
struct sequence {
  N batch;
  N heads;
  N queries;
  N keys;
};

// Layout by rank: [B,H,S,D] where dim 1 is the head count, else [B,S,H,D]; [B,S,H*D]; [S,H*D].
template <class N>
sequence<N> read_sequence(site<N>& n) {
  const N heads = n.number(attr::num_heads);
  const unsigned rank = n.rank(0);
  if (n.rank(1) != rank) n.missing();
  if (rank == 4) {
    const bool heads_first = equal(n.dim(0, 1), heads) == truth::yes;
    const int s = heads_first ? 2 : 1;
    return {n.dim(0, 0), heads, n.dim(0, s), n.dim(1, s)};
  }
  if (rank == 3) return {n.dim(0, 0), heads, n.dim(0, 1), n.dim(1, 1)};
  if (rank == 2) return {N{1}, heads, n.dim(0, 0), n.dim(1, 0)};
  return {n.missing(), heads, N::unknown(), N::unknown()};
}

template <class N>
N triangle(N n) {
  return divide_exactly(n * (n + N{1}), 2);
}

// Visible keys, summed over queries 0 .. q-1 that see one key, two keys, .. (a causal mask).
template <class N>
N causal_pairs(const sequence<N>& s) {
  // Fewer queries than keys: all see the offset.
  const N past = s.queries * minus(s.keys, s.queries) + triangle(s.queries);
  // More: the surplus sees every key.
  const N full = triangle(s.keys) + minus(s.queries, s.keys) * s.keys;
  switch (at_most(s.queries, s.keys)) {
    case truth::yes:
      return past;
    case truth::no:
      return full;
    default:
      return N::hull(past, full);
  }
}

// As causal, but no key more than w before its query's position.
template <class N>
N window_pairs(const sequence<N>& s, std::uint64_t w) {
  constexpr std::uint64_t most = std::uint64_t{1} << 40;
  const auto q = s.queries.exact();
  const auto k = s.keys.exact();
  if (!q || !k || *q > most || *k > most) {
    return from_to(N{}, minimum(s.queries * s.keys, s.queries * (N{w} + N{1})));
  }
  const std::uint64_t first = *k > *q ? *k - *q : 0;
  const std::uint64_t end = first + *q;
  // A query at position p sees the keys up to p but not those below p - w:
  // min(k, p + 1) - min(k, max(0, p - w)), each summed over positions below an end.
  const auto up_to = [&](std::uint64_t last) {
    const std::uint64_t rising = std::min(last, *k);
    return triangle(N{rising}) + N{last - rising} * N{*k};
  };
  const auto below = [&](std::uint64_t last) {
    const std::uint64_t positions = last > w ? last - w : 0;
    const std::uint64_t rising = std::min(positions, *k);
    return triangle(minus(N{rising}, N{1})) + N{positions - rising} * N{*k};
  };
  return minus(minus(up_to(end), up_to(first)), minus(below(end), below(first)));
}

// `rows` of the `all` rows of operand i.
template <class N>
N scaled_rows(site<N>& n, unsigned i, N rows, N all) {
  if (equal(rows, all) == truth::yes) return n.bytes(i);
  const auto exact_all = all.exact();
  if (!exact_all || *exact_all == 0) return from_to(N{}, n.bytes(i));
  return floor_divide(n.bytes(i), all) * rows;
}

template <class N>
struct attention_need {
  N pairs;         // over batch, heads
  bool is_hidden;  // the mask is data: any of it may be hidden
};

// Books what the mask leaves of q, k, v and says how many pairs are visible.
template <class N>
attention_need<N> read_masked(site<N>& n, const sequence<N>& s, unsigned mask_operand) {
  const mask m = n.said().attention_mask.value_or(mask{mask_kind::other, 0});
  attention_need<N> a{s.queries * s.keys, false};
  switch (m.kind) {
    case mask_kind::none:
      break;
    case mask_kind::bias:
      n.dtype(mask_operand);
      break;
    case mask_kind::causal:
      a.pairs = causal_pairs(s);
      break;
    case mask_kind::sliding_window: {
      a.pairs = window_pairs(s, m.window);
      const N reach = N{m.window};
      const truth fewer_queries = at_most(s.queries, s.keys);
      const N all = s.keys;
      const N seen = minimum(s.keys, s.queries + reach);
      const N rows = fewer_queries == truth::yes  ? seen
                     : fewer_queries == truth::no ? all
                                                  : N::hull(seen, all);
      const N sees = minimum(s.queries, s.keys + reach);
      const N asking = fewer_queries == truth::yes  ? s.queries
                       : fewer_queries == truth::no ? sees
                                                    : N::hull(sees, s.queries);
      for (const unsigned i : {1u, 2u}) n.reads(i, scaled_rows(n, i, rows, s.keys));
      n.reads(0, scaled_rows(n, 0, asking, s.queries));
      break;
    }
    case mask_kind::custom:
      n.dtype(mask_operand);
      a.is_hidden = true;
      break;
    case mask_kind::other:
      a.is_hidden = true;
      for (unsigned i = mask_operand; i < n.operand_count(); ++i) n.reads_up_to_all(i);
      break;
  }
  if (s.keys.is_zero()) n.ignores(0);
  if (a.is_hidden) {
    for (const unsigned i : {0u, 1u, 2u}) n.reads_up_to_all(i);
    a.pairs = from_to(N{}, a.pairs);
  }
  a.pairs *= s.batch * s.heads;
  return a;
}

template <class N>
N value_dim(site<N>& n, N head_dim) {
  const auto v = n.attributes().u64(attr::v_head_dim);
  return v ? N{*v} : head_dim;
}

}  // namespace

constexpr formula attention = make_formula([]<class N>(site<N>& n) {
  n.dtype(2);
  const sequence<N> s = read_sequence(n);
  const N d = n.number(attr::head_dim);
  const attention_need<N> a = read_masked(n, s, 3);
  n.contraction(a.pairs * N{2} * (d + value_dim(n, d)));
  n.work(N{3} * a.pairs);
  const mask m = n.said().attention_mask.value_or(mask{});
  if (m.kind == mask_kind::bias) n.work(a.pairs);
  if (n.attributes().f64(attr::attn_logit_softcap)) n.work(N{2} * a.pairs);
});

// q, k, v, dy [, mask]: scores and softmax again, then one gradient.
constexpr formula attention_backward = make_formula([]<class N>(site<N>& n) {
  n.dtype(3);
  const sequence<N> s = read_sequence(n);
  const N d = n.number(attr::head_dim);
  const std::string_view wrt = n.attributes().text(attr::wrt);
  const attention_need<N> a = read_masked(n, s, 4);
  if (a.is_hidden) {
    n.reads_up_to_all(3);
  } else if (n.is_tracked(0)) {
    n.reads(3, n.tracked(0));  // a query that sees nothing passes nothing back
  }
  if (wrt == "Value") {
    n.ignores(2);
    n.contraction(a.pairs * N{4} * d);
    n.work(N{3} * a.pairs);
  } else if (wrt == "Query" || wrt == "Key") {
    n.contraction(a.pairs * N{6} * d);
    n.work(N{7} * a.pairs);
  } else {
    n.give_up("the gradient is not one this version knows");
  }
});

constexpr formula attention_backward_all = make_formula([]<class N>(site<N>& n) {
  n.dtype(3);
  const sequence<N> s = read_sequence(n);
  const N d = n.number(attr::head_dim);
  const attention_need<N> a = read_masked(n, s, 4);
  if (a.is_hidden) {
    n.reads_up_to_all(3);
  } else if (n.is_tracked(0)) {
    n.reads(3, n.tracked(0));
  }
  n.contraction(a.pairs * N{10} * d);
  n.work(N{7} * a.pairs);
});

// x [B,S,H*D] or [S,H*D]; one row of n_rot/2 of each table a position.
constexpr formula rope = make_formula([]<class N>(site<N>& n) {
  n.dtype(2);
  const unsigned rank = n.rank(0);
  const N head_dim = n.number(attr::head_dim);
  const N rotated = n.number(attr::n_rot);
  const N half = floor_divide(rotated, N{2});
  N rows;
  if (rank == 2) {
    rows = n.dim(0, 0);
  } else if (rank == 3) {
    rows = n.dim(0, 1);
  } else if (rank == 4) {  // positions on axis 1 or 2: releases differ
    rows = N::hull(n.dim(0, 1), n.dim(0, 2));
  } else {
    return (void)n.missing();
  }
  for (const unsigned i : {1u, 2u}) {
    n.reads(i, minimum(rows * half * n.width(i), n.bytes(i)));
  }
  const N heads = n.extent(0, 0, -1) * floor_divide(n.dim(0, -1), head_dim);
  n.operations(N{6} * half * heads, n.dtype(0));
});

constexpr formula axial_rope =
    make_formula([]<class N>(site<N>& n) { n.operations(N{3} * n.elements(0), n.dtype(0)); });

}  // namespace opscope::need
