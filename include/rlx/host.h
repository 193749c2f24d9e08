/* The host's C face: load the plugins that the environment names, hand over compiled graphs, shut
 * down. rlxc uses it, and so does any other driver (the adapter of the Rust compiler). Implemented
 * by librlx_host.so. C11.
 *
 * Environment, read with secure_getenv (so ignored in a privileged run):
 *   RLX_PLUGINS      ':'-separated. An entry with a '/' must be an absolute path; a bare file name
 *                    is looked up in the folders below. Empty entries are skipped.
 *   RLX_PLUGIN_PATH  ':'-separated absolute folders, searched in order; then <folder of
 *                    librlx_host.so>/rlx/plugins. Never the working directory, never the loader's
 *                    own search.
 *
 * Threads: rlx_session_compile may be called from any thread at any time between create and
 * destroy; calls into one plugin are serialised. create and destroy are called once each. */
#ifndef RLX_HOST_H
#define RLX_HOST_H

#include <rlx/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define RLX_HOST_EXPORT __attribute__((visibility("default")))
#else
#define RLX_HOST_EXPORT
#endif

/* Receives each line that a plugin or the host itself has to say: UTF-8, no line feed, control
 * characters escaped. `plugin` is the plugin's name, absent where the host speaks. May be called
 * from several threads; must not call back into the session. */
typedef void (*rlx_log_fn)(void* context, rlx_severity severity, rlx_string plugin,
                           rlx_string line);

typedef struct rlx_session_config {
  size_t struct_size;
  rlx_log_fn log; /* NULL: to standard error, as `plugin: line` */
  void* log_context;
} rlx_session_config;

typedef struct rlx_session rlx_session; /* opaque */

/* One loaded plugin. Strings live as long as the session. */
typedef struct rlx_plugin_info {
  size_t struct_size; /* set by the caller */
  rlx_string path;
  rlx_string name;
  rlx_string version;
  uint32_t abi;
  uint32_t stages; /* the stages its hook asked for */
} rlx_plugin_info;

/* Frozen sizes, as in plugin.h: what a struct_size is compared with. */
#define RLX_SESSION_CONFIG_SIZE_0_1 24u
#define RLX_PLUGIN_INFO_SIZE_0_1 64u

/* Loads what RLX_PLUGINS names, in order. RLX_OK: *session is valid, also with no plugin. Else
 * *session is NULL and the sentence that says what failed, where and what to do is written to
 * message (NUL-terminated, cut to message_size). No plugin stays half-loaded in effect: those
 * created before the failing one are destroyed. config may be NULL. */
RLX_HOST_EXPORT rlx_status rlx_session_create(const rlx_session_config* config,
                                              rlx_session** session, char* message,
                                              size_t message_size);

/* The union of the stages that plugins which still run asked for: a driver need not build views
 * for the others. */
RLX_HOST_EXPORT uint32_t rlx_session_stages(const rlx_session* session);

/* Hands one record to every plugin that asked for its stage, in load order. A plugin that fails is
 * reported once and switched off; that is no error here. RLX_FAILED only for a record this library
 * cannot pass on (null graph, short struct, no stage), and where a plugin or a log function calls
 * it from inside a call into a plugin: that is refused, like every other function that acts on the
 * session. Nothing is kept after the return. */
RLX_HOST_EXPORT rlx_status rlx_session_compile(rlx_session* session,
                                               const rlx_compile_record* record);

/* Sequence numbers: returns 0, 1, .. for each further compile of a graph of that name in this
 * process. Call once a compile, and put the value into the records of all its stages. */
RLX_HOST_EXPORT uint64_t rlx_session_next_sequence(rlx_session* session, rlx_string graph_name);

RLX_HOST_EXPORT size_t rlx_session_plugin_count(const rlx_session* session);
RLX_HOST_EXPORT rlx_status rlx_session_plugin(const rlx_session* session, size_t index,
                                              rlx_plugin_info* info);

/* Calls each plugin's destroy in reverse load order. The shared objects stay mapped. NULL is fine.
 */
RLX_HOST_EXPORT void rlx_session_destroy(rlx_session* session);

#ifdef __cplusplus
#define RLX_LAYOUT(claim) static_assert(claim, "the frozen layout of the host's C face")
#else
#define RLX_LAYOUT(claim) _Static_assert(claim, "the frozen layout of the host's C face")
#endif
RLX_LAYOUT(offsetof(rlx_session_config, struct_size) == 0);
RLX_LAYOUT(offsetof(rlx_session_config, log) == 8);
RLX_LAYOUT(offsetof(rlx_session_config, log_context) == 16);
RLX_LAYOUT(sizeof(rlx_session_config) == 24);
RLX_LAYOUT(offsetof(rlx_plugin_info, struct_size) == 0);
RLX_LAYOUT(offsetof(rlx_plugin_info, path) == 8);
RLX_LAYOUT(offsetof(rlx_plugin_info, name) == 24);
RLX_LAYOUT(offsetof(rlx_plugin_info, version) == 40);
RLX_LAYOUT(offsetof(rlx_plugin_info, abi) == 56);
RLX_LAYOUT(offsetof(rlx_plugin_info, stages) == 60);
RLX_LAYOUT(sizeof(rlx_plugin_info) == 64);
#undef RLX_LAYOUT

#ifdef __cplusplus
}
#endif

#endif /* RLX_HOST_H */
