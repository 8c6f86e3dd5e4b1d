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
    return hl != NULL && hl->n > 0 ? hl : NULL;
}

/* The caller is about to report an earlier error: errno stays that error's, and so does the reason
 * behind PAPI_strerror, since only calls that fail replace it. */
static void release(struct highlevel_part *part)
{
    int saved = errno;
    if (part->es != PAPI_NULL) {
        PAPI_cleanup_eventset(part->es);
        PAPI_destroy_eventset(&part->es);
    }
    part->es = PAPI_NULL;
    part->use = HIGHLEVEL_IDLE;
    errno = saved;
}

static int add(struct highlevel_part *part, const int *codes, int n, int needed)
{
    for (int i = 0; i < n; i++) {
        int error = PAPI_add_event(part->es, codes[i]);

        if (error == PAPI_OK)
            part->events++;
        else if (i < needed)
            return error;
        else
            break; /* counts are told apart by position: no event may take the place of this one */
    }
    return PAPI_OK;
}

int highlevel_start(struct highlevel *hl, enum highlevel_use use, const int *codes, int n, int needed)
{
    struct highlevel_part *part = &hl->part[hl->n];
    *part = (struct highlevel_part){.use = use, .es = PAPI_NULL};
    int error = PAPI_create_eventset(&part->es);
    if (error == PAPI_OK)
        error = add(part, codes, n, needed);
    if (error == PAPI_OK)
        error = PAPI_start(part->es);
    if (error != PAPI_OK)
        release(part);
    else
        hl->n++;
    return error;
}

int highlevel_stop(struct highlevel *hl, long long *values)
{
    /* Whatever PAPI_stop says (after a fork: that the counters are the parent's), the thread must be
     * able to start anew. */
    int error = PAPI_stop(hl->part[0].es, values);

    for (int i = 1; i < hl->n; i++) {
        int other = PAPI_stop(hl->part[i].es, NULL);
        error = error == PAPI_OK ? other : error;
    }
    for (int i = 0; i < hl->n; i++)
        release(&hl->part[i]);
    hl->n = 0;
    return error;
}
