// How a short-lived process that builds one large graph after another wants its heap kept.
#pragma once

#include <malloc.h>

#include <cstddef>

#include "host/graph/column.hpp"

namespace rlx::cli {

// Keeps freed memory for the next pass instead of giving it back to the system and faulting it in
// again page by page: a third of the time of lowering a large graph. These are the values glibc's
// own adjustment ends at. Call before threads are made.
inline void keep_freed_memory() {
#ifdef M_MMAP_THRESHOLD
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
  // A million nodes and their text, twice, as they are reserved; about half of it is touched.
  rlx::keep_large(std::size_t{1} << 30);
}

}  // namespace rlx::cli
