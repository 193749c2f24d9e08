// Where plugins and the host speak: one call, or one write to standard error, a line.
#pragma once

#include <rlx/host.h>

#include <string_view>

namespace rlx {

class log {
 public:
  log() = default;
  log(rlx_log_fn write, void* context) : write_{write}, context_{context} {}

  // Each line of `text`, escaped, under that plugin's name. Any thread; never throws: a line that
  // cannot be written is lost, since an observer's words must not stop a compile.
  void plugin(std::string_view name, rlx_severity severity, std::string_view text) const noexcept;
  // One sentence of the host itself, as one line.
  void host(rlx_severity severity, std::string_view sentence) const noexcept;

 private:
  void line(rlx_severity severity, rlx_string name, std::string_view text) const;
  rlx_log_fn write_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace rlx
