/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/block.h"

#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
    const struct share_row *left = a, *right = b;
    int library = strncmp(left->library, right->library, SHARE_LIBRARY);
    return library != 0 ? library : strncmp(left->routine, right->routine, SHARE_ROUTINE);
}

/* Of two with as many samples the first by its name stays. */
static int most_first(const void *a, const void *b)
{
    const struct share_row *left = a, *right = b;
    int samples = (left->samples < right->samples) - (left->samples > right->samples);
    return samples != 0 ? samples : by_name(a, b);
}

static int limited(int n)
{
    return n < 0 ? 0 : n > MAX_SHARES ? MAX_SHARES : n;
}

/* A text, and zeros behind it: equal names are equal bytes. */
static void copy(struct share_row *to, const struct share_row *from)
{
    memset(to, 0, sizeof *to);
    memcpy(to->library, from->library, strnlen(from->library, SHARE_LIBRARY - 1));
    memcpy(to->routine, from->routine, strnlen(from->routine, SHARE_ROUTINE - 1));
    to->samples = from->samples;
}

/* Sorted by name, each once with the most samples that it has anywhere. */
static int unite(struct share_row *row, int n)
{
    int last = -1;
    qsort(row, (size_t)n, sizeof *row, by_name);
    for (int i = 0; i < n; i++)
        if (last < 0 || by_name(&row[last], &row[i]) != 0)
            row[++last] = row[i];
        else if (row[i].samples > row[last].samples)
            row[last].samples = row[i].samples;
    return last + 1;
}

static void keep(struct share_names *names, struct share_row *row, int n)
{
    memset(names, 0, sizeof *names);
    n = unite(row, n);
    if (n > MAX_SHARES) {
        qsort(row, (size_t)n, sizeof *row, most_first);
        n = MAX_SHARES;
        qsort(row, (size_t)n, sizeof *row, by_name);
    }
    names->n = n;
    memcpy(names->row, row, (size_t)n * sizeof *row);
}

void share_names_of(struct share_names *names, const struct rank_record *record)
{
    struct share_row row[MAX_SHARES];
    int n = record->share.state == SHARE_SAMPLED ? limited(record->share.n) : 0;
    for (int i = 0; i < n; i++)
        copy(&row[i], &record->share.row[i]);
    keep(names, row, n);
}

void share_names_merge(struct share_names *into, const struct share_names *from)
{
    struct share_row row[2 * MAX_SHARES];
    int n = limited(into->n), more = limited(from->n);
    memcpy(row, into->row, (size_t)n * sizeof *row);
    memcpy(row + n, from->row, (size_t)more * sizeof *row);
    keep(into, row, n + more);
}

/* ---- figures */

static uint64_t parts(uint64_t counted, uint64_t samples)
{
    return samples > 0 && counted < samples ? (uint64_t)((uint128)counted * 10000 / samples) : 10000;
}

void block_add_share(struct job *block, const struct rank_record *record, const struct share_names *names)
{
    const struct share *from = &record->share;
    struct job_share *to = &block->share;
    to->unknown = from->state == SHARE_UNKNOWN;
    if (from->state != SHARE_SAMPLED)
        return;
    to->ranks = 1;
    to->samples = from->samples;
    to->counted = from->counted < from->samples ? from->counted : from->samples;
    to->mpi = from->mpi;
    to->least = parts(to->counted, to->samples);
    to->least_rank = (uint64_t)record->rank;
    for (int i = 0; i < limited(from->n); i++) {
        const struct share_row *place =
            bsearch(&from->row[i], names->row, (size_t)names->n, sizeof *names->row, by_name);
        if (place != NULL)
            block_add(&to->row[place - names->row].samples, from->row[i].samples);
    }
}

void block_merge_share(struct job_share *into, const struct job_share *from)
{
    if (from->ranks > 0)
        block_merge_fields(into, from, job_share_fields, into->ranks == 0);
    else
        block_add(&into->unknown, from->unknown);
    for (int i = 0; i < MAX_SHARES; i++)
        block_add(&into->row[i].samples, from->row[i].samples);
}

static uint64_t of_library(const struct job_share *share, const char *library)
{
    uint64_t sum = 0;
    for (int i = 0; i < share->n; i++)
        if (strcmp(share->row[i].library, library) == 0)
            block_add(&sum, share->row[i].samples);
    return sum;
}

static int by_library(const void *a, const void *b, void *of)
{
    const struct share_row *left = a, *right = b;
    uint64_t mine = of_library(of, left->library), other = of_library(of, right->library);
    int library = strcmp(left->library, right->library);
    if (mine != other)
        return mine < other ? 1 : -1;
    return library != 0 ? library : most_first(a, b);
}

void block_name_share(struct job_share *share, const struct share_names *names)
{
    share->n = limited(names->n);
    for (int i = 0; i < share->n; i++) {
        uint64_t samples = share->row[i].samples;
        copy(&share->row[i], &names->row[i]);
        share->row[i].samples = samples;
    }
    struct job_share *same = malloc(sizeof *same); /* sums are not taken of what is being sorted */
    if (same == NULL)
        return;
    *same = *share;
    qsort_r(share->row, (size_t)share->n, sizeof *share->row, by_library, same);
    free(same);
}
