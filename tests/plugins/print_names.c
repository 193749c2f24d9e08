/* A whole plugin: prints the name and size of each graph that the compiler lowers.
 *   cc -std=c11 -shared -fPIC -fvisibility=hidden print_names.c -o libprint_names.so */
#include <rlx/plugin.h>
#include <stdio.h>
#include <stdlib.h>

struct state {
  const rlx_host_services* host;
};

static rlx_status print_name(void* self, const rlx_compile_record* record) {
  const struct state* s = self;
  const rlx_graph_view* graph = record->graph;
  char line[256];
  int size = snprintf(line, sizeof line, "%.*s: %zu nodes for %.*s",
                      graph->name.size < 100 ? (int)graph->name.size : 100, graph->name.data,
                      graph->node_count, (int)record->target.size, record->target.data);
  if (size < 0) return RLX_FAILED;
  size_t length = (size_t)size < sizeof line ? (size_t)size : sizeof line - 1;
  s->host->report(s->host->context, RLX_INFO, (rlx_string){line, length});
  return RLX_OK;
}

static rlx_status create(const rlx_host_services* host, void** self) {
  struct state* s = malloc(sizeof *s);
  if (s == NULL) return RLX_FAILED;
  s->host = host;
  *self = s;
  return host->register_hook(host->context, RLX_STAGE_LOWERED, print_name);
}

static void destroy(void* self) { free(self); }

static const rlx_plugin plugin = {sizeof plugin, RLX_PLUGIN_ABI, 0,      {"print_names", 11},
                                  {"1.0", 3},    create,         destroy};

__attribute__((visibility("default"))) const rlx_plugin* rlx_plugin_query(uint32_t host_abi) {
  return host_abi >> 16 == RLX_PLUGIN_ABI_MAJOR ? &plugin : NULL;
}
