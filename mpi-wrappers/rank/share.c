/* SPDX-License-Identifier: BSD-3-Clause */

#include "components/counted/uncounted_share.h"
#include "rank/rank.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void share_begin(struct rank_record *record)
{
    const struct settings *settings = &papi_mpi.settings;
    /* No sampling here if each rank has the library write its regions: then the library's own report
     * samples. */
    if (!record->counted || !settings->share || settings->regions_by_rank || papi_mpi.main == NULL)
        return;
    record->share.state = SHARE_UNKNOWN;
    struct sampler *sampler = sampler_make();
    if (sampler == NULL)
        return;
    sampler_apart(sampler, &papi_mpi.main->inside);
    if (sampler_thread(sampler, &papi_mpi.share_timer))
        papi_mpi.sampler = sampler;
    else
        sampler_free(sampler);
}

static int most_first(const void *a, const void *b)
{
    const struct sampler_row *left = a, *right = b;
    return (left->samples < right->samples) - (left->samples > right->samples);
}

/* Copies the end of a long path. */
static void put_library(char to[SHARE_LIBRARY], const char *path)
{
    size_t length = strlen(path);
    snprintf(to, SHARE_LIBRARY, "%s", length < SHARE_LIBRARY ? path : path + length - (SHARE_LIBRARY - 1));
}

static void put(struct share *share, const struct sampler_result *result)
{
    share->samples = result->samples;
    share->counted = result->counted;
    share->mpi = result->apart;
    qsort(result->row, result->n, sizeof *result->row, most_first);
    for (size_t i = 0; i < result->n && i < MAX_SHARES; i++) {
        const struct sampler_row *row = &result->row[i];
        put_library(share->row[i].library, row->library);
        snprintf(share->row[i].routine, SHARE_ROUTINE, "%s", row->routine != NULL ? row->routine : "");
        share->row[i].samples = row->samples;
        share->n = (int32_t)i + 1;
    }
    share->state = SHARE_SAMPLED;
}

void share_end(struct rank_record *record)
{
    struct sampler_result result;
    struct sampler *sampler = papi_mpi.sampler;
    /* Only the main thread may end it: elsewhere its handler may still be at work. */
    if (sampler == NULL || !record_is_main(record, mpi_thread.record))
        return;
    papi_mpi.sampler = NULL;
    sampler_end_timer(papi_mpi.share_timer);
    if (sampler_look(sampler, &result) && !result.replaced)
        put(&record->share, &result);
    sampler_free(sampler);
}
