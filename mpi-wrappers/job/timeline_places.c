/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/block.h"
#include "job/timeline_file.h"

#include <stdlib.h>

struct known_site {
    uint64_t address;
    int call, place; /* place: among the job's, and 1 more; 0: it has none */
};

static int by_site(const void *a, const void *b)
{
    const struct known_site *left = a, *right = b;
    return left->address != right->address ? (left->address > right->address ? 1 : -1)
                                           : left->call - right->call;
}

/* Lists the sites of all threads, of which several may have the same. */
static struct known_site *sites_of(const struct rank_record *record, const struct site_names *names,
                                   size_t *n)
{
    int threads = record_thread_count(record);
    struct known_site *known = calloc((size_t)threads * SITE_PLACES + 1, sizeof *known);
    *n = 0;
    for (int t = 0; known != NULL && t < threads; t++)
        for (int i = 0; i < SITE_PLACES; i++) {
            const struct call_site *site = &record_thread_at(record, t)->site[i];
            if (site->address != 0 && site->calls > 0)
                known[(*n)++] =
                    (struct known_site){site->address, site->call, block_site_place(names, record, site) + 1};
        }
    if (known != NULL)
        qsort(known, *n, sizeof *known, by_site);
    return known;
}

void timeline_place(struct ring_entry *entry, uint64_t n, const struct rank_record *record,
                    const struct site_names *names)
{
    size_t n_known = 0;
    struct known_site *known = n > 0 ? sites_of(record, names, &n_known) : NULL;
    for (uint64_t i = 0; i < n; i++) {
        const struct known_site wanted = {.address = entry[i].address, .call = entry[i].call};
        const struct known_site *found =
            n_known > 0 ? bsearch(&wanted, known, n_known, sizeof *known, by_site) : NULL;
        entry[i].address = found != NULL ? (uint64_t)found->place : 0;
    }
    free(known);
}
