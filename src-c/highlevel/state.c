/* SPDX-License-Identifier: BSD-3-Clause */
#include "highlevel.h"

#include <errno.h>
#include <stdlib.h>

static int initialise(void)
{
    int version;
    if (PAPI_is_initialized() != PAPI_NOT_INITED)
        return PAPI_OK;
    version = PAPI_library_init(PAPI_VER_CURRENT);
    return version == PAPI_VER_CURRENT ? PAPI_OK : version;
}

static int lookup(struct highlevel **out)
{
    void *slot = NULL;
    int error = PAPI_get_thr_specific(PAPI_TLS_HIGH_LEVEL, &slot);
    *out = slot;
    return error;
}

static int create(struct highlevel **out)
{
    struct highlevel *hl = calloc(1, sizeof *hl);
    int error;
    if (hl == NULL)
        return PAPI_ENOMEM;
    hl->es = PAPI_NULL;
    error = PAPI_set_thr_specific(PAPI_TLS_HIGH_LEVEL, hl);
    if (error != PAPI_OK) {
        free(hl);
        return error;
    }
    *out = hl;
    return PAPI_OK;
}

int highlevel_get(struct highlevel **out)
{
    int error = initialise();
    if (error == PAPI_OK)
        error = lookup(out);
    if (error == PAPI_OK && *out == NULL)
        error = create(out);
    return error;
}

struct highlevel *highlevel_counting(void)
{
    struct highlevel *hl = NULL;
    if (PAPI_is_initialized() == PAPI_NOT_INITED || lookup(&hl) != PAPI_OK)
        return NULL;
    return hl != NULL && hl->use != HIGHLEVEL_IDLE ? hl : NULL;
}

/* The caller is about to report an earlier error: errno stays that error's, and so does the reason
 * behind PAPI_strerror, since only calls that fail replace it. */
static void release(struct highlevel *hl)
{
    int saved = errno;
    if (hl->es != PAPI_NULL) {
        PAPI_cleanup_eventset(hl->es);
        PAPI_destroy_eventset(&hl->es);
    }
    hl->es = PAPI_NULL;
    hl->events = 0;
    hl->use = HIGHLEVEL_IDLE;
    errno = saved;
}

static int add(struct highlevel *hl, const int *codes, int n, int needed)
{
    for (int i = 0; i < n; i++) {
        int error = PAPI_add_event(hl->es, codes[i]);

        if (error == PAPI_OK)
            hl->events++;
        else if (i < needed)
            return error;
        else
            break; /* counts are told apart by position: no event may take the place of this one */
    }
    return PAPI_OK;
}

int highlevel_start(struct highlevel *hl, enum highlevel_use use, const int *codes, int n, int needed)
{
    int error = PAPI_create_eventset(&hl->es);
    if (error == PAPI_OK)
        error = add(hl, codes, n, needed);
    if (error == PAPI_OK)
        error = PAPI_start(hl->es);
    if (error != PAPI_OK)
        release(hl);
    else
        hl->use = use;
    return error;
}

int highlevel_stop(struct highlevel *hl, long long *values)
{
    /* Whatever PAPI_stop says (after a fork: that the counters are the parent's), the thread must be
     * able to start anew. */
    int error = PAPI_stop(hl->es, values);

    release(hl);
    return error;
}
