// Gives dynamic dims their sizes before anything is lowered: `--bind SYMBOL=N`.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "host/graph/module.hpp"

namespace rlx {

struct binding {
  std::uint32_t symbol;
  std::uint64_t size;
};

// `SYMBOL=N`, both decimal. Throws rlx::error for anything else.
binding parse_binding(std::string_view text);

// The dynamic symbols of the module's shapes, also in nested graphs: ascending, distinct.
std::vector<std::uint32_t> dynamic_symbols(const module& m);

// Every dim of a bound symbol becomes static, in all shapes, also those of nested graphs. Fields of
// operations stay as they are. Throws rlx::error, naming the symbols there are, where a symbol is
// not in the module or is bound twice, and for a lowered module (its plan was made without).
void bind(module& m, std::span<const binding> bindings);

}  // namespace rlx
