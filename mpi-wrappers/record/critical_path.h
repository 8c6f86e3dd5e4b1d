/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/* The longest chain of useful time through the job that ends at some rank and moment: its length, and whose
 * time and which regions' it is made of. Ranks hand it to each other with what they send; it has a fixed
 * size. */

enum { PATH_SHARES = 8 };

struct path_share {
    uint32_t of; /* a rank of MPI_COMM_WORLD; or path_region of a region's name, 0 outside of all */
    uint32_t unused;
    uint64_t ns; /* 0: a free place */
};

struct path {
    uint64_t ns;
    uint64_t moves; /* from one rank to another */
    int32_t rank;   /* at which it ends */
    int32_t unused;
    /* The shares that there is room for: the smallest one goes to the others when a new one comes, so that of
     * a chain over many ranks or regions these figures are at least what is said, and the others at most. */
    struct path_share rank_share[PATH_SHARES], region_share[PATH_SHARES];
    uint64_t other_ranks_ns, other_regions_ns;
};

/* The chain goes on with useful time of a rank, in a region. */
void path_extend(struct path *path, uint64_t ns, uint32_t rank, uint32_t region);

/* The longer of two into the first one: associative and commutative where each has a rank of its own. */
void path_longer(struct path *into, const struct path *from);

/* A number for the name of a region, never 0. */
uint32_t path_region(const char *name);
