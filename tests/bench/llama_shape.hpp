// MIR modules shaped like a LLaMA decode step, of any number of layers: for benchmarks of whatever
// takes a module. The shapes are those of Llama 3.2 1B (grouped heads repeated by Narrow and Concat
// over a cache of 2048 past tokens), 45 nodes a layer, names and provenance as RLX writes them.
#pragma once

#include <cstddef>
#include <string>

namespace bench {

std::string llama_decode_json(std::size_t layers);
inline constexpr std::size_t llama_nodes_a_layer = 45 + 2;  // with the layer's two cache inputs

}  // namespace bench
