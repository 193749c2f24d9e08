// Movement: which elements are looked at, for real indices.
#include <string>

#include "tests/need/oracle/index.hpp"

namespace opscope::test {

namespace {

constexpr std::uint32_t f32 = RLX_DTYPE_F32;

void copy(trial& t, const sizes& to) {
  tensor_trace& x = *t.operands[0].tensor;
  tensor_trace& o = t.output(to, x.dtype);
  x.read_all();
  o.write_all();
}

// A Reshape that is no view: the plan shows one, this is where none is shown.
void reshape(trial& t) {
  const sizes s = {t.size(), t.size(), t.size()};
  t.operand(s, t.any_number());
  copy(t, {s[0] * s[1], s[2]});
}

void transpose(trial& t) {
  tensor_trace& x = t.operand({t.size_or_none(), t.size()}, t.any_number());
  t.attribute("perm", u64s({1, 0}));
  tensor_trace& o = t.output({x.shape[1], x.shape[0]}, x.dtype);
  each(o.shape, [&](const sizes& at) {
    x.read(flat(x.shape, {at[1], at[0]}));
    o.write(flat(o.shape, at));
  });
}

void sliced(trial& t, std::int64_t step) {
  sizes s = {t.size(), t.size(6), t.size()};
  const std::uint64_t axis = t.between(0, 2);
  const std::uint64_t stride = static_cast<std::uint64_t>(std::abs(step));
  const std::uint64_t length = t.between(1, (s[axis] - 1) / stride + 1);
  const std::uint64_t span = (length - 1) * stride + 1;
  std::uint64_t start = t.between(0, s[axis] - span);
  if (step < 0) start += span - 1;
  tensor_trace& x = t.operand(s, t.any_number());
  sizes to = s;
  to[axis] = length;
  t.attribute("axis", axis);
  t.attribute("start", start);
  t.attribute("len", length);
  if (step != 0) t.attribute("step", step);
  tensor_trace& o = t.output(to, x.dtype);
  each(to, [&](const sizes& at) {
    sizes from = at;
    from[axis] = step < 0 ? start - at[axis] * stride : start + at[axis] * stride;
    x.read(flat(s, from));
    o.write(flat(to, at));
  });
}
void narrow(trial& t) {
  sizes s = {t.size(), t.size(6), t.size()};
  const std::uint64_t axis = t.between(0, 2), length = t.between(0, s[axis]);
  const std::uint64_t start = t.between(0, s[axis] - length);
  tensor_trace& x = t.operand(s, t.any_number());
  sizes to = s;
  to[axis] = length;
  t.attribute("axis", axis);
  t.attribute("start", start);
  t.attribute("len", length);
  tensor_trace& o = t.output(to, x.dtype);
  each(to, [&](const sizes& at) {
    sizes from = at;
    from[axis] += start;
    x.read(flat(s, from));
    o.write(flat(to, at));
  });
}
void slice(trial& t) { sliced(t, t.pick<std::int64_t>({1, 2, 3, -1, -2})); }

void concat(trial& t) {
  const std::uint64_t count = t.between(1, 8), columns = t.size();
  const auto d = t.any_number();
  std::uint64_t rows = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    tensor_trace& x = t.operand({t.between(1, 3), columns}, d);
    x.read_all();
    rows += x.shape[0];
  }
  t.attribute("axis", 0u);
  t.output({rows, columns}, d).write_all();
}

void expand(trial& t) {
  const sizes to = {t.size(), t.size(), t.size()};
  sizes from = to;
  from[t.between(0, 2)] = 1;
  tensor_trace& x = t.operand(from, t.any_number());
  tensor_trace& o = t.output(to, x.dtype);
  each(to, [&](const sizes& at) {
    x.read(broadcast_at(from, at));
    o.write(flat(to, at));
  });
}

void gather(trial& t) {
  sizes s = {t.size(), t.size(), t.size()};
  const std::uint64_t axis = t.between(0, 2);
  const sizes index_shape = t.coin(0.3) ? sizes{1}
                            : t.coin()  ? sizes{t.size()}
                                        : sizes{2, t.size()};
  tensor_trace& x = t.operand(s, t.any_number());
  tensor_trace& index = t.indices(index_shape, s[axis]);
  t.attribute("axis", axis);
  const bool drops_leading = axis != 0 && t.coin(0.3);  // as 0.2.2 declares it
  sizes to(s.begin(), s.begin() + static_cast<std::ptrdiff_t>(drops_leading ? 0 : axis));
  const std::size_t lead = to.size();
  to.insert(to.end(), index_shape.begin(), index_shape.end());
  to.insert(to.end(), s.begin() + static_cast<std::ptrdiff_t>(axis) + 1, s.end());
  tensor_trace& o = t.output(to, x.dtype);
  each(to, [&](const sizes& at) {
    const sizes of_index(at.begin() + static_cast<std::ptrdiff_t>(lead),
                         at.begin() + static_cast<std::ptrdiff_t>(lead + index_shape.size()));
    sizes from(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(lead));
    from.resize(axis);
    from.push_back(static_cast<std::uint64_t>(index.read(flat(index_shape, of_index))));
    from.insert(from.end(), at.begin() + static_cast<std::ptrdiff_t>(lead + index_shape.size()),
                at.end());
    x.read(flat(s, from));
    o.write(flat(to, at));
  });
}

void gather_elements(trial& t) {
  const sizes s = {t.size(), t.size(), t.size()};
  const std::uint64_t axis = t.between(0, 2);
  sizes to = s;
  to[axis] = t.size(7);
  tensor_trace& x = t.operand(s, t.any_number());
  tensor_trace& index = t.indices(to, s[axis]);
  t.attribute("axis", static_cast<std::int64_t>(axis) - (t.coin() ? 3 : 0));
  tensor_trace& o = t.output(to, x.dtype);
  each(to, [&](const sizes& at) {
    sizes from = at;
    from[axis] = static_cast<std::uint64_t>(index.read(flat(to, at)));
    x.read(flat(s, from));
    o.write(flat(to, at));
  });
}

void gather_nd(trial& t) {
  const std::uint64_t b = t.size(3), a = t.size(), c = t.size(), last = t.size(3), n = t.size();
  const bool is_batched = t.coin();
  const std::uint64_t k = is_batched ? 1 : 2;
  // batched: [b, a, last] by [b, n, 1]; else [a, c, last] by [n, 2]
  tensor_trace& x = t.operand(is_batched ? sizes{b, a, last} : sizes{a, c, last});
  tensor_trace& index = t.own_operand(is_batched ? sizes{b, n, 1} : sizes{n, 2}, RLX_DTYPE_I64);
  for (std::uint64_t i = 0; i < index.size(); ++i) {
    const std::uint64_t limit = is_batched || i % 2 == 0 ? a : c;
    index.set(i, static_cast<double>(t.between(0, limit - 1)));
  }
  t.attribute("batch_dims", is_batched ? 1 : 0);
  tensor_trace& o = t.output(is_batched ? sizes{b, n, last} : sizes{n, last});
  const std::uint64_t picks = index.size() / k;
  for (std::uint64_t p = 0; p < picks; ++p) {
    std::uint64_t row = is_batched ? p / n : 0;
    for (std::uint64_t i = 0; i < k; ++i) {
      const std::uint64_t dim = is_batched ? a : i == 0 ? a : c;
      row = row * dim + static_cast<std::uint64_t>(index.read(p * k + i));
    }
    for (std::uint64_t i = 0; i < last; ++i) {
      x.read(row * last + i);
      o.write(p * last + i);
    }
  }
}

void scatter_add(trial& t) {
  const std::uint64_t n = t.size(), m = t.size(), columns = t.size();
  tensor_trace& updates = t.operand({n, columns});
  tensor_trace& index = t.indices({n}, m);
  tensor_trace& o = t.output({m, columns});
  o.write_all();  // zeros
  for (std::uint64_t i = 0; i < updates.size(); ++i) {
    index.read(i / columns);
    updates.read(i);
    t.work(1);
  }
}

void gather_backward(trial& t) {
  const std::uint64_t n = t.size(), m = t.size(), columns = t.size();
  t.attribute("axis", 0);
  tensor_trace& dy = t.operand({n, columns});
  tensor_trace& index = t.indices({n}, m);
  tensor_trace& o = t.output({m, columns});
  o.write_all();
  for (std::uint64_t i = 0; i < dy.size(); ++i) {
    index.read(i / columns);
    dy.read(i);
    t.work(1);
  }
}

// Overwritten data is not read where nothing is combined; where the plan puts the output over the
// data only what is hit moves.
void scatter(trial& t, bool by_slices) {
  t.allows_aliases = false;
  const char* const reduction = t.pick({"None", "Add", "Mul", "Max", "Min"});
  const bool replaces = std::string{reduction} == "None";
  const bool is_placed = t.coin(0.3);
  const std::uint64_t rows = t.size(6), columns = t.size(3), n = t.size(6);
  t.attribute("reduction", reduction);
  if (!by_slices) t.attribute("axis", 0);
  tensor_trace& data = t.own_operand({rows, columns}, f32);
  tensor_trace& index = t.own_operand(by_slices ? sizes{n, 1} : sizes{n, columns}, RLX_DTYPE_I64);
  for (std::uint64_t i = 0; i < index.size(); ++i) {
    index.set(i, static_cast<double>(t.between(0, rows - 1)));
  }
  tensor_trace& updates = t.own_operand({n, columns}, f32);
  tensor_trace& o = t.output({rows, columns});
  if (is_placed) t.in_place_of = 0;
  std::vector<bool> is_hit(data.size());
  for (std::uint64_t i = 0; i < updates.size(); ++i) {
    const auto row = static_cast<std::uint64_t>(index.read(by_slices ? i / columns : i));
    const std::uint64_t at = row * columns + i % columns;
    updates.read(i);
    is_hit[at] = true;
    if (!replaces) {
      data.read(at);
      t.work(1);
    }
    o.write(at);
  }
  if (is_placed) return;
  for (std::uint64_t i = 0; i < data.size(); ++i) {
    if (!is_hit[i]) data.read(i);
    o.write(i);
  }
}
void scatter_elements(trial& t) { scatter(t, false); }
void scatter_nd(trial& t) { scatter(t, true); }

void kv_append(trial& t) {
  t.allows_aliases = false;
  const std::uint64_t capacity = t.between(2, 6), pos = t.between(0, capacity - 1), d = t.size();
  tensor_trace& cache = t.own_operand({1, capacity, d}, f32);
  tensor_trace& row = t.own_operand({1, 1, d}, f32);
  t.attribute("axis", 1u);
  t.attribute("pos", pos);
  tensor_trace& o = t.output({1, pos + 1, d});
  const bool is_placed = t.coin();
  if (is_placed) t.in_place_of = 0;
  for (std::uint64_t i = 0; i < d; ++i) {
    row.read(i);
    o.write(pos * d + i);
  }
  if (is_placed) return;
  for (std::uint64_t i = 0; i < pos * d; ++i) {
    cache.read(i);
    o.write(i);
  }
}

void trilu(trial& t) {
  const std::uint64_t rows = t.size(6), columns = t.size(6);
  const bool upper = t.coin();
  const std::int64_t diagonal = static_cast<std::int64_t>(t.between(0, 16)) - 8;
  t.attribute("upper", upper);
  t.attribute("diagonal", diagonal);
  tensor_trace& x = t.operand({t.size(2), rows, columns});
  tensor_trace& o = t.output(x.shape);
  each(x.shape, [&](const sizes& at) {
    const auto offset = static_cast<std::int64_t>(at[2]) - static_cast<std::int64_t>(at[1]);
    if (upper ? offset >= diagonal : offset <= diagonal) x.read(flat(x.shape, at));
    o.write(flat(x.shape, at));
  });
}

void resize(trial& t) {
  tensor_trace& x = t.operand({t.size(2), t.size(), t.size(), t.size()});
  tensor_trace& o = t.output({x.shape[0], x.shape[1], 2 * x.shape[2], 2 * x.shape[3]});
  each(o.shape, [&](const sizes& at) {
    x.read(flat(x.shape, {at[0], at[1], at[2] / 2, at[3] / 2}));
    o.write(flat(o.shape, at));
  });
}

void interpolate(trial& t) {
  tensor_trace& x = t.operand({1, t.size(2), t.size(), t.size(), t.size()});
  const sizes to = {1, x.shape[1], t.size(7), t.size(7), t.size(7)};
  t.attribute("size", u64s({to[2], to[3], to[4]}));
  tensor_trace& o = t.output(to);
  each(to, [&](const sizes& at) {
    sizes from = at;
    for (int a : {2, 3, 4}) from[a] = at[a] * x.shape[a] / to[a];
    x.read(flat(x.shape, from));
    o.write(flat(to, at));
  });
}

void reverse(trial& t) {
  tensor_trace& x = t.operand({t.size(), t.size()});
  copy(t, x.shape);
}

void roll(trial& t) {
  tensor_trace& x = t.operand({t.size(), t.size()});
  tensor_trace& o = t.output(x.shape);
  const std::uint64_t by = t.size();
  t.attribute("shifts", i64s({static_cast<std::int64_t>(by)}));
  t.attribute("dims", u64s({0}));
  each(x.shape, [&](const sizes& at) {
    x.read(flat(x.shape, {(at[0] + by) % x.shape[0], at[1]}));
    o.write(flat(x.shape, at));
  });
}

void pad(trial& t) {
  tensor_trace& x = t.operand({t.size(), t.size()});
  const std::uint64_t before = t.between(0, 2), after = t.between(0, 2);
  t.attribute("pads",
              json("[[" + std::to_string(before) + "," + std::to_string(after) + "],[0,0]]"));
  t.attribute("mode", t.pick({"Replicate", "Circular"}));
  tensor_trace& o = t.output({x.shape[0] + before + after, x.shape[1]});
  each(o.shape, [&](const sizes& at) {
    const std::uint64_t row = std::min(at[0] < before ? 0 : at[0] - before, x.shape[0] - 1);
    x.read(row * x.shape[1] + at[1]);
    o.write(flat(o.shape, at));
  });
}

void tile(trial& t) {
  tensor_trace& x = t.operand({t.size(), t.size()});
  const std::uint64_t r = t.size(3);
  t.attribute("reps", u64s({r, 1}));
  tensor_trace& o = t.output({r * x.shape[0], x.shape[1]});
  each(o.shape, [&](const sizes& at) {
    x.read(at[0] % x.shape[0] * x.shape[1] + at[1]);
    o.write(flat(o.shape, at));
  });
}

constexpr oracle table[] = {
    {RLX_KIND_Reshape, reshape},
    {RLX_KIND_Transpose, transpose},
    {RLX_KIND_Narrow, narrow},
    {RLX_KIND_Slice, slice},
    {RLX_KIND_Concat, concat},
    {RLX_KIND_Expand, expand},
    {RLX_KIND_Gather, gather},
    {RLX_KIND_GatherElements, gather_elements},
    {RLX_KIND_GatherNd, gather_nd},
    {RLX_KIND_GatherBackward, gather_backward},
    {RLX_KIND_ScatterAdd, scatter_add},
    {RLX_KIND_ScatterElements, scatter_elements},
    {RLX_KIND_ScatterNd, scatter_nd},
    {RLX_KIND_KvAppend, kv_append},
    {RLX_KIND_Trilu, trilu},
    {RLX_KIND_ResizeNearest2x, resize},
    {RLX_KIND_Interpolate3d, interpolate},
    {RLX_KIND_Reverse, reverse},
    {RLX_KIND_Roll, roll},
    {RLX_KIND_Pad, pad},
    {RLX_KIND_Tile, tile},
};

}  // namespace

std::span<const oracle> movement_oracles() { return table; }

}  // namespace opscope::test
