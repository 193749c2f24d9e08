#include "plugin/render/diff.hpp"
namespace opscope {
void diff_json(json_writer&, const comparison&, const diff_wish&) {}
}  // namespace opscope
