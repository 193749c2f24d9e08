// Names the member whose number no 64 bits hold, which a JSON parser refuses without a place.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace opscope {

// The path of the first such number, `totals.bytes`; nothing where there is none. For text that is
// JSON up to there; of other text it finds something or nothing, and ends.
std::optional<std::string> find_long_number(std::string_view json);

}  // namespace opscope
