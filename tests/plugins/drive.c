/* Drives the contract from C11: the C face of the host, a graph written by hand, and one plugin.
 * Returns NULL, or the claim that does not hold. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <rlx/host.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char* drive_contract_from_c(const char* plugin_path);

struct log {
  unsigned lines;
  char last[256];
};

static void keep_line(void* context, rlx_severity severity, rlx_string plugin, rlx_string line) {
  struct log* log = context;
  (void)severity;
  snprintf(log->last, sizeof log->last, "%.*s: %.*s", (int)plugin.size, plugin.data, (int)line.size,
           line.data);
  ++log->lines;
}

static rlx_string text(const char* s) { return (rlx_string){s, strlen(s)}; }

/* y[2, 8] = x[2, 4] . w[4, 8], with a buffer plan of one slot a node. */
static rlx_graph_view matmul(rlx_node* nodes, rlx_node_info* infos) {
  static const uint32_t inputs[] = {0, 1};
  static const uint64_t dims[] = {2, 4, 4, 8, 2, 8};
  static const uint32_t outputs[] = {2};
  const uint32_t kinds[] = {RLX_KIND_Input, RLX_KIND_Param, RLX_KIND_MatMul};
  const char* const names[] = {"Input", "Param", "MatMul"};
  for (uint32_t id = 0; id < 3; ++id) {
    nodes[id] = (rlx_node){.kind = kinds[id],
                           .dtype = RLX_DTYPE_F32,
                           .dims_begin = 2 * id,
                           .rank = 2,
                           .input_count = id == 2 ? 2 : 0,
                           .view_root = id};
    infos[id] = (rlx_node_info){.kind_text = text(names[id]),
                                .dtype_text = text("F32"),
                                .origin_hir = RLX_UNKNOWN,
                                .slot_offset = 128 * id,
                                .slot_bytes = 128};
  }
  return (rlx_graph_view){.struct_size = sizeof(rlx_graph_view),
                          .name = text("from_c"),
                          .nodes = nodes,
                          .node_count = 3,
                          .node_stride = sizeof(rlx_node),
                          .infos = infos,
                          .info_stride = sizeof(rlx_node_info),
                          .inputs = inputs,
                          .input_count = 2,
                          .dims = dims,
                          .dim_count = 6,
                          .outputs = outputs,
                          .output_count = 1,
                          .attribute_stride = sizeof(rlx_attribute),
                          .nested_stride = sizeof(rlx_nested_graph),
                          .arena_bytes = 3 * 128};
}

#define CLAIM(holds) \
  if (!(holds)) return #holds

const char* drive_contract_from_c(const char* plugin_path) {
  struct log log = {0, ""};
  const rlx_session_config config = {sizeof config, keep_line, &log};
  rlx_session* session = NULL;
  char message[1024];

  setenv("RLX_PLUGINS", "relative/path.so", 1);
  CLAIM(rlx_session_create(&config, &session, message, sizeof message) == RLX_FAILED);
  CLAIM(session == NULL);
  CLAIM(strstr(message, "relative/path.so") != NULL);
  rlx_session_destroy(NULL);

  setenv("RLX_PLUGINS", plugin_path, 1);
  const rlx_status created = rlx_session_create(&config, &session, message, sizeof message);
  unsetenv("RLX_PLUGINS");
  CLAIM(created == RLX_OK);
  CLAIM(rlx_session_plugin_count(session) == 1);
  rlx_plugin_info info = {.struct_size = sizeof info};
  CLAIM(rlx_session_plugin(session, 0, &info) == RLX_OK);
  CLAIM(info.path.size == strlen(plugin_path));
  CLAIM(memcmp(info.path.data, plugin_path, info.path.size) == 0);
  CLAIM(info.abi >> 16 == RLX_PLUGIN_ABI_MAJOR);
  CLAIM((rlx_session_stages(session) & RLX_STAGE_LOWERED) != 0);

  rlx_node nodes[3];
  rlx_node_info infos[3];
  const rlx_graph_view graph = matmul(nodes, infos);
  const rlx_option options[] = {{text("a"), text("1")}, {text("b"), text("2")}};
  const rlx_compile_record record = {.struct_size = sizeof record,
                                     .stage = RLX_STAGE_LOWERED,
                                     .graph = &graph,
                                     .target = text("tpu"),
                                     .compiler_name = text("drive"),
                                     .compiler_version = text("1"),
                                     .pipeline = text("none"),
                                     .options = options,
                                     .option_count = 2,
                                     .option_stride = sizeof(rlx_option),
                                     .sequence = rlx_session_next_sequence(session, graph.name)};
  CLAIM(record.sequence == 0);
  CLAIM(rlx_session_compile(session, &record) == RLX_OK);
  CLAIM(log.lines == 1);
  CLAIM(strcmp(log.last, "print_names: from_c: 3 nodes for tpu") == 0);
  CLAIM(rlx_session_compile(session, &record) == RLX_OK);
  CLAIM(log.lines == 2);
  rlx_session_destroy(session);
  return NULL;
}
