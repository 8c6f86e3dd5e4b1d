/* SPDX-License-Identifier: BSD-3-Clause */
#include "estimate.h"
#include "price.h"
#include "profile/loops/dependence.h"
#include "tools/common/allocate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A loop: from its first block to the one whose branch goes back there. */
struct back {
    size_t head, tail;
    uint64_t turns; /* how often its branches went back */
};

struct estimating {
    const struct model *model;
    struct decoder *decoder; /* NULL on Arm */
    struct block *block;
    size_t n;
    struct effort *effort; /* of one run of each block */
    bool *computed;        /* blocks that end with a jump to where a register or a table says */
    struct back *back;
    size_t n_back, room;
};

/* ---- blocks */

static size_t decode(struct estimating *of, const struct block *block, struct step *step)
{
    size_t n = 0;
    for (size_t at = 0, length; at < block->size; at += length) {
        length =
            of->decoder != NULL
                ? decoder_step(of->decoder, block->code + at, block->size - at, block->address + at, &step[n])
                : price_step_arm64(block->code + at, block->size - at, block->address + at, &step[n]);
        if (length == 0)
            break;
        n++;
    }
    return n;
}

static struct step *steps_of(struct estimating *of, const struct block *block, size_t *n)
{
    struct step *step = memory_more(NULL, (size_t)block->size + 1, sizeof *step);
    *n = block->code != NULL ? decode(of, block, step) : 0;
    return step;
}

/* The block at which code that goes to an address goes on: counters stand before blocks, and are in none. */
static size_t block_from(const struct estimating *of, uint64_t address)
{
    size_t low = 0, high = of->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (of->block[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_back(struct estimating *of, size_t tail, const struct step *last)
{
    const struct block *from = &of->block[tail];
    uint64_t turns = last->conditional ? from->taken : from->runs;
    size_t head = block_from(of, last->target);
    if (!last->branch || last->call || last->target == 0 || last->target > from->address || turns == 0 ||
        head > tail || of->block[head].routine != from->routine)
        return;
    MEMORY_ONE_MORE(of->back, of->n_back, of->room);
    of->back[of->n_back++] = (struct back){head, tail, turns};
}

static void look_at(struct estimating *of, size_t i)
{
    size_t n;
    struct block *block = &of->block[i];
    struct step *step = steps_of(of, block, &n);
    effort_of(of->model, step, n, &of->effort[i]);
    if (n > 0)
        add_back(of, i, &step[n - 1]);
    of->computed[i] = n > 0 && step[n - 1].computed;
    free(step);
}

/* Branches that may have been mispredicted: those that went the rarer way of their two, and all that may go
 * to any place. */
static double undecided(const struct estimating *of, size_t i)
{
    const struct block *block = &of->block[i];
    if (of->computed[i])
        return (double)block->runs;
    uint64_t other = block->runs > block->taken ? block->runs - block->taken : 0;
    return (double)(block->taken < other ? block->taken : other);
}

/* ---- loops */

static int order_backs(const void *a, const void *b)
{
    const struct back *one = a, *other = b;
    return one->head != other->head ? (one->head > other->head) - (one->head < other->head)
                                    : (one->tail > other->tail) - (one->tail < other->tail);
}

/* Makes one loop of those with the same head. */
static void merge_backs(struct estimating *of)
{
    size_t n = 0;
    if (of->n_back > 1)
        qsort(of->back, of->n_back, sizeof *of->back, order_backs);
    for (size_t i = 0; i < of->n_back; i++) {
        struct back *last = n > 0 ? &of->back[n - 1] : NULL;
        if (last == NULL || last->head != of->back[i].head) {
            of->back[n++] = of->back[i];
            continue;
        }
        last->tail = of->back[i].tail;
        last->turns += of->back[i].turns;
    }
    of->n_back = n;
}

/* The cycles that a turn waits for the one before, on the way that most turns go.
 *   chases  becomes true where it waits for the address of a load */
static double chain_of(struct estimating *of, const struct back *loop, bool *chases)
{
    struct turn turn = {.chases = false};
    struct step *all = NULL;
    size_t n_all = 0;
    double cycles = 0;
    for (size_t i = loop->head; i <= loop->tail && of->decoder != NULL; i++) {
        size_t n;
        if (of->block[i].runs < loop->turns / 2)
            continue;
        struct step *step = steps_of(of, &of->block[i], &n);
        all = memory_more(all, n_all + n + 1, sizeof *all);
        memcpy(all + n_all, step, n * sizeof *step);
        n_all += n;
        free(step);
    }
    if (n_all > 0) {
        cycles = price_chain(of->model, all, n_all);
        turn_look(all, (int)n_all, &turn);
    }
    free(all);
    *chases = turn.chases;
    return cycles;
}

/* The part of a loop's chain that cannot be hidden: a processor that sees the loop's next run while this one
 * ends works on both, unless they wait for one another, too. */
static double unhidden(const struct estimating *of, const struct back *loop)
{
    double instructions = 0;
    uint64_t runs = of->block[loop->head].runs, entries = runs > loop->turns ? runs - loop->turns : 1;
    for (size_t i = loop->head; i <= loop->tail; i++)
        instructions += of->effort[i].ops * (double)of->block[i].runs;
    return fmin(1, instructions / (double)entries / of->model->window);
}

/* The cycles of what is busy longest in blocks that overlap, where a branch that is taken needs so many. */
static double needed(const struct estimating *of, size_t first, size_t last, double taken)
{
    struct effort together = {.ops = 0};
    for (size_t i = first; i <= last; i++) {
        effort_add(&together, &of->effort[i], (double)of->block[i].runs);
        together.taken += taken * (double)of->block[i].taken;
    }
    return effort_cycles(of->model, &together);
}

static double own_cycles(const struct estimating *of, size_t i)
{
    return effort_cycles(of->model, &of->effort[i]) * (double)of->block[i].runs;
}

/* Cycles for which blocks wait for one another. */
struct wait {
    double least, usual, most;
};

/* Gives the cycles of the blocks from first to last, which overlap, to each by what it needs alone. */
static void settle(struct estimating *of, size_t first, size_t last, const struct wait *chain)
{
    const double *taken = of->model->taken, *wrong = of->model->mispredicted;
    double least = fmax(needed(of, first, last, taken[0]), chain->least);
    double usual = fmax(needed(of, first, last, (taken[0] + taken[1]) / 2), chain->usual);
    double most = needed(of, first, last, taken[1]), alone = 0;
    most = fmax(most, chain->most) + fmin(most, chain->most) / 4;
    for (size_t i = first; i <= last; i++)
        alone += own_cycles(of, i);
    for (size_t i = first; i <= last; i++) {
        struct block *block = &of->block[i];
        double share = alone > 0 ? own_cycles(of, i) / alone : 0;
        double lost = undecided(of, i);
        block->least = share * least;
        block->cycles = share * usual + lost * (wrong[0] + wrong[1]) / 4;
        block->most = share * most + lost * wrong[1];
    }
}

/* Pointers are followed as fast as the caches allow: in the third one they take about ten times as long as in
 * the first, of which the model has the latency. */
enum { FAR_LOADS = 10 };

static void settle_loop(struct estimating *of, const struct back *loop)
{
    bool chases;
    double cycles = chain_of(of, loop, &chases) * (double)loop->turns, least = cycles * unhidden(of, loop);
    settle(of, loop->head, loop->tail,
           &(struct wait){least, (least + cycles) / 2, chases ? FAR_LOADS * cycles : cycles});
}

static void settle_alone(struct estimating *of, size_t i)
{
    settle(of, i, i, &(struct wait){0, 0, 0});
}

/* Settles innermost loops as wholes, and each block outside of them by itself. */
static void settle_all(struct estimating *of)
{
    size_t at = 0;
    for (size_t k = 0; k < of->n_back; k++) {
        const struct back *loop = &of->back[k];
        bool innermost = k + 1 == of->n_back || of->back[k + 1].head > loop->tail;
        if (!innermost || loop->head < at)
            continue;
        for (; at < loop->head; at++)
            settle_alone(of, at);
        settle_loop(of, loop);
        at = loop->tail + 1;
    }
    for (; at < of->n; at++)
        settle_alone(of, at);
}

void estimate_blocks(const struct model *model, enum machine_code code, struct block *block, size_t n)
{
    struct estimating of = {.model = model, .block = block, .n = n};
    of.decoder = code == CODE_X86_64 ? or_end(decoder_open()) : NULL;
    of.effort = memory_more(NULL, n + 1, sizeof *of.effort);
    of.computed = memory_more(NULL, n + 1, sizeof *of.computed);
    for (size_t i = 0; i < n; i++)
        look_at(&of, i);
    merge_backs(&of);
    settle_all(&of);
    decoder_close(of.decoder);
    free(of.computed);
    free(of.effort);
    free(of.back);
}
