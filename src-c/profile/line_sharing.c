/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the lines that threads share. Memory is used again: a thread's allocation may lie where another
 * thread's was before. So two threads share a line only if one's samples of it, from the first to the last,
 * lie in the same time as the other's.
 */
#include "line_sharing.h"
#include "tools/common/allocate.h"

#include <stdlib.h>

struct group_key {
    int32_t line, thread, datum;
};

struct sharing_group {
    uint64_t first, last; /* times of its samples */
    bool stores, shares;
};

/* ---- samples */

static struct sharing_group *group_of(struct sharing *sharing, const struct line_use *use, uint64_t time)
{
    const struct group_key key = {use->line, use->thread, use->datum};
    int before = sharing->groups.n, number = index_of(&sharing->groups, &key, sizeof key);
    if (sharing->groups.n > before) {
        MEMORY_ONE_MORE(sharing->group, number, sharing->group_room);
        sharing->group[number] = (struct sharing_group){.first = time, .last = time};
    }
    return &sharing->group[number];
}

void sharing_add(struct sharing *sharing, uint64_t line, int process, const struct line_use *use,
                 uint64_t time, uint64_t wait)
{
    const struct shared_line key = {line, process, 0};
    struct line_use own = *use;
    own.line = index_of(&sharing->lines, &key, sizeof key);
    struct sharing_group *group = group_of(sharing, &own, time);
    group->last = time > group->last ? time : group->last;
    group->stores |= own.store != 0;
    int before = sharing->uses.n, number = index_of(&sharing->uses, &own, sizeof own);
    if (sharing->uses.n > before) {
        MEMORY_ONE_MORE(sharing->counts, number, sharing->count_room);
        sharing->counts[number] = (struct line_use_counts){.samples = 0};
    }
    struct line_use_counts *counts = &sharing->counts[number];
    counts->samples++;
    counts->wait = profile_sum(counts->wait, wait);
    counts->squares += (double)wait * (double)wait;
}

/* ---- what is shared */

static const struct group_key *group_key(const struct sharing *sharing, int group)
{
    return index_key(&sharing->groups, group);
}

static int by_line(const void *a, const void *b, void *context)
{
    int one = *(const int *)a, other = *(const int *)b;
    int first = group_key(context, one)->line, second = group_key(context, other)->line;
    return first != second ? first < second ? -1 : 1 : one - other;
}

static bool share(const struct sharing *sharing, int one, int other)
{
    const struct sharing_group *a = &sharing->group[one], *b = &sharing->group[other];
    return group_key(sharing, one)->thread != group_key(sharing, other)->thread && (a->stores || b->stores) &&
           a->first <= b->last && b->first <= a->last;
}

/* Compares the groups of one line, which are order[0..n), each with each. */
static void compare_groups(struct sharing *sharing, const int *order, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            if (share(sharing, order[i], order[j]))
                sharing->group[order[i]].shares = sharing->group[order[j]].shares = true;
}

static void find_shared(struct sharing *sharing)
{
    int n = sharing->groups.n, *order = memory_more(NULL, (size_t)n + 1, sizeof *order), end;
    for (int i = 0; i < n; i++)
        order[i] = i;
    qsort_r(order, (size_t)n, sizeof *order, by_line, sharing);
    for (int from = 0; from < n; from = end) {
        for (end = from;
             end < n && group_key(sharing, order[end])->line == group_key(sharing, order[from])->line;)
            end++;
        compare_groups(sharing, order + from, end - from);
    }
    free(order);
}

/* True for a use by one of those threads that share the line. */
static bool is_shared(const struct sharing *sharing, const struct line_use *use)
{
    const struct group_key key = {use->line, use->thread, use->datum};
    return sharing->group[index_find(&sharing->groups, &key, sizeof key)].shares;
}

/* Marks the lines that moved from one core to another. The caller frees the marks. */
static bool *find_moved(const struct sharing *sharing)
{
    bool *moved = memory_more(NULL, (size_t)sharing->lines.n + 1, sizeof *moved);
    for (int i = 0; i < sharing->lines.n; i++)
        moved[i] = false;
    for (int i = 0; i < sharing->uses.n; i++) {
        const struct line_use *use = index_key(&sharing->uses, i);
        if (use->moved && is_shared(sharing, use))
            moved[use->line] = true;
    }
    return moved;
}

void sharing_end(struct sharing *sharing, struct profile *profile)
{
    find_shared(sharing);
    bool *moved = find_moved(sharing);
    for (int i = 0; i < sharing->uses.n; i++) {
        struct line_use use = *(const struct line_use *)index_key(&sharing->uses, i);
        const struct shared_line *line = index_key(&sharing->lines, use.line);
        if (!moved[use.line] || !is_shared(sharing, &use))
            continue;
        use.line = profile_add_line(profile, line->address, line->process);
        profile_add_line_use(profile, &use, &sharing->counts[i]);
    }
    free(moved);
    index_free(&sharing->lines);
    index_free(&sharing->uses);
    index_free(&sharing->groups);
    free(sharing->group);
    free(sharing->counts);
    *sharing = (struct sharing){.group = NULL};
}
