/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/critical_path.h"

static struct path_share *smallest(struct path_share share[PATH_SHARES])
{
    struct path_share *found = share;
    for (int i = 1; i < PATH_SHARES; i++)
        found = share[i].ns < found->ns ? &share[i] : found;
    return found;
}

static void add_share(struct path_share share[PATH_SHARES], uint64_t *others, uint32_t of, uint64_t ns)
{
    for (int i = 0; i < PATH_SHARES; i++)
        if (share[i].ns > 0 && share[i].of == of) {
            share[i].ns += ns;
            return;
        }
    struct path_share *place = smallest(share);
    *others += place->ns;
    *place = (struct path_share){of, 0, ns};
}

void path_extend(struct path *path, uint64_t ns, uint32_t rank, uint32_t region)
{
    if (ns == 0)
        return;
    path->ns += ns;
    add_share(path->rank_share, &path->other_ranks_ns, rank, ns);
    add_share(path->region_share, &path->other_regions_ns, region, ns);
}

void path_longer(struct path *into, const struct path *from)
{
    if (from->ns > into->ns || (from->ns == into->ns && from->ns > 0 && from->rank < into->rank))
        *into = *from;
}

uint32_t path_region(const char *name)
{
    uint32_t hash = 0x811c9dc5u;
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * 0x01000193u;
    return hash != 0 ? hash : 1;
}
