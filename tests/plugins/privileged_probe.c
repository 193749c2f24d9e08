/* Says whether it runs with more privileges than its caller, and how many plugins it loaded. Its
 * library path is absolute: the loader ignores $ORIGIN in a privileged run. */
#include <rlx/host.h>
#include <stdio.h>
#include <sys/auxv.h>

int main(void) {
  rlx_session* session = NULL;
  char message[1024];
  if (rlx_session_create(NULL, &session, message, sizeof message) != RLX_OK) {
    fprintf(stderr, "%s\n", message);
    return 1;
  }
  printf("secure %lu plugins %zu\n", getauxval(AT_SECURE), rlx_session_plugin_count(session));
  rlx_session_destroy(session);
  return 0;
}
