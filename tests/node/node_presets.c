/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every preset that the library says is there counts, alone in an event set: by a read through the kernel or
 * in user space, whichever the node has, and the same again when it is stopped.
 */
#include "counted_loop.h"
#include "node_test.h"

#include <string.h>

enum { TURNS = 200000 };

/* True if a preset counts. The node makes up the counts of all events but instructions and cycles, and none
 * stays 0. */
static int counts(const PAPI_event_info_t *info, int never)
{
    int es = PAPI_NULL, code, derived = info->derived[0] != '\0' && strcmp(info->derived, "NOT_DERIVED") != 0;
    long long running = -1, stopped = -1;
    NEED(PAPI_create_eventset(&es));
    code = PAPI_add_event(es, (int)info->event_code);
    if (code == PAPI_OK)
        code = PAPI_start(es);
    counted_loop(TURNS);
    if (code == PAPI_OK)
        code = PAPI_read(es, &running);
    if (code == PAPI_OK)
        code = PAPI_stop(es, &stopped);
    if (code != PAPI_OK)
        return node_check(0, "%s: %s", info->symbol, PAPI_strerror(code));
    NEED(PAPI_cleanup_eventset(es));
    NEED(PAPI_destroy_eventset(&es));
    if (derived) /* a difference may be anything */
        return 1;
    return (never ? stopped == 0 : running > 0 && stopped >= running) ||
           node_check(0, "%s: %lld, then %lld", info->symbol, running, stopped);
}

static int is_named(const char *name, char **names)
{
    for (; *names != NULL; names++)
        if (strcmp(*names, name) == 0)
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    PAPI_event_info_t info;
    int event = (int)PAPI_PRESET_MASK, n = 0, right = 0;
    node_init();
    for (int code = PAPI_enum_event(&event, PAPI_ENUM_FIRST); code == PAPI_OK;
         code = PAPI_enum_event(&event, PAPI_PRESET_ENUM_AVAIL)) {
        if (PAPI_query_event(event) != PAPI_OK || PAPI_get_event_info(event, &info) != PAPI_OK)
            continue;
        n++;
        right += counts(&info, is_named(info.symbol, argv + (argc > 0)));
    }
    node_check(n > 1 && right == n, "%d of %d presets count", right, n);
    return node_test_end();
}
