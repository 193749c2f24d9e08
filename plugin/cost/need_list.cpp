#include <algorithm>
#include <opscope/node_need.hpp>

namespace opscope {

void need_list::push_back(const node_need& n) {
  make_room();
  std::uint64_t used = used_;
  std::uint64_t forms = 0;
  unsigned shift = 0;
  for (const interval* const column :
       {&n.read, &n.written, &n.weights, &n.work, &n.contraction, &n.int_ops}) {
    if (!column->is_zero()) {
      const form f = !column->is_bounded() ? unbounded : column->is_exact() ? exact : bounded;
      ends_[used++] = column->lo();
      if (f == bounded) ends_[used++] = *column->hi();
      forms |= f << shift;
    }
    shift += 2;
  }
  entries_.push_back(used_ | forms << forms_shift | (n.is_invariant ? invariant_bit : 0) |
                     (n.is_leaf ? leaf_bit : 0) | (n.is_view ? view_bit : 0) |
                     (n.is_dead ? dead_bit : 0));
  used_ = used;
}

// Far ahead at first: memory that nobody touches is not taken, and a copy takes all of it twice.
void need_list::grow() {
  constexpr std::size_t most = std::size_t{1} << forms_shift;
  const std::size_t foreseen = 3 * entries_.capacity() + 2 * columns;
  const std::size_t size = std::max(foreseen, ends_.size() + ends_.size() / 2 + 2 * columns);
  if (size > most) throw std::length_error{"the needs of more nodes than can be counted"};
  ends_.resize(size);
}

}  // namespace opscope
