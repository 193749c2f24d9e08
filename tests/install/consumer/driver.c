/* A driver in C11 on the installed host: loads what RLX_PLUGINS names and prints each plugin. */
#include <rlx/host.h>
#include <stdio.h>

int main(void) {
  char message[512] = "";
  rlx_session* session = NULL;
  if (rlx_session_create(NULL, &session, message, sizeof message) != RLX_OK) {
    fprintf(stderr, "driver: %s\n", message);
    return 2;
  }
  for (size_t i = 0; i < rlx_session_plugin_count(session); ++i) {
    rlx_plugin_info info = {.struct_size = sizeof info};
    if (rlx_session_plugin(session, i, &info) != RLX_OK) return 1;
    printf("%.*s\n", (int)info.name.size, info.name.data);
  }
  rlx_session_destroy(session);
  return 0;
}
