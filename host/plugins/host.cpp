// The C face of include/rlx/host.h: arguments checked, exceptions turned into statuses. Holds no
// logic of its own.
#include <rlx/host.h>
#include <stdlib.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>

#include "host/error.hpp"
#include "host/plugins/locate.hpp"
#include "host/plugins/session.hpp"
#include "host/text/printable.hpp"

namespace {

std::string_view environment(const char* name) {
  const char* const value = ::secure_getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

// Writes the sentence, cut between two characters where it is longer than the caller's space.
void write_message(char* message, std::size_t size, std::string_view sentence) {
  if (message == nullptr || size == 0) return;
  std::size_t length = std::min(sentence.size(), size - 1);
  while (length != 0 && length < sentence.size() &&
         (static_cast<unsigned char>(sentence[length]) & 0xc0) == 0x80) {
    --length;
  }
  std::memcpy(message, sentence.data(), length);
  message[length] = '\0';
}

bool is_whole(const rlx_graph_view* graph) {
  return graph != nullptr && graph->struct_size >= RLX_GRAPH_VIEW_SIZE_0_1;
}

bool is_whole(const rlx_compile_record* record) {
  if (record == nullptr || record->struct_size < RLX_COMPILE_RECORD_SIZE_0_1) return false;
  const bool has_options =
      record->option_count == 0 ||
      (record->options != nullptr && record->option_stride >= sizeof(rlx_option) &&
       record->option_stride % 8 == 0);
  return record->stage != 0 && is_whole(record->graph) &&
         (record->source == nullptr || is_whole(record->source)) && has_options;
}

rlx_string lend(std::string_view s) { return {s.data() == nullptr ? "" : s.data(), s.size()}; }

}  // namespace

rlx_status rlx_session_create(const rlx_session_config* config, rlx_session** session,
                              char* message, size_t message_size) {
  if (session == nullptr) {
    write_message(message, message_size, "rlx_session_create: no place for the session");
    return RLX_FAILED;
  }
  *session = nullptr;
  if (config != nullptr && config->struct_size < RLX_SESSION_CONFIG_SIZE_0_1) {
    write_message(message, message_size,
                  "rlx_session_create: the configuration is shorter than version 0.1; set its "
                  "struct_size");
    return RLX_FAILED;
  }
  if (rlx::plugin::is_inside_call()) {
    rlx::plugin::report_reentry("rlx_session_create");
    write_message(message, message_size, "rlx_session_create was called from inside a plugin");
    return RLX_FAILED;
  }
  try {
    const rlx::log log =
        config == nullptr ? rlx::log{} : rlx::log{config->log, config->log_context};
    const std::string own_folder = rlx::own_plugin_folder();
    *session = new rlx_session{
        log, {environment("RLX_PLUGINS"), environment("RLX_PLUGIN_PATH"), own_folder}};
    return RLX_OK;
  } catch (const rlx::error& e) {
    write_message(message, message_size, rlx::printable(e.what()));
  } catch (const std::exception& e) {
    write_message(message, message_size, std::string{"plugins cannot be loaded: "} + e.what());
  } catch (...) {
    write_message(message, message_size, "plugins cannot be loaded");
  }
  return RLX_FAILED;
}

uint32_t rlx_session_stages(const rlx_session* session) {
  return session == nullptr ? 0 : session->stages();
}

rlx_status rlx_session_compile(rlx_session* session, const rlx_compile_record* record) {
  if (rlx::plugin::is_inside_call()) {
    rlx::plugin::report_reentry("rlx_session_compile");
    return RLX_FAILED;
  }
  if (session == nullptr || !is_whole(record)) return RLX_FAILED;
  session->compile(*record);
  return RLX_OK;
}

uint64_t rlx_session_next_sequence(rlx_session* session, rlx_string graph_name) {
  if (rlx::plugin::is_inside_call()) {
    rlx::plugin::report_reentry("rlx_session_next_sequence");
    return RLX_UNKNOWN;
  }
  if (session == nullptr) return RLX_UNKNOWN;
  try {
    return rlx::next_sequence(graph_name.data == nullptr
                                  ? std::string_view{}
                                  : std::string_view{graph_name.data, graph_name.size});
  } catch (...) {
    return RLX_UNKNOWN;
  }
}

size_t rlx_session_plugin_count(const rlx_session* session) {
  return session == nullptr ? 0 : session->plugins().size();
}

rlx_status rlx_session_plugin(const rlx_session* session, size_t index, rlx_plugin_info* info) {
  if (session == nullptr || info == nullptr || index >= session->plugins().size() ||
      info->struct_size < RLX_PLUGIN_INFO_SIZE_0_1) {
    return RLX_FAILED;
  }
  const rlx::plugin& p = *session->plugins()[index];
  info->path = lend(p.path());
  info->name = lend(p.name());
  info->version = lend(p.version());
  info->abi = p.abi();
  info->stages = p.stages();
  return RLX_OK;
}

void rlx_session_destroy(rlx_session* session) {
  if (rlx::plugin::is_inside_call()) {
    rlx::plugin::report_reentry("rlx_session_destroy");
    return;
  }
  delete session;
}
