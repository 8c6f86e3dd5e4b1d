/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/client.h"
#include "highlevel/highlevel.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

static int initialise(void)
{
    if (PAPI_is_initialized() != PAPI_NOT_INITED)
        return PAPI_OK;
    int version = PAPI_library_init(PAPI_VER_CURRENT);
    return version == PAPI_VER_CURRENT ? PAPI_OK : version;
}

static int find(struct highlevel **out)
{
    void *slot = NULL;
    int code = PAPI_get_thr_specific(PAPI_TLS_HIGH_LEVEL, &slot);
    *out = slot;
    return code;
}

static int create(struct highlevel **out)
{
    struct highlevel *hl = calloc(1, sizeof *hl);
    int code = hl != NULL ? PAPI_set_thr_specific(PAPI_TLS_HIGH_LEVEL, hl) : PAPI_ENOMEM;
    if (code == PAPI_OK)
        *out = hl;
    else
        free(hl);
    return code;
}

int highlevel_get(struct highlevel **out)
{
    int code = initialise() ?: find(out);
    return code == PAPI_OK && *out == NULL ? create(out) : code;
}

struct highlevel *highlevel_counting(void)
{
    struct highlevel *hl = NULL;
    if (PAPI_is_initialized() == PAPI_NOT_INITED || find(&hl) != PAPI_OK)
        return NULL;
    return hl != NULL && hl->n > 0 ? hl : NULL;
}

int highlevel_interrupted(void)
{
    return client_failed(PAPI_ECNFLCT,
                         "this signal handler has interrupted a call that starts, reads or ends the thread's "
                         "counters of PAPI_flops and its sisters: they can be read in the next signal, or in "
                         "the program; after a handler was left by siglongjmp, PAPI_rate_stop or "
                         "PAPI_stop_counters makes them usable");
}

int highlevel_enter(struct highlevel *hl)
{
    if (hl->busy)
        return highlevel_interrupted();
    hl->busy = 1;
    atomic_signal_fence(memory_order_seq_cst);
    return PAPI_OK;
}

void highlevel_leave(struct highlevel *hl)
{
    atomic_signal_fence(memory_order_seq_cst);
    hl->busy = 0;
}

/* The caller may be about to report an earlier error: errno stays that error's, and so does the reason
 * behind PAPI_strerror, since only calls that fail replace it: a set that does not run is not stopped. */
void highlevel_drop(int *es)
{
    int saved = errno, state = 0;
    if (*es == PAPI_NULL)
        return;
    if (PAPI_state(*es, &state) == PAPI_OK && (state & PAPI_RUNNING) != 0)
        PAPI_stop(*es, NULL);
    PAPI_cleanup_eventset(*es);
    PAPI_destroy_eventset(es);
    *es = PAPI_NULL; /* one from before PAPI_shutdown, too */
    errno = saved;
}

/* Adds events to a part. Counts are distinguished by position: no event may take the place of one that is
 * refused. */
static int add(struct highlevel_part *part, const int *codes, int n, int needed)
{
    int code = PAPI_OK;
    while (part->events < n && (code = PAPI_add_event(part->es, codes[part->events])) == PAPI_OK)
        part->events++;
    return part->events >= needed ? PAPI_OK : code;
}

int highlevel_start(struct highlevel *hl, enum highlevel_use use, const int *codes, int n, int needed)
{
    struct highlevel_part *part = &hl->part[hl->n];
    *part = (struct highlevel_part){.use = use, .es = PAPI_NULL};
    hl->n++; /* before it has counters: what a handler's siglongjmp leaves of it can be ended */
    int code = PAPI_create_eventset(&part->es) ?: add(part, codes, n, needed) ?: PAPI_start(part->es);
    if (code == PAPI_OK)
        return PAPI_OK;
    highlevel_drop(&part->es);
    hl->n--;
    return code;
}

static void drop_all(struct highlevel *hl)
{
    while (hl->n > 0) {
        highlevel_drop(&hl->part[hl->n - 1].es);
        hl->n--;
    }
}

static __attribute__((cold)) int end_left_call(struct highlevel *hl)
{
    if (!client_blocks_no_signal())
        return highlevel_interrupted();
    drop_all(hl);
    highlevel_leave(hl);
    return client_failed(PAPI_ECNFLCT,
                         "a signal handler has left a call by siglongjmp: its counters are given "
                         "up, and the next call starts them anew");
}

int highlevel_stop(struct highlevel *hl, long long *values)
{
    /* Whatever PAPI_stop says (after a fork: that the counters are the parent's), the thread must be
     * able to start anew. */
    int code = PAPI_OK;
    if (hl->busy)
        return end_left_call(hl);
    highlevel_enter(hl);
    for (int i = 0; i < hl->n; i++) {
        int other = PAPI_stop(hl->part[i].es, i == 0 ? values : NULL);
        code = code ?: other;
    }
    drop_all(hl);
    highlevel_leave(hl);
    return code;
}
