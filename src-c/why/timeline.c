/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The states of threads in time. When the run outgrows the pieces, each two of them become one.
 */
#include "timeline.h"
#include "tools/common/allocate.h"

#include <stdlib.h>

static void add(struct timeline_piece *to, const struct timeline_piece *piece)
{
    to->looks += piece->looks;
    to->waits += piece->waits;
    to->user += piece->user;
    to->system += piece->system;
    to->ran += piece->ran;
    to->delay += piece->delay;
}

static void join_pairs(struct timeline_thread *thread)
{
    for (int i = 0; i < TIMELINE_PIECES; i++) {
        struct timeline_piece piece = thread->piece[i];
        thread->piece[i] = (struct timeline_piece){.looks = 0};
        add(&thread->piece[i / 2], &piece);
    }
}

void timeline_look(struct timeline *timeline, double now)
{
    const double shortest = 0.02; /* of a piece: two looks */
    if (timeline->length == 0) {
        timeline->length = shortest;
        timeline->begin = now;
    }
    while (now - timeline->begin >= TIMELINE_PIECES * timeline->length) {
        timeline->length *= 2;
        for (int i = 0; i < timeline->n; i++)
            join_pairs(&timeline->thread[i]);
    }
    timeline->at = (int)((now - timeline->begin) / timeline->length);
}

static void leave_out(struct timeline *timeline, pid_t id)
{
    for (int i = 0; i < timeline->left_out; i++)
        if (timeline->others[i] == id)
            return;
    timeline->others =
        memory_more(timeline->others, (size_t)timeline->left_out + 1, sizeof *timeline->others);
    timeline->others[timeline->left_out++] = id;
}

static struct timeline_thread *thread_of(struct timeline *timeline, pid_t id)
{
    for (int i = 0; i < timeline->n; i++)
        if (timeline->thread[i].last.id == id)
            return &timeline->thread[i];
    if (timeline->n == TIMELINE_THREADS) {
        leave_out(timeline, id);
        return NULL;
    }
    timeline->thread = memory_more(timeline->thread, (size_t)timeline->n + 1, sizeof *timeline->thread);
    timeline->thread[timeline->n] = (struct timeline_thread){.last = {.id = id}};
    return &timeline->thread[timeline->n++];
}

void timeline_note(struct timeline *timeline, const struct timeline_found *found)
{
    struct timeline_thread *thread = thread_of(timeline, found->id);
    if (thread == NULL)
        return;
    struct timeline_found *last = &thread->last;
    struct timeline_piece piece = {.looks = 1,
                                   .waits = found->waits,
                                   .user = (float)(found->user - last->user),
                                   .system = (float)(found->system - last->system),
                                   .ran = (float)(found->ran - last->ran),
                                   .delay = (float)(found->delay - last->delay)};
    add(&thread->piece[timeline->at], &piece);
    *last = *found;
}

struct timeline_shares timeline_shares(const struct timeline_thread *thread, int piece)
{
    struct timeline_piece all = {.looks = 0}, of;
    for (int i = 0; i < TIMELINE_PIECES; i++)
        add(&all, &thread->piece[i]);
    of = piece < 0 ? all : thread->piece[piece];
    /* A short piece may have no tick of the kernel's clock: then it is taken to be like the others. */
    const struct timeline_piece *ticks = of.user + of.system > 0 ? &of : &all;
    double user = ticks->user, system = ticks->system, ran = of.ran, delay = of.delay;
    struct timeline_shares shares = {.looks = of.looks};
    if (of.looks == 0)
        return shares;
    shares.waiting = (double)(of.waits / of.looks);
    shares.processor = ran + delay > 0 ? (1 - shares.waiting) * delay / (ran + delay) : 0;
    double rest = 1 - shares.waiting - shares.processor;
    shares.kernel = user + system > 0 ? rest * system / (user + system) : 0;
    shares.computing = rest - shares.kernel;
    return shares;
}

void timeline_free(struct timeline *timeline)
{
    free(timeline->thread);
    free(timeline->others);
}
