// A profile in pprof's format: a gzipped protocol buffer, perftools.profiles.Profile of
// github.com/google/pprof/proto/profile.proto. Its few messages are written by hand: a generator
// would be a build dependency for nine field numbers.
#pragma once

#include <string>

#include "plugin/export/profile.hpp"

namespace opscope {

// Throws ledger_error where it cannot be compressed.
std::string write_pprof(const profile& p);
// The same before it is compressed.
std::string write_pprof_message(const profile& p);

}  // namespace opscope
