/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/profil.h"

#include <stdlib.h>
#include <string.h>

struct profile {
    int flags;
    unsigned bucket_size; /* bytes */
    uint64_t random;      /* the state of a generator: rand() is for no signal handler */
    int n;
    PAPI_sprofil_t region[];
};

enum { ONE_BUCKET = 2, LEAST_SCALE = 2, ADDRESS_A_BUCKET = 0x20000 };

/* ---------------------------------------------------------------------- create */

/* 0: there is no such size. */
static unsigned bucket_size(int flags)
{
    int kind = flags & PAPI_PROFIL_BUCKETS;
    if (kind == 0 || kind == PAPI_PROFIL_BUCKET_16)
        return 2;
    return kind == PAPI_PROFIL_BUCKET_32 ? 4 : kind == PAPI_PROFIL_BUCKET_64 ? 8 : 0;
}

static int check_region(const PAPI_sprofil_t *region, unsigned size, struct reason *why)
{
    if (region->pr_base == NULL)
        return reason_set(why, PAPI_EINVAL, "a region's buffer is NULL");
    if ((uintptr_t)region->pr_base % size != 0)
        return reason_set(why, PAPI_EINVAL, "the buffer %p is not aligned to its buckets of %u bytes",
                          region->pr_base, size);
    /* Codes give the size of the one bucket for all other addresses as 1, whatever a bucket's is. */
    if (region->pr_size < (region->pr_scale == ONE_BUCKET ? 1 : size))
        return reason_set(why, PAPI_EINVAL, "a buffer of %u bytes holds no bucket of %u", region->pr_size,
                          size);
    if (region->pr_scale < LEAST_SCALE || region->pr_scale > ADDRESS_A_BUCKET)
        return reason_set(why, PAPI_EINVAL,
                          "a scale of 0x%x: 0x2 (one bucket) to 0x20000 (one for each address)",
                          region->pr_scale);
    return PAPI_OK;
}

static int check(const PAPI_sprofil_t *regions, int n, int flags, struct reason *why)
{
    const int known = PAPI_PROFIL_RANDOM | PAPI_PROFIL_WEIGHTED | PAPI_PROFIL_COMPRESS | PAPI_PROFIL_BUCKETS;
    int code = PAPI_OK;
    if ((flags & ~known) != 0)
        return reason_set(why, PAPI_EINVAL, "the flags 0x%x of profiling are not available",
                          (unsigned)(flags & ~known));
    if (bucket_size(flags) == 0)
        return reason_set(why, PAPI_EINVAL, "buckets have one size");
    for (int i = 0; i < n && code == PAPI_OK; i++)
        code = check_region(&regions[i], bucket_size(flags), why);
    return code;
}

struct profile *profile_create(const PAPI_sprofil_t *regions, int n, int flags, int *code, struct reason *why)
{
    *code = check(regions, n, flags, why);
    if (*code != PAPI_OK)
        return NULL;
    struct profile *profile = malloc(sizeof *profile + (size_t)n * sizeof *regions);
    if (profile == NULL) {
        *code = reason_set(why, PAPI_ENOMEM, "out of memory");
        return NULL;
    }
    *profile = (struct profile){flags, bucket_size(flags), 0x9e3779b97f4a7c15u, n};
    memcpy(profile->region, regions, (size_t)n * sizeof *regions);
    return profile;
}

void profile_free(struct profile *profile)
{
    free(profile);
}

/* --------------------------------------------------------------------- samples */

/* xorshift64: the same samples in every run. */
static uint64_t next_random(struct profile *profile)
{
    profile->random ^= profile->random << 13;
    profile->random ^= profile->random >> 7;
    profile->random ^= profile->random << 17;
    return profile->random;
}

/* true for one of 2^bits */
static int one_of(struct profile *profile, unsigned bits)
{
    return bits == 0 || next_random(profile) >> 11 << (64 - bits) == 0;
}

/* A compressed bucket counts one of 2^k samples, where k grows by one each time the bucket has filled
 * a sixteenth of its range: 2^16 sixteenths last long. A full bucket stays full. */
static uint64_t added(struct profile *profile, uint64_t count, uint64_t most, uint64_t weight)
{
    if ((profile->flags & PAPI_PROFIL_COMPRESS) != 0 && !one_of(profile, (unsigned)(count / (most / 16 + 1))))
        return count;
    return most - count < weight ? most : count + weight;
}

static void count(struct profile *profile, void *base, uint64_t bucket, uint64_t weight)
{
    uint16_t *small = base;
    uint32_t *middle = base;
    uint64_t *large = base;
    if (profile->bucket_size == 2)
        small[bucket] = (uint16_t)added(profile, small[bucket], UINT16_MAX, weight);
    else if (profile->bucket_size == 4)
        middle[bucket] = (uint32_t)added(profile, middle[bucket], UINT32_MAX, weight);
    else
        large[bucket] = added(profile, large[bucket], UINT64_MAX, weight);
}

/* The bucket of an address in a region; false: outside. */
static int find_bucket(const struct profile *profile, const PAPI_sprofil_t *region, uint64_t address,
                       uint64_t *bucket)
{
    uint64_t distance = address - (uint64_t)(uintptr_t)region->pr_off;
    if (address < (uint64_t)(uintptr_t)region->pr_off)
        return 0;
    *bucket = 0;
    if (region->pr_scale == ONE_BUCKET)
        return 1;
    if (distance >> 46 != 0) /* the product must fit; no buffer reaches so far but at the smallest scales */
        return 0;
    *bucket = distance * region->pr_scale / 65536 / 2;
    return *bucket < region->pr_size / profile->bucket_size;
}

void profile_sample(struct profile *profile, uint64_t address, uint64_t weight)
{
    uint64_t bucket;
    if ((profile->flags & PAPI_PROFIL_RANDOM) != 0 && one_of(profile, 2))
        return;
    if ((profile->flags & PAPI_PROFIL_WEIGHTED) == 0)
        weight = 1;
    for (int i = 0; i < profile->n; i++)
        if (find_bucket(profile, &profile->region[i], address, &bucket)) {
            count(profile, profile->region[i].pr_base, bucket, weight);
            return;
        }
}
