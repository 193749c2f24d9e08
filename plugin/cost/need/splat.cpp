// Gaussian splatting: what is drawn depends on the scene. positions, scales, rotations, opacities,
// colours, harmonics, meta: positions and meta decide what of the rest is looked at.
#include "plugin/cost/need/formulas.hpp"
#include "plugin/cost/need/site.hpp"

namespace opscope::need {

namespace {

template <class N>
void read_visible(site<N>& n) {
  n.dtype(6);
  for (unsigned i = 1; i < 6; ++i) n.reads_up_to_all(i);
}

}  // namespace

constexpr formula splat_render = make_formula([]<class N>(site<N>& n) {
  read_visible(n);
  n.work(N::unknown());
  n.integer(N::unknown());
});

// Of d_loss_rgba [height*width*4] the three colours.
constexpr formula splat_render_backward = make_formula([]<class N>(site<N>& n) {
  read_visible(n);
  n.reads(7, from_to(N{}, divide_exactly(n.bytes(7) * N{3}, 4)));
  n.work(N::unknown());
  n.integer(N::unknown());
});

constexpr formula splat_prepare = make_formula([]<class N>(site<N>& n) {
  read_visible(n);
  n.work(N::unknown());
  n.integer(N::unknown());
});

constexpr formula splat_rasterize = make_formula([]<class N>(site<N>& n) {
  n.dtype(1);
  n.reads_up_to_all(0);
  n.work(N::unknown());
  n.integer(N::unknown());
});

}  // namespace opscope::need
