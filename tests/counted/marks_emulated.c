/* SPDX-License-Identifier: BSD-3-Clause */
#include "marks.h"
#include "marks_print.h"
#include "papi.h"

#include <stdlib.h>

static int set = PAPI_NULL;

static void need(int code, const char *what)
{
    if (code == PAPI_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, PAPI_strerror(code));
    exit(1);
}

static void make_set(void)
{
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
        exit(1);
    need(PAPI_create_eventset(&set), "event set");
    for (int i = 0; i < MARK_EVENTS; i++) {
        char name[64];
        snprintf(name, sizeof name, "emu::%s", mark_events[i]);
        need(PAPI_add_named_event(set, name), name);
    }
}

/* Measures once before the first measurement, for what the dynamic linker does then. */
void mark_begin(void)
{
    long long count[MARK_EVENTS];
    if (set == PAPI_NULL) {
        make_set();
        PAPI_start(set);
        PAPI_stop(set, count);
    }
    PAPI_start(set);
}

void mark_end(const char *name)
{
    uint64_t count[MARK_EVENTS];
    PAPI_stop(set, (long long *)count);
    marks_print(name, count);
}
