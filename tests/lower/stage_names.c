/* A plugin that says of each call its stage, its pass, the nodes there and in the source. */
#include <stdio.h>

#include "tests/plugins/fixtures/fixture.h"

static rlx_status hook(void* self, const rlx_compile_record* r) {
  (void)self;
  char line[256];
  const rlx_graph_view* source = r->source;
  snprintf(line, sizeof line, "stage %u pass %.*s nodes %zu of %zu", r->stage, (int)r->pass.size,
           r->pass.data == NULL ? "" : r->pass.data, r->graph->node_count,
           source == NULL ? 0 : source->node_count);
  fixture_say(line);
  return RLX_OK;
}
FIXTURE("stage_names", RLX_STAGE_SOURCE | RLX_STAGE_PASS | RLX_STAGE_LOWERED, hook)
